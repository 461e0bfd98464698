internal import Sensing
internal import SyncProtocol
internal import Vitals

/// The check-ins of the box's one person: what the hub asks, what was tapped here, and what became of it. A value: the clock and the hub's words
/// come in, and whoever runs it sends what ``due(at:)`` gives.
struct CheckIns: Sendable, Hashable {
    /// What the person said here. Kept until the hub has decided, and shown for a while afterwards.
    struct LocalReply: Codable, Sendable, Hashable {
        var checkIn: CheckIn
        var choice: CheckInAnswer.Choice
        /// UTC milliseconds, as the box knew.
        var at: Milliseconds
        /// nil as long as the hub has not decided.
        var reply: CheckInReply?
        /// The hub knows nothing of it any more: it was taken back there, moved, called off, or is over.
        var hasEnded = false

        var isAccepted: Bool { reply.map { $0.outcome == .accepted || $0.outcome == .withoutPosition } ?? false }

        /// Until then it is shown, UTC milliseconds.
        var shownUntil: Milliseconds { max(checkIn.until, checkIn.lapses + CheckIns.shownFor) }
    }

    /// As the hub said last, with the hub's time then.
    private(set) var offered: [CheckIn] = []
    private(set) var heardAt: Milliseconds = 0
    private(set) var said: [LocalReply]
    /// The obstacle that keeps the answers from the hub, in English; nil while nothing does.
    private(set) var problem: SourceProblem?
    private var failures = 0
    /// By the boot clock.
    private var nextAt: Milliseconds = 0
    private var inFlight: CheckInAnswer?

    /// Answers that are kept, at most.
    static let saidMax = 8
    /// Time behind the start for which the outcome of an answer is shown, milliseconds: 6 hours.
    static let shownFor: Milliseconds = 6 * 3_600_000
    /// The first wait after a failure, and the longest, milliseconds.
    static let againFirst: Milliseconds = 1000, againMax: Milliseconds = 30_000
    /// The hub remembers its list for a minute: one that was made before an answer says nothing about it.
    static let listAge: Milliseconds = 70_000

    init(said: [LocalReply] = []) { self.said = Array(said.suffix(Self.saidMax)) }

    // MARK: - The hub's list

    /// - Parameter utc: the hub's clock when it said so.
    /// - Returns: whether what is kept changed.
    mutating func hear(_ list: [CheckIn], utc: Milliseconds) -> Bool {
        let before = said
        (offered, heardAt) = (list, utc)
        // Other times of a run void what was said to the old ones: the new question stands alone.
        said.removeAll { old in list.contains { $0.code == old.checkIn.code && $0.id != old.checkIn.id } && old.reply != nil }
        for index in said.indices {
            guard let reply = said[index].reply, said[index].isAccepted else { continue }
            let isListed = list.contains { $0.id == said[index].checkIn.id }
            said[index].hasEnded = !isListed && utc - reply.utc > Self.listAge
        }
        said.removeAll { utc > $0.shownUntil }
        return said != before
    }

    // MARK: - The person

    /// - Parameters:
    ///   - name: the run's code or the question's identifier; nil for the only one there is.
    ///   - utc: the best that the box knows.
    mutating func say(_ choice: CheckInAnswer.Choice, to name: String?, utc: Milliseconds) throws(AgentProblem) -> LocalReply {
        let checkIn = try named(name)
        if let known = said.first(where: { $0.checkIn.id == checkIn.id }), known.choice == choice || known.reply != nil {
            return try again(known, choice)
        }
        if checkIn.standing != .open {
            guard choice == .accept else { throw .acceptedBefore }
            throw AgentProblem("You are checked in to \(checkIn.run) already", advice: "There is nothing to do", kind: .checkedIn)
        }
        guard utc < checkIn.lapses else {
            throw AgentProblem(
                "Too late: \(checkIn.run) started at \(ISO8601.string(checkIn.lapses))",
                advice: "Who was not checked in by the start is off the list", kind: .checkInLate)
        }
        // The newest word counts, also while the one before is under way: the hub says which came in time.
        said.removeAll { $0.checkIn.id == checkIn.id }
        if said.count >= Self.saidMax, let old = said.firstIndex(where: { $0.reply != nil }) { said.remove(at: old) }
        guard said.count < Self.saidMax else {
            throw AgentProblem(
                "\(said.count) answers wait for the hub already", advice: "Answer on the hub, or look why it is not reached",
                kind: .checkInsWait)
        }
        said.append(LocalReply(checkIn: checkIn, choice: choice, at: utc))
        (failures, nextAt) = (0, 0)
        return said[said.count - 1]
    }

    private func again(_ known: LocalReply, _ choice: CheckInAnswer.Choice) throws(AgentProblem) -> LocalReply {
        if known.choice == choice { return known }
        if known.isAccepted { throw .acceptedBefore }
        throw AgentProblem(
            "It was answered before", advice: "Until the start you can still check in on the hub's page of the run \(known.checkIn.code)",
            kind: .checkInAnswered)
    }

    private func named(_ name: String?) throws(AgentProblem) -> CheckIn {
        let known = offered + said.map(\.checkIn).filter { old in !offered.contains { $0.id == old.id } }
        guard let name else {
            let open = known.filter { item in item.standing == .open && !said.contains { $0.checkIn.id == item.id } }
            if open.count == 1 { return open[0] }
            if open.isEmpty, known.count == 1 { return known[0] }
            throw known.isEmpty
                ? AgentProblem("No check-in waits for an answer here", advice: "Look at the run's page on the hub", kind: .checkInUnknown)
                : AgentProblem(
                    "There are several check-ins", advice: "Give the code of one: \(known.map(\.code).joined(separator: ", "))")
        }
        guard let found = known.first(where: { $0.code == name.uppercased() || $0.id.description == name }) else {
            throw AgentProblem(
                "There is no check-in \"\(name.prefix(40))\" here",
                advice: known.isEmpty ? "Look at the run's page on the hub" : "There are: \(known.map(\.code).joined(separator: ", "))",
                kind: .checkInUnknown)
        }
        return found
    }

    // MARK: - Sending

    /// The answer to send now, one at a time; nil for nothing. Also behind the start: the hub counts no late answer, but an earlier try may have come
    /// through, and only the hub knows.
    mutating func due(at now: Milliseconds) -> CheckInAnswer? {
        guard inFlight == nil, now >= nextAt, let next = said.first(where: { $0.reply == nil }) else { return nil }
        inFlight = CheckInAnswer(id: next.checkIn.id, answer: next.choice)
        return inFlight
    }

    /// - Returns: whether what is kept changed.
    mutating func heard(_ reply: CheckInReply, to answer: CheckInAnswer, at now: Milliseconds) -> Bool {
        if inFlight == answer { inFlight = nil }
        guard reply.id == answer.id else {
            failed(SourceProblem(what: "The hub answered to another question", advice: "It is tried again", retries: true), answer, at: now)
            return false
        }
        (problem, failures, nextAt) = (nil, 0, 0)
        // The person has said something else meanwhile: that is sent too.
        guard let index = said.firstIndex(where: { $0.checkIn.id == answer.id && $0.choice == answer.answer && $0.reply == nil }) else {
            return false
        }
        said[index].reply = reply
        return true
    }

    mutating func failed(_ why: SourceProblem, _ answer: CheckInAnswer, at now: Milliseconds) {
        if inFlight == answer { inFlight = nil }
        problem = why
        nextAt = now + min(Self.againMax, Self.againFirst << Milliseconds(min(failures, 10)))
        failures += 1
    }

    // MARK: - Showing

    /// What is to be seen: questions first, then what became of answers.
    func shown(utc: Milliseconds) -> [BoxStatus.CheckInState] {
        let open = offered.filter { item in !said.contains { $0.checkIn.id == item.id } }.map { item in
            BoxStatus.CheckInState(item, phase: Self.phase(of: item, utc))
        }
        return open
            + said.filter { utc <= $0.shownUntil }.map { said in
                let now = offered.first { $0.id == said.checkIn.id }
                return BoxStatus.CheckInState(
                    now ?? said.checkIn, phase: Self.phase(of: said, now: now, utc), choice: said.choice, why: said.reply?.why,
                    problem: said.reply == nil ? problem.map { "\($0.what). \($0.advice)" } : nil)
            }
    }

    private static func phase(of item: CheckIn, _ utc: Milliseconds) -> BoxStatus.CheckInState.Phase {
        switch item.standing {
        case .open: utc < item.lapses ? .open : .late
        case .accepted: .accepted
        case .withoutPosition: .withoutPosition
        }
    }

    private static func phase(of said: LocalReply, now: CheckIn?, _ utc: Milliseconds) -> BoxStatus.CheckInState.Phase {
        guard let reply = said.reply else { return utc < said.checkIn.lapses ? .sending : .late }
        switch reply.outcome {
        case .refused: return .refused
        case .no: return reply.why == .lapsed ? .late : .notDone
        case .accepted, .withoutPosition:
            if said.hasEnded { return .ended }
            // Later words of the hub are newer than its reply, unless the list was made before it.
            switch now?.standing {
            case .accepted?: return .accepted
            case .withoutPosition?: return .withoutPosition
            case .open?, nil: return reply.outcome == .accepted ? .accepted : .withoutPosition
            }
        }
    }
}

extension AgentProblem {
    fileprivate static var acceptedBefore: AgentProblem {
        AgentProblem(
            "You are checked in", advice: "Take it back on the hub: My Followers, or withdraw on the page of your run", kind: .checkedIn)
    }
}
