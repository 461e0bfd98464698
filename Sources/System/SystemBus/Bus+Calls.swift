internal import CSystemd
internal import Glibc

extension Bus {
    /// Calls a method and waits for its answer, at most `limit` milliseconds. Nothing else is handled meanwhile; signals are kept.
    ///
    /// A service that is not running is not started.
    @discardableResult
    public func call(_ call: BusCall, limit: Int64) throws(BusError) -> [BusValue] {
        let message = try message(call)
        defer { sd_bus_message_unref(message) }
        var error = sd_bus_error()
        defer { sd_bus_error_free(&error) }
        var reply: OpaquePointer?
        guard sd_bus_call(handle, message, Self.microseconds(limit), &error, &reply) >= 0, let reply else { throw BusError(error) }
        defer { sd_bus_message_unref(reply) }
        return try BusReader.arguments(of: reply)
    }

    /// Calls a method; `reply` is called exactly once, by ``process()``, unless the bus is released before.
    public func send(_ call: BusCall, limit: Int64, reply: @escaping (Result<[BusValue], BusError>) -> Void) throws(BusError) {
        guard pending.count < Self.pendingMax else {
            throw BusError(name: "System.Error.ENOBUFS", message: "\(Self.pendingMax) calls wait for their answer")
        }
        let message = try message(call)
        defer { sd_bus_message_unref(message) }
        lastPending += 1
        let key = lastPending
        pending[key] = try BusCallback { [weak self] answer in
            self?.pending[key] = nil
            reply(Self.result(answer))
            return 1
        } install: { [handle] slot, entry, data in
            sd_bus_call_async(handle, slot, message, entry, data, Self.microseconds(limit))
        }
    }

    private static func result(_ answer: OpaquePointer) -> Result<[BusValue], BusError> {
        if let error = BusError(message: answer) { return .failure(error) }
        do throws(BusError) { return .success(try BusReader.arguments(of: answer)) } catch { return .failure(error) }
    }

    private func message(_ call: BusCall) throws(BusError) -> OpaquePointer {
        var message: OpaquePointer?
        try BusError.check(
            sd_bus_message_new_method_call(handle, &message, call.destination, call.path, call.interface, call.member))
        guard let message else { throw BusError(result: -ENOMEM) }
        do throws(BusError) {
            try BusError.check(sd_bus_message_set_auto_start(message, 0))
            try BusWriter(message: message).append(call.arguments)
        } catch {
            sd_bus_message_unref(message)
            throw error
        }
        return message
    }

    /// 0 would mean sd-bus's own limit of 25 s.
    private static func microseconds(_ limit: Int64) -> UInt64 { UInt64(clamping: max(1, limit)) * 1000 }
}
