public import Vitals

/// How a derived value was worked out. The raw value is stable: texts of pages use it as `derived.NAME`.
public enum DerivationMethod: String, Sendable, Hashable, CaseIterable {
    case distanceFromPositions, stepsFromCadence, activeEnergyFromHeartRate, restingEnergyFromBody

    /// The source of the formula; nil for plain sums.
    public var citation: String? {
        switch self {
        case .distanceFromPositions, .stepsFromCadence: nil
        case .activeEnergyFromHeartRate:
            "Keytel LR et al. Prediction of energy expenditure from heart rate monitoring during submaximal exercise. "
                + "J Sports Sci 23:289-297, 2005"
        case .restingEnergyFromBody:
            "Mifflin MD, St Jeor ST et al. A new predictive equation for resting energy expenditure in healthy individuals. "
                + "Am J Clin Nutr 51:241-247, 1990"
        }
    }

    /// The text that says it on a page.
    public var key: String { "derived.\(rawValue)" }
}

/// A value that was worked out from others, and is marked as such.
public struct DerivedValue: Sendable, Hashable {
    /// With a span: from its time to its end.
    public let sample: ScalarSample
    public let method: DerivationMethod
    /// Whether the person lies outside of those of whom the formula was made.
    public let isExtrapolated: Bool

    public init(_ sample: ScalarSample, by method: DerivationMethod, isExtrapolated: Bool = false) {
        (self.sample, self.method, self.isExtrapolated) = (sample, method, isExtrapolated)
    }
}

/// A derived value yields to one that was measured, imported or entered for the same span: they never stand beside each other.
public struct DerivedRule: Sendable, Hashable {
    /// Spans for which there are other values, ascending and apart from each other.
    private let taken: [ClosedRange<Milliseconds>]
    public let kind: DataKind

    /// - Parameter others: what was measured, imported or entered. Samples of other kinds do not count. One without an end holds at its
    ///   time.
    public init(_ kind: DataKind, beside others: some Sequence<ScalarSample>) {
        self.kind = kind
        let spans = others.filter { $0.kind == kind }.map { $0.time...max($0.time, $0.end ?? $0.time) }
            .sorted { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }
        var joined: [ClosedRange<Milliseconds>] = []
        for span in spans {
            if let last = joined.last, span.lowerBound <= last.upperBound {
                joined[joined.count - 1] = last.lowerBound...max(last.upperBound, span.upperBound)
            } else {
                joined.append(span)
            }
        }
        taken = joined
    }

    /// Whether nothing else is known of the span of a derived sample. Spans that only touch do not overlap; one of any length that holds an
    /// instant of another value does.
    public func keeps(_ sample: ScalarSample) -> Bool {
        guard sample.kind == kind else { return false }
        let start = sample.time, end = max(sample.time, sample.end ?? sample.time)
        // The first span that does not end before this one begins.
        var low = 0, high = taken.count
        while low < high {
            let middle = (low + high) / 2
            if isBefore(taken[middle], start) { low = middle + 1 } else { high = middle }
        }
        guard low < taken.count else { return true }
        let next = taken[low]
        return start == end ? next.lowerBound > start : next.lowerBound >= end
    }

    private func isBefore(_ span: ClosedRange<Milliseconds>, _ start: Milliseconds) -> Bool {
        span.lowerBound == span.upperBound ? span.upperBound < start : span.upperBound <= start
    }

    /// The derived values that may be shown, in their order, and how many yield.
    public func split(_ derived: some Sequence<DerivedValue>) -> (kept: [DerivedValue], yielding: Int) {
        var kept: [DerivedValue] = [], yielding = 0
        for value in derived {
            if keeps(value.sample) { kept.append(value) } else { yielding += 1 }
        }
        return (kept, yielding)
    }
}
