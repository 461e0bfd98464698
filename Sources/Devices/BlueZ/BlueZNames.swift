import Sensing

/// The words of bluetoothd's D-Bus interface, as of BlueZ 5.66 (doc/adapter-api.txt, device-api.txt, gatt-api.txt).
enum BlueZName {
    static let service = "org.bluez"
    static let adapter = "org.bluez.Adapter1"
    static let device = "org.bluez.Device1"
    static let battery = "org.bluez.Battery1"
    static let characteristic = "org.bluez.GattCharacteristic1"
    static let agent = "org.bluez.Agent1"
    static let agentManager = "org.bluez.AgentManager1"
    /// Where this process answers as an agent.
    static let agentPath = "/trackme/agent"
    static let objectManager = "org.freedesktop.DBus.ObjectManager"
    static let properties = "org.freedesktop.DBus.Properties"

    static func characteristic(_ characteristic: SensorCharacteristic) -> String { uuid(characteristic.type) }
    static func service(_ characteristic: SensorCharacteristic) -> String { uuid(characteristic.service) }
    static let temperatureType = uuid(.temperatureType)

    static let heartRateService = uuid("180d")
    static let heartRateMeasurement = uuid("2a37")
    static let bodySensorLocation = uuid("2a38")
    static let batteryLevel = uuid("2a19")

    private static func uuid(_ type: ATT.UUID) -> String { uuid(String(type.short ?? 0, radix: 16)) }

    /// A 16-bit UUID in the long form (Core 5.3, Vol 3 Part B, 2.5.1).
    private static func uuid(_ short: String) -> String { "0000\(short)-0000-1000-8000-00805f9b34fb" }
}
