import Synchronization

/// Names one piece of work in the log: a request, and the timers that it set. Each line that is written while ``current`` is set bears it, so that
/// one finds together what belongs together. It is random, and tells nothing of anybody.
public struct LogTrace: Sendable, Hashable, CustomStringConvertible {
    /// The work that is done now, in this task and those that it begins; nil where nobody named it.
    @TaskLocal public static var current: LogTrace?

    /// As it is stored.
    public let number: UInt64

    public init(_ number: UInt64) { self.number = number }

    /// 16 hexadecimal digits.
    public var description: String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// Gives names to pieces of work: they count on from a random number, so that those of two runs of a program do not meet.
public final class LogTraces: Sendable {
    private let next: Atomic<UInt64>

    /// - Parameter randomness: where the first name is drawn.
    public init(_ randomness: Randomness) { next = Atomic(randomness.next()) }

    /// A name that nobody had.
    public func make() -> LogTrace { LogTrace(next.wrappingAdd(1, ordering: .relaxed).newValue) }
}
