import Glibc
public import Vitals

/// The clock that also counts while the machine sleeps.
public enum Boottime {
    /// Milliseconds since the machine booted (`CLOCK_BOOTTIME`).
    @Sendable public static func now() -> Milliseconds {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Milliseconds(time.tv_sec) * 1000 + Milliseconds(time.tv_nsec) / 1_000_000
    }
}

/// The clock that people set, and that may be wrong.
public enum WallClock {
    /// UTC milliseconds (`CLOCK_REALTIME`).
    @Sendable public static func now() -> Milliseconds {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Milliseconds(time.tv_sec) * 1000 + Milliseconds(time.tv_nsec) / 1_000_000
    }
}
