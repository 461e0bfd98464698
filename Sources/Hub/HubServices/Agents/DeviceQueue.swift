import Synchronization

/// Lets one request of a device at a time through, in the order in which they came: what is new is decided by what is stored.
final class DeviceQueue: Sendable {
    private let waiting = Mutex<[Int64: [CheckedContinuation<Void, Never>]]>([:])

    /// Requests of one device that wait, at most.
    static let waitingMax = 64

    /// Runs `body` when it is this request's turn; nil, at once, when too many wait.
    func run<Value: Sendable>(_ device: Int64, _ body: () async throws -> Value) async rethrows -> Value? {
        let isFull = waiting.withLock { ($0[device]?.count ?? 0) >= Self.waitingMax }
        guard !isFull else { return nil }
        await enter(device)
        defer { leave(device) }
        return try await body()
    }

    private func enter(_ device: Int64) async {
        await withCheckedContinuation { continuation in
            let isFirst = waiting.withLock { waiting in
                if waiting[device] == nil {
                    waiting[device] = []
                    return true
                }
                waiting[device]?.append(continuation)
                return false
            }
            if isFirst { continuation.resume() }
        }
    }

    private func leave(_ device: Int64) {
        let next = waiting.withLock { waiting -> CheckedContinuation<Void, Never>? in
            guard let first = waiting[device]?.first else {
                waiting[device] = nil
                return nil
            }
            waiting[device]?.removeFirst()
            return first
        }
        next?.resume()
    }
}
