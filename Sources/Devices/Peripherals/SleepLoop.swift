import Sensing
import SourceThread
import SystemBus
import Vitals

/// The thread's part of ``SleepGuard``.
struct SleepLoop {
    static let name = "org.freedesktop.login1", path = "/org/freedesktop/login1", interface = "org.freedesktop.login1.Manager"
    /// Failed work is tried again after this, milliseconds.
    private static let retryDelay: Int64 = 10_000
    private static let limit: Int64 = 5000

    private let bus: BusAddress
    private let inbox: RequestInbox<SleepGuard.Request>
    private let sink: @Sendable (SleepEvent) -> Void
    private let stop: StopSignal
    /// nil before the first word of whoever asks.
    private var isWanted: Bool?
    private var block: BusDescriptor?, delay: BusDescriptor?
    /// Since logind said so, until it says that the machine woke up: a delay would only hold that up.
    private var isFallingAsleep = false
    /// When the delay is let go of, so that the machine may fall asleep.
    private var farewell: Milliseconds?
    /// nil for nothing yet: also that nothing keeps the machine awake is told once.
    private var told: SleepEvent?

    /// Events of logind since the last look.
    private final class News {
        var isFallingAsleep: [Bool] = []
        var ownerHasChanged = false
    }

    init(
        bus: BusAddress, inbox: RequestInbox<SleepGuard.Request>, sink: @escaping @Sendable (SleepEvent) -> Void, stop: StopSignal
    ) { (self.bus, self.inbox, self.sink, self.stop) = (bus, inbox, sink, stop) }

    mutating func run() {
        repeat {
            do throws(BusError) {
                try serve(Bus(bus))
                return
            } catch {
                (block, delay, farewell, isFallingAsleep) = (nil, nil, nil, false)
                takeRequests()
                refuse("the system's bus cannot be reached (\(error))", advice: "Look at dbus: systemctl status dbus")
            }
        } while stop.wait(milliseconds: Self.retryDelay) == .timedOut
    }

    /// Returns when stopped, throws when the bus is gone.
    private mutating func serve(_ bus: Bus) throws(BusError) {
        let news = News()
        let rule = "type='signal',sender='\(Self.name)',interface='\(Self.interface)',path='\(Self.path)',member='PrepareForSleep'"
        let signals = try bus.subscribe(rule) { if let falls = $0.arguments.first?.bool { news.isFallingAsleep.append(falls) } }
        let ownership = try bus.watchOwner(of: Self.name) { _ in news.ownerHasChanged = true }
        defer { withExtendedLifetime((signals, ownership)) {} }
        while true {
            try bus.process()
            if news.ownerHasChanged {
                // A logind that was started anew knows nothing of locks.
                (news.ownerHasChanged, block, delay) = (false, nil, nil)
            }
            for falls in news.isFallingAsleep { follow(falls) }
            news.isFallingAsleep = []
            let wake = takeRequests()
            guard stop.wait(milliseconds: 0) == .timedOut else { return }
            if let end = farewell, Boottime.now() >= end { (farewell, delay) = (nil, nil) }
            try hold(bus)
            guard bus.delay != 0 else { continue }
            let isWhole = (isWanted == true) == (block != nil) && (delay != nil || isFallingAsleep)
            let pause = farewell.map { max(0, $0 - Boottime.now()) } ?? (isWhole ? 60_000 : Self.retryDelay)
            _ = bus.wait(stop: wake ?? stop, milliseconds: wake == nil ? min(pause, 200) : pause)
        }
    }

    @discardableResult
    private mutating func takeRequests() -> StopSignal? {
        let (requests, wake) = inbox.take()
        for case .awake(let isWanted) in requests { self.isWanted = isWanted }
        return wake
    }

    /// The machine says that it falls asleep, or that it woke up.
    private mutating func follow(_ falls: Bool) {
        sink(falls ? .fallsAsleep : .wokeUp)
        (isFallingAsleep, farewell) = (falls, falls ? Boottime.now() + SleepGuard.farewell : nil)
    }

    /// Takes the locks that are wanted, and lets go of those that are not.
    private mutating func hold(_ bus: Bus) throws(BusError) {
        if isWanted != true { block = nil }
        if isWanted == false { tell(.released) }
        do throws(BusError) {
            if delay == nil, !isFallingAsleep { delay = try inhibit(bus, "delay") }
            if isWanted == true, block == nil { block = try inhibit(bus, "block") }
            if isWanted == true { tell(.held) }
        } catch {
            guard bus.isOpen else { throw error }
            if error.isUnknownService {
                refuse(
                    "there is no systemd-logind", advice: "Switch sleep off: systemctl mask sleep.target suspend.target hibernate.target")
            } else {
                refuse(
                    "systemd-logind refuses it (\(error))",
                    advice: "Allow org.freedesktop.login1.inhibit-block-sleep to the agent's user, or mask sleep.target")
            }
        }
    }

    private func inhibit(_ bus: Bus, _ mode: String) throws(BusError) -> BusDescriptor {
        let arguments: [BusValue] = ["sleep", "TrackMe", "A person is watched by AutomatedSOS", mode].map { .string($0) }
        let answer = try bus.call(BusCall(Self.name, Self.path, Self.interface, "Inhibit", arguments), limit: Self.limit)
        guard case .descriptor(let lock)? = answer.first else {
            throw BusError(name: "System.Error.EBADMSG", message: "logind answered without a lock")
        }
        return lock
    }

    private mutating func refuse(_ what: String, advice: String) {
        guard isWanted == true else { return }
        tell(
            .refused(SourceProblem(what: "This machine may fall asleep while somebody is watched: \(what)", advice: advice, retries: true)))
    }

    private mutating func tell(_ event: SleepEvent) {
        guard told != event else { return }
        told = event
        sink(event)
    }
}
