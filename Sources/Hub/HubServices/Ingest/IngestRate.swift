import Synchronization
public import Vitals

/// How much came from boxes lately, for operators: by minute, in memory.
public final class IngestRate: Sendable {
    /// What came within a minute.
    public struct Minute: Sendable, Hashable {
        public var batches = 0
        public var samples = 0
    }

    /// Minutes that are kept.
    public static let minutes: Int64 = 60

    private let counts = Mutex<[Int64: Minute]>([:])

    public init() {}

    func note(samples: Int, at time: Milliseconds) {
        let minute = time / 60_000
        counts.withLock { counts in
            if counts[minute] == nil { counts = counts.filter { $0.key > minute - Self.minutes && $0.key <= minute } }
            counts[minute, default: Minute()].batches += 1
            counts[minute, default: Minute()].samples += samples
        }
    }

    /// What came within the last whole minutes, at most ``minutes``, on the average of one.
    public func average(over minutes: Int64, now: Milliseconds) -> (batches: Double, samples: Double) {
        let last = now / 60_000, count = max(1, min(minutes, Self.minutes))
        let found = counts.withLock { counts in (last - count..<last).compactMap { counts[$0] } }
        return (
            Double(found.reduce(0) { $0 + $1.batches }) / Double(count), Double(found.reduce(0) { $0 + $1.samples }) / Double(count)
        )
    }
}
