/// Which message bus to talk to (D-Bus Specification, "Message Bus").
public enum BusAddress: Hashable, Sendable {
    /// Of the machine, or what `DBUS_SYSTEM_BUS_ADDRESS` names.
    case system
    /// Of the user who is logged in.
    case session
    /// Such as "unix:path=/run/user/1000/bus".
    case address(String)
}
