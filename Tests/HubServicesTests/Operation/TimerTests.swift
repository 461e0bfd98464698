import HubServices
import HubStore
import Logging
import Seams
import Synchronization
import TestSupport
import Testing
import Vitals

@Suite struct TimerTests {
    @Test("design rule 9: a timer that fails comes again after its lease; one that a stopped hub held comes at once")
    func retries() async throws {
        let hub = try ConsentFixture()
        _ = try await hub.asked()
        hub.clock.advance(100 * hour)
        struct Broken: Error {}
        let tries = Mutex(0)
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let clock = hub.clock
        let broken = TimerService(
            store: hub.accounts.timers,
            handlers: [
                .consentDeadline: { _ in
                    tries.withLock { $0 += 1 }
                    throw Broken()
                }
            ], logger: logger, time: MonotonicUTC { clock.now })
        for _ in 0..<3 { try await broken.fire() }
        #expect(tries.withLock { $0 } == 1)
        clock.advance(30_000)
        try await broken.fire()
        #expect(tries.withLock { $0 } == 2)
        #expect(try hub.accounts.timers.lateTimers(by: hour, now: clock.now) == 1)
        #expect(try await hub.restarted().timers.fire() == 1)
        #expect(try hub.count("SELECT count(*) FROM timer") == 0)
    }

    @Test("CONS-3: the running service does what became due while no hub ran, and what becomes due")
    func runs() async throws {
        let hub = try ConsentFixture()
        _ = try await hub.asked()
        hub.clock.advance(100 * hour)
        let again = try hub.restarted()
        let running = Task { try await again.timers.run() }
        func settled() async throws {
            for _ in 0..<500 where try hub.count("SELECT count(*) FROM timer") > 0 { try await Task.sleep(for: .milliseconds(20)) }
        }
        try await settled()
        let id = try again.ask(purpose: "Another")
        try again.consents.approve(id, by: hub.checker)
        #expect(try hub.count("SELECT count(*) FROM timer") == 1)
        again.clock.advance(100 * hour)
        try await settled()
        #expect(try hub.count("SELECT count(*) FROM timer") == 0)
        running.cancel()
        try await running.value
    }

    @Test("CONS-3: time never goes back within a process")
    func steady() {
        let clock = ManualClock(), time = MonotonicUTC { clock.now }
        let first = time.now
        clock.advance(-5000)
        #expect(time.now == first)
        clock.advance(6000)
        #expect(time.now == first + 1000)
    }

    @Test("SOS-7: an alarm's time goes on by the boot clock while the wall clock, set back, catches up")
    func steadyByBoot() {
        let clock = ManualClock(), boot = ManualClock(5000)
        let time = MonotonicUTC({ clock.now }, boot: { boot.now }), first = time.now
        clock.advance(-3_600_000)
        #expect(time.now == first)
        for step in 1...30 {
            clock.advance(8000)
            boot.advance(8000)
            #expect(time.now == first + Milliseconds(step) * 7000)
        }
        // They meet again.
        for elapsed: Milliseconds in [8 * 3_600_000 - 240_000, 1000] {
            clock.advance(elapsed)
            boot.advance(elapsed)
            #expect(time.now == clock.now)
        }
        #expect(MonotonicUTC.bootClock(of: .system)() >= 0)
    }
}
