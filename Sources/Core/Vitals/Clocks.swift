/// The axis on which a segment's times lie (design rule 5).
public enum ClockDomain: Hashable, Sendable {
    /// Milliseconds since the box booted (`CLOCK_BOOTTIME`). ``ClockRecord``s of the same boot say what that is in UTC.
    /// `counter` counts the boots that the agent's database has seen, so that boots can be put in order without any clock.
    case boottime(boot: BootID, counter: UInt32)
    /// UTC milliseconds of the box's own clock, as good as that is.
    case wall
    /// UTC milliseconds as a capture recorded them.
    case recorded
}

/// One instant of a clock domain, in UTC.
public struct ClockRecord: Hashable, Sendable {
    public enum Source: UInt8, Sendable, Codable, CaseIterable {
        /// The box's own clock, disciplined by nobody.
        case wall = 0
        /// The hub's answer over TLS.
        case hub = 1
        case ntp = 2
        case gnss = 3
    }
    /// The instant in the segment's domain.
    public var time: Milliseconds
    /// The same instant in UTC.
    public var utc: Milliseconds
    /// Half the width of the interval in which the true value lies, in milliseconds.
    public var uncertainty: UInt32
    public var source: Source

    public init(time: Milliseconds, utc: Milliseconds, uncertainty: UInt32, source: Source) {
        self.time = time
        self.utc = utc
        self.uncertainty = uncertainty
        self.source = source
    }

    /// The difference to add to a time of the domain to get UTC.
    public var offset: Milliseconds { utc - time }
}
