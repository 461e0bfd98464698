internal import CSystemd

extension Bus {
    private static let daemon = "org.freedesktop.DBus"
    private static let limit: Int64 = 5000

    /// Calls `handler` for each signal that `rule` names (D-Bus Specification, "Match Rules"), until the result is released.
    ///
    /// Waits for the bus to know the rule: no signal sent after that is missed.
    public func subscribe(_ rule: String, handler: @escaping (BusMessage) -> Void) throws(BusError) -> BusRegistration {
        try BusRegistration(
            BusCallback { [weak self] message in
                do throws(BusError) { handler(try BusMessage(message)) } catch { self?.note(error) }
                return 0
            } install: { [handle] slot, entry, data in
                sd_bus_add_match(handle, slot, rule, entry, data)
            })
    }

    /// The unique name behind a well-known one; nil when nobody owns it.
    public func owner(of name: String) throws(BusError) -> String? {
        do throws(BusError) {
            let call = BusCall(Self.daemon, "/org/freedesktop/DBus", Self.daemon, "GetNameOwner", [.string(name)])
            return try self.call(call, limit: Self.limit).first?.string
        } catch {
            if error.isUnknownService { return nil }
            throw error
        }
    }

    /// Calls `handler` with the new owner (nil for none) at each change, until the result is released.
    public func watchOwner(of name: String, handler: @escaping (String?) -> Void) throws(BusError) -> BusRegistration {
        let rule =
            "type='signal',sender='\(Self.daemon)',interface='\(Self.daemon)',member='NameOwnerChanged',"
            + "path='/org/freedesktop/DBus',arg0='\(name)'"
        return try subscribe(rule) { signal in
            guard signal.arguments.count == 3, let owner = signal.arguments[2].string else { return }
            handler(owner.isEmpty ? nil : owner)
        }
    }

    /// Takes a well-known name. Throws when somebody else has it.
    public func requestName(_ name: String) throws(BusError) { try BusError.check(sd_bus_request_name(handle, name, 0)) }

    /// This connection's own name.
    public var uniqueName: String? {
        var name: UnsafePointer<CChar>?
        guard sd_bus_get_unique_name(handle, &name) >= 0 else { return nil }
        return name.map { String(cString: $0) }
    }
}
