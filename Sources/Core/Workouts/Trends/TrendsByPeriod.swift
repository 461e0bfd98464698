internal import Runs
public import Vitals

/// A week or a month, by a calendar that begins its weeks on Monday (ISO 8601).
public enum TrendPeriod: String, Sendable, Hashable, CaseIterable {
    case week, month

    /// The number of the period that a day lies in. Numbers of periods that follow each other differ by 1.
    /// - Parameter day: since 1970-01-01 in the reader's calendar, -1,000,000 to 1,000,000.
    public func number(ofDay day: Int64) -> Int64 {
        let day = min(max(day, -1_000_000), 1_000_000)
        return switch self {
        // 1970-01-01 was a Thursday.
        case .week: (day + 3).flooredQuotient(by: 7)
        case .month: Self.month(ofDay: day)
        }
    }

    /// The first day of a period, since 1970-01-01.
    public func firstDay(of number: Int64) -> Int64 {
        let number = min(max(number, -140_000), 140_000)
        return switch self {
        case .week: number * 7 - 3
        case .month:
            // The first guess is too early by a day or two for each year at most.
            Self.first(from: (number * 146_097).flooredQuotient(by: 4_800) - 3) { Self.month(ofDay: $0) >= number }
        }
    }

    private static func first(from day: Int64, _ isReached: (Int64) -> Bool) -> Int64 {
        var day = day
        while isReached(day) { day -= 1 }
        while !isReached(day) { day += 1 }
        return day
    }

    /// Months since January 1970 in the Gregorian calendar.
    private static func month(ofDay day: Int64) -> Int64 {
        let date = CivilDay(days: day)
        return (date.year - 1970) * 12 + date.month - 1
    }
}

/// What trends are made from.
public struct TrendEntry: Hashable, Sendable {
    public let kind: WorkoutKind
    /// Since 1970-01-01 in the reader's calendar, -1,000,000 to 1,000,000.
    public let day: Int64
    public let statistics: WorkoutStatistics

    /// - Returns: nil for a day outside of that.
    public init?(kind: WorkoutKind, day: Int64, _ statistics: WorkoutStatistics) {
        guard (-1_000_000...1_000_000).contains(day) else { return nil }
        (self.kind, self.day, self.statistics) = (kind, day, statistics)
    }
}

/// Sums of workouts by week or month, and records. The order in which they are taken makes no difference.
public struct TrendsByPeriod: Hashable, Sendable {
    /// Whole numbers, so that no order of adding makes a difference.
    public struct Sums: Hashable, Sendable {
        public var workouts = 0
        /// 0.1 m.
        public var decimetres: Int64 = 0, decimetresUp: Int64 = 0
        /// Milliseconds in motion.
        public var moving: Milliseconds = 0
        /// 0.1 kJ, of those that have an energy.
        public var energy: Int64 = 0

        public init() {}

        public var metres: Double { Double(decimetres) / 10 }
        /// Metres up.
        public var up: Double { Double(decimetresUp) / 10 }
        /// Seconds a kilometre in motion; nil before 100 m.
        public var pace: Double? { metres >= 100 ? Double(moving) / metres : nil }

        mutating func add(_ other: Sums) {
            workouts &+= other.workouts
            decimetres &+= other.decimetres
            decimetresUp &+= other.decimetresUp
            moving &+= other.moving
            energy &+= other.energy
        }

        fileprivate static func tenths(_ value: Double?) -> Int64 { value.flatMap { Int64(exactly: ($0 * 10).rounded()) } ?? 0 }
    }

    public enum Record: Hashable, Sendable {
        /// Metres, milliseconds in motion, metres up.
        case distance, moving, up
        /// Milliseconds for a distance in whole metres: 1609 is a mile.
        case effort(metres: Int)
    }

    public struct Best: Hashable, Sendable {
        public var value: Double
        /// Since 1970-01-01: of two equal ones the first.
        public var day: Int64
    }

    public let period: TrendPeriod
    private static let numberMax: Int64 = 1 << 40
    private var sums: [WorkoutKind: [Int64: Sums]] = [:]
    public private(set) var records: [WorkoutKind: [Record: Best]] = [:]

    public init(_ period: TrendPeriod) { self.period = period }

    public mutating func take(_ entry: TrendEntry) {
        let figures = entry.statistics
        var one = Sums()
        (one.workouts, one.moving) = (1, figures.moving)
        (one.decimetres, one.decimetresUp) = (Sums.tenths(figures.metres), Sums.tenths(figures.up))
        one.energy = Sums.tenths(figures.heart?.energy)
        sums[entry.kind, default: [:]][period.number(ofDay: entry.day), default: Sums()].add(one)
        note(entry, .distance, figures.metres)
        note(entry, .moving, Double(figures.moving))
        if let up = figures.up { note(entry, .up, up) }
        for effort in figures.efforts { note(entry, .effort(metres: Int(effort.distance)), Double(effort.duration)) }
    }

    private mutating func note(_ entry: TrendEntry, _ record: Record, _ value: Double) {
        guard value > 0, value.isFinite else { return }
        let isLess: Bool
        if case .effort = record { isLess = true } else { isLess = false }
        if let best = records[entry.kind]?[record] {
            let isBetter = isLess ? value < best.value : value > best.value
            guard isBetter || (value == best.value && entry.day < best.day) else { return }
        }
        records[entry.kind, default: [:]][record] = Best(value: value, day: entry.day)
    }

    /// The sums of a kind, or of all, by the numbers of their periods. Periods without a workout have none.
    public func sums(of kind: WorkoutKind? = nil) -> [Int64: Sums] {
        var found: [Int64: Sums] = [:]
        for (one, periods) in sums where kind == nil || one == kind {
            for (number, sums) in periods { found[number, default: Sums()].add(sums) }
        }
        return found
    }

    /// How the metres of a period compare with the mean of those before it, empty ones included: 0.1 is a tenth more.
    /// - Parameter before: periods, 1 to 52.
    /// - Returns: nil where nothing was done in those before.
    public func change(of kind: WorkoutKind? = nil, in number: Int64, before: Int = 4) -> Double? {
        let all = sums(of: kind), count = Int64(min(max(before, 1), 52))
        guard (-Self.numberMax...Self.numberMax).contains(number) else { return nil }
        let mean = (number - count..<number).reduce(0) { $0 + (all[$1]?.metres ?? 0) } / Double(count)
        return mean > 0 ? (all[number]?.metres ?? 0) / mean - 1 : nil
    }
}
