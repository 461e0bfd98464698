import History
import HubStore
import Runs
import Vitals
import Workouts

/// Works out what days came to: amounts that nobody measured, hour by hour (DATA-4), and the ways outside of workouts (DATA-7).
struct DayDerivation {
    private static let hour: Milliseconds = 3_600_000, day: Milliseconds = 86_400_000

    /// Since 1970, UTC.
    private let days: ClosedRange<Int64>
    private let reading: Reading
    /// What was measured, imported or entered of the kinds that are worked out here.
    private let measured: [ScalarSample]
    private(set) var contents: [Int64: DayRecordContent]

    /// - Parameters:
    ///   - reading: of the days, with what lies before and behind them.
    ///   - measured: of the days, and of a day before: what lasts begins there.
    init(_ days: ClosedRange<Int64>, _ reading: Reading, measured: [ScalarSample]) {
        (self.days, self.reading, self.measured) = (days, reading, measured)
        contents = Dictionary(uniqueKeysWithValues: days.map { ($0, DayRecordContent()) })
    }

    private mutating func put(_ amounts: [Int64: Int64], of kind: DataKind) {
        for (day, hours) in Dictionary(grouping: amounts, by: { $0.key.flooredQuotient(by: 24) }) where days.contains(day) {
            let values = hours.map { (Int($0.key - day * 24), $0.value) }
            contents[day, default: DayRecordContent()].set(Dictionary(uniqueKeysWithValues: values), of: kind)
        }
    }

    /// By the hours since 1970, what does not yield.
    private func sums(_ values: [DerivedValue], of kind: DataKind) -> [Int64: Int64] {
        DerivedRule(kind, beside: measured).split(values).kept.reduce(into: [:]) { sums, value in
            sums[value.sample.time.flooredQuotient(by: Self.hour), default: 0] += value.sample.value
        }
    }

    /// - Parameter rides: in which nobody walked.
    mutating func addMotion(rides: [ClosedRange<Milliseconds>]) {
        var distance = DistanceByDay(rules: reading.motion, excluding: rides) { $0.flooredQuotient(by: 3_600_000) }
        distance.take(reading.positions)
        let rule = DerivedRule(.distance, beside: measured)
        var metres: [Int64: Int64] = [:]
        for (hour, found) in distance.days {
            guard let sample = found.sample(in: hour * Self.hour..<(hour + 1) * Self.hour), rule.keeps(sample) else { continue }
            metres[hour] = sample.value
        }
        put(metres, of: .distance)
        let steps = StepsFromCadence(reading.scalars.filter { $0.kind == .cadence }, excluding: rides)
        put(sums(steps.values, of: .steps), of: .steps)
    }

    /// - Parameters:
    ///   - minutes: heart rates by the minutes since 1970, UTC.
    ///   - now: nobody rests in hours to come.
    mutating func addEnergy(_ energy: EnergyFromHeartRate, _ minutes: [Int64: Rollup], until now: Milliseconds) {
        put(sums(energy.active(minutes), of: .activeEnergy), of: .activeEnergy)
        var known = Set(minutes.keys.map { $0.flooredQuotient(by: 1440) })
        known.formUnion(reading.positions.lazy.map { $0.time.flooredQuotient(by: Self.day) })
        known.formUnion(reading.scalars.lazy.map { $0.time.flooredQuotient(by: Self.day) })
        for day in days where known.contains(day) {
            let last = min((day + 1) * 24, now.flooredQuotient(by: Self.hour))
            guard day * 24 < last else { continue }
            put(sums(energy.resting(day * 24..<last), of: .restingEnergy), of: .restingEnergy)
        }
    }

    /// - Parameter workouts: whose ways are kept with them.
    mutating func addWays(beside workouts: [ClosedRange<Milliseconds>]) {
        var left = workouts.sorted { $0.lowerBound < $1.lowerBound }[...], tracer = WayTracer(), today = Int64.min
        for fix in reading.positions {
            let day = fix.time.flooredQuotient(by: Self.day)
            if day != today {
                put(tracer, today)
                (tracer, today) = (WayTracer(), day)
            }
            while let first = left.first, first.upperBound < fix.time { left.removeFirst() }
            if left.first?.contains(fix.time) == true { tracer.cut() } else { tracer.take(fix) }
        }
        put(tracer, today)
    }

    private mutating func put(_ tracer: WayTracer, _ day: Int64) {
        guard days.contains(day), !tracer.isEmpty else { return }
        contents[day, default: DayRecordContent()].sketch = tracer.sketch
        contents[day, default: DayRecordContent()].metres = tracer.metres
    }
}

/// A way from fixes of any density: a phone sends one each second, or one each quarter of an hour.
private struct WayTracer {
    private static let gap: Milliseconds = 3_600_000
    /// Metres: less is noise of the receiver, and fixes with a larger error tell no way.
    private static let least = 30.0, errorMax = 200.0, errorUnknown = 20.0
    /// Metres a second, and metres: what is further away is a leap of the receiver.
    private static let fastest = 100.0, leap = 500.0

    private var pieces: [[CoursePoint]] = []
    private(set) var metres = 0.0
    /// The last point, and the last fix.
    private var last: (point: CoursePoint, time: Milliseconds)?
    private var seen: Milliseconds = 0

    /// The next fix begins another piece.
    mutating func cut() { last = nil }

    mutating func take(_ fix: PositionSample) {
        let error = fix.horizontalError.map { Double(max(0, $0)) / 10 } ?? Self.errorUnknown
        let point = CoursePoint(latitude: fix.latitude, longitude: fix.longitude)
        guard fix.source != .fixed, error <= Self.errorMax, point.isValid else { return }
        guard let last, fix.time - seen <= Self.gap else {
            pieces.append([point])
            self.last = (point, fix.time)
            seen = fix.time
            return
        }
        seen = fix.time
        let way = last.point.distance(to: point), seconds = Double(fix.time - last.time) / 1000
        guard way >= max(Self.least, 2 * error), way <= Self.fastest * seconds + Self.leap else { return }
        pieces[pieces.count - 1].append(point)
        metres += way
        self.last = (point, fix.time)
    }

    var isEmpty: Bool { !pieces.contains { $0.count > 1 } }

    var sketch: [[CoursePoint]] {
        let ways = pieces.filter { $0.count > 1 }
        return WayOverview([ways], points: WorkoutRecordContent.sketchMax).ways.first ?? ways
    }
}
