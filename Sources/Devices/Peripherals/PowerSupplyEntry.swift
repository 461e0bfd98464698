/// One entry of /sys/class/power_supply (Linux, Documentation/ABI/testing/sysfs-class-power).
struct PowerSupply: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        /// Feeds the box from outside: Mains, USB in all its kinds, Wireless.
        case line
        case battery
    }

    enum Status: String, Hashable, Sendable {
        case charging = "Charging"
        case discharging = "Discharging"
        case notCharging = "Not charging"
        case full = "Full"
        case unknown = "Unknown"
    }

    var name: String
    /// nil for a type that this program does not know.
    var kind: Kind?
    /// False for what reports its battery to the box: a mouse, a headset, a strap. Never the box's own power.
    var belongsToBox = true
    var isPresent = true
    /// Of a line: whether it feeds.
    var online: Bool?
    var status: Status?
    /// 0 to 100.
    var percent: Int?

    /// Reads the values of the entry. Those that make no sense are left out and named, as "ATTRIBUTE (TEXT)", in `damaged`.
    /// - Parameter attribute: the text of an attribute without its newline; nil where there is none.
    init(name: String, damaged: inout [String], attribute: (String) -> String?) {
        func take<Value>(_ key: String, _ meaning: (String) -> Value?) -> Value? {
            guard let text = attribute(key) else { return nil }
            if let value = meaning(text) { return value }
            damaged.append("\(name)/\(key) (\(text.prefix(20)))")
            return nil
        }
        self.name = name
        switch attribute("type") {
        case "Mains"?, "Wireless"?: kind = .line
        case let type? where type.hasPrefix("USB") || type == "BrickID": kind = .line
        case "Battery"?, "UPS"?: kind = .battery
        case "Unknown"?: break
        case let type: damaged.append("\(name)/type (\(type?.prefix(20) ?? "missing"))")
        }
        belongsToBox = attribute("scope") != "Device"
        // 2 of an online line: programmable.
        if kind == .line { online = take("online") { ["0": false, "1": true, "2": true][$0] } }
        guard kind == .battery else { return }
        isPresent = take("present") { ["0": false, "1": true][$0] } ?? true
        status = take("status", Status.init)
        percent = take("capacity") { Int($0).flatMap { (0...100).contains($0) ? $0 : nil } }
        if percent == nil { percent = Self.share(attribute) }
    }

    /// From the gauge's own numbers, for drivers without a capacity.
    private static func share(_ attribute: (String) -> String?) -> Int? {
        for quantity in ["energy", "charge"] {
            let now = attribute("\(quantity)_now").flatMap(Int.init), full = attribute("\(quantity)_full").flatMap(Int.init)
            if let now, let full, full > 0, (0...full).contains(now) { return Int(100 * Double(now) / Double(full)) }
        }
        return nil
    }
}
