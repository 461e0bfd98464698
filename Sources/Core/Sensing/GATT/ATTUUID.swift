extension ATT {
    /// An attribute type. 16-bit ones stand for the Bluetooth Base UUID with these bits (Vol 3 Part B, 2.5.1), and are equal to it.
    public struct UUID: Hashable, Sendable, CustomStringConvertible {
        /// The UUID's first eight bytes as it is written, most significant first.
        public let high: UInt64
        public let low: UInt64

        private static let baseHigh: UInt64 = 0x0000_0000_0000_1000
        private static let baseLow: UInt64 = 0x8000_0080_5F9B_34FB

        public init(high: UInt64, low: UInt64) {
            self.high = high
            self.low = low
        }

        public init(_ short: UInt16) {
            high = UInt64(short) << 32 | Self.baseHigh
            low = Self.baseLow
        }

        /// From the 2 or 16 little-endian bytes of a PDU; nil for any other count.
        public init?(littleEndian bytes: some Sequence<UInt8>) {
            var high: UInt64 = 0, low: UInt64 = 0, count = 0
            for byte in bytes {
                if count < 8 { low |= UInt64(byte) << UInt64(8 * count) }
                if count >= 8 && count < 16 { high |= UInt64(byte) << UInt64(8 * (count - 8)) }
                count += 1
                if count > 16 { return nil }
            }
            switch count {
            case 2: self.init(UInt16(truncatingIfNeeded: low))
            case 16: self.init(high: high, low: low)
            default: return nil
            }
        }

        /// The 16-bit form, where there is one.
        public var short: UInt16? {
            guard low == Self.baseLow, high & 0xFFFF_0000_FFFF_FFFF == Self.baseHigh else { return nil }
            return UInt16(truncatingIfNeeded: high >> 32)
        }

        /// 2 bytes where there is a 16-bit form, otherwise 16.
        public var littleEndianBytes: [UInt8] {
            if let short { return [UInt8(truncatingIfNeeded: short), UInt8(truncatingIfNeeded: short >> 8)] }
            return fullLittleEndianBytes
        }

        /// Always 16 bytes.
        public var fullLittleEndianBytes: [UInt8] {
            (0..<16).map { UInt8(truncatingIfNeeded: ($0 < 8 ? low : high) >> UInt64(8 * ($0 % 8))) }
        }

        public var description: String {
            if let short { return "0x" + Self.hex(UInt64(short), digits: 4) }
            let texts = [
                Self.hex(high >> 32, digits: 8), Self.hex(high >> 16 & 0xFFFF, digits: 4), Self.hex(high & 0xFFFF, digits: 4),
                Self.hex(low >> 48, digits: 4), Self.hex(low & 0xFFFF_FFFF_FFFF, digits: 12),
            ]
            return texts.joined(separator: "-")
        }

        private static func hex(_ value: UInt64, digits: Int) -> String {
            let text = String(value, radix: 16, uppercase: true)
            return String(repeating: "0", count: max(0, digits - text.count)) + text
        }

        // Assigned Numbers: declarations (3.7) and what a heart-rate sensor offers (3.4.2, 3.8.2).
        public static let primaryService = UUID(0x2800)
        public static let characteristic = UUID(0x2803)
        public static let clientCharacteristicConfiguration = UUID(0x2902)
        public static let heartRateService = UUID(0x180D)
        public static let batteryService = UUID(0x180F)
        public static let heartRateMeasurement = UUID(0x2A37)
        public static let bodySensorLocation = UUID(0x2A38)
        public static let heartRateControlPoint = UUID(0x2A39)
        public static let batteryLevel = UUID(0x2A19)
        // ... and what sensors beside it offer.
        public static let healthThermometerService = UUID(0x1809)
        public static let runningService = UUID(0x1814)
        public static let cyclingService = UUID(0x1816)
        public static let temperatureMeasurement = UUID(0x2A1C)
        public static let temperatureType = UUID(0x2A1D)
        public static let runningMeasurement = UUID(0x2A53)
        public static let cyclingMeasurement = UUID(0x2A5B)
        public static let batteryLevelStatus = UUID(0x2BED)
    }

    /// A characteristic as its declaration (0x2803) tells (Vol 3 Part G, 3.3.1).
    public struct Characteristic: Hashable, Sendable {
        /// Operations allowed on a value (Vol 3 Part G, 3.3.1.1).
        public struct Properties: OptionSet, Hashable, Sendable {
            public let rawValue: UInt8
            public init(rawValue: UInt8) { self.rawValue = rawValue }
            public static let read = Properties(rawValue: 0x02)
            public static let writeWithoutResponse = Properties(rawValue: 0x04)
            public static let write = Properties(rawValue: 0x08)
            public static let notify = Properties(rawValue: 0x10)
            public static let indicate = Properties(rawValue: 0x20)
        }

        /// Of the declaration itself.
        public var handle: UInt16
        public var properties: Properties
        /// Where the value is read, written and notified.
        public var valueHandle: UInt16
        public var type: UUID

        /// From one attribute of a Read By Type Response for 0x2803, with a 16- or a 128-bit UUID; nil for any other length.
        public init?(declaration: Attribute) {
            let value = declaration.value
            guard value.count == 5 || value.count == 19, let type = UUID(littleEndian: value.dropFirst(3)) else { return nil }
            handle = declaration.handle
            properties = Properties(rawValue: value[0])
            valueHandle = UInt16(value[1]) | UInt16(value[2]) << 8
            self.type = type
        }
    }

    /// A service as a Read By Group Type Response for 0x2800 tells (Vol 3 Part G, 4.4.1).
    public struct Service: Hashable, Sendable {
        public var handles: ClosedRange<UInt16>
        public var type: UUID

        public init(handles: ClosedRange<UInt16>, type: UUID) {
            self.handles = handles
            self.type = type
        }

        /// nil where the attribute is not a group, its end lies before its start, or its value is no UUID.
        public init?(group: Attribute) {
            guard let end = group.end, end >= group.handle, let type = UUID(littleEndian: group.value) else { return nil }
            self.init(handles: group.handle...end, type: type)
        }
    }
}
