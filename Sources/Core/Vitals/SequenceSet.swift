/// A set of sequence numbers as sorted, disjoint, non-adjacent ranges: a stream that arrives in order is one range.
public struct SequenceSet: Sendable, Hashable {
    public private(set) var ranges: [ClosedRange<UInt64>] = []

    public init() {}

    /// Takes ranges in any order; overlapping and adjacent ones become one.
    public init(_ ranges: some Sequence<ClosedRange<UInt64>>) {
        for range in ranges { insert(range) }
    }

    public func contains(_ sequence: UInt64) -> Bool {
        let index = firstRange(endingAtOrAfter: sequence)
        return index < ranges.count && ranges[index].lowerBound <= sequence
    }

    /// Adds one sequence; false when it was there.
    @discardableResult
    public mutating func insert(_ sequence: UInt64) -> Bool {
        // Nearly every insert continues the last range.
        if let last = ranges.last, last.upperBound != .max, sequence == last.upperBound + 1 {
            ranges[ranges.count - 1] = last.lowerBound...sequence
            return true
        }
        guard !contains(sequence) else { return false }
        insert(sequence...sequence)
        return true
    }

    public mutating func insert(_ range: ClosedRange<UInt64>) {
        let from = firstRange(endingAtOrAfter: range.lowerBound == 0 ? 0 : range.lowerBound - 1)
        var to = from
        var merged = range
        while to < ranges.count, range.upperBound == .max || ranges[to].lowerBound <= range.upperBound + 1 {
            merged = min(merged.lowerBound, ranges[to].lowerBound)...max(merged.upperBound, ranges[to].upperBound)
            to += 1
        }
        ranges.replaceSubrange(from..<to, with: CollectionOfOne(merged))
    }

    public mutating func formUnion(_ other: SequenceSet) {
        for range in other.ranges { insert(range) }
    }

    private func firstRange(endingAtOrAfter sequence: UInt64) -> Int {
        var low = 0, high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < sequence { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
