public import Vitals

/// Writes what live sensors tell as a Bluetooth capture (btsnoop, HCI H4) that ``BluetoothCaptureReader`` reads back to the same events.
///
/// Each connection begins with the exchange that tells which handles are the heart rate, the battery and the others, so that a reader needs no
/// guess. A capture knows a connection only by its readings: ``HeartRateEvent/connected(time:)`` comes back with the first reading,
/// and ``HeartRateEvent/lost(_:time:)`` with the reader's own words.
public struct BtsnoopWriter: Sendable {
    /// The file's first bytes.
    public static let header = RecordingFormat.btsnoopMagic + word32(1) + word32(1002)
    /// Sensors in one file.
    public static let sensorsMax = 16

    private enum Handle {
        static let measurement: UInt16 = 0x0010
        static let location: UInt16 = 0x0013
        static let battery: UInt16 = 0x0022

        static func of(_ characteristic: SensorCharacteristic) -> UInt16 {
            characteristic == .batteryStatus ? 0x0025 : 0x0032 + 0x10 * UInt16(characteristic.rawValue)
        }
    }

    private struct Sensor {
        var address: UInt64
        var isConnected = false
    }

    /// By their connection handles, from ``firstConnection`` on.
    private var sensors: [Sensor] = []
    private static let firstConnection: UInt16 = 0x0040
    /// Microseconds from the year 0, where the file's axis begins, to 1970.
    private static let epoch: Int64 = 0x00DC_DDB3_0F2F_8000

    public init() {}

    /// The records of one event; none for an end of what had not begun.
    /// - Parameters:
    ///   - event: what the sensor told.
    ///   - address: of the sensor, 48 bits, with bit 48 set for a random address.
    ///   - utc: its time, which is written in the place of the event's own; not before 1970.
    /// - Returns: nil when it cannot be written: one sensor more than ``sensorsMax``, a time before 1970, or a kind that no sensor tells.
    public mutating func records(for event: HeartRateEvent, of address: UInt64, utc: Milliseconds) -> [UInt8]? {
        guard utc >= 0, utc < .max / 2000 else { return nil }
        var told: (characteristic: SensorCharacteristic, value: [UInt8])?
        if case .reading(let reading) = event {
            told = SensorValues.encoded(reading)
            if told == nil { return nil }
        }
        guard let index = index(of: address) else { return nil }
        let connection = Self.firstConnection + UInt16(index)
        if case .lost = event {
            defer { sensors[index].isConnected = false }
            // [HCI_Disconnection_Complete], supervision timeout
            return sensors[index].isConnected ? Self.event([0x05, 4, 0] + Self.half(connection) + [0x08], utc) : []
        }
        var bytes: [UInt8] = []
        if !sensors[index].isConnected {
            sensors[index].isConnected = true
            bytes = Self.connection(connection, address, utc) + Self.discovery(connection, utc)
        }
        switch event {
        case .connected, .lost: break
        case .measurement(let sample):
            bytes += Self.received(.notification(handle: Handle.measurement, value: HeartRateMeasurement(sample).encoded), connection, utc)
        case .battery(let percent, _):
            bytes += Self.received(.notification(handle: Handle.battery, value: [percent]), connection, utc)
        case .bodyLocation(let location, _):
            bytes += Self.sent(.readRequest(handle: Handle.location), connection, utc)
            bytes += Self.received(.readResponse(value: [location]), connection, utc)
        case .charging(let isCharging, _):
            let value = BatteryLevelStatus.encoded(isCharging: isCharging)
            bytes += Self.received(.notification(handle: Handle.of(.batteryStatus), value: value), connection, utc)
        case .reading:
            guard let (characteristic, value) = told else { break }
            let handle = Handle.of(characteristic)
            guard characteristic.isIndicated else {
                bytes += Self.received(.notification(handle: handle, value: value), connection, utc)
                break
            }
            bytes += Self.received(.indication(handle: handle, value: value), connection, utc)
            bytes += Self.sent(.confirmation, connection, utc)
        }
        return bytes
    }

    private mutating func index(of address: UInt64) -> Int? {
        if let index = sensors.firstIndex(where: { $0.address == address }) { return index }
        guard sensors.count < Self.sensorsMax else { return nil }
        sensors.append(Sensor(address: address))
        return sensors.count - 1
    }

    // MARK: - Packets

    /// [HCI_LE_Connection_Complete]: success, central, address, 30 ms interval, no latency, 4 s supervision.
    private static func connection(_ connection: UInt16, _ address: UInt64, _ utc: Milliseconds) -> [UInt8] {
        let place = (0..<6).map { UInt8(truncatingIfNeeded: address >> UInt64(8 * $0)) }
        return event([0x3E, 19, 0x01, 0] + half(connection) + [0, UInt8(address >> 48 & 1)] + place + [24, 0, 0, 0, 0x90, 1, 0], utc)
    }

    /// The MTU, for values of more than 20 bytes, and the characteristics (Vol 3 Part G, 4.6.1).
    private static func discovery(_ connection: UInt16, _ utc: Milliseconds) -> [UInt8] {
        let notify = ATT.Characteristic.Properties.notify.rawValue, read = ATT.Characteristic.Properties.read.rawValue
        let indicate = ATT.Characteristic.Properties.indicate.rawValue
        func characteristic(_ handle: UInt16, _ properties: UInt8, _ type: ATT.UUID) -> ATT.Attribute {
            ATT.Attribute(handle: handle - 1, value: [properties] + half(handle) + type.littleEndianBytes)
        }
        let others = SensorCharacteristic.allCases.map { other in
            characteristic(Handle.of(other), (other == .batteryStatus ? read : 0) | (other.isIndicated ? indicate : notify), other.type)
        }
        let characteristics =
            [
                characteristic(Handle.measurement, notify, .heartRateMeasurement),
                characteristic(Handle.location, read, .bodySensorLocation),
                characteristic(Handle.battery, read | notify, .batteryLevel),
            ] + others
        return sent(.exchangeMTURequest(mtu: ATT.mtuMax), connection, utc)
            + received(.exchangeMTUResponse(mtu: ATT.mtuMax), connection, utc)
            + sent(.readByTypeRequest(start: 1, end: .max, type: .characteristic), connection, utc)
            + received(.readByTypeResponse(characteristics), connection, utc)
    }

    private static func sent(_ pdu: ATT.PDU, _ connection: UInt16, _ utc: Milliseconds) -> [UInt8] {
        record(acl(pdu, connection, boundary: 0), flags: 0, utc)
    }

    private static func received(_ pdu: ATT.PDU, _ connection: UInt16, _ utc: Milliseconds) -> [UInt8] {
        record(acl(pdu, connection, boundary: 2), flags: 1, utc)
    }

    private static func event(_ bytes: [UInt8], _ utc: Milliseconds) -> [UInt8] { record([0x04] + bytes, flags: 3, utc) }

    /// H4, HCI ACL data and L2CAP around one ATT PDU (Core 5.3, Vol 4 Part E, 5.4.2; Vol 3 Part A, 3.1). No value of ATT reaches 64 KiB.
    private static func acl(_ pdu: ATT.PDU, _ connection: UInt16, boundary: UInt16) -> [UInt8] {
        let bytes = pdu.encoded, length = UInt16(truncatingIfNeeded: bytes.count)
        return [0x02] + half(connection | boundary << 12) + half(length + 4) + half(length) + half(ATT.channel) + bytes
    }

    /// Lengths, flags, no drops, microseconds since the year 0, the packet.
    private static func record(_ packet: [UInt8], flags: UInt32, _ utc: Milliseconds) -> [UInt8] {
        let length = word32(UInt32(truncatingIfNeeded: packet.count)), time = UInt64(utc * 1000 + epoch)
        return length + length + word32(flags) + word32(0) + word32(UInt32(time >> 32)) + word32(UInt32(truncatingIfNeeded: time)) + packet
    }

    private static func half(_ value: UInt16) -> [UInt8] { [UInt8(truncatingIfNeeded: value), UInt8(value >> 8)] }

    private static func word32(_ value: UInt32) -> [UInt8] {
        stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }
    }
}

extension HeartRateMeasurement {
    /// The bytes that the sensor sent as this sample. Of intervals, as many as an attribute value of 512 bytes holds (Vol 3 Part F, 3.2.9).
    public init(_ sample: HeartRateSample) {
        self.init(
            beatsPerMinute: sample.beatsPerMinute, contact: sample.contact, energyKilojoules: sample.energyKilojoules,
            rrIntervals: Array(sample.rrIntervals.prefix(253)))
    }
}
