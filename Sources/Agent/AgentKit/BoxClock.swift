internal import Glibc
public import Seams
internal import SourceThread
public import Vitals

/// The clocks of the box, and the machine by which its services sleep.
public struct BoxClock: Sendable {
    /// Sleep, threads and random numbers.
    public var machine: Machine
    /// Milliseconds since the boot, counting sleep (`CLOCK_BOOTTIME`).
    public var boottime: @Sendable () -> Milliseconds
    /// UTC milliseconds as the box believes (`CLOCK_REALTIME`).
    public var utc: @Sendable () -> Milliseconds
    /// Whether NTP has set ``utc`` since the boot.
    public var isSynchronized: @Sendable () -> Bool

    public init(
        boottime: @escaping @Sendable () -> Milliseconds, utc: @escaping @Sendable () -> Milliseconds,
        isSynchronized: @escaping @Sendable () -> Bool = { false }, machine: Machine = .system
    ) {
        self.machine = machine
        self.boottime = boottime
        self.utc = utc
        self.isSynchronized = isSynchronized
    }

    /// systemd-timesyncd tells by a file; asking the kernel (adjtimex) is refused where setting the clock is.
    public static let system = BoxClock(
        boottime: Boottime.now, utc: WallClock.now, isSynchronized: { access("/run/systemd/timesync/synchronized", F_OK) == 0 })
}

extension BootID {
    /// Of the running system; a random one where the kernel tells none (each start then counts as a boot).
    static func ofSystem(_ machine: Machine) -> BootID {
        guard let text = try? machine.files.read("/proc/sys/kernel/random/boot_id") else { return machine.randomness.id() }
        let digits = text.filter { $0 > UInt8(ascii: " ") && $0 != UInt8(ascii: "-") }
        return BootID(String(decoding: digits, as: UTF8.self)) ?? machine.randomness.id()
    }
}
