/// What is looked at to say whether a hub is well (docs/metrics.md). The names stand in /readyz and in `trackme_check_state`.
public enum HealthCheck: String, CaseIterable, Sendable {
    /// Room on the disk.
    case disk
    /// How long the disk takes to keep something.
    case sync
    /// Whether the databases can be written.
    case databases
    case clock
    case mail, texts, rooms
    /// How long it holds.
    case certificate
    /// What waits to be merged, to leave, or to be done.
    case merges, mails, webhooks, timers

    /// Without it the hub keeps nothing that anybody sends: /readyz then answers 503.
    public var isEssential: Bool { [.disk, .sync, .databases].contains(self) }
}

/// What a look at one thing found.
public struct HealthFinding: Sendable, Hashable {
    /// The worse the greater.
    public enum State: Int, Sendable, Comparable {
        case ok, warning, failing

        /// As /readyz has it.
        public var word: String { "\(self)" }

        public static func < (left: State, right: State) -> Bool { left.rawValue < right.rawValue }
    }

    public let state: State
    /// In English, for the operator: how it stands, and what to do where something is to be done. It names nobody.
    public let text: String
    /// What was measured.
    public var figures: [MetricSample]

    public init(_ state: State, _ text: String, _ figures: [MetricSample] = []) {
        (self.state, self.text, self.figures) = (state, text, figures)
    }
}

/// A look at one thing.
public struct HealthLook: Sendable {
    public let check: HealthCheck
    let look: @Sendable () async -> HealthFinding

    /// - Parameter look: may take as long as it likes: one that hangs holds up no other, and is a finding.
    public init(_ check: HealthCheck, _ look: @escaping @Sendable () async -> HealthFinding) { (self.check, self.look) = (check, look) }
}
