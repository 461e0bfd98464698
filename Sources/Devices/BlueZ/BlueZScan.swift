import Sensing
import SourceThread
import SystemBus

/// A scan by bluetoothd, and what else is asked of it once.
enum BlueZScan {
    private static let callLimit: Int64 = 10_000

    static func isAvailable(_ address: BusAddress) -> Bool {
        guard let bus = try? Bus(address), let owner = try? bus.owner(of: BlueZName.service) else { return false }
        return !owner.isEmpty
    }

    static func run(milliseconds: Int64, bus address: BusAddress, stop: StopSignal) throws(SourceProblem) -> SensorScan {
        try asking { () throws(BusError) in try run(milliseconds: milliseconds, on: Bus(address), stop: stop) }
    }

    static func forget(_ sensor: SensorAddress, bus address: BusAddress) throws(SourceProblem) -> Bool {
        try asking { () throws(BusError) in
            let bus = try Bus(address)
            var isKnown = false
            for (path, interfaces) in try objects(on: bus) {
                guard let device = interfaces[BlueZName.device], device["Address"]?.string == sensor.plain,
                    let adapter = device["Adapter"]?.string
                else { continue }
                isKnown = true
                try bus.call(
                    BusCall(BlueZName.service, adapter, BlueZName.adapter, "RemoveDevice", [.objectPath(path)]), limit: callLimit)
            }
            return isKnown
        }
    }

    /// Turns what the bus says into words for the person at the box.
    static func asking<Value>(_ body: () throws(BusError) -> Value) throws(SourceProblem) -> Value {
        do throws(BusError) { return try body() } catch {
            if error.name == noAdapter.name {
                throw SourceProblem(
                    what: "No Bluetooth adapter", advice: "Plug one in. If it is in, look at dmesg | grep -i bluetooth", retries: false)
            }
            if error == softBlock || error == hardBlock {
                let (what, advice) = LinkFailure.blockText(isHard: error == hardBlock)
                throw SourceProblem(what: what, advice: advice, retries: false)
            }
            if error.isUnknownService {
                throw SourceProblem(what: "bluetoothd does not run", advice: "Start it: systemctl start bluetooth", retries: false)
            }
            if error.isAccessDenied {
                throw SourceProblem(
                    what: "This process may not use bluetoothd: \(error)", advice: "Run it as a member of the group bluetooth",
                    retries: false)
            }
            throw SourceProblem(
                what: "bluetoothd failed while looking for sensors: \(error)",
                advice: "Try again; if that goes on: systemctl restart bluetooth, and look at journalctl -u bluetooth", retries: false)
        }
    }

    private static let noAdapter = BusError(name: "System.Error.ENODEV")
    private static let softBlock = BusError(name: "System.Error.ERFKILL", message: "soft")
    private static let hardBlock = BusError(name: "System.Error.ERFKILL", message: "hard")
    /// After an unblocking bluetoothd switches the adapter on by itself, and refuses meanwhile.
    private static let graceAfterBlock: Int64 = 3000

    private static func objects(on bus: Bus) throws(BusError) -> [String: BlueZObjects.Interfaces] {
        BlueZObjects.objects(
            try bus.call(BusCall(BlueZName.service, "/", BlueZName.objectManager, "GetManagedObjects"), limit: callLimit))
    }

    private static func run(milliseconds: Int64, on bus: Bus, stop: StopSignal) throws(BusError) -> SensorScan {
        let inbox = BlueZInbox()
        let registrations = try inbox.register(on: bus)
        defer { withExtendedLifetime(registrations) {} }
        var tree = try objects(on: bus)
        // Advertisements from before this scan do not count.
        for path in tree.keys { tree[path]?[BlueZName.device]?["RSSI"] = nil }
        let adapters = tree.filter { $0.value[BlueZName.adapter] != nil }.keys.sorted()
        guard !adapters.isEmpty else { throw noAdapter }
        try beginAny(of: adapters) { adapter throws(BusError) in
            try begin(on: bus, adapter, isOn: tree[adapter]?[BlueZName.adapter]?["Powered"]?.bool ?? false, stop)
        }
        let end = Boottime.now() + milliseconds
        while true {
            for event in inbox.events { take(event, &tree) }
            inbox.events = []
            let left = end - Boottime.now()
            if left <= 0 || bus.wait(stop: stop, milliseconds: left) == .stopped { break }
            try bus.process()
        }
        // The discovery ends with the connection.
        return SensorScan(tree.values.compactMap(device))
    }

    /// An adapter that fails takes nothing from the others. Throws what the last one says when none can be used.
    static func beginAny(of adapters: [String], _ begin: (String) throws(BusError) -> Void) throws(BusError) {
        var failure: BusError?
        var hasBegun = false
        for adapter in adapters {
            do throws(BusError) {
                try begin(adapter)
                hasBegun = true
            } catch { failure = error }
        }
        if !hasBegun, let failure { throw failure }
    }

    private static func begin(on bus: Bus, _ adapter: String, isOn: Bool, _ stop: StopSignal) throws(BusError) {
        if !isOn {
            try switchOn(after: RadioSwitch.unblock(), stop) { () throws(BusError) in
                try bus.call(.set(BlueZName.service, adapter, BlueZName.adapter, "Powered", to: .bool(true)), limit: callLimit)
            }
        }
        let filter = BusValue.properties(["Transport": .string("auto"), "DuplicateData": .bool(false)])
        try bus.call(BusCall(BlueZName.service, adapter, BlueZName.adapter, "SetDiscoveryFilter", [filter]), limit: callLimit)
        try bus.call(BusCall(BlueZName.service, adapter, BlueZName.adapter, "StartDiscovery"), limit: callLimit)
    }

    /// Bluetoothd's error of a blocked adapter is often no more than Failed, so the known `block` goes before it.
    static func switchOn(after block: RadioSwitch.Outcome, _ stop: StopSignal, _ body: () throws(BusError) -> Void) throws(BusError) {
        let end = Boottime.now() + (block == .unblocked ? graceAfterBlock : 0)
        while true {
            do throws(BusError) { return try body() } catch {
                switch block {
                case .hard: throw hardBlock
                case .notPermitted: throw softBlock
                case .unblocked, .nothingBlocked: break
                }
                guard Boottime.now() < end, stop.wait(milliseconds: 300) == .timedOut else { throw error }
            }
        }
    }

    private static func take(_ event: BlueZSession.Event, _ tree: inout [String: BlueZObjects.Interfaces]) {
        switch event {
        case .added(let path, let interfaces):
            guard tree.count < SensorScanner.devicesMax || tree[path] != nil else { return }
            tree[path, default: [:]].merge(interfaces) { $1 }
        case .changed(let path, let interface, let properties):
            tree[path]?[interface, default: [:]].merge(properties) { $1 }
        default: break
        }
    }

    /// nil for what is no device, or one that bluetoothd only remembers.
    static func device(_ interfaces: BlueZObjects.Interfaces) -> HeardDevice? {
        guard let device = interfaces[BlueZName.device], let text = device["Address"]?.string else { return nil }
        let rssi = device["RSSI"]?.int
        guard rssi != nil || device["Connected"]?.bool == true else { return nil }
        let kind = device["AddressType"]?.string ?? "public"
        guard let address = SensorAddress("\(text)/\(kind)") else { return nil }
        let services = device["UUIDs"]?.strings ?? []
        return HeardDevice(
            address: address, name: device["Name"]?.string.flatMap(HeardDevice.printable), rssi: rssi,
            hasHeartRate: services.contains(BlueZName.heartRateService),
            measures: Set(SensorCharacteristic.allCases.filter { $0.isMeasurement && services.contains(BlueZName.service($0)) }),
            appearance: device["Appearance"]?.int.flatMap { UInt16(exactly: $0) },
            // A class of device comes from an inquiry; flags and an appearance come with low energy.
            isClassic: device["Class"] != nil && device["AdvertisingFlags"] == nil && device["Appearance"] == nil && kind == "public",
            batteryPercent: interfaces[BlueZName.battery]?["Percentage"]?.int)
    }
}
