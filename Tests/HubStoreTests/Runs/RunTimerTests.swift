import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct RunTimerTests {
    @Test("RUN-6: timers of a run come in order, again behind their lease; of late ones the operator hears", arguments: Engine.allCases)
    func timers(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, run = try runs.run(), start = run.plan.starts
        #expect(try store.timers.dueTimers(9, lease: 100, now: run.checkInOpens - 1).isEmpty)
        #expect(try store.timers.dueTimers(9, lease: 100, now: run.checkInOpens).map(\.kind) == [.checkIn])
        #expect(
            try store.timers.dueTimers(9, lease: 100, now: start).map(\.kind) == [.checkIn, .start]
                && store.timers.dueTimers(9, lease: 100, now: start).isEmpty)
        try store.timers.releaseTimers()
        #expect(try store.timers.dueTimers(1, lease: 100, now: start).map(\.kind) == [.checkIn])
        try store.timers.setTimer(.checkIn, of: run, due: nil)
        try store.timers.setTimer(.bringBack, of: run, due: start + 1)
        #expect(try store.timers.dueTimers(9, lease: 1, now: start + hour).map(\.kind) == [.start, .bringBack, .finish])
        #expect(try store.timers.lateTimers(by: hour, now: start + hour) == 1 && store.timers.lateTimers(by: 0, now: start + hour) == 3)
    }
}
