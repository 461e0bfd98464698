/// The number of samples of one kind kept of any 10 s, by the time of the samples (PERF-6). No sensor delivers more; a sender that does would
/// fill the readers' memory, because many samples a millisecond apart take few bytes.
public enum SampleDensity {
    /// Milliseconds of a window: from after `t - window` to `t`.
    public static let window: Milliseconds = 10_000
    /// 16 heart rates a second.
    public static let heartRatesMax = 160
    /// 100 positions a second.
    public static let positionsMax = 1000
    /// 16 events a second. SOS records count, and are kept up to ``refusedFactor`` times as many.
    public static let eventsMax = 160
    /// 4 a second of the scalars that no sensor sends by itself many times a second: weight, steps, sleep.
    public static let scalarsMax = 40
    /// A segment with so many times the samples of a kind in any window is refused; one with fewer is thinned.
    public static let refusedFactor = 4

    /// The most samples in any window.
    /// - Parameter times: in any order.
    public static func peak(of times: [Milliseconds]) -> Int {
        let times = times.sortedIfNeeded()
        var first = 0, peak = 0
        for (index, time) in times.enumerated() {
            while time - times[first] >= window { first += 1 }
            peak = max(peak, index - first + 1)
        }
        return peak
    }
}

extension [Milliseconds] {
    /// These in ascending order; the array itself when it is in that order.
    public func sortedIfNeeded() -> [Milliseconds] {
        for index in indices.dropFirst() where self[index - 1] > self[index] { return sorted() }
        return self
    }
}

/// Lets samples of one kind through, one after the other, as long as no window holds more than its bound. Once a source is too dense, what goes
/// on of it is spread evenly over time instead of a burst and a hole, until the source has kept within the bound for a whole window.
///
/// Times that go back a little count as if all samples since then were in one window; a jump back by more than a window begins anew.
public struct DensityGate: Sendable, Hashable {
    private let max: Int
    /// Of what was let through, ascending; those before `head` left the window.
    private var kept: [Milliseconds] = []
    private var head = 0
    /// The end of the time in which samples are spread.
    private var spreadUntil = Milliseconds.min
    /// Of the next sample, while they are spread: a window's length is one sample.
    private var credit: Int64 = 0
    private var creditTime = Milliseconds.min

    /// - Parameter max: samples in any window; at least 1.
    public init(max: Int) { self.max = Swift.max(1, max) }

    /// Whether a sample may go on.
    /// - Parameters:
    ///   - time: the sample's, in milliseconds.
    ///   - others: samples from elsewhere that stand in the same windows.
    ///   - factor: so many times the bound, for what must not be lost.
    public mutating func admits(_ time: Milliseconds, beside others: Int = 0, factor: Int = 1) -> Bool {
        let newest = kept.last ?? time
        if time < newest - SampleDensity.window { (kept, head, spreadUntil) = ([], 0, .min) }
        let start = time - SampleDensity.window
        while head < kept.count, kept[head] <= start { head += 1 }
        if head > kept.count / 2, head > 64 {
            kept.removeFirst(head)
            head = 0
        }
        guard kept.count - head + others < max * factor, factor > 1 || isDue(time) else {
            if time >= spreadUntil { credit = SampleDensity.window }
            (spreadUntil, creditTime) = (time + SampleDensity.window, Swift.max(creditTime, time))
            return false
        }
        if time < newest {
            kept.insert(time, at: kept[head...].firstIndex { $0 > time } ?? kept.count)
        } else {
            kept.append(time)
        }
        return true
    }

    /// Whether the spread samples reach this time already.
    private mutating func isDue(_ time: Milliseconds) -> Bool {
        guard time < spreadUntil else { return true }
        let passed = Swift.min(Swift.max(0, time - creditTime), SampleDensity.window)
        credit = Swift.min(credit + passed * Int64(max), 2 * SampleDensity.window)
        creditTime = Swift.max(creditTime, time)
        guard credit >= SampleDensity.window else { return false }
        credit -= SampleDensity.window
        return true
    }
}
