public import Sensing
public import SourceThread
public import SystemBus

/// A heart-rate sensor in range, a device that looks like one, or a sensor that can be used beside it.
public struct FoundSensor: Sendable, Hashable {
    public var address: SensorAddress
    /// As the device calls itself; control characters are left out.
    public var name: String?
    /// Signal in dBm (-30 is near, -90 is far); nil for one that is connected and therefore silent.
    public var rssi: Int?
    /// 0 to 100, where it is known without connecting.
    public var batteryPercent: Int?
    /// Why it cannot be used; nil when it can.
    public var unsupported: SourceProblem?
    /// Its measurement where it has no heart rate: it can be used beside one. Empty for a heart-rate sensor.
    public var besides: [SensorCharacteristic]

    public init(
        address: SensorAddress, name: String? = nil, rssi: Int? = nil, batteryPercent: Int? = nil, unsupported: SourceProblem? = nil,
        besides: [SensorCharacteristic] = []
    ) {
        self.besides = besides
        self.address = address
        self.name = name
        self.rssi = rssi
        self.batteryPercent = batteryPercent
        self.unsupported = unsupported
    }
}

/// The result of a scan.
public struct SensorScan: Sendable, Hashable {
    /// Those that can be used first, then by signal, the strongest first.
    public var sensors: [FoundSensor]
    /// Devices that measure nothing of a person.
    public var others: Int

    init(_ devices: some Sequence<HeardDevice>) {
        let devices = Array(devices)
        let found = devices.compactMap(\.found)
        others = devices.count - found.count
        sensors = found.sorted { left, right in
            if (left.unsupported == nil) != (right.unsupported == nil) { return left.unsupported == nil }
            if left.rssi != right.rssi { return (left.rssi ?? 0) > (right.rssi ?? 0) }
            return left.address.description < right.address.description
        }
    }
}

/// Finds heart-rate sensors in range.
public enum SensorScanner {
    /// A crowd at a race has a few hundred; more are not counted.
    static let devicesMax = 4096

    /// Listens for `seconds` (1 to 120) and blocks its thread meanwhile, unless `stop` comes first. `auto` asks bluetoothd where it runs,
    /// and the adapter itself where it does not, which needs CAP_NET_RAW.
    public static func scan(
        seconds: Int, transport: SensorTransport = .auto, bus: BusAddress = .system, stop: StopSignal
    ) throws(SourceProblem) -> SensorScan {
        let limit = Int64(min(max(seconds, 1), 120)) * 1000
        switch transport {
        case .bluez: return try BlueZScan.run(milliseconds: limit, bus: bus, stop: stop)
        case .att: return try HCIScan.run(milliseconds: limit, stop: stop)
        case .auto:
            if BlueZScan.isAvailable(bus) { return try BlueZScan.run(milliseconds: limit, bus: bus, stop: stop) }
            return try HCIScan.run(milliseconds: limit, stop: stop)
        }
    }
}

/// Sensors that this machine's Bluetooth remembers.
public enum SensorRegistry {
    /// Makes bluetoothd forget the sensor with its pairing. False when it did not know it, or does not run and so remembers nothing that
    /// is used.
    @discardableResult
    public static func forget(_ address: SensorAddress, bus: BusAddress = .system) throws(SourceProblem) -> Bool {
        guard BlueZScan.isAvailable(bus) else { return false }
        return try BlueZScan.forget(address, bus: bus)
    }
}
