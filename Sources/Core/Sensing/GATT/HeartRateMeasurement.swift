public import Vitals

/// Heart Rate Measurement, characteristic 0x2A37 (Heart Rate Service 1.0, 3.1; GATT Specification Supplement, 3.113).
public struct HeartRateMeasurement: Hashable, Sendable {
    /// Beats per minute, 0 to 65,535.
    public var beatsPerMinute: UInt16
    public var contact: SensorContact
    /// Kilojoules since the last reset, where the sensor sends them; 65,535 means "that or more".
    public var energyKilojoules: UInt16?
    /// In 1/1024 s, oldest first.
    public var rrIntervals: [UInt16]
    /// Bytes behind what the flags announce. Some sensors pad their values; the reading before them counts.
    public private(set) var trailingBytes = 0

    private struct Flags: OptionSet {
        let rawValue: UInt8
        static let wide = Flags(rawValue: 1 << 0)
        static let contactDetected = Flags(rawValue: 1 << 1)
        static let contactSupported = Flags(rawValue: 1 << 2)
        static let energy = Flags(rawValue: 1 << 3)
        static let rrIntervals = Flags(rawValue: 1 << 4)

        /// The detected bit means something only beside the supported one.
        var contact: SensorContact {
            guard contains(.contactSupported) else { return .unsupported }
            return contains(.contactDetected) ? .detected : .notDetected
        }
    }

    /// Why bytes are not a measurement.
    public enum Malformed: String, Error, Sendable, CaseIterable, CustomStringConvertible {
        case empty = "heart rate: empty value"
        case valueCutShort = "heart rate: cut short in the value"
        case energyCutShort = "heart rate: cut short in the energy"
        case intervalCutShort = "heart rate: odd byte after the last RR interval"

        public var description: String { rawValue }
    }

    public init(
        beatsPerMinute: UInt16, contact: SensorContact = .unsupported, energyKilojoules: UInt16? = nil,
        rrIntervals: [UInt16] = []
    ) {
        self.beatsPerMinute = beatsPerMinute
        self.contact = contact
        self.energyKilojoules = energyKilojoules
        self.rrIntervals = rrIntervals
    }

    /// Decodes a value as notified. Reserved flags (bits 5 to 7) are ignored, as the supplement demands; announced intervals may be none.
    public init(_ bytes: some Collection<UInt8>) throws(Malformed) {
        let copy = Array(bytes)
        try self.init(copy.span.bytes)
    }

    /// Decodes a value as notified, from bytes in place.
    public init(_ bytes: RawSpan) throws(Malformed) {
        guard bytes.byteCount >= 1 else { throw .empty }
        let flags = Flags(rawValue: bytes.byte(at: 0))
        contact = flags.contact
        var position = flags.contains(.wide) ? 3 : 2
        guard bytes.byteCount >= position else { throw .valueCutShort }
        beatsPerMinute = flags.contains(.wide) ? bytes.littleEndian16(at: 1) : UInt16(bytes.byte(at: 1))
        energyKilojoules = nil
        if flags.contains(.energy) {
            guard bytes.byteCount >= position + 2 else { throw .energyCutShort }
            energyKilojoules = bytes.littleEndian16(at: position)
            position += 2
        }
        let left = bytes.byteCount - position
        rrIntervals = []
        guard flags.contains(.rrIntervals) else {
            trailingBytes = left
            return
        }
        guard left % 2 == 0 else { throw .intervalCutShort }
        guard left > 0 else { return }
        rrIntervals.reserveCapacity(left / 2)
        while position < bytes.byteCount {
            rrIntervals.append(bytes.littleEndian16(at: position))
            position += 2
        }
    }

    /// The value as a sensor sends it: 16 bits only above 255, flags only for what is there.
    public var encoded: [UInt8] {
        var flags: Flags = beatsPerMinute > 255 ? .wide : []
        if contact != .unsupported { flags.insert(.contactSupported) }
        if contact == .detected { flags.insert(.contactDetected) }
        if energyKilojoules != nil { flags.insert(.energy) }
        if !rrIntervals.isEmpty { flags.insert(.rrIntervals) }
        var bytes = [flags.rawValue, UInt8(truncatingIfNeeded: beatsPerMinute)]
        if flags.contains(.wide) { bytes.append(UInt8(beatsPerMinute >> 8)) }
        for word in (energyKilojoules.map { [$0] } ?? []) + rrIntervals {
            bytes += [UInt8(truncatingIfNeeded: word), UInt8(word >> 8)]
        }
        return bytes
    }

    /// Whether this can be a sensor's reading: what a guess of a handle goes by. A rate of 0 (no contact) or 30 to 250, no reserved flag,
    /// and RR intervals of 0.2 to 3 s; a larger rate is decoded, but nothing is guessed from it.
    static func isPlausible(_ bytes: RawSpan) -> Bool {
        guard bytes.byteCount >= 2, bytes.byte(at: 0) & 0xE0 == 0, let value = try? HeartRateMeasurement(bytes),
            value.trailingBytes == 0
        else { return false }
        guard value.beatsPerMinute == 0 || (30...250).contains(value.beatsPerMinute) else { return false }
        return value.rrIntervals.allSatisfy { (205...3072).contains($0) }
    }

    /// As a sample of that time.
    public func sample(time: Milliseconds) -> HeartRateSample {
        HeartRateSample(
            time: time, beatsPerMinute: beatsPerMinute, contact: contact, energyKilojoules: energyKilojoules,
            rrIntervals: rrIntervals)
    }
}

/// Battery Level (0x2A19; Battery Service 1.0, 3.1).
public struct BatteryLevel: Hashable, Sendable {
    /// 0 to 100.
    public let percent: UInt8

    /// nil for anything but one byte of 0 to 100.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == 1, let percent = bytes.first, percent <= 100 else { return nil }
        self.percent = percent
    }
}

/// Body Sensor Location (0x2A38; Heart Rate Service 1.0, 3.2).
public struct BodySensorLocation: Hashable, Sendable {
    /// 0 other, 1 chest, 2 wrist, 3 finger, 4 hand, 5 ear lobe, 6 foot; above is reserved, and kept.
    public let rawValue: UInt8

    /// nil for anything but one byte.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == 1, let value = bytes.first else { return nil }
        rawValue = value
    }
}
