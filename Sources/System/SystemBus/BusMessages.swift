internal import CSystemd

/// A method to call.
public struct BusCall: Hashable, Sendable {
    /// A well-known or a unique name.
    public var destination: String
    public var path: String
    public var interface: String
    public var member: String
    public var arguments: [BusValue]

    public init(_ destination: String, _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = []) {
        self.destination = destination
        self.path = path
        self.interface = interface
        self.member = member
        self.arguments = arguments
    }

    /// Reads a property (`org.freedesktop.DBus.Properties`).
    public static func get(_ destination: String, _ path: String, _ interface: String, _ property: String) -> BusCall {
        BusCall(destination, path, Self.properties, "Get", [.string(interface), .string(property)])
    }

    /// Writes a property.
    public static func set(
        _ destination: String, _ path: String, _ interface: String, _ property: String, to value: BusValue
    ) -> BusCall {
        BusCall(destination, path, Self.properties, "Set", [.string(interface), .string(property), .variant(value)])
    }

    private static let properties = "org.freedesktop.DBus.Properties"
}

/// A signal that arrived, or a method that somebody calls here.
public struct BusMessage: Hashable, Sendable {
    /// The unique name of who sent it.
    public var sender: String
    public var path: String
    public var interface: String
    public var member: String
    public var arguments: [BusValue]

    public init(sender: String = "", path: String, interface: String, member: String, arguments: [BusValue] = []) {
        self.sender = sender
        self.path = path
        self.interface = interface
        self.member = member
        self.arguments = arguments
    }

    init(_ message: OpaquePointer) throws(BusError) {
        func text(_ value: UnsafePointer<CChar>?) -> String { value.map { String(cString: $0) } ?? "" }
        sender = text(sd_bus_message_get_sender(message))
        path = text(sd_bus_message_get_path(message))
        interface = text(sd_bus_message_get_interface(message))
        member = text(sd_bus_message_get_member(message))
        arguments = try BusReader.arguments(of: message)
    }
}
