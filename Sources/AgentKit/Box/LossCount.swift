internal import Synchronization

/// Counts what was lost, and says when to tell: at the first, and then at every doubling.
final class LossCount: Sendable {
    private let total = Mutex(0)

    /// The count so far, when it is to be told.
    func add(_ number: Int = 1) -> Int? {
        guard number > 0 else { return nil }
        let (before, after) = total.withLock { total in
            total += number
            return (total - number, total)
        }
        return before == 0 || before.leadingZeroBitCount != after.leadingZeroBitCount ? after : nil
    }
}
