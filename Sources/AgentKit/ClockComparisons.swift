internal import Vitals

/// Collects clock records of one boot, not more often than needed: one of the box's own clock with the first samples and then every ten
/// minutes, and others when they come, as often or when they are clearly better.
struct ClockComparisons {
    /// A receiver's sentence or message arrives up to half a second after the instant that it names.
    static let gnssUncertainty: UInt32 = 500
    /// Nobody knows how wrong an undisciplined clock is.
    private static let wallUncertainty: UInt32 = .max

    private var waiting: [ClockRecord] = []
    private var last: [ClockRecord.Source: ClockRecord] = [:]

    mutating func note(utc: Milliseconds, at time: Milliseconds, uncertainty: UInt32, source: ClockRecord.Source, every: Milliseconds) {
        if let last = last[source], time - last.time < every, uncertainty >= last.uncertainty / 2 { return }
        let record = ClockRecord(time: time, utc: utc, uncertainty: uncertainty, source: source)
        last[source] = record
        waiting.append(record)
        if waiting.count > 64 { waiting.removeFirst() }
    }

    /// What goes with the next seal.
    mutating func take(now: Milliseconds, utc: Milliseconds, every: Milliseconds) -> [ClockRecord] {
        note(utc: utc, at: now, uncertainty: Self.wallUncertainty, source: .wall, every: every)
        defer { waiting = [] }
        return waiting
    }

    mutating func putBack(_ records: [ClockRecord]) { waiting = records + waiting }
}
