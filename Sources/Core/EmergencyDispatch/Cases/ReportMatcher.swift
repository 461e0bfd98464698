package import Distress
package import Vitals

/// A box's report of an alarm, beside the alarm itself.
package struct BoxReport: Sendable, Hashable {
    package let boot: BootID, revision: UInt64
    /// How the alarm ended there; nil while it is open.
    package var outcome: Outcome?
    /// The owner, as the box knows.
    package var owner: Owner?

    package init(boot: BootID, revision: UInt64, outcome: Outcome? = nil, owner: Owner? = nil) {
        (self.boot, self.revision, self.outcome, self.owner) = (boot, revision, outcome, owner)
    }

    /// The person's act there, as the box says: its word is its own key, of each report once.
    package func pressed(_ code: StateEvent.Code, at time: Milliseconds) -> DistressEvent {
        let key = SampleKey(
            stream: StreamID(high: boot.high, low: boot.low), sequence: revision, kind: .event, index: UInt32(code.rawValue))
        return .state(StateEvent(time: time, code: code), key)
    }
}

/// Which case of a person an alarm of one of their boxes is about. Box and hub may see one episode under two names, and each may hear of
/// the other's when it is over.
package struct ReportMatcher: Sendable {
    /// A consequence of a report. Consequences are carried out in order.
    package enum Effect: Sendable, Hashable {
        /// The open case hears this.
        case inform(DispatchEvent.Box)
        /// The person's detector is told this.
        case tell(DistressEvent)
        /// The hub hears of a case when it is over: it is kept, and nobody is called.
        case keep(SOSCase)
    }

    /// Two names of one episode begin within so long, milliseconds.
    private static let togetherMax: Milliseconds = 60_000

    /// The case that is open; nil for none.
    private let open: SOSCase?
    /// The case that was over last; nil for none.
    package private(set) var last: EndedCase?
    /// The knowledge of the person's detector about their case.
    private let incident: Incident
    /// When the person asked for help on a page of the hub.
    private let helpAt: [Milliseconds]

    package init(open: SOSCase?, last: EndedCase?, incident: Incident, helpAt: [Milliseconds]) {
        (self.open, self.last, self.incident, self.helpAt) = (open, last, incident, helpAt)
    }

    /// Counts an alarm as the case that is over, where it was raised while that ran: nobody is called for it.
    /// - Parameters:
    ///   - earlier: what the box reported before this; nil for nothing. Where that was the case, this is a new one.
    ///   - steps: of the hub's clock, as the box knows them.
    /// - Returns: what the case that is over hears; nil where the alarm is not about it, or was known to be.
    package mutating func join(
        _ alarm: Alarm, after earlier: IncidentID?, steps: [ClockStep], at time: Milliseconds
    ) -> (id: IncidentID, what: SOSCase.Joined)? {
        guard open == nil, let last, !last.isAbout(alarm), last.covers(alarm, steps: steps), !(earlier.map(last.isCalled) ?? false) else {
            return nil
        }
        self.last?.add(alarm.id)
        return (last.id, SOSCase.Joined(id: alarm.id, raisedAt: alarm.raisedAt, at: time))
    }

    /// Whether an alarm that comes late, from a boot that is over, is one that nobody ever heard of.
    /// - Parameter isKept: there is a case of this name.
    package func isNew(_ alarm: Alarm, isKept: Bool) -> Bool { !isKept && last?.isAbout(alarm) != true }

    /// Says what follows from an alarm that a box reports, open or over.
    /// - Parameters:
    ///   - alarm: its times are on the hub's clock.
    ///   - isKept: there is a case of this name, open or with something still to be sent.
    package mutating func handle(_ alarm: Alarm, of report: BoxReport, isKept: Bool, at time: Milliseconds) -> [Effect] {
        if let outcome = report.outcome { return handleEnd(outcome, of: alarm, report, isKept: isKept, at: time) }
        guard last?.isAbout(alarm) != true else { return [] }
        let reported: [Effect] = (open == nil ? [] : [.inform(.named(report.owner))]) + [.tell(.reported(alarm))]
        // The hub's own words about crews and helpers come back to it late: somebody who gave it back is not the owner again.
        guard let owner = report.owner, owner != open?.goneOwner, !owner.isKnownHere, open?.owner == nil else { return reported }
        return reported + [.tell(.taken(by: owner, of: alarm.id))]
    }

    private mutating func handleEnd(
        _ outcome: Outcome, of alarm: Alarm, _ report: BoxReport, isKept: Bool, at time: Milliseconds
    ) -> [Effect] {
        let isSame = open.map { isSameEpisode(alarm, $0) } ?? false
        guard isSame || open?.alarm.goes(by: alarm.id) ?? false || open?.id == alarm.id else {
            if open == nil, outcome == .falseAlarm, isFinished(alarm) { return [.tell(report.pressed(.falseAlarm, at: time))] }
            return keep(alarm, outcome, isKept: isKept, at: time)
        }
        let reported: [Effect] = isSame ? [.tell(.reported(alarm))] : []
        switch outcome {
        case .falseAlarm: return reported + [.tell(report.pressed(.falseAlarm, at: time))]
        case .answeredLate:
            // The box says it with each report. It is heard once for each who has the case, and ends it when it was given back.
            return reported + [.tell(.ok(about: alarm.id, number: UInt64(clamping: open?.rounds ?? 0), at: time))]
        case .finished(let owner): return reported + [.tell(.finished(by: owner, of: alarm.id))]
        case .test, .unknown: return reported
        }
    }

    /// Whether the case that is over is this alarm's, ended by who had it: that it was a false alarm is then news. A box says it of its own
    /// accord where the person had answered late.
    private func isFinished(_ alarm: Alarm) -> Bool {
        guard case .waiting(let closed) = incident.state, case .finished = closed.outcome else { return false }
        return closed.alarm.goes(by: alarm.id) || alarm.goes(by: closed.alarm.id)
    }

    /// Whether what ended at the box is what is still open here under another name: both began together, and nobody asked for help since.
    /// Behind a step of the hub's clock the box's times are by the new one, and the case's by the old one.
    private func isSameEpisode(_ alarm: Alarm, _ open: SOSCase) -> Bool {
        guard !open.alarm.goes(by: alarm.id) else { return false }
        return Set([0, open.stepped ?? 0]).contains { step in
            abs(open.alarm.raisedAt + step - alarm.raisedAt) <= Self.togetherMax
                && !helpAt.contains { $0 + step > alarm.raisedAt + Self.togetherMax }
        }
    }

    private mutating func keep(_ alarm: Alarm, _ outcome: Outcome, isKept: Bool, at time: Milliseconds) -> [Effect] {
        guard isNew(alarm, isKept: isKept) else { return [] }
        var item = SOSCase(alarm, isTest: outcome == .test, opened: alarm.raisedAt)
        item.end(outcome, now: time)
        last = EndedCase(id: alarm.id, outcome: outcome, at: time, opened: alarm.raisedAt, aliases: alarm.aliases)
        return [.keep(item)]
    }
}

extension DistressEvent {
    /// The person is OK, as somebody else says of a case.
    /// - Parameter number: each is heard once.
    static func ok(about id: IncidentID, number: UInt64, at time: Milliseconds) -> DistressEvent {
        let key = SampleKey(
            stream: StreamID(high: id.high, low: id.low), sequence: number, kind: .event, index: UInt32(StateEvent.Code.ok.rawValue))
        return .state(StateEvent(time: time, code: .ok), key)
    }
}
