internal import CSystemd
internal import Glibc
public import SourceThread

/// A connection to a message bus, by sd-bus. For one thread, which waits with ``wait(stop:milliseconds:)`` and then calls
/// ``process()``; handlers are called from there, on the same thread. They must not hold the bus itself strongly.
public final class Bus {
    /// Calls that wait for their reply; more are refused.
    public static let pendingMax = 1024
    /// One ``process()`` handles so many messages at most, so that the thread sees its stop signal.
    private static let messagesPerProcess = 256

    let handle: OpaquePointer
    var pending: [UInt64: BusCallback] = [:]
    var lastPending: UInt64 = 0
    /// Messages that could not be read, since the start; the last reason.
    public internal(set) var unreadable: (count: Int, last: BusError?) = (0, nil)

    /// Connects. The bus's answer to the greeting is not waited for; a bus that is not there is told at once.
    public init(_ address: BusAddress) throws(BusError) {
        var handle: OpaquePointer?
        switch address {
        case .system: try BusError.check(sd_bus_open_system(&handle))
        case .session: try BusError.check(sd_bus_open_user(&handle))
        case .address(let text):
            try BusError.check(sd_bus_new(&handle))
            var result = sd_bus_set_address(handle, text)
            if result >= 0 { result = sd_bus_set_bus_client(handle, 1) }
            if result >= 0 { result = sd_bus_start(handle) }
            if result < 0 { sd_bus_unref(handle) }
            try BusError.check(result)
        }
        guard let handle else { throw BusError(result: -ENOTCONN) }
        self.handle = handle
    }

    deinit {
        pending = [:]
        sd_bus_close_unref(handle)
    }

    /// Whether the connection is there, as far as ``process()`` has noticed.
    public var isOpen: Bool { sd_bus_is_open(handle) > 0 }

    /// What `poll` shall wait for on ``events``; -1 when the connection is gone.
    public var descriptor: Int32 { max(-1, sd_bus_get_fd(handle)) }

    /// The events of ``descriptor`` to wait for, as of now.
    public var events: Int32 { max(0, sd_bus_get_events(handle)) }

    /// In how many milliseconds ``process()`` is due, whatever ``descriptor`` says; nil when only events count.
    public var delay: Int64? {
        var deadline: UInt64 = 0
        guard sd_bus_get_timeout(handle, &deadline) > 0, deadline != UInt64.max else { return nil }
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        let now = UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1000
        return deadline <= now ? 0 : Int64(clamping: (deadline - now) / 1000 + 1)
    }

    /// Waits until ``process()`` has something to do, at most `milliseconds`.
    public func wait(stop: StopSignal, milliseconds: Int64) -> StopSignal.Outcome {
        stop.wait(for: descriptor, events: events, milliseconds: min(milliseconds, delay ?? milliseconds))
    }

    /// Sends and receives what is due without waiting, and calls the handlers. Throws when the connection is over, after every call that
    /// waits has got its error.
    public func process() throws(BusError) {
        for _ in 0..<Self.messagesPerProcess {
            let result = sd_bus_process(handle, nil)
            try BusError.check(result)
            if result == 0 { return }
        }
    }

    /// A callback's result: nothing went wrong, others may look at the message too.
    func note(_ error: BusError) { unreadable = (unreadable.count + 1, error) }
}
