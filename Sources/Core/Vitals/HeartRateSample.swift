/// The sensor's report of skin contact (Heart Rate Service 1.0, 3.1.1.1.2).
public enum SensorContact: UInt8, Sendable, Hashable, Codable, CaseIterable {
    /// The sensor cannot tell. Not the same as "off".
    case unsupported = 0
    case notDetected = 1
    case detected = 2
}

/// One heart-rate measurement (characteristic 0x2A37) with its time.
public struct HeartRateSample: Hashable, Sendable {
    /// When it was received, in the segment's clock domain.
    public var time: Milliseconds
    /// Beats per minute as sent, 0 to 65,535. 0 is what straps send without skin contact: it is kept, and is never a reading.
    public var beatsPerMinute: UInt16
    public var contact: SensorContact
    /// Energy expended since the last reset, in kilojoules; 65,535 means "that or more".
    public var energyKilojoules: UInt16?
    /// RR intervals in 1/1024 s, oldest first.
    public var rrIntervals: [UInt16]

    public init(
        time: Milliseconds, beatsPerMinute: UInt16, contact: SensorContact = .unsupported,
        energyKilojoules: UInt16? = nil, rrIntervals: [UInt16] = []
    ) {
        self.time = time
        self.beatsPerMinute = beatsPerMinute
        self.contact = contact
        self.energyKilojoules = energyKilojoules
        self.rrIntervals = rrIntervals
    }
}
