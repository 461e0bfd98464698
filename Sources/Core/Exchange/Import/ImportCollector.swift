internal import Vitals

/// Gathers samples by their source, and refuses what the table of kinds does not take (DATA-3).
struct ImportCollector: Sendable {
    private struct Key: Hashable {
        var source: HealthImport.Source, stated: Provenance?
    }

    var report = ImportReport()
    /// Times may be this late at most.
    private let latest: Milliseconds
    private var parts: [HealthImport.Part] = []
    private var indices: [Key: Int] = [:]
    private var current = Key(source: HealthImport.Source(name: ""), stated: nil)
    /// Of the current source; nil before its first sample.
    private var index: Int?
    private var count = 0

    init(now: Milliseconds) { latest = now.addingReportingOverflow(SampleLimits.aheadMax).overflow ? .max : now + SampleLimits.aheadMax }

    /// The person of the next samples.
    mutating func begin(_ source: HealthImport.Source, stated: Provenance? = nil) {
        let key = Key(source: source, stated: stated)
        guard key != current else { return }
        current = key
        index = indices[key]
    }

    // MARK: Samples

    mutating func add(_ sample: HeartRateSample, at place: ImportProblem.Place) {
        guard isTime(sample.time, .heartRate, place) else { return }
        guard sample.beatsPerMinute <= SampleLimits.beatsPerMinuteMax else { return outOfRange(.heartRate, place) }
        keep(.heartRate) { $0.heartRates.append(sample) }
    }

    mutating func add(_ sample: ScalarSample, at place: ImportProblem.Place) {
        guard isTime(sample.time, sample.kind, place), isTime(sample.end ?? sample.time, sample.kind, place) else { return }
        guard sample.problem == nil else { return outOfRange(sample.kind, place) }
        keep(sample.kind) { $0.scalars.append(sample) }
    }

    mutating func add(_ sample: PositionSample, at place: ImportProblem.Place) {
        guard isTime(sample.time, .position, place) else { return }
        guard sample.isWithinLimits, sample.horizontalError.map({ $0 >= 0 }) ?? true else { return outOfRange(.position, place) }
        keep(.position) { $0.positions.append(sample) }
    }

    mutating func add(_ event: StateEvent, at place: ImportProblem.Place) {
        guard isTime(event.time, .event, place) else { return }
        keep(.event) { $0.events.append(event) }
    }

    mutating func add(_ gap: GapRecord, at place: ImportProblem.Place) {
        guard isTime(gap.time, .gap, place) else { return }
        keep(.gap) { $0.gaps.append(gap) }
    }

    private mutating func isTime(_ time: Milliseconds, _ kind: DataKind, _ place: ImportProblem.Place) -> Bool {
        if time >= SampleLimits.earliest, time <= latest { return true }
        report.note(.time, at: place, kind.name)
        return false
    }

    private mutating func outOfRange(_ kind: DataKind, _ place: ImportProblem.Place) { report.note(.outOfRange, at: place, kind.name) }

    private mutating func keep(_ kind: DataKind, _ append: (inout SampleSet) -> Void) {
        if index == nil {
            parts.append(HealthImport.Part(source: current.source, stated: current.stated))
            indices[current] = parts.count - 1
            index = parts.count - 1
        }
        guard let index else { return }
        append(&parts[index].samples)
        count += 1
        report.samples[kind.name, default: 0] += 1
    }

    // MARK: Parts

    /// All that was gathered, if it is enough.
    mutating func takeIfFull() -> [HealthImport.Part] {
        count >= HealthImport.Limits.partSamplesMax || parts.count >= HealthImport.Limits.partsMax ? take() : []
    }

    /// All that was gathered.
    mutating func take() -> [HealthImport.Part] {
        defer {
            parts = []
            indices = [:]
            (index, count) = (nil, 0)
        }
        return parts
    }
}
