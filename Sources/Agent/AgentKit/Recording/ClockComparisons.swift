internal import Vitals

/// Collects clock records of one boot, not more often than needed: one of the box's own clock with the first samples and then every ten
/// minutes, and others when they come, as often or when they are clearly better.
struct ClockComparisons {
    /// A receiver's sentence or message arrives up to half a second after the instant that it names.
    static let gnssUncertainty: UInt32 = 500
    /// Nobody knows how wrong an undisciplined clock is.
    private static let wallUncertainty: UInt32 = .max
    /// What NTP keeps over the Internet, with much to spare.
    private static let ntpUncertainty: UInt32 = 1000

    /// A clock that was set by more than this since its last record gets a new one at once: until then all was right or wrong together.
    private static let jumpMin: Milliseconds = 1000

    private var waiting: [ClockRecord] = []
    private var last: [ClockRecord.Source: ClockRecord] = [:]

    mutating func note(utc: Milliseconds, at time: Milliseconds, uncertainty: UInt32, source: ClockRecord.Source, every: Milliseconds) {
        let record = ClockRecord(time: time, utc: utc, uncertainty: uncertainty, source: source)
        if let last = last[source], time - last.time < every, uncertainty >= last.uncertainty / 2,
            abs(record.offset - last.offset) <= Self.jumpMin
        {
            return
        }
        last[source] = record
        waiting.append(record)
        if waiting.count > 64 { waiting.removeFirst() }
    }

    /// What goes with the next seal.
    mutating func take(now: Milliseconds, utc: Milliseconds, isSynchronized: Bool, every: Milliseconds) -> [ClockRecord] {
        note(utc: utc, at: now, uncertainty: Self.wallUncertainty, source: .wall, every: every)
        if isSynchronized { note(utc: utc, at: now, uncertainty: Self.ntpUncertainty, source: .ntp, every: every) }
        defer { waiting = [] }
        return waiting
    }

    /// For what leaves without a seal: what this box believes now, and the best that it was told.
    func current(now: Milliseconds, utc: Milliseconds) -> [ClockRecord] {
        let told = last.values.filter { $0.source != .wall }.min { $0.uncertainty < $1.uncertainty }
        return [ClockRecord(time: now, utc: utc, uncertainty: Self.wallUncertainty, source: .wall)] + (told.map { [$0] } ?? [])
    }

    mutating func putBack(_ records: [ClockRecord]) { waiting = records + waiting }
}
