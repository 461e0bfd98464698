/// Battery Level Status, characteristic 0x2BED (Battery Service 1.1, 3.2; GATT Specification Supplement).
public struct BatteryLevelStatus: Hashable, Sendable {
    /// The battery's charge state.
    public enum ChargeState: UInt8, Hashable, Sendable, CaseIterable {
        case unknown, charging, dischargingActive, dischargingInactive
    }

    public var isBatteryPresent: Bool
    /// Fed by a cable, or without one; nil where the sensor does not know.
    public var isWired: Bool?
    public var isWireless: Bool?
    public var charge: ChargeState
    /// 0 to 100 percent, where it is told.
    public var percent: UInt8?

    /// Whether the sensor lies at its charger: charging, or full and still fed. nil where it does not say.
    public var isCharging: Bool? {
        if charge == .charging || isWired == true || isWireless == true { return true }
        if charge == .unknown, isWired == nil || isWireless == nil { return nil }
        return false
    }

    public init(isBatteryPresent: Bool = true, isWired: Bool?, isWireless: Bool? = false, charge: ChargeState, percent: UInt8? = nil) {
        (self.isBatteryPresent, self.isWired, self.isWireless) = (isBatteryPresent, isWired, isWireless)
        (self.charge, self.percent) = (charge, percent)
    }

    /// Decodes a value as read or notified. Reserved flags (bits 3 to 7) and the reserved bit 15 of the power state are ignored.
    public init(_ bytes: [UInt8]) throws(SensorValueProblem) {
        guard let flags = bytes.first else { throw .batteryStatusCutShort }
        let hasIdentifier = flags & 1 != 0, hasLevel = flags & 2 != 0, hasMore = flags & 4 != 0
        let length = 3 + (hasIdentifier ? 2 : 0) + (hasLevel ? 1 : 0) + (hasMore ? 1 : 0)
        guard bytes.count >= length else { throw .batteryStatusCutShort }
        guard bytes.count == length else { throw .batteryStatusTooLong }
        let power = bytes.littleEndian16(at: 1)
        isBatteryPresent = power & 1 != 0
        isWired = Self.isFed(power >> 1)
        isWireless = Self.isFed(power >> 3)
        charge = ChargeState(rawValue: UInt8(power >> 5 & 3)) ?? .unknown
        percent = hasLevel ? bytes[hasIdentifier ? 5 : 3] : nil
        if let percent, percent > 100 { throw .batteryStatusLevel }
    }

    /// Two bits of the power state: 0 no, 1 yes, 2 unknown, 3 reserved.
    private static func isFed(_ bits: UInt16) -> Bool? {
        switch bits & 3 {
        case 0: false
        case 1: true
        default: nil
        }
    }

    /// The value as a sensor sends it: whether it is charged by a cable, and no more.
    static func encoded(isCharging: Bool?) -> [UInt8] {
        switch isCharging {
        case true?: [0, 0x23, 0]
        case false?: [0, 0x41, 0]
        case nil: [0, 0x15, 0]
        }
    }
}
