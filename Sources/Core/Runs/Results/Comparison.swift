public import Vitals

/// Two runners beside each other, at the splits that both have passed.
public struct Comparison: Hashable, Sendable, Codable {
    /// One split.
    public struct Part: Hashable, Sendable, Codable {
        public var name: String?
        /// Metres from the start.
        public var metres: Double
        /// Milliseconds by which the second runner was slower, from the start and on the leg alone; negative where faster.
        public var behind: Milliseconds, behindOnLeg: Milliseconds
    }

    /// Bib numbers.
    public var first: Int, second: Int
    public var parts: [Part]
    /// Milliseconds a kilometre by which the second runner was slower; nil where one has no pace.
    public var pace: Milliseconds?
    /// Beats per minute by which the second runner's average was higher; nil where one does not show it.
    public var heartRate: Double?

    /// - Parameter kind: which time is compared.
    public init(_ first: RunnerResult, _ second: RunnerResult, by kind: TimeKind) {
        self.first = first.bib
        self.second = second.bib
        func time(_ split: SplitTime) -> Milliseconds { kind == .gun ? split.gun : split.net }
        parts = zip(first.splits, second.splits).filter { $0.metres == $1.metres }.map { one, other in
            Part(name: one.name, metres: one.metres, behind: time(other) - time(one), behindOnLeg: other.leg - one.leg)
        }
        if let one = first.secondsPerKilometre, let other = second.secondsPerKilometre {
            pace = Milliseconds(((other - one) * 1000).rounded())
        }
        if let one = first.heart, let other = second.heart { heartRate = other.average - one.average }
    }
}
