internal import Synchronization

/// Counts what was lost, and says when to tell: at the first, and then at every doubling.
final class LossCount: Sendable {
    private let total = Mutex(0)

    /// The count so far, when it is to be told.
    func add(_ number: Int = 1) -> Int? {
        guard number > 0 else { return nil }
        return note { $0 + number }
    }

    /// The count, when it got greater and is to be told.
    func reach(_ number: Int) -> Int? { note { max($0, number) } }

    /// The count so far.
    var count: Int { total.withLock { $0 } }

    private func note(_ change: (Int) -> Int) -> Int? {
        let (before, after) = total.withLock { total in
            let before = total
            total = change(before)
            return (before, total)
        }
        guard after > before else { return nil }
        return before == 0 || before.leadingZeroBitCount != after.leadingZeroBitCount ? after : nil
    }
}
