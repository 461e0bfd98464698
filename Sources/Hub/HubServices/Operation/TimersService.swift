public import HubStore
public import Logging
import Seams
public import ServiceLifecycle
import Vitals

/// Does what is due: looks each second, also for what became due while no hub ran.
public struct TimerService: Service {
    /// Does what a timer is for; it moves or removes the timer in its own transaction. When it throws, the timer comes again.
    public typealias Handler = @Sendable (StoredTimer) async throws -> Void

    private let store: TimerStore
    private let handlers: [TimerKind: Handler]
    private let logger: Logger
    private let time: MonotonicUTC

    /// How long a timer that failed waits for its next try, milliseconds.
    static let lease: Milliseconds = 30_000
    /// Timers that are done one after the other before the next look.
    static let batch = 100
    /// Later than this is told to the operator, milliseconds.
    static let lateMax: Milliseconds = 60_000

    public init(store: TimerStore, handlers: [TimerKind: Handler], logger: Logger, time: MonotonicUTC) {
        (self.store, self.handlers, self.logger, self.time) = (store, handlers, logger, time)
    }

    public func run() async throws {
        await cancelWhenGracefulShutdown {
            var released = false, looks = 0
            while !Task.isCancelled {
                do {
                    // This hub is alone in its directory: who held a lease is gone.
                    if !released { try store.releaseTimers() }
                    released = true
                    while !Task.isCancelled, try await fire() == Self.batch {}
                    looks += 1
                    if looks.isMultiple(of: 60) { try warnOfLate() }
                } catch {
                    logger.error("looking for timers failed; it is tried again in a second", metadata: ["error": "\(error)"])
                }
                try? await store.machine.sleep(for: .seconds(1))
            }
        }
    }

    /// Does what is due now; returns how many timers that were.
    @discardableResult
    public func fire() async throws -> Int {
        let due = try store.dueTimers(Self.batch, lease: Self.lease, now: time.now)
        for timer in due {
            // What it logs, and the timers that it sets, bear the name of the request that began it.
            await LogTrace.$current.withValue(timer.trace) { await fire(timer) }
        }
        return due.count
    }

    private func fire(_ timer: StoredTimer) async {
        do {
            guard let handler = handlers[timer.kind] else { throw NoHandler() }
            try await handler(timer)
        } catch {
            logger.error(
                "a timer failed; it is tried again in \(Self.lease / 1000) seconds",
                metadata: ["kind": "\(timer.kind)", "due": "\(timer.due)", "error": "\(error)"])
        }
    }

    private func warnOfLate() throws {
        let late = try store.lateTimers(by: Self.lateMax, now: time.now)
        if late > 0 { logger.error("timers are late", metadata: ["count": "\(late)"]) }
    }

    private struct NoHandler: Error, CustomStringConvertible {
        let description = "nothing is wired to do this"
    }
}
