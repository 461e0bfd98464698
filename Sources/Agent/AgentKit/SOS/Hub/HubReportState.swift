internal import Distress
internal import Sensing
internal import SyncProtocol
internal import Vitals

/// The reports to the hub about a person's case, and its answers.
struct HubReportState: Sendable {
    /// While nothing is open the hub hears so often that somebody watches here, and the box that somebody would help.
    static let every: Milliseconds = 30_000
    /// While something is open.
    private static let everyOpen: Milliseconds = 2000
    /// Without an answer it is told again: while something is open, and otherwise.
    static let again: Milliseconds = 1000, againCalm: Milliseconds = 10_000
    /// A hub that was heard so long ago is not counted upon: a missed report, and the time that a request takes.
    static let heardMax: Milliseconds = 40_000
    /// Said that somebody was reached, and then nothing for so long: the box calls by itself.
    static let handedOverMax: Milliseconds = 10_000
    private static let inFlightMax = 4

    /// Of the last report that was made.
    var revision: UInt64 = 0
    /// Of the last one that tells something new, and of the newest that the hub has.
    var newsRevision: UInt64 = 0
    var toldRevision: UInt64 = 0
    var inFlight = 0
    /// Something new came while too many requests were on their way.
    var isOwed = false
    var sent: Milliseconds?
    var nextAt: Milliseconds = 0
    var answered: Milliseconds?
    /// When it last said that somebody was reached.
    var reached: Milliseconds?
    var answer: SOSAnswer?
    var problem: SourceProblem?
    /// The highest number of ``SOSAnswer/Pressed`` that was taken, those up to which all count as taken, and the others.
    private(set) var pressed: UInt64 = 0
    private var pressedBefore: UInt64 = 0
    private var pressedOnes: [UInt64] = []
    /// The owner, as the hub says.
    var owner: Owner?
    /// Numbers that it has told of the present case: they get no second alarm.
    var told: Set<String> = []
    /// It was restored from a backup and asks for the settings that are held here.
    var wantsSettings = false
    /// The hub was asked to watch instead.
    var saidDown = false
    /// ``SOSReport/weaknesses`` of the last report that was made.
    var saidWeaknesses: [String]?

    /// Each press counts once, whichever answer brings it.
    mutating func isNew(_ number: UInt64) -> Bool {
        guard number > pressedBefore, !pressedOnes.contains(number) else { return false }
        pressedOnes.append(number)
        pressed = max(pressed, number)
        if pressedOnes.count > 64 { pressedBefore = max(pressedBefore, pressedOnes.removeFirst()) }
        return true
    }

    /// What was taken before the agent was started anew.
    mutating func restore(pressed: UInt64) { (self.pressed, pressedBefore) = (pressed, pressed) }
    /// It answered a moment ago.
    func isHeard(at now: Milliseconds) -> Bool {
        guard problem == nil, let answered else { return false }
        return now - answered <= Self.heardMax
    }

    /// Of a report that is made now: each is newer than all before, also than those before a restart.
    mutating func nextRevision(at now: Milliseconds) -> UInt64 {
        revision = max(revision + 1, UInt64(clamping: now))
        return revision
    }

    /// Begins a report.
    /// - Parameters:
    ///   - isNews: it tells something new.
    ///   - isOpen: a question or an alarm waits for somebody.
    /// - Returns: its revision; nil while too many are on their way: then news is owed.
    mutating func beginReport(isNews: Bool, isOpen: Bool, at now: Milliseconds) -> UInt64? {
        guard inFlight < Self.inFlightMax else {
            if isNews { isOwed = true }
            return nil
        }
        let isNews = isNews || isOwed, revision = nextRevision(at: now)
        if isNews { newsRevision = revision }
        (isOwed, sent, nextAt) = (false, now, now + (isOpen ? Self.everyOpen : Self.every))
        inFlight += 1
        return revision
    }
}

extension SOSStation {
    /// There is something that the hub has not confirmed.
    var owesHub: Bool { hub.toldRevision < hub.newsRevision || hub.isOwed }

    /// Whether the hub is to be told again.
    /// - Parameter weaknesses: as the next report would say them. A link that breaks, or is whole again, does not wait for the next report.
    func isReportDue(weaknesses: [String]?, at now: Milliseconds) -> Bool {
        let isOther = hub.sent != nil && hub.saidWeaknesses != weaknesses
        return hub.isOwed || isOther || (now >= hub.nextAt && (hub.inFlight == 0 || isOpen))
    }

    /// What the hub said holds for a while, and not for ever.
    func isHandedOverTooLong(at now: Milliseconds) -> Bool { isHandedOver && now - (hub.reached ?? now) > HubReportState.handedOverMax }

    /// The hub has what a report says.
    mutating func heard(_ answer: SOSAnswer, to report: SOSReport, at now: Milliseconds) {
        heard(report.warning, isDurable: answer.isDurable)
        heardBroughtBack(in: report)
        (hub.toldRevision, hub.answered, hub.answer, hub.problem) = (report.revision, now, answer, nil)
    }

    /// A report brought no answer.
    /// - Returns: whether the hub counts as away; not where another request got through after this one had left.
    mutating func failed(_ problem: SourceProblem, to report: SOSReport, at now: Milliseconds) -> Bool {
        if let answered = hub.answered, answered > report.sentAt { return false }
        hub.problem = problem
        hub.nextAt = now + (isOpen || owesHub ? HubReportState.again : HubReportState.againCalm)
        return true
    }

    /// When the hub is told next, after an answer.
    mutating func planReport(after answer: SOSAnswer, at now: Milliseconds) {
        let pause = isOpen ? min(max(answer.repeatAfter, 500), 5000) : owesHub ? HubReportState.again : HubReportState.every
        hub.nextAt = now + pause
    }
}
