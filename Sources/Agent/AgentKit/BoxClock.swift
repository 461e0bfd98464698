internal import Glibc
public import Seams
public import Vitals

/// The clocks of the box, and the machine by which its services sleep. The only place of the agent that reads them.
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
        boottime: { read(CLOCK_BOOTTIME) }, utc: { read(CLOCK_REALTIME) },
        isSynchronized: { access("/run/systemd/timesync/synchronized", F_OK) == 0 })

    private static func read(_ clock: clockid_t) -> Milliseconds {
        var time = timespec()
        clock_gettime(clock, &time)
        return Milliseconds(time.tv_sec) * 1000 + Milliseconds(time.tv_nsec) / 1_000_000
    }
}

extension BootID {
    /// Of the running system; a random one where the kernel tells none (each start then counts as a boot).
    static func ofSystem() -> BootID {
        guard let file = fopen("/proc/sys/kernel/random/boot_id", "r") else { return .random() }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = fread(&bytes, 1, bytes.count, file)
        let digits = bytes.prefix(count).filter { $0 > UInt8(ascii: " ") && $0 != UInt8(ascii: "-") }
        return BootID(String(decoding: digits, as: UTF8.self)) ?? .random()
    }
}
