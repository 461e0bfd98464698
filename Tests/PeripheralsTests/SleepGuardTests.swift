import Foundation
import Sensing
import SourceThread
import Synchronization
import SystemBus
import TestSupport
import Testing

@testable import Peripherals

/// A logind that a test plays: it hands out locks as pipes, as the real one does, and says that the machine falls asleep.
private final class PlayedLogind: Sendable {
    enum Order: Sendable { case sleep(Bool) }

    private struct State {
        var isRefusing = false
        /// Reading ends, by mode, and the calls in their order.
        var locks: [(mode: String, end: Int32)] = []
        var calls: [[String]] = []
        var orders: [Order] = []
    }

    private let state: Mutex<State>
    private let thread = SourceThread(name: "logind")

    init(_ bus: BusAddress, isRefusing: Bool = false) throws {
        state = Mutex(State(isRefusing: isRefusing))
        let ready = DispatchSemaphore(value: 0)
        try thread.start { [self] stop in try? serve(bus, stop, ready) }
        ready.wait()
    }

    private func serve(_ address: BusAddress, _ stop: StopSignal, _ ready: DispatchSemaphore) throws {
        let bus = try Bus(address)
        try bus.requestName(SleepLoop.name)
        let object = try bus.export(SleepLoop.path) { [self] call throws(BusError) in
            guard call.member == "Inhibit" else { return nil }
            return try inhibit(call.arguments.compactMap(\.string))
        }
        defer { withExtendedLifetime(object) {} }
        ready.signal()
        while stop.wait(milliseconds: 0) == .timedOut {
            for case .sleep(let falls) in state.withLock({ state in
                defer { state.orders = [] }
                return state.orders
            }) { try bus.emit(SleepLoop.path, SleepLoop.interface, "PrepareForSleep", [.bool(falls)]) }
            try bus.process()
            _ = bus.wait(stop: stop, milliseconds: 5)
        }
    }

    private func inhibit(_ arguments: [String]) throws(BusError) -> [BusValue] {
        if state.withLock({ $0.isRefusing && arguments.last == "block" }) {
            throw BusError(name: "org.freedesktop.DBus.Error.AccessDenied", message: "Permission denied")
        }
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw BusError(name: "System.Error.EMFILE") }
        state.withLock { state in
            state.calls.append(arguments)
            state.locks.append((arguments.last ?? "", ends[0]))
        }
        return [.descriptor(BusDescriptor(ends[1]))]
    }

    func order(_ order: Order) { state.withLock { $0.orders.append(order) } }
    func allow() { state.withLock { $0.isRefusing = false } }
    var calls: [[String]] { state.withLock { $0.calls } }

    /// How many locks of this mode are held: the other end of a lock's pipe is open.
    func held(_ mode: String) -> Int {
        state.withLock { state in
            state.locks.count { lock in
                var entry = pollfd(fd: lock.end, events: 0, revents: 0)
                return lock.mode == mode && poll(&entry, 1, 0) >= 0 && entry.revents & Int16(POLLHUP) == 0
            }
        }
    }

    func stop() {
        thread.stop()
        for lock in state.withLock({ $0.locks }) { close(lock.end) }
    }
}

/// Over a real bus, with a logind that is played.
@Suite("SOS-18: the machine stays awake", .timeLimit(.minutes(2)), .enabled(if: DesktopSession.has("/usr/bin/dbus-daemon")))
struct SleepGuardTests {
    /// Waits for what happens on another thread; the test's time limit ends it.
    private func until(_ condition: () -> Bool) async throws { while !condition() { try await Task.sleep(for: .milliseconds(5)) } }

    private func guarding(_ session: DesktopSession) throws -> (SleepGuard, AsyncStream<SleepEvent>.Iterator) {
        let (stream, feed) = AsyncStream.makeStream(of: SleepEvent.self)
        let sleep = SleepGuard(bus: session.address) { feed.yield($0) }
        try sleep.start()
        return (sleep, stream.makeAsyncIterator())
    }

    @Test("it is kept awake while that is wanted; the lock is let go of when it is not, and when the guard ends")
    func held() async throws {
        let session = try DesktopSession(), logind = try PlayedLogind(session.address)
        defer { logind.stop() }
        var (sleep, events) = try guarding(session)
        try await until { logind.held("delay") == 1 }
        #expect(logind.held("block") == 0)
        sleep.keep(awake: true)
        #expect(await events.next() == .held)
        #expect(logind.held("block") == 1)
        #expect(logind.calls.last == ["sleep", "TrackMe", "A person is watched by AutomatedSOS", "block"])
        sleep.keep(awake: false)
        #expect(await events.next() == .released)
        try await until { logind.held("block") == 0 }
        sleep.keep(awake: true)
        #expect(await events.next() == .held)
        sleep.stop()
        try await until { logind.held("block") == 0 && logind.held("delay") == 0 }
    }

    @Test("SOS-18: a machine that is not to be kept awake from the start on, as a laptop on its battery, is told, once")
    func neverHeld() async throws {
        let session = try DesktopSession(), logind = try PlayedLogind(session.address)
        defer { logind.stop() }
        var (sleep, events) = try guarding(session)
        try await until { logind.held("delay") == 1 }
        // Nothing is said before it is known what is wanted.
        for _ in 0..<3 { sleep.keep(awake: false) }
        #expect(await events.next() == .released)
        sleep.keep(awake: true)
        #expect(await events.next() == .held)
        sleep.stop()
    }

    @Test("that it is refused is told with what to do; once it is allowed the machine is kept awake")
    func refused() async throws {
        let session = try DesktopSession(), logind = try PlayedLogind(session.address, isRefusing: true)
        defer { logind.stop() }
        var (sleep, events) = try guarding(session)
        defer { sleep.stop() }
        sleep.keep(awake: true)
        guard case .refused(let problem)? = await events.next() else {
            Issue.record("nothing was refused")
            return
        }
        #expect(problem.what.contains("may fall asleep") && problem.advice.contains("inhibit-block-sleep"))
        logind.allow()
        sleep.keep(awake: true)
        #expect(await events.next() == .held)
    }

    @Test("a machine that falls asleep nevertheless says so before, with a moment to tell it, and after it woke up")
    func asleep() async throws {
        let session = try DesktopSession(), logind = try PlayedLogind(session.address)
        defer { logind.stop() }
        var (sleep, events) = try guarding(session)
        defer { sleep.stop() }
        try await until { logind.held("delay") == 1 }
        let began = ContinuousClock.now
        logind.order(.sleep(true))
        #expect(await events.next() == .fallsAsleep)
        #expect(logind.held("delay") == 1)
        try await until { logind.held("delay") == 0 }
        #expect(ContinuousClock.now - began >= .milliseconds(SleepGuard.farewell - 50))
        logind.order(.sleep(false))
        #expect(await events.next() == .wokeUp)
        try await until { logind.held("delay") == 1 }
    }

    @Test("a logind that is started anew is asked again; one that is not there is told")
    func restarted() async throws {
        let session = try DesktopSession(), first = try PlayedLogind(session.address)
        var (sleep, events) = try guarding(session)
        defer { sleep.stop() }
        sleep.keep(awake: true)
        #expect(await events.next() == .held)
        first.stop()
        guard case .refused(let problem)? = await events.next() else {
            Issue.record("nothing was told")
            return
        }
        #expect(problem.what.contains("no systemd-logind"))
        let second = try PlayedLogind(session.address)
        defer { second.stop() }
        #expect(await events.next() == .held)
        #expect(second.held("block") == 1)
    }

    @Test(
        "a lid is found among the input devices, and its absence",
        arguments: [("1", true), ("0", false), ("2", false), ("0 1", true), ("x", false)])
    func lid(switches: String, isPresent: Bool) throws {
        let directory = try TemporaryDirectory(), place = directory.url.appendingPathComponent("event3/device/capabilities")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        try Data("\(switches)\n".utf8).write(to: place.appendingPathComponent("sw"))
        #expect(LidSwitch.isPresent(inputs: directory.url.path) == isPresent)
    }
}
