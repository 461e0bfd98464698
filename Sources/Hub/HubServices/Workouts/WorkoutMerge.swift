import HubStore
import Vitals

/// Puts what was found in some days in the place of what stands in the list: the same workout stays the same, whatever came late.
struct WorkoutMerge: Sendable {
    /// A workout as the samples have it now.
    struct Item: Sendable {
        var span: ClosedRange<Milliseconds>
        var origin: WorkoutRecordContent.Origin
    }

    /// Which of the list an item is; nil for a new one.
    struct Match: Sendable {
        var item: Int
        var id: WorkoutRecordID?
    }

    private(set) var kept: [Match] = []
    private(set) var gone: [WorkoutRecordID] = []
    private(set) var deleted: [WorkoutRecordID] = []

    /// - Parameters:
    ///   - items: begun ones first: what was found within these is no workout of its own.
    ///   - old: what stands in the list, deleted ones included.
    ///   - known: those begun by hand that there still are.
    init(_ items: [Item], old: [StoredWorkoutRecord], known: Set<WorkoutID>) {
        let lost = Set(old.filter { Self.isLost($0, known) }.map(\.id))
        var left = old
        for (index, item) in items.enumerated() {
            guard let place = Self.place(of: item, in: left, lost) else {
                kept.append(.init(item: index, id: nil))
                continue
            }
            let record = left.remove(at: place)
            // A workout that its owner deleted stays away.
            if record.content != nil, !lost.contains(record.id) { kept.append(.init(item: index, id: record.id)) }
        }
        deleted = old.map(\.id).filter(lost.contains)
        gone = left.filter { $0.content != nil && !lost.contains($0.id) }.map(\.id)
    }

    /// Whether it was begun by hand, and deleted where it was.
    private static func isLost(_ record: StoredWorkoutRecord, _ known: Set<WorkoutID>) -> Bool {
        guard case .begun(let id) = record.content?.origin else { return false }
        return !known.contains(id)
    }

    private static func place(of item: Item, in old: [StoredWorkoutRecord], _ lost: Set<WorkoutRecordID>) -> Int? {
        if case .begun = item.origin, let same = old.firstIndex(where: { $0.content?.origin == item.origin }) { return same }
        return old.firstIndex { record in
            // One that was begun by hand is never taken for another.
            if case .begun = record.content?.origin, !lost.contains(record.id) { return false }
            return item.span.isMostly(record.span)
        }
    }

    /// Those found ones that are not within one begun by hand.
    static func apart(_ found: [ClosedRange<Milliseconds>], from begun: [ClosedRange<Milliseconds>]) -> [Int] {
        found.indices.filter { index in !begun.contains { found[index].isMostly($0) } }
    }
}

extension ClosedRange<Milliseconds> {
    /// Whether they share half of the shorter one.
    func isMostly(_ other: ClosedRange<Milliseconds>) -> Bool {
        let shared = Swift.min(upperBound, other.upperBound) - Swift.max(lowerBound, other.lowerBound)
        let shorter = Swift.min(upperBound - lowerBound, other.upperBound - other.lowerBound)
        return shared >= 0 && shared * 2 >= shorter
    }
}
