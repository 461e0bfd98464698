extension KindEntry {
    /// The subjects by which forms show kinds, in their order.
    public enum Subject: String, Sendable, Hashable, CaseIterable {
        case heart, movement, body, energy, sleep, safety
    }

    /// How the samples of a kind are rolled up.
    public struct RollUp: Sendable, Hashable {
        /// The measure that is counted.
        public enum Measure: Sendable, Hashable {
            /// Readings of a value that is there all the time, such as a heart rate.
            case readings
            /// Amounts that add up, such as steps.
            case amounts
            /// Seconds of a state, by its code, such as the stages of sleep.
            case seconds
            /// That there was something, such as positions.
            case presence
        }

        public let measure: Measure
        /// Width of a bin of the histogram, in the kind's resolution. 1 keeps each value by itself.
        public let binWidth: Int64
        /// Whether differences of successive readings count as well: for RR intervals.
        public let hasSuccessiveDifferences: Bool

        init(_ measure: Measure, binWidth: Int64, hasSuccessiveDifferences: Bool = false) {
            (self.measure, self.binWidth, self.hasSuccessiveDifferences) = (measure, binWidth, hasSuccessiveDifferences)
        }
    }

    /// The classes, equally wide, into which a person's value of a day or an hour falls in statistics about groups.
    public struct Classes: Sendable, Hashable {
        /// The lowest value of the first class, in the resolution.
        public let first: Int64
        /// Width of a class, in the resolution.
        public let width: Int64
        /// A usual mean, in the resolution.
        public let typical: Int64
        /// UCUM of whole values that are not of the kind's own unit, such as minutes of sleep; nil for unit and resolution of the kind.
        public let unit: String?

        init(_ first: Int64, width: Int64, typical: Int64, unit: String? = nil) {
            (self.first, self.width, self.typical, self.unit) = (first, width, typical, unit)
        }
    }
}
