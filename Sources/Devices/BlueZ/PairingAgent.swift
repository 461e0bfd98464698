import Synchronization
import SystemBus

/// Agrees to the pairing of this process's sensors in the place of a person (org.bluez.Agent1). A strap has neither keys nor a display, so
/// there is nothing to compare; whatever would need an answer is refused.
///
/// Each sensor's connection brings an agent, and bluetoothd asks one of them for all: so each agrees to the sensors of all.
enum PairingAgent {
    private static let sensors = Mutex<[SensorAddress: Int]>([:])

    /// Agrees from now on, until ``forget(_:)``.
    static func expect(_ address: SensorAddress) { sensors.withLock { $0[address, default: 0] += 1 } }

    static func forget(_ address: SensorAddress) {
        sensors.withLock { sensors in sensors[address] = (sensors[address] ?? 1) > 1 ? sensors[address].map { $0 - 1 } : nil }
    }

    static func export(on bus: Bus) throws(BusError) -> BusRegistration {
        try bus.export(BlueZName.agentPath) { call throws(BusError) in
            guard call.interface == BlueZName.agent else { return nil }
            switch call.member {
            case "Release", "Cancel": return []
            case "RequestConfirmation", "RequestAuthorization", "AuthorizeService":
                if let path = call.arguments.first?.string, isExpected(path) { return [] }
            default: break
            }
            throw BusError(name: "org.bluez.Error.Rejected", message: "Only chosen sensors are paired here, without a code")
        }
    }

    private static func isExpected(_ path: String) -> Bool {
        sensors.withLock { $0.keys.contains { path.hasSuffix("/dev_" + $0.plain.map { $0 == ":" ? "_" : String($0) }.joined()) } }
    }
}
