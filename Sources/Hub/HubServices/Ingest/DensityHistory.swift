import Vitals

/// The number of samples of one kind in each span of 10 s of one person's part of a stream, as far as the hub needs it: never less than there are.
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

    /// The most samples in any window around a sample of this span.
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
        guard var first = times.first else { return nil }
        var last = first, isAscending = true
        for time in times {
            isAscending = isAscending && time >= last
            (first, last) = (Swift.min(first, time), Swift.max(last, time))
        }
        if takesWhole(times.count, from: first, to: last) { return nil }
        let counts = Self.counts(isAscending ? times : times.sorted())
        if fits(counts) {
            add(counts)
            return nil
        }
        return choose(times, isUrgent: isUrgent)
    }

    /// What a box sends every few seconds is not looked at sample by sample: all of it counts in both spans that it touches.
    private mutating func takesWhole(_ count: Int, from first: Milliseconds, to last: Milliseconds) -> Bool {
        guard count <= max / 8, last - first < SampleDensity.window else { return false }
        let from = Self.span(first), to = Self.span(last)
        guard count + around(from) <= max, from == to || count + around(to) <= max else { return false }
        add(count, at: from)
        if from != to { add(count, at: to) }
        simplify(newest: to)
        return true
    }

    private mutating func choose(_ times: [Milliseconds], isUrgent: (Int) -> Bool) -> [Bool]? {
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
    /// - Parameter times: ascending.
    private static func counts(_ times: [Milliseconds]) -> [(span: Int64, count: Int)] {
        var counts: [(span: Int64, count: Int)] = []
        var now = Int64.min, end = Milliseconds.min, count = 0
        for time in times {
            if time >= end {
                if count > 0 { counts.append((now, count)) }
                now = span(time)
                (end, count) = ((now + 1) * SampleDensity.window, 0)
            }
            count += 1
        }
        if count > 0 { counts.append((now, count)) }
        return counts
    }

    /// Whether no window can hold too many: one that ends in a span touches that and the one before.
    private func fits(_ counts: [(span: Int64, count: Int)]) -> Bool {
        var before: (span: Int64, count: Int) = (.min, 0)
        let end = runs.last?.last ?? .min
        for now in counts {
            let others = now.span - 1 > end ? 0 : around(now.span)
            guard now.count + (now.span - 1 == before.span ? before.count : 0) + others <= max else { return false }
            before = now
        }
        return true
    }

    private mutating func add(_ counts: [(span: Int64, count: Int)]) {
        for (span, count) in counts { add(count, at: span) }
        if let newest = counts.last?.span { simplify(newest: newest) }
    }

    /// The newest span of a segment stays as it is counted: the next segment goes on in it.
    private mutating func simplify(newest: Int64) {
        var index = runs.count - 1
        while index > 0 {
            if runs[index].last != newest, joins(runs[index - 1], runs[index]) { join(index) }
            index -= 1
        }
        while runs.count > Self.runsMax {
            let gaps = (1..<(runs.count)).map { runs[$0].first - runs[$0 - 1].last }
            guard let nearest = gaps.indices.min(by: { gaps[$0] < gaps[$1] }) else { return }
            join(nearest + 1)
        }
    }

    private func joins(_ left: Run, _ right: Run) -> Bool {
        left.last + 1 == right.first && Swift.max(left.count, right.count) <= max / 4
    }

    /// Makes one run of the one at `index` and the one before it.
    private mutating func join(_ index: Int) {
        let right = runs.remove(at: index)
        runs[index - 1].last = right.last
        runs[index - 1].count = Swift.max(runs[index - 1].count, right.count)
    }

    private mutating func add(_ count: Int, at span: Int64) {
        let run = Run(first: span, last: span, count: count)
        guard let end = runs.last, span <= end.last else {
            // Behind all others, as nearly always; a long segment must not make a run of each of its spans first.
            if runs.count > Self.runsMax, joins(runs[runs.count - 2], runs[runs.count - 1]) { join(runs.count - 1) }
            return runs.append(run)
        }
        guard let index = runs.lastIndex(where: { $0.first <= span }), runs[index].last >= span else {
            return runs.insert(run, at: runs.lastIndex { $0.first < span }.map { $0 + 1 } ?? 0)
        }
        let old = runs[index]
        var parts = [Run(first: span, last: span, count: old.count + count)]
        if old.first < span { parts.insert(Run(first: old.first, last: span - 1, count: old.count), at: 0) }
        if old.last > span { parts.append(Run(first: span + 1, last: old.last, count: old.count)) }
        if parts.count == 1 { runs[index] = parts[0] } else { runs.replaceSubrange(index...index, with: parts) }
    }
}

/// The histories of one person's part of one stream by one clock.
struct SegmentDensity: Sendable, Hashable {
    private var heartRates = DensityHistory(max: SampleDensity.heartRatesMax)
    private var positions = DensityHistory(max: SampleDensity.positionsMax)
    private var events = DensityHistory(max: SampleDensity.eventsMax)
    /// Of those scalar kinds that came.
    private var scalars: [DataKind: DensityHistory] = [:]

    /// Takes out of a segment what is beyond the bound.
    /// - Returns: how many samples were too many.
    mutating func thin(_ samples: inout SampleSet) -> Int {
        let before = samples.count
        if let keeps = heartRates.thin(samples.heartRates.times { $0.time }) { samples.heartRates.keep(keeps) }
        if let keeps = positions.thin(samples.positions.times { $0.time }) { samples.positions.keep(keeps) }
        let list = samples.events
        if let keeps = events.thin(list.times { $0.time }, isUrgent: { list[$0].code.isSOS }) { samples.events.keep(keeps) }
        if !samples.scalars.isEmpty { thin(&samples.scalars) }
        return before - samples.count
    }

    private mutating func thin(_ samples: inout [ScalarSample]) {
        samples = samples.byKind.flatMap { kind, samples in
            var samples = samples
            if let keeps = scalars[kind, default: DensityHistory(max: kind.densityMax)].thin(samples.times { $0.time }) {
                samples.keep(keeps)
            }
            return samples
        }
    }
}

/// What was stored of each person's part of a stream, by clock, of those that were used last. Whoever sends on is not forgotten, however many
/// others send.
struct DensityMemory: Sendable {
    struct Key: Hashable {
        let clock: Int64
        let person: Int64
    }

    /// When `recent` is full it becomes `older`, and what nobody used since the last time goes.
    private var recent: [Key: SegmentDensity] = [:], older: [Key: SegmentDensity] = [:]
    private let max: Int

    /// - Parameter max: clocks, at most.
    init(max: Int) { self.max = max }

    var count: Int { recent.count + older.count }

    /// Takes out of a segment what is beyond the bound.
    /// - Returns: how many samples were too many.
    mutating func thin(_ samples: inout SampleSet, of key: Key) -> Int {
        if !recent.keys.contains(key) {
            let known = older.removeValue(forKey: key)
            if recent.count >= max / 2 { (older, recent) = (recent, [:]) }
            recent[key] = known ?? SegmentDensity()
        }
        return recent[key, default: SegmentDensity()].thin(&samples)
    }

    mutating func forgetAll() { (recent, older) = ([:], [:]) }
}

extension Array {
    /// Without a copy of the samples, which hold arrays.
    @inline(__always)
    fileprivate func times(_ time: (borrowing Element) -> Milliseconds) -> [Milliseconds] {
        withUnsafeBufferPointer { samples in samples.indices.map { time(samples[$0]) } }
    }

    fileprivate mutating func keep(_ keeps: [Bool]) { self = zip(self, keeps).compactMap { $1 ? $0 : nil } }
}
