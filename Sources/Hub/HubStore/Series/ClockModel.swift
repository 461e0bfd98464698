import Vitals

/// The relation of one clock domain to UTC (design rule 5): records in the order of their time, between which the offset is
/// interpolated. Records that say less than what is known already are left out.
struct ClockModel: Sendable, Hashable {
    private(set) var records: [ClockRecord] = []

    /// How fast an oscillator drifts away at most: 100 parts per million, as milliseconds in which it loses one.
    static let driftInterval: Milliseconds = 10_000
    /// More records than this are thinned from the middle on.
    static let recordsMax = 2000
    /// Records before 2020 come from clocks that were never set.
    static let plausible: Milliseconds = 1_577_836_800_000

    /// The clock whose times are UTC as they stand.
    static let utc: ClockModel = {
        var model = ClockModel()
        model.isUTC = true
        return model
    }()
    private var isUTC = false

    init(_ records: [ClockRecord] = []) {
        for record in records { insert(record) }
    }

    /// Nothing is known of this clock.
    var isEmpty: Bool { records.isEmpty && !isUTC }

    /// Takes a record in; false when what is known says as much. What the new one knows better, however far away, goes: a box that ran
    /// for hours with a wrong clock is right for all of them once one good record comes.
    @discardableResult
    mutating func insert(_ record: ClockRecord) -> Bool {
        guard !isUTC, record.utc >= Self.plausible else { return false }
        guard records.allSatisfy({ $0.uncertainty(at: record.time) > Int64(record.uncertainty) }) else { return false }
        records.removeAll { record.uncertainty(at: $0.time) < Int64($0.uncertainty) || $0.time == record.time }
        let index = records.firstIndex { $0.time > record.time } ?? records.count
        // Before anybody knows better, a clock that was set back is believed: with what it said before, times would run backwards.
        if record.isUndisciplined {
            if index < records.count, records[index].utc < record.utc { return false }
            records.removeAll { $0.time < record.time && $0.utc > record.utc }
        }
        records.insert(record, at: records.firstIndex { $0.time > record.time } ?? records.count)
        if records.count > Self.recordsMax { records.remove(at: records.count / 2) }
        return true
    }

    /// UTC of a time in the domain; nil as long as nothing is known.
    func utc(_ time: Milliseconds) -> Milliseconds? {
        if isUTC { return time }
        guard let first = records.first, let last = records.last else { return nil }
        if time <= first.time { return time &+ first.offset }
        if time >= last.time { return time &+ last.offset }
        var low = 0, high = records.count - 1
        while high - low > 1 {
            let middle = (low + high) / 2
            if records[middle].time <= time { low = middle } else { high = middle }
        }
        let (before, after) = (records[low], records[high])
        let part = Double(time - before.time) / Double(after.time - before.time)
        return time &+ before.offset &+ Milliseconds((Double(after.offset - before.offset) * part).rounded())
    }
}

extension ClockRecord {
    /// Nobody says how wrong it is.
    fileprivate var isUndisciplined: Bool { uncertainty == .max }

    /// How well the record tells another instant of its domain, in milliseconds.
    fileprivate func uncertainty(at other: Milliseconds) -> Int64 {
        Int64(uncertainty) + (max(other, time) &- min(other, time)) / ClockModel.driftInterval
    }
}
