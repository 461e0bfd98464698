import Sensing
import SystemBus

/// The calls of org.freedesktop.Notifications.
struct DesktopServer {
    static let name = "org.freedesktop.Notifications"
    static let path = "/org/freedesktop/Notifications"
    private static let limit: Int64 = 5000

    let bus: Bus

    /// Asks the bus to start a server, where one is installed for that. Throws when none is.
    func startOne() throws(BusError) {
        let daemon = "org.freedesktop.DBus"
        let call = BusCall(daemon, "/org/freedesktop/DBus", daemon, "StartServiceByName", [.string(Self.name), .uint32(0)])
        try bus.call(call, limit: Self.limit)
    }

    /// The server's name and abilities.
    func abilities() throws(BusError) -> (name: String, capabilities: Set<String>) {
        let information = try call("GetServerInformation", [])
        return (information.first?.string ?? "", Set(try call("GetCapabilities", []).first?.strings ?? []))
    }

    /// Returns the server's number for it.
    func notify(_ notice: DesktopNotice, replacing id: UInt32, capabilities: Set<String>) throws(BusError) -> UInt32 {
        let body = capabilities.contains("body-markup") ? Self.escaped(notice.body) : notice.body
        let buttons = capabilities.contains("actions") ? notice.actions.flatMap { [$0.key, $0.label] } : []
        // Milliseconds; 0 for never, -1 as the server likes.
        let expiry: Int32 = notice.urgency == .critical ? 0 : -1
        let answer = try call(
            "Notify",
            [
                .string("TrackMe"), .uint32(id), .string(""), .string(notice.title), .string(body), .strings(buttons),
                .properties(["urgency": .byte(notice.urgency.rawValue)]), .int32(expiry),
            ])
        guard let number = answer.first?.int.flatMap({ UInt32(exactly: $0) }), number != 0 else {
            throw BusError(name: "System.Error.EBADMSG", message: "The notification server answered without a number")
        }
        return number
    }

    func close(_ id: UInt32) throws(BusError) { _ = try call("CloseNotification", [.uint32(id)]) }

    private func call(_ member: String, _ arguments: [BusValue]) throws(BusError) -> [BusValue] {
        try bus.call(BusCall(Self.name, Self.path, Self.name, member, arguments), limit: Self.limit)
    }

    private static func escaped(_ text: String) -> String {
        text.map { character in
            switch character {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            default: String(character)
            }
        }.joined()
    }
}
