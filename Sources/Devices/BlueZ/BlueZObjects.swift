import Sensing
import SystemBus

/// The objects of bluetoothd, as far as one sensor needs it: the adapters, the sensor, and what lies below it.
struct BlueZObjects: Equatable {
    typealias Properties = [String: BusValue]
    /// By interface.
    typealias Interfaces = [String: Properties]

    /// No sensor has so many; more are left out.
    private static let objectsMax = 512
    private static let wanted: Set = [BlueZName.adapter, BlueZName.device, BlueZName.battery, BlueZName.characteristic]

    private let address: String
    private var tree: [String: Interfaces] = [:]

    init(address: SensorAddress) { self.address = address.plain }

    /// Takes the answer to GetManagedObjects.
    mutating func replace(with objects: [String: Interfaces]) {
        tree = [:]
        // Parents first, so that it is known what lies below the sensor.
        for path in objects.keys.sorted() { add(path, objects[path] ?? [:]) }
    }

    mutating func add(_ path: String, _ interfaces: Interfaces) {
        let news = interfaces.filter { Self.wanted.contains($0.key) }
        guard !news.isEmpty, isOurs(path, news), tree[path] != nil || tree.count < Self.objectsMax else { return }
        tree[path, default: [:]].merge(news) { $1 }
    }

    mutating func remove(_ path: String, _ interfaces: [String]) {
        for interface in interfaces { tree[path]?[interface] = nil }
        if tree[path]?.isEmpty == true { tree[path] = nil }
    }

    /// Whether the change concerns this sensor.
    mutating func change(_ path: String, _ interface: String, _ changed: Properties) -> Bool {
        guard tree[path]?[interface] != nil else { return false }
        tree[path]?[interface]?.merge(changed) { $1 }
        return true
    }

    private func isOurs(_ path: String, _ interfaces: Interfaces) -> Bool {
        if interfaces[BlueZName.adapter] != nil { return true }
        if let device = interfaces[BlueZName.device] { return device["Address"]?.string == address }
        return tree.contains { $0.value[BlueZName.device] != nil && ($0.key == path || path.hasPrefix($0.key + "/")) }
    }

    // MARK: What is there

    struct Adapter: Equatable {
        var path: String
        var index: Int
        var isPowered: Bool
    }

    struct Device: Equatable {
        var path: String
        var isConnected: Bool
        var isResolved: Bool
        var isTrusted: Bool
        var isPaired: Bool
        /// UUIDs of its services, as far as bluetoothd knows them.
        var services: [String]
    }

    /// hci`index` when given; otherwise the one that has the sensor's link, or knows the sensor, or else one that is on, or else any.
    func adapter(_ index: Int?) -> Adapter? {
        let adapters = tree.compactMap { path, interfaces in
            interfaces[BlueZName.adapter].map { properties in
                Adapter(
                    path: path, index: path.split(separator: "/").last.flatMap { Int($0.drop { !$0.isNumber }) } ?? 0,
                    isPowered: properties["Powered"]?.bool ?? false)
            }
        }
        .sorted { $0.index < $1.index }
        if let index { return adapters.first { $0.index == index } }
        return adapters.first { $0.isPowered && device(on: $0.path)?.isConnected == true }
            ?? adapters.first { $0.isPowered && device(on: $0.path) != nil } ?? adapters.first(where: \.isPowered) ?? adapters.first
    }

    func device(on adapter: String) -> Device? {
        for (path, interfaces) in tree where path.hasPrefix(adapter + "/") {
            guard let properties = interfaces[BlueZName.device] else { continue }
            func flag(_ name: String) -> Bool { properties[name]?.bool ?? false }
            return Device(
                path: path, isConnected: flag("Connected"), isResolved: flag("ServicesResolved"), isTrusted: flag("Trusted"),
                isPaired: flag("Paired"),
                services: properties["UUIDs"]?.strings ?? [])
        }
        return nil
    }

    func characteristic(_ uuid: String, of device: String) -> String? {
        tree.first { path, interfaces in
            path.hasPrefix(device + "/") && interfaces[BlueZName.characteristic]?["UUID"]?.string == uuid
        }?.key
    }

    /// Which of them has that path.
    func sensorCharacteristic(at path: String) -> SensorCharacteristic? {
        guard let uuid = tree[path]?[BlueZName.characteristic]?["UUID"]?.string else { return nil }
        return SensorCharacteristic.allCases.first { BlueZName.characteristic($0) == uuid }
    }

    /// In percent, as bluetoothd reads it.
    func battery(of device: String) -> Int? { tree[device]?[BlueZName.battery]?["Percentage"]?.int }
}

extension BlueZObjects {
    /// The arguments of GetManagedObjects' answer.
    static func objects(_ arguments: [BusValue]) -> [String: Interfaces] {
        arguments.first?.dictionary?.mapValues(Self.interfaces) ?? [:]
    }

    static func interfaces(_ value: BusValue) -> Interfaces { value.dictionary?.mapValues { $0.dictionary ?? [:] } ?? [:] }
}
