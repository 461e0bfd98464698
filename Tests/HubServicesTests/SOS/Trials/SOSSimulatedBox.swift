import Distress
import EmergencyDispatch
import SyncProtocol
import Vitals

@testable import HubServices

/// A box as the hub knows it: the real ``DistressWatch`` of a box, with what a box keeps of the hub's words. It sends reports and takes answers as
/// `SOSReports.swift` and `SOSHubAnswers.swift` of the agent do, without their actor, clock and network.
struct SimulatedBox {
    private static let inFlightMax = 4
    private static let again: Milliseconds = 1000, calmly: Milliseconds = 10_000, every: Milliseconds = 30_000
    private static let handedOverMax: Milliseconds = 10_000

    let person: PersonID
    /// Whom it texts.
    let contact: String
    private(set) var watch: DistressWatch
    private(set) var boot: BootID
    /// The boot's clock when the trial's clock stood at 0.
    private var offset: Milliseconds
    private var stream: StreamID
    private var count: UInt32 = 0
    /// What left by its own means, in its order.
    private(set) var called: [Distress.Delivery] = []
    /// The same as its contact reads it.
    private(set) var texts: [(at: Milliseconds, isAlert: Bool)] = []
    /// Answers about its case: when the hub gave them (UTC), when they were here, and whether the box had told of a call.
    private(set) var exchanges: [(utc: Milliseconds, at: Milliseconds, hasCalls: Bool)] = []
    /// Whom the hub has told of the case.
    private var hubTold: Set<String> = []
    private var begun: IncidentID?
    private var calls: [SOSReport.LocalCall] = []
    private var isCalling = false
    private var revision: UInt64 = 0, told: UInt64 = 0, news: UInt64 = 0, isOwed = false
    private var nextAt: Milliseconds = 0, answered: Milliseconds?, reached: Milliseconds?, owner: Owner?
    private var pressed: Set<UInt64> = []
    /// Reports on which no word came yet.
    private var awaited: Set<UInt64> = []
    private var inFlight: Int { awaited.count }
    private(set) var outbound: [SOSReport] = []

    init(person: PersonID, contact: String, offset: Milliseconds) {
        (self.person, self.contact, self.offset, boot, stream) = (person, contact, offset, .random(), .random())
        watch = DistressWatch(person: person, provenance: .live, side: .box, settings: DistressSettings(asksFirst: false), at: offset)
    }

    var isOpen: Bool { watch.incident.alarm != nil }
    /// The case that is open, or was over last.
    var alarm: Alarm? {
        if case .waiting(let closed) = watch.incident.state { return closed.alarm }
        return watch.incident.alarm ?? untold?.alarm
    }
    /// Over, and watched on: the hub has yet to hear how it ended.
    private var untold: Incident.Closed?
    private var outcome: Outcome? {
        if case .waiting(let closed) = watch.incident.state { return closed.outcome }
        return watch.incident.alarm == nil ? untold?.outcome : nil
    }
    private var isHandedOver: Bool {
        if case .delivering(let delivering) = watch.incident.state { delivering.nextAt == nil } else { false }
    }

    mutating func takeOutbound() -> [SOSReport] {
        defer { outbound = [] }
        return outbound
    }

    // MARK: What happens

    mutating func beat(_ rate: UInt16, at time: Milliseconds) {
        let sample = HeartRateSample(time: time + offset, beatsPerMinute: rate, contact: .detected)
        feed(.heartRate(sample, key(.heartRate)), at: time)
    }

    mutating func press(_ code: StateEvent.Code, at time: Milliseconds) {
        feed(.state(StateEvent(time: time + offset, code: code), key(.event)), at: time)
    }

    private mutating func key(_ kind: DataKind) -> SampleKey {
        count += 1
        return SampleKey(stream: stream, sequence: 0, kind: kind, index: count)
    }

    /// With each look of the box.
    mutating func tick(at time: Milliseconds) {
        feed(.tick, at: time)
        if isOwed || (time >= nextAt && (inFlight == 0 || isOpen)) { report(at: time, isNews: false) }
        if isHandedOver, time - (reached ?? time) > Self.handedOverMax { feed(.otherSide(.unreachable), at: time) }
    }

    private mutating func feed(_ event: DistressEvent, at time: Milliseconds) {
        var isNews = false
        let before = watch.incident.answered, effects = watch.handle(event, at: time + offset)
        if let answered = watch.incident.answered, answered != before { untold = answered }
        for effect in effects {
            switch effect {
            case .report(let alarm):
                if begun != alarm.id { (begun, calls, reached, owner, hubTold) = (alarm.id, [], nil, nil, []) }
                report(at: time, isNews: true)
            case .deliver(let delivery):
                call(delivery, at: time)
                isNews = true
            case .tell(let announcement):
                if case .taken = announcement { isCalling = false }
                if case .over = announcement { isCalling = false }
                isNews = true
            case .ask, .withdraw, .warn, .sameEpisode, .protection: isNews = true
            case .test, .decided: break
            }
        }
        if isNews { report(at: time, isNews: true) }
    }

    private mutating func call(_ delivery: Distress.Delivery, at time: Milliseconds) {
        called.append(delivery)
        texts.append((time, delivery.message == .alert && !hubTold.contains(contact)))
        isCalling = true
        calls.append(.init(channel: .text, recipient: contact, state: .sent, at: time + offset))
    }

    // MARK: The hub

    private mutating func report(at time: Milliseconds, isNews: Bool) {
        guard inFlight < Self.inFlightMax else {
            if isNews { isOwed = true }
            return
        }
        let isNews = isNews || isOwed
        revision = max(revision + 1, UInt64(clamping: time + offset))
        if isNews { news = revision }
        (isOwed, nextAt) = (false, time + (isOpen ? 2000 : Self.every))
        awaited.insert(revision)
        outbound.append(
            SOSReport(
                person: person, boot: boot, revision: revision, sentAt: time + offset, provenance: .live,
                unprotected: watch.protection.reasons, alarm: alarm, outcome: outcome, owner: watch.owner, calls: calls))
    }

    /// - Parameter answer: nil where none came.
    mutating func heard(_ answer: SOSAnswer?, to report: SOSReport, at time: Milliseconds) {
        // Of a life that is over.
        guard report.boot == boot, awaited.remove(report.revision) != nil else { return }
        guard let answer else {
            if let answered, answered > report.sentAt { return }
            nextAt = time + (isOpen || told < news || isOwed ? Self.again : Self.calmly)
            if !isHandedOver { feed(.otherSide(.unreachable), at: time) }
            return
        }
        for press in answer.pressed.sorted(by: { $0.number < $1.number }) where pressed.insert(press.number).inserted {
            let event = StateEvent(time: time + offset - max(0, press.ago), code: press.button.code)
            if press.button == .help, let over = watch.incident.over, event.time <= over.at { continue }
            feed(.state(event, SOSAnswer.Pressed.key(of: person, number: press.number)), at: time)
        }
        guard report.revision > told else { return }
        (told, answered) = (report.revision, time + offset)
        let isAboutThis = report.alarm.map { $0.id == watch.incident.alarm?.id } ?? false
        if isAboutThis {
            exchanges.append((answer.utc, time, !report.calls.isEmpty))
            hubTold.formUnion(answer.told ?? [])
            follow(answer, at: time)
        }
        if isAboutThis, answer.isDurable, answer.addresseeReached {
            reached = time
            feed(.otherSide(.addresseeReached, of: report.alarm?.id), at: time)
        } else if !isHandedOver {
            feed(.otherSide(.reachable), at: time)
        }
        let isOpenThere = answer.outcome == nil && answer.incident != nil
        if report.outcome != nil, report.outcome == untold?.outcome, report.alarm?.id == untold?.alarm.id, !isOpenThere { untold = nil }
        nextAt = time + (isOpen ? min(max(answer.repeatAfter, 500), 5000) : told < news || isOwed ? Self.again : Self.every)
    }

    private mutating func follow(_ answer: SOSAnswer, at time: Milliseconds) {
        guard let alarm = watch.incident.alarm else { return }
        if let other = answer.incident, !alarm.goes(by: other) {
            var same = alarm
            same.id = other
            feed(.reported(same), at: time)
            guard watch.incident.alarm?.aliases.contains(other) == true else { return }
        }
        if let has = answer.owner, owner == nil {
            owner = has
            feed(.taken(by: has, of: alarm.id), at: time)
        } else if answer.owner == nil, let had = owner, answer.outcome == nil {
            (owner, reached) = (nil, nil)
            feed(.released(by: had, of: alarm.id), at: time)
        }
        switch answer.outcome {
        case .finished(let by)?: feed(.finished(by: watch.owner ?? by, of: alarm.id), at: time)
        case .falseAlarm?, .answeredLate?: press(.falseAlarm, at: time)
        case .test?, .unknown?, nil: break
        }
    }

    // MARK: Restarts

    /// The agent's process ended and began again; what it keeps on its disk is there.
    mutating func restart(at time: Milliseconds) {
        (stream, count, isOwed, outbound, awaited) = (.random(), 0, false, [], [])
        (told, news, nextAt, answered, owner) = (0, 0, 0, nil, nil)
        reached = isHandedOver ? time : nil
        resume(at: time)
    }

    /// Power was lost: the boot's clock begins anew, and the reports count from there.
    mutating func reboot(at time: Milliseconds) {
        let old = watch, difference = -(time + offset) + 5000
        (boot, offset, revision) = (.random(), 5000 - time, 0)
        watch = DistressWatch(person: person, provenance: .live, side: .box, settings: DistressSettings(asksFirst: false), at: 5000)
        (stream, count, isOwed, outbound, awaited, isCalling) = (.random(), 0, false, [], [], false)
        (told, news, nextAt, answered, owner, reached) = (0, 0, 0, nil, nil, nil)
        if let alarm = untold?.alarm { untold?.alarm = alarm.shifted(by: difference) }
        switch old.incident.state {
        case .calm, .suspecting:
            guard let closed = old.incident.answered else { break }
            _ = watch.handle(.reported(closed.alarm.shifted(by: difference)), at: 5000)
            _ = watch.handle(.state(StateEvent(time: 5000, code: .falseAlarm), key(.event)), at: 5000)
        case .waiting(let closed):
            _ = watch.handle(.reported(closed.alarm.shifted(by: difference)), at: 5000)
            _ = watch.handle(.finished(by: closed.owner ?? Owner("before the restart")), at: 5000)
        case .raised, .delivering, .taken:
            guard let alarm = old.incident.alarm?.shifted(by: difference) else { break }
            _ = watch.handle(.reported(alarm), at: 5000)
            if case .taken(let taken) = old.incident.state {
                feed(.taken(by: taken.owner), at: time)
            } else {
                feed(.otherSide(.unreachable), at: time)
            }
        }
    }

    private mutating func resume(at time: Milliseconds) {
        guard isCalling, let alarm = watch.incident.alarm else { return }
        call(Distress.Delivery(alarm: alarm, attempt: called.count + 1, message: .update), at: time)
    }
}

extension DistressWatch {
    fileprivate var owner: Owner? {
        switch incident.state {
        case .taken(let taken): taken.owner
        case .waiting(let closed): closed.owner
        default: nil
        }
    }
}

extension SOSAnswer.Pressed.Button {
    /// A hub knows its own buttons: it sends none that is unknown.
    fileprivate var code: StateEvent.Code {
        switch self {
        case .ok: .ok
        case .help: .help
        case .falseAlarm: .falseAlarm
        case .reactivate, .unknown: .reactivated
        }
    }
}
