public import History
import HubStore
public import Privacy
public import Vitals
import Workouts

/// Values that nobody measured (DATA-4): worked out from what was, and only where nothing else is known of the time.
extension HistoryService {
    /// One day's derived values; nil for what has none, or yields to a measured, imported or entered one.
    public struct DerivedDay: Sendable, Hashable {
        /// When the day begins, UTC milliseconds.
        public let begin: Milliseconds
        /// Metres. Both are there, or neither.
        public var walked: Double?, run: Double?
        public var steps: Int64?
        /// Kilocalories.
        public var active: Double?, resting: Double?
        /// Whether the person lies outside of those of whom the formulas of energy were made.
        public var isExtrapolated = false

        public var isEmpty: Bool { walked == nil && steps == nil && active == nil && resting == nil }
    }

    /// Days that are worked out at once, at most.
    public static let derivedMax = 7

    /// - Parameters:
    ///   - days: UTC milliseconds, ascending and apart from each other, ``derivedMax`` at most; later ones are left out.
    ///   - body: nil where it is not known: then there is no energy.
    ///   - rules: by which rides are told, so that no turn of a crank is a step.
    /// - Returns: the days on which something was recorded, none where not everything up to now may be read (``isOpen``); nil when the grant
    ///   does not hold (any more).
    public func derived(
        _ grant: Grant, on days: [Range<Milliseconds>], body: EnergyBody?, maximum: Int? = nil
    ) throws -> [DerivedDay]? {
        let days = Array(days.prefix(Self.derivedMax)), time = now()
        guard isOpen, let first = days.first, let last = days.last else { return [] }
        try ledger.recordRead(grant, now: time)
        // An event with a duration begins up to a day before.
        guard let found = try recorded(grant, from: first.lowerBound - 86_400_000, to: last.upperBound - 1) else { return nil }
        var derivation = Derivation(found, days: days, maximum: maximum)
        derivation.addDistance()
        derivation.addSteps()
        if let body {
            let minutes = try history.rollups(
                grant, of: .heartRate, by: .minutes, from: first.lowerBound, to: last.upperBound, now: time)
            derivation.addEnergy(EnergyFromHeartRate(body), minutes ?? [:], until: time)
        }
        return derivation.days.filter { !$0.isEmpty }
    }

    /// So long before and behind positions the heart says whether somebody rode: longer than any pause of a workout.
    private static let beside: Milliseconds = 30 * 60_000

    /// What was recorded between two instants, the heart rate beside positions alone: it tells rides, which have positions, and a week of
    /// it is 600,000 readings.
    private func recorded(_ grant: Grant, from: Milliseconds, to: Milliseconds) throws -> Reading? {
        let provenances: Set<Provenance> = [.live, .import, .manual], time = now()
        let others = grant.kinds.filter { $0.column != .heartRate }
        guard var found = try reader.read(grant, kinds: others, from: from, to: to, of: provenances, now: time) else { return nil }
        for span in found.positions.spans(beside: Self.beside) {
            let (first, last) = (max(from, span.lowerBound), min(to, span.upperBound))
            guard let heart = try reader.read(grant, kinds: [.heartRate], from: first, to: last, of: provenances, now: time) else {
                return nil
            }
            found.heartRates += heart.heartRates
        }
        return found
    }
}

extension [PositionSample] {
    /// The spans within which they lie, each with so many milliseconds before and behind it. They neither touch nor overlap.
    fileprivate func spans(beside: Milliseconds) -> [ClosedRange<Milliseconds>] {
        reduce(into: []) { spans, position in
            let (from, to) = (position.time - beside, position.time + beside)
            if let last = spans.last, from <= last.upperBound + 1 {
                spans[spans.count - 1] = last.lowerBound...Swift.max(last.upperBound, to)
            } else {
                spans.append(from...to)
            }
        }
    }
}

/// Works days out of one reading.
private struct Derivation {
    private let reading: Reading
    private let spans: [Range<Milliseconds>]
    /// In which somebody rode.
    private let rides: [ClosedRange<Milliseconds>]
    private(set) var days: [HistoryService.DerivedDay]

    init(_ reading: Reading, days spans: [Range<Milliseconds>], maximum: Int?) {
        (self.reading, self.spans) = (reading, spans)
        days = spans.map { .init(begin: $0.lowerBound) }
        var finder = WorkoutFinder(maximum.map(FinderRules.init) ?? FinderRules())
        finder.take(reading.positions, reading.heartRates, reading.scalars)
        let cycling = WorkoutKind.cycling.rawValue
        rides =
            finder.workouts.filter { $0.kind == .cycling }.map(\.span)
            + reading.scalars.filter { $0.kind == .activity && $0.value == cycling }.map { $0.time...max($0.time, $0.end ?? $0.time) }
    }

    private func day(_ time: Milliseconds) -> Int? { spans.firstIndex { $0.contains(time) } }

    /// Whether anything was recorded on a day: nobody's rest is told of days of which nothing is known.
    private func isRecorded(_ span: Range<Milliseconds>, _ minutes: [Int64: Rollup]) -> Bool {
        reading.positions.contains { span.contains($0.time) } || reading.scalars.contains { span.contains($0.time) }
            || minutes.keys.contains { span.contains($0 * 60_000) }
    }

    mutating func addDistance() {
        let spans = spans, rule = DerivedRule(.distance, beside: reading.scalars)
        var distance = DistanceByDay(rules: reading.motion, excluding: rides) { time in
            Int64(spans.firstIndex { $0.contains(time) } ?? -1)
        }
        distance.take(reading.positions.filter { day($0.time) != nil })
        for (number, found) in distance.days {
            guard let index = Int(exactly: number), spans.indices.contains(index), let sample = found.sample(in: spans[index]),
                rule.keeps(sample)
            else { continue }
            (days[index].walked, days[index].run) = (found.walked, found.run)
        }
    }

    mutating func addSteps() {
        let cadence = reading.scalars.filter { $0.kind == .cadence && day($0.time) != nil }
        let steps = StepsFromCadence(cadence, excluding: rides)
        for value in DerivedRule(.steps, beside: reading.scalars).split(steps.values).kept {
            if let index = day(value.sample.time) { days[index].steps = (days[index].steps ?? 0) &+ value.sample.value }
        }
    }

    mutating func addEnergy(_ energy: EnergyFromHeartRate, _ minutes: [Int64: Rollup], until now: Milliseconds) {
        add(energy.active(minutes), of: .activeEnergy, to: \.active)
        for span in spans where isRecorded(span, minutes) {
            let first = (span.lowerBound + 3_599_999) / 3_600_000, last = min(span.upperBound, now) / 3_600_000
            if first < last { add(energy.resting(first..<last), of: .restingEnergy, to: \.resting) }
        }
    }

    private mutating func add(_ values: [DerivedValue], of kind: DataKind, to path: WritableKeyPath<HistoryService.DerivedDay, Double?>) {
        for value in DerivedRule(kind, beside: reading.scalars).split(values).kept {
            guard let index = day(value.sample.time) else { continue }
            days[index][keyPath: path] = (days[index][keyPath: path] ?? 0) + Double(value.sample.value) * kind.scale
            if value.isExtrapolated { days[index].isExtrapolated = true }
        }
    }
}
