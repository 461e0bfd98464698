import Glibc

/// Ends the waits of one thread from another: a pipe whose reading end becomes readable, once and for ever.
public final class StopSignal: Sendable {
    private let readEnd: Int32
    private let writeEnd: Int32

    /// nil when the process has no file descriptor left.
    public init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    /// Ends all waits, now and later.
    public func stop() {
        var byte: UInt8 = 0
        _ = write(writeEnd, &byte, 1)
    }

    /// How a wait ended.
    public enum Outcome: Equatable, Sendable {
        case stopped
        case ready
        case timedOut
    }

    /// Waits until `descriptor` is ready for `events`, ``stop()`` was called or `milliseconds` have passed.
    public func wait(for descriptor: Int32 = -1, events: Int32 = 0, milliseconds: Int64) -> Outcome {
        var entries = [pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0), pollfd(fd: descriptor, events: Int16(events), revents: 0)]
        // A signal ends poll early; the caller's loop compares with its clock and waits again.
        let count = poll(&entries, 2, Int32(clamping: max(0, milliseconds)))
        if entries[0].revents != 0 { return .stopped }
        return count > 0 && entries[1].revents != 0 ? .ready : .timedOut
    }
}
