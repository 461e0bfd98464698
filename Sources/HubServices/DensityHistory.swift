import Vitals

/// How many samples of one kind one person's part of a stream has in each span of 10 s, as far as the hub needs it: never less than there are.
///
/// The axis of the clock is cut into spans of 10 s. Runs of spans share the count of the fullest of them. Runs with few samples, and beyond
/// ``runsMax`` the nearest ones, become one run with the greater count; so what is known takes bounded memory, and errs towards too many.
struct DensityHistory: Sendable, Hashable {
    /// Spans from `first` to `last` with at most `count` samples in each.
    private struct Run: Hashable {
        var first: Int64
        var last: Int64
        var count: Int
    }

    /// Ascending, and none overlaps another.
    private var runs: [Run] = []
    private let max: Int

    static let runsMax = 32

    /// - Parameter max: samples in any window.
    init(max: Int) { self.max = max }

    static func span(_ time: Milliseconds) -> Int64 {
        (time >= 0 ? time : time &- SampleDensity.window &+ 1) / SampleDensity.window
    }

    private subscript(span: Int64) -> Int {
        guard let last = runs.last, span <= last.last else { return 0 }
        let run = runs.last { $0.first <= span }
        return run.map { $0.last >= span ? $0.count : 0 } ?? 0
    }

    /// What stands in all windows around a sample of this span, at most.
    private func around(_ span: Int64) -> Int {
        guard let last = runs.last, span - 1 <= last.last else { return 0 }
        return self[span - 1] + self[span] + self[span + 1]
    }

    /// Counts samples of a segment, and says which of them are too many.
    /// - Parameters:
    ///   - times: in the order of the segment.
    ///   - isUrgent: whether the sample at an index is kept up to ``SampleDensity/refusedFactor`` times the bound.
    /// - Returns: which to keep; nil for all, which is nearly always so.
    mutating func thin(_ times: [Milliseconds], isUrgent: (Int) -> Bool = { _ in false }) -> [Bool]? {
        guard !times.isEmpty else { return nil }
        let counts = Self.counts(times)
        if fits(counts) {
            add(counts)
            return nil
        }
        var gate = DensityGate(max: max), keeps = [Bool](repeating: false, count: times.count), kept: [Milliseconds] = []
        var span = Int64.min, others = 0
        for index in times.indices.sorted(by: { (times[$0], $0) < (times[$1], $1) }) {
            let time = times[index]
            if Self.span(time) != span {
                span = Self.span(time)
                others = around(span)
            }
            keeps[index] = gate.admits(time, beside: others, factor: isUrgent(index) ? SampleDensity.refusedFactor : 1)
            if keeps[index] { kept.append(time) }
        }
        add(Self.counts(kept))
        return kept.count == times.count ? nil : keeps
    }

    /// Ascending spans with their counts.
    private static func counts(_ times: [Milliseconds]) -> [(span: Int64, count: Int)] {
        var counts: [(span: Int64, count: Int)] = []
        var start = Milliseconds.max, end = Milliseconds.min
        for time in times.sortedIfNeeded() {
            if time >= start, time < end {
                counts[counts.count - 1].count += 1
                continue
            }
            let span = Self.span(time)
            (start, end) = (span * SampleDensity.window, (span + 1) * SampleDensity.window)
            counts.append((span, 1))
        }
        return counts
    }

    /// Whether no window can hold too many: one that ends in a span touches that and the one before.
    private func fits(_ counts: [(span: Int64, count: Int)]) -> Bool {
        var before: (span: Int64, count: Int) = (.min, 0)
        for now in counts {
            guard now.count + (now.span - 1 == before.span ? before.count : 0) + around(now.span) <= max else { return false }
            before = now
        }
        return true
    }

    private mutating func add(_ counts: [(span: Int64, count: Int)]) {
        for (span, count) in counts { add(count, at: span) }
        guard let newest = counts.last?.span else { return }
        // The newest span of this segment stays as it is counted: the next segment goes on in it.
        var index = runs.count - 1
        while index > 0 {
            let (left, right) = (runs[index - 1], runs[index])
            if left.last + 1 == right.first, Swift.max(left.count, right.count) <= max / 4, right.last != newest, left.last != newest {
                join(index)
            }
            index -= 1
        }
        while runs.count > Self.runsMax {
            let gaps = (1..<(runs.count)).map { runs[$0].first - runs[$0 - 1].last }
            guard let nearest = gaps.indices.min(by: { gaps[$0] < gaps[$1] }) else { return }
            join(nearest + 1)
        }
    }

    /// Makes one run of the one at `index` and the one before it.
    private mutating func join(_ index: Int) {
        let right = runs.remove(at: index)
        runs[index - 1].last = right.last
        runs[index - 1].count = Swift.max(runs[index - 1].count, right.count)
    }

    private mutating func add(_ count: Int, at span: Int64) {
        guard let index = runs.lastIndex(where: { $0.first <= span }), runs[index].last >= span else {
            let place = runs.lastIndex { $0.first < span }.map { $0 + 1 } ?? 0
            runs.insert(Run(first: span, last: span, count: count), at: place)
            return
        }
        let run = runs[index]
        var parts = [Run(first: span, last: span, count: run.count + count)]
        if run.first < span { parts.insert(Run(first: run.first, last: span - 1, count: run.count), at: 0) }
        if run.last > span { parts.append(Run(first: span + 1, last: run.last, count: run.count)) }
        runs.replaceSubrange(index...index, with: parts)
    }
}

/// The histories of one person's part of one stream by one clock.
struct SegmentDensity: Sendable, Hashable {
    private var heartRates = DensityHistory(max: SampleDensity.heartRatesMax)
    private var positions = DensityHistory(max: SampleDensity.positionsMax)
    private var events = DensityHistory(max: SampleDensity.eventsMax)

    /// Takes out of a segment what is beyond the bound.
    /// - Returns: how many samples were too many.
    mutating func thin(_ samples: inout SampleSet) -> Int {
        let before = samples.count
        if let keeps = heartRates.thin(samples.heartRates.map(\.time)) { samples.heartRates.keep(keeps) }
        if let keeps = positions.thin(samples.positions.map(\.time)) { samples.positions.keep(keeps) }
        let list = samples.events
        if let keeps = events.thin(list.map(\.time), isUrgent: { list[$0].code.isSOS }) { samples.events.keep(keeps) }
        return before - samples.count
    }
}

extension Array {
    fileprivate mutating func keep(_ keeps: [Bool]) { self = zip(self, keeps).compactMap { $1 ? $0 : nil } }
}
