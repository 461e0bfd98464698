internal import Vitals

/// Puts events that come late among the others, as long as they are not older than a horizon. What is taken out of it is in the order of
/// time and the same for every order of arrival.
struct LateBuffer<Event: Comparable & Sendable>: Sendable {
    /// Milliseconds that an event may be older than the newest one.
    let horizon: Milliseconds
    /// More than this many are taken out before their time.
    let most: Int
    private let time: @Sendable (Event) -> Milliseconds
    /// In order, without repetitions.
    private(set) var pending: [Event] = []
    private var newest: Milliseconds?
    /// Everything older was taken out.
    private(set) var settled: Milliseconds = .min
    private(set) var late = 0, repeated = 0
    /// Events of times outside of ``MotionLimits/times``.
    private(set) var impossible = 0

    init(horizon: Milliseconds, most: Int, time: @escaping @Sendable (Event) -> Milliseconds) {
        (self.horizon, self.most, self.time) = (horizon, most, time)
    }

    /// Takes new events and gives back those that nothing can come before any more.
    mutating func take(_ events: some Sequence<Event>) -> [Event] {
        let count = pending.count
        for event in events {
            guard MotionLimits.times.contains(time(event)) else {
                impossible += 1
                continue
            }
            guard time(event) >= settled else {
                late += 1
                continue
            }
            newest = max(newest ?? .min, time(event))
            pending.append(event)
        }
        if pending.count > count { sort(from: count) }
        guard let newest else { return [] }
        var until = newest - horizon
        if pending.count > most { until = max(until, time(pending[pending.count - most])) }
        guard until > settled else { return [] }
        settled = until
        var low = 0, high = pending.count
        while low < high {
            let middle = (low + high) / 2
            if time(pending[middle]) < until { low = middle + 1 } else { high = middle }
        }
        defer { pending.removeFirst(low) }
        return Array(pending[..<low])
    }

    /// The outcome of all samples that were taken, with the counts of `filter` behind this buffer.
    func counts(_ filter: MotionFilter) -> FixCounts {
        var counts = filter.counts
        counts.late += late
        counts.repeated += repeated
        counts.impossible += impossible
        return counts
    }

    /// Only what the new ones reach back to is put in order again.
    private mutating func sort(from count: Int) {
        guard let least = pending[count...].min() else { return }
        var start = count
        while start > 0, !(pending[start - 1] < least) { start -= 1 }
        var sorted: [Event] = []
        for event in pending[start...].sorted() {
            if sorted.last == event { repeated += 1 } else { sorted.append(event) }
        }
        pending.replaceSubrange(start..., with: sorted)
    }
}

/// A sample as movement is found from.
enum MotionEvent: Hashable, Sendable, Comparable {
    case fix(PositionSample)
    case heartRate(Milliseconds, beatsPerMinute: Int)
    /// Steps or turns of a crank a minute.
    case cadence(Milliseconds, perMinute: Double)

    var time: Milliseconds {
        switch self {
        case .fix(let sample): sample.time
        case .heartRate(let time, _), .cadence(let time, _): time
        }
    }

    /// Of two of the same time the better fix goes first; then any fixed order, so that the order of arrival does not matter.
    static func < (left: MotionEvent, right: MotionEvent) -> Bool {
        if left.time != right.time { return left.time < right.time }
        switch (left, right) {
        case (.fix(let one), .fix(let other)): return one.precedes(other)
        case (.fix, _): return true
        case (_, .fix): return false
        case (.heartRate(_, let one), .heartRate(_, let other)): return one < other
        case (.heartRate, _): return true
        case (_, .heartRate): return false
        case (.cadence(_, let one), .cadence(_, let other)): return one < other
        }
    }
}

extension PositionSample {
    /// Of two fixes of the same time, a fixed order: the better first.
    func precedes(_ other: PositionSample) -> Bool {
        let error = horizontalError ?? .max, otherError = other.horizontalError ?? .max
        if error != otherError { return error < otherError }
        if latitude != other.latitude { return latitude < other.latitude }
        if longitude != other.longitude { return longitude < other.longitude }
        let rest = [altitude, speed, course].map { $0 ?? .min } + [Int32(mode.rawValue), Int32(source.rawValue)]
        let otherRest =
            [other.altitude, other.speed, other.course].map { $0 ?? .min } + [Int32(other.mode.rawValue), Int32(other.source.rawValue)]
        return rest.lexicographicallyPrecedes(otherRest)
    }
}
