internal import CSystemd

/// Why a call or the bus failed: what the other side answered, or what happened on the way to it.
public struct BusError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Such as "org.bluez.Error.Failed"; errors of this machine are "System.Error.ENOENT" and the like.
    public var name: String
    /// For people; may be empty.
    public var message: String

    public init(name: String, message: String = "") {
        self.name = name
        self.message = message
    }

    public var description: String { message.isEmpty ? name : "\(message) (\(name))" }

    /// The name has no owner, or none that can be started.
    public var isUnknownService: Bool {
        name == SD_BUS_ERROR_SERVICE_UNKNOWN || name == SD_BUS_ERROR_NAME_HAS_NO_OWNER
    }
    /// The object, its interface, method or property is not there.
    public var isUnknownObject: Bool {
        [SD_BUS_ERROR_UNKNOWN_OBJECT, SD_BUS_ERROR_UNKNOWN_INTERFACE, SD_BUS_ERROR_UNKNOWN_METHOD, SD_BUS_ERROR_UNKNOWN_PROPERTY]
            .contains(name)
    }
    /// The other side did not answer within the limit, or is gone.
    public var isTimeout: Bool { [SD_BUS_ERROR_NO_REPLY, SD_BUS_ERROR_TIMEOUT, "System.Error.ETIMEDOUT"].contains(name) }
    /// The bus's policy, or polkit, forbids it.
    public var isAccessDenied: Bool {
        [SD_BUS_ERROR_ACCESS_DENIED, SD_BUS_ERROR_AUTH_FAILED, SD_BUS_ERROR_INTERACTIVE_AUTHORIZATION_REQUIRED, "System.Error.EACCES"]
            .contains(name)
    }

    /// Of a return value of sd-bus, which is the negative error number.
    init(result: Int32) {
        var error = sd_bus_error()
        sd_bus_error_set_errno(&error, result)
        self.init(error)
        sd_bus_error_free(&error)
    }

    /// An error of sd-bus, copied.
    init(_ error: sd_bus_error) {
        name = error.name.map { String(cString: $0) } ?? "System.Error.Unknown"
        message = error.message.map { String(cString: $0) } ?? ""
    }

    /// The error of a message of the type "error"; nil for any other.
    init?(message: OpaquePointer) {
        guard sd_bus_message_is_method_error(message, nil) > 0, let error = sd_bus_message_get_error(message) else { return nil }
        self.init(error.pointee)
    }

    /// Throws when `result` is negative.
    static func check(_ result: Int32) throws(BusError) {
        if result < 0 { throw BusError(result: result) }
    }
}
