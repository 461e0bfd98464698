public import Vitals

/// Personal figures from the person's own rest (SOS-2): at least 7 of the last 14 days.
public enum Baseline {
    /// One minute of the series, as rollups hold it. Only live streams may enter (design rule 11).
    public struct Minute: Hashable, Sendable {
        /// UTC of its beginning.
        public var start: Milliseconds
        /// Mean or median of its readings that count, in beats per minute.
        public var heartRate: Int
        /// The number of readings.
        public var count: Int
        /// Mean speed in 0.01 m/s; nil where no fix tells.
        public var speed: Int?

        public init(start: Milliseconds, heartRate: Int, count: Int, speed: Int? = nil) {
            self.start = start
            self.heartRate = heartRate
            self.count = count
            self.speed = speed
        }
    }

    public enum Result: Hashable, Sendable {
        case limits(PersonalLimits)
        /// The number of days with enough rest.
        case tooFewDays(Int)
    }

    public static let days = 14, daysMin = 7
    /// A day counts with so many minutes of true rest.
    public static let minutesPerDayMin = 60
    /// A minute counts with so many readings.
    public static let readingsMin = 10
    /// Rest begins so many minutes after the last effort.
    public static let minutesAfterEffort = 10
    /// Below 0.5 m/s nobody walks.
    public static let restSpeedMax = 50
    /// Where nothing tells of movement: one in so many of a day's minutes, the calmest ones ...
    public static let calmestShare = 3
    /// ... each amid so many minutes without a hole, of which the highest and the lowest rate differ by less than this.
    public static let calmMinutes = 10, calmSpread = 8
    /// From so many percent of the maximum on it is an effort, whatever moved.
    public static let effortPercent = 60
    /// A rate that was held for so many minutes, not always in a row, is the person's own maximum.
    public static let maximumMinutes = 3

    private static let dayLength: Milliseconds = 86_400_000

    /// - Parameters:
    ///   - minutes: in any order; what lies outside of the 14 days before `now`, or cannot be a person's, is left out.
    ///   - age: in years; nil when unknown.
    ///   - now: UTC.
    ///   - version: higher than that of the figures before.
    public static func compute(_ minutes: some Sequence<Minute>, age: Int?, now: Milliseconds, version: Int) -> Result {
        let range = now - Milliseconds(days) * dayLength..<now
        let usable = minutes.filter {
            range.contains($0.start) && $0.count >= readingsMin && DistressConstants.countedRange.contains($0.heartRate)
        }.sorted { $0.start < $1.start }
        let late = lateEnough(usable, age: age), calm = calm(usable)
        let byDay = Dictionary(grouping: usable) { (now - $0.start) / dayLength }
        let full = byDay.values.map { rest($0, calm: calm).filter { late.contains($0.start) } }.filter { $0.count >= minutesPerDayMin }
        guard full.count >= daysMin else { return .tooFewDays(full.count) }
        // Each day has the same weight, however long the sensor was worn.
        let resting = median(full.map { median($0.map(\.heartRate)) })
        let deviation = median(full.map { day in median(day.map { abs($0.heartRate - resting) }) })
        return .limits(
            PersonalLimits(
                version: version, computedAt: now, restingMedian: resting, restingDeviation: deviation, days: full.count,
                maximum: maximum(usable)))
    }

    /// Of one day's minutes those of true rest: fixes say that the person stands, or, where nothing tells of movement, the rate does.
    private static func rest(_ day: [Minute], calm: Set<Milliseconds>) -> [Minute] {
        let untold = day.filter { $0.speed == nil }.sorted { ($0.heartRate, $0.start) < ($1.heartRate, $1.start) }
        let calmest = untold.prefix(untold.count / calmestShare).filter { calm.contains($0.start) }
        return day.filter { $0.speed.map { $0 <= restSpeedMax } ?? false } + calmest
    }

    /// The minutes amid ten that follow each other and hardly differ.
    private static func calm(_ minutes: [Minute]) -> Set<Milliseconds> {
        var calm: Set<Milliseconds> = []
        guard minutes.count >= calmMinutes else { return calm }
        for first in 0...minutes.count - calmMinutes {
            let window = minutes[first..<first + calmMinutes], rates = window.map(\.heartRate)
            guard let start = window.first?.start, let end = window.last?.start, end - start < Milliseconds(calmMinutes) * 60_000,
                let lowest = rates.min(), let highest = rates.max(), highest - lowest < calmSpread
            else { continue }
            calm.insert(minutes[first + calmMinutes / 2].start)
        }
        return calm
    }

    /// The minutes that are far enough from the last effort.
    private static func lateEnough(_ minutes: [Minute], age: Int?) -> Set<Milliseconds> {
        let effort = AgeTable.maximumHeartRate(age: age) * effortPercent / 100
        var effortAt: Milliseconds?
        return Set(
            minutes.filter { minute in
                if minute.heartRate >= effort || minute.speed ?? 0 > DistressConstants.exerciseSpeed { effortAt = minute.start }
                return effortAt.map { minute.start - $0 > Milliseconds(minutesAfterEffort) * 60_000 } ?? true
            }.map(\.start))
    }

    /// Of minutes in which the person was seen to move: at rest a high rate is no effort.
    private static func maximum(_ minutes: [Minute]) -> Int? {
        let moving = minutes.filter { $0.speed ?? 0 > DistressConstants.exerciseSpeed }.map(\.heartRate).sorted(by: >)
        return moving.count >= maximumMinutes ? moving[maximumMinutes - 1] : nil
    }

    private static func median(_ values: [Int]) -> Int {
        let sorted = values.sorted()
        return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
    }
}
