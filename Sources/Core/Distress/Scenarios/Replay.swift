public import Vitals

/// Plays a ``Scenario`` through a ``DistressWatch`` and keeps what was decided, with the reasons.
public struct Replay: Sendable {
    /// The result; also what `detect --json` prints.
    public struct Report: Hashable, Sendable, Codable {
        public var decisions: [Decision] = []
        /// Raised, or what would have been where the stream is not live.
        public var alarms: [Alarm] = []
        public var deliveries: [Delivery] = []
        public var warnings: [Warning] = []
        public var protection = Protection(reasons: [])
        /// `calm`, `suspecting`, `raised`, `delivering`, `taken` or `waiting`.
        public var finalState = ""
    }

    /// The most rounds of ticks between two events: a scenario of weeks with nobody who takes the alarm ends.
    public static let ticksMax = 10_000

    public private(set) var watch: DistressWatch
    public private(set) var report = Report()

    public static func run(_ scenario: Scenario) -> Report {
        var replay = Replay(scenario)
        for timed in scenario.events { replay.take(timed) }
        return replay.finish(at: scenario.end)
    }

    /// For a series that is too long to be held: ``take(_:)`` in order of time, then ``finish(at:)``. Events of the scenario are not played.
    public init(_ scenario: Scenario) {
        let start = scenario.events.first?.time ?? 0
        watch = DistressWatch(
            person: scenario.person, provenance: scenario.provenance, side: scenario.side, settings: scenario.settings, at: start)
        if let limits = watch.detector.limits {
            report.decisions.append(Decision(time: start, kind: .limits, reasons: [.limits(limits)]))
        } else {
            report.decisions.append(Decision(time: start, kind: .ignored, reasons: [.absent(.ageNotCovered)]))
        }
    }

    public mutating func take(_ timed: Scenario.Timed) {
        tick(until: timed.time)
        collect(watch.handle(timed.event, at: timed.time))
    }

    public mutating func finish(at end: Milliseconds) -> Report {
        tick(until: end)
        collect(watch.handle(.tick, at: end))
        report.protection = watch.protection
        report.finalState = watch.incident.state.name
        return report
    }

    private mutating func tick(until time: Milliseconds) {
        for _ in 0..<Self.ticksMax {
            guard let due = watch.nextDeadline, due < time else { return }
            collect(watch.handle(.tick, at: due))
        }
    }

    private mutating func collect(_ effects: [DistressEffect]) {
        for effect in effects {
            switch effect {
            case .decided(let decision): report.decisions.append(decision)
            case .report(let alarm), .test(let alarm): report.alarms.append(alarm)
            case .deliver(let delivery): report.deliveries.append(delivery)
            case .warn(let warning): report.warnings.append(warning)
            case .ask, .withdraw, .tell, .sameEpisode, .protection: break
            }
        }
    }
}

extension Replay.Report {
    /// One line per decision: time, what, why.
    public var lines: [String] {
        decisions.map { "\(Reason.clock($0.time)) \($0.text)" }
            + [
                "end: \(finalState), \(protection.isProtected ? "protected" : "not protected: " + protection.reasons.map(\.text).joined(separator: ", "))"
            ]
    }

    /// Deviations from the scenario's expectations; empty when there are none. They are complete: a question, an alarm or an end that no line
    /// expects is named, too.
    public func differences(from expectations: [Expectation]) -> [String] {
        var found: [String] = []
        var left = decisions
        for expectation in expectations {
            switch expectation.claim {
            case .decision(let time, let kind, let words):
                if let place = left.firstIndex(where: { $0.time == time && $0.kind == kind && (words.isEmpty || $0.text.contains(words)) })
                {
                    left.remove(at: place)
                } else {
                    found.append(
                        "line \(expectation.line): expected \(kind.rawValue) \(words) at \(Reason.clock(time)), and it did not come")
                }
            case .final(let state):
                if state != finalState { found.append("line \(expectation.line): expected \(state) at the end, and it is \(finalState)") }
            case .protection(let absence):
                let isAsExpected = absence.map(protection.reasons.contains) ?? protection.isProtected
                if !isAsExpected { found.append("line \(expectation.line): at the end it is \(lines.last ?? "")") }
            }
        }
        return found
            + left.filter(\.kind.mustBeExpected).map { "not expected: \(Reason.clock($0.time)) \($0.text)" }
    }
}

extension Decision.Kind {
    /// Effects that a person would notice.
    fileprivate var mustBeExpected: Bool {
        switch self {
        case .asked, .withdrawn, .answered, .raised, .delivering, .handedOver, .taken, .released, .over, .reactivated, .warned, .test: true
        case .counting, .notCounting, .context, .limits, .rearmed, .suspected, .qualified, .cleared, .lost, .silenced, .warningOver,
            .ignored:
            false
        }
    }
}

extension Incident.State {
    public var name: String {
        switch self {
        case .calm: "calm"
        case .suspecting: "suspecting"
        case .raised: "raised"
        case .delivering: "delivering"
        case .taken: "taken"
        case .waiting: "waiting"
        }
    }
}
