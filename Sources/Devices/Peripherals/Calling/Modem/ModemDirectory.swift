import SystemBus

/// The modems of ModemManager: they come, change and go.
struct ModemDirectory {
    /// More than any box has; others are left out.
    static let modemsMax = 16
    private var objects: [String: [String: [String: BusValue]]] = [:]
    /// Those with a good signal first.
    var modems: [ModemStatus] {
        objects.compactMap { ModemStatus(path: $0.key, interfaces: $0.value) }.sorted { ($1.signal, $0.path) < ($0.signal, $1.path) }
    }

    /// All objects, as `GetManagedObjects` answers.
    mutating func reset(_ answer: [BusValue]) {
        objects = [:]
        for (path, interfaces) in answer.first?.dictionary ?? [:] { add(path, interfaces) }
    }

    mutating func clear() { objects = [:] }

    /// Takes in a signal of the object manager or of properties. True when that can have changed something.
    mutating func handle(_ signal: BusMessage) -> Bool {
        let arguments = signal.arguments
        switch (signal.interface, signal.member) {
        case ("org.freedesktop.DBus.ObjectManager", "InterfacesAdded"):
            guard arguments.count == 2, let path = arguments[0].string else { return false }
            add(path, arguments[1])
        case ("org.freedesktop.DBus.ObjectManager", "InterfacesRemoved"):
            guard arguments.count == 2, let path = arguments[0].string else { return false }
            for name in arguments[1].strings ?? [] { objects[path]?[name] = nil }
            guard objects[path]?[ModemCodes.modem] == nil else { return true }
            objects[path] = nil
        case ("org.freedesktop.DBus.Properties", "PropertiesChanged"):
            guard arguments.count == 3, let name = arguments[0].string, let changes = arguments[1].dictionary,
                objects[signal.path]?[name] != nil
            else { return false }
            objects[signal.path]?[name]?.merge(changes) { _, new in new }
        default: return false
        }
        return true
    }

    private mutating func add(_ path: String, _ interfaces: BusValue) {
        guard objects[path] != nil || objects.count < Self.modemsMax else { return }
        for (name, properties) in interfaces.dictionary ?? [:] { objects[path, default: [:]][name] = properties.dictionary ?? [:] }
    }
}
