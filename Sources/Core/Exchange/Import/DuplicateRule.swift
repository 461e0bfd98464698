public import Vitals

/// Which samples of an import are there already.
///
/// Two samples are the same when kind, time and value are: of a heart rate the rate, of a position the place, of an event its code and
/// number, of a scalar also its end and second value. Who measured them does not count: an export repeats what other programs passed on.
/// Of samples that are the same the first is kept, and nothing of it is changed.
///
/// Times are the same when they lie in the same ``grain``: 1 ms, or 1 s where the file has whole seconds and the store has the same
/// samples finer.
///
/// Steps that a phone and a watch counted at the same time are not duplicates by this rule: their spans and numbers differ.
public struct DuplicateRule: Sendable {
    private struct Key: Hashable {
        var kind: UInt8, time: Milliseconds, first: Int64, second: Int64, end: Milliseconds
    }

    /// Milliseconds, at least 1.
    public let grain: Milliseconds
    private var seen: Set<Key> = []

    public init(grain: Milliseconds = 1) { self.grain = max(grain, 1) }

    /// Takes the duplicates out of a part.
    /// - Parameters:
    ///   - samples: of the import; columns that this version does not know are kept.
    ///   - present: all that the store has from the first time to the last of `samples` (see ``span(of:)``), also what this import put
    ///     there before.
    /// - Returns: the samples that are new, in their order, and how many were not, by kind.
    public func split(_ samples: SampleSet, present: SampleSet) -> (new: SampleSet, duplicates: [DataKind: Int]) {
        var rule = DuplicateRule(grain: grain), stored = present, fresh = samples
        rule.keep(&stored)
        let counts = rule.keep(&fresh)
        return (fresh, counts)
    }

    /// The span to look up for ``split(_:present:)``; nil for no samples.
    public func span(of samples: SampleSet) -> ClosedRange<Milliseconds>? {
        guard let range = samples.timeRange else { return nil }
        let start = instant(range.lowerBound), end = instant(range.upperBound).addingReportingOverflow(grain - 1)
        return start...(end.overflow ? .max : max(end.partialValue, start))
    }

    /// Keeps what was not seen before.
    @discardableResult
    private mutating func keep(_ samples: inout SampleSet) -> [DataKind: Int] {
        var counts: [DataKind: Int] = [:]
        let before = samples
        samples.heartRates = before.heartRates.filter { isNew(key(.heartRate, $0.time, Int64($0.beatsPerMinute)), &counts, .heartRate) }
        samples.positions = before.positions.filter {
            isNew(key(.position, $0.time, Int64($0.latitude), Int64($0.longitude)), &counts, .position)
        }
        samples.events = before.events.filter { isNew(key(.event, $0.time, Int64($0.code.rawValue), $0.value), &counts, .event) }
        samples.gaps = before.gaps.filter {
            isNew(key(.gap, $0.time, Int64($0.reason.rawValue), Int64(clamping: $0.segments)), &counts, .gap)
        }
        samples.scalars = before.scalars.filter { sample in
            let key = Key(
                kind: sample.kind.rawValue, time: instant(sample.time), first: sample.value, second: sample.second ?? .min,
                end: sample.end.map(instant) ?? .min)
            return isNew(key, &counts, sample.kind)
        }
        return counts
    }

    private mutating func isNew(_ key: Key, _ counts: inout [DataKind: Int], _ kind: DataKind) -> Bool {
        guard !seen.insert(key).inserted else { return true }
        counts[kind, default: 0] += 1
        return false
    }

    private func key(_ kind: DataKind, _ time: Milliseconds, _ first: Int64, _ second: Int64 = 0) -> Key {
        Key(kind: kind.rawValue, time: instant(time), first: first, second: second, end: .min)
    }

    /// When the grain of a time begins.
    private func instant(_ time: Milliseconds) -> Milliseconds {
        let (product, overflow) = time.flooredQuotient(by: grain).multipliedReportingOverflow(by: grain)
        return overflow ? time : product
    }
}
