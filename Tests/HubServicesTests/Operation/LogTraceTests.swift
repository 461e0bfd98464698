import Dispatch
import HubStore
import Logging
import Seams
import Synchronization
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// The names by which lines of the log belong together.
struct LogTraceTests {
    @Test("OPS-3: a timer bears the name of the request that set it, and whatever it does has that name too")
    func timers() async throws {
        let hub = try ConsentFixture(), trace = LogTrace(0xABC), seen = Mutex<[LogTrace?]>([]), clock = hub.clock
        _ = try await LogTrace.$current.withValue(trace) { try await hub.asked() }
        hub.clock.advance(100 * hour)
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let timers = TimerService(
            store: hub.accounts.timers, handlers: [.consentDeadline: { _ in seen.withLock { $0.append(LogTrace.current) } }],
            logger: logger, time: MonotonicUTC { clock.now })
        try await timers.fire()
        #expect(seen.withLock { $0 } == [trace])
        #expect(LogTrace.current == nil)
    }

    @Test("OPS-3: work on a queue has the name of whoever waits for it")
    func queues() async throws {
        let queue = Machine.system.makeQueue(label: "test", quality: .userInitiated, isConcurrent: false)
        try await LogTrace.$current.withValue(LogTrace(7)) {
            #expect(await queue.run { LogTrace.current } == LogTrace(7))
            let thrown = try await queue.run { () throws -> LogTrace? in LogTrace.current }
            #expect(thrown == LogTrace(7))
        }
        #expect(await queue.run { LogTrace.current } == nil)
    }

    @Test("OPS-3: names are 16 digits, and no two of a hub are the same")
    func names() {
        let traces = LogTraces(.seeded(3)), some = (0..<1000).map { _ in traces.make() }
        #expect(Set(some).count == 1000 && some.allSatisfy { "\($0)".count == 16 })
        #expect("\(LogTrace(255))" == "00000000000000ff")
    }
}
