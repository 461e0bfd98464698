public import NIOCore
import Synchronization

/// Why somebody cannot watch now.
public enum RunBusy: Error, Sendable, Hashable {
    /// The number of readers of this address who watch.
    case address
    /// The number of people who watch in all.
    case everybody
}

/// Counts who watches, by address and in all.
public final class RunPlaces: Sendable {
    private struct State {
        var all = 0
        var addresses: [String: Int] = [:]
    }

    private let state = Mutex(State())
    /// In all, of all runs: connections cost memory and each a write a second.
    public let most: Int
    /// Of one address. Thousands of spectators share one behind a provider's or a stadium's translation. From the machine itself everybody
    /// comes who comes by a proxy: they are not told apart.
    public let mostOfAddress: Int

    public init(most: Int = 12_000, mostOfAddress: Int = 2000) { (self.most, self.mostOfAddress) = (most, mostOfAddress) }

    /// The number of people who watch.
    public var count: Int { state.withLock { $0.all } }

    func enter(_ address: String) throws(RunBusy) {
        let isLocal = Self.isLocal(address)
        let refusal = state.withLock { state -> RunBusy? in
            guard state.all < most else { return .everybody }
            guard isLocal || state.addresses[address, default: 0] < mostOfAddress else { return .address }
            state.all += 1
            if !isLocal { state.addresses[address, default: 0] += 1 }
            return nil
        }
        if let refusal { throw refusal }
    }

    func leave(_ address: String) {
        state.withLock { state in
            state.all -= 1
            guard let count = state.addresses[address] else { return }
            state.addresses[address] = count > 1 ? count - 1 : nil
        }
    }

    private static func isLocal(_ address: String) -> Bool { address.isEmpty || address == "::1" || address.hasPrefix("127.") }
}

/// One reader of a stream that many read: buffers that all of them share. One task may ask for the next one. A reader who does not keep up
/// misses what came meanwhile and goes on with a snapshot; it never holds up anybody.
public final class RunReader: Sendable {
    private struct State {
        var waiting: [ByteBuffer] = []
        var continuation: CheckedContinuation<ByteBuffer?, Never>?
        /// A snapshot is needed before anything else can be understood.
        var isNew = true
        var isOver = false
    }

    private let state = Mutex(State())
    private let leave: @Sendable () -> Void
    /// Buffers that wait for one reader, at most: seconds.
    static let waitingMax = 6

    init(leave: @escaping @Sendable () -> Void) { self.leave = leave }

    deinit { leave() }

    /// The next event; nil when there is none any more, and when the task is cancelled.
    public func next() async -> ByteBuffer? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ready = state.withLock { state -> ByteBuffer?? in
                    if !state.waiting.isEmpty { return .some(state.waiting.removeFirst()) }
                    if state.isOver || state.continuation != nil { return .some(nil) }
                    state.continuation = continuation
                    return nil
                }
                if let ready { continuation.resume(returning: ready) }
            }
        } onCancel: {
            end()
        }
    }

    /// Whether the reader waits for a snapshot: for who takes nothing none is made.
    var needsSnapshot: Bool { state.withLock { $0.isNew && $0.continuation != nil } }

    /// Whether somebody waits in ``next()``.
    var isAsking: Bool { state.withLock { $0.continuation != nil } }

    func offer(_ event: ByteBuffer, isSnapshot: Bool = false) {
        let continuation = state.withLock { state -> CheckedContinuation<ByteBuffer?, Never>? in
            guard !state.isOver, isSnapshot || !state.isNew else { return nil }
            state.isNew = false
            if let continuation = state.continuation {
                state.continuation = nil
                return continuation
            }
            if state.waiting.count < Self.waitingMax {
                state.waiting.append(event)
            } else {
                (state.waiting, state.isNew) = ([], true)
            }
            return nil
        }
        continuation?.resume(returning: event)
    }

    /// Nothing comes any more.
    public func end() { end(nil) }

    /// - Parameter last: one more event.
    func end(_ last: ByteBuffer?) {
        let continuation = state.withLock { state -> CheckedContinuation<ByteBuffer?, Never>? in
            guard !state.isOver else { return nil }
            state.isOver = true
            if state.continuation == nil, let last { state.waiting.append(last) }
            defer { state.continuation = nil }
            return state.continuation
        }
        continuation?.resume(returning: last)
    }
}

/// All readers of one stream.
final class RunAudience: Sendable {
    private struct Seat {
        weak var reader: RunReader?
        /// Let in because the run was public.
        let isAnybody: Bool
    }

    private struct Seats {
        var readers: [UInt64: Seat] = [:]
        var next: UInt64 = 0
        var isOver = false
        /// The final update, which everybody was sent, and latecomers are.
        var last: ByteBuffer?
    }

    private let seats = Mutex(Seats())

    func join(_ places: RunPlaces, _ address: String, asAnybody: Bool = false) throws(RunBusy) -> RunReader {
        try places.enter(address)
        let id = seats.withLock { seats in
            seats.next += 1
            return seats.next
        }
        let reader = RunReader { [weak self] in
            places.leave(address)
            self?.seats.withLock { _ = $0.readers.removeValue(forKey: id) }
        }
        let (isOver, last) = seats.withLock { seats in
            if !seats.isOver { seats.readers[id] = Seat(reader: reader, isAnybody: asAnybody) }
            return (seats.isOver, seats.last)
        }
        if isOver { reader.end(last) }
        return reader
    }

    var isEmpty: Bool { seats.withLock { $0.readers.isEmpty } }

    private var readers: [RunReader] { seats.withLock { $0.readers.values.compactMap(\.reader) } }

    /// The same bytes to everybody who understands them.
    /// - Parameter snapshot: made once, if anybody needs it.
    func send(_ event: ByteBuffer?, snapshot: () -> ByteBuffer) {
        var made: ByteBuffer?
        for reader in readers {
            if reader.needsSnapshot {
                let whole = made ?? snapshot()
                made = whole
                reader.offer(whole, isSnapshot: true)
            } else if let event {
                reader.offer(event)
            }
        }
    }

    /// Events that stand for themselves.
    func send(_ event: ByteBuffer) {
        for reader in readers { reader.offer(event, isSnapshot: true) }
    }

    /// Ends the streams of those who were not asked who they are; others stay, and may come.
    func endAnybody() {
        let readers = seats.withLock { seats in
            defer { seats.readers = seats.readers.filter { !$0.value.isAnybody } }
            return seats.readers.values.filter(\.isAnybody).compactMap(\.reader)
        }
        for reader in readers { reader.end() }
    }

    func end(_ last: ByteBuffer? = nil) {
        let readers = seats.withLock { seats in
            defer { (seats.readers, seats.isOver, seats.last) = ([:], true, last ?? seats.last) }
            return seats.readers.values.compactMap(\.reader)
        }
        for reader in readers { reader.end(last) }
    }
}
