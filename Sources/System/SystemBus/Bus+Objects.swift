internal import CSystemd
internal import Glibc

extension Bus {
    /// Answers calls of the object `path` until the result is released. `handler` returns the result's values, or nil for a method
    /// that it does not know; what it throws is the answer. Introspection is left to sd-bus.
    public func export(
        _ path: String, handler: @escaping (BusMessage) throws(BusError) -> [BusValue]?
    ) throws(BusError) -> BusRegistration {
        try BusRegistration(
            BusCallback { [weak self] message in
                do throws(BusError) {
                    guard let answer = try Self.answer(message, handler) else { return 0 }
                    try Self.reply(to: message, answer)
                } catch { self?.note(error) }
                return 1
            } install: { [handle] slot, entry, data in
                sd_bus_add_object(handle, slot, path, entry, data)
            })
    }

    /// Sends a signal.
    public func emit(_ path: String, _ interface: String, _ member: String, _ arguments: [BusValue]) throws(BusError) {
        var message: OpaquePointer?
        try BusError.check(sd_bus_message_new_signal(handle, &message, path, interface, member))
        defer { sd_bus_message_unref(message) }
        guard let message else { throw BusError(result: -ENOMEM) }
        try BusWriter(message: message).append(arguments)
        try BusError.check(sd_bus_send(handle, message, nil))
    }

    private enum Answer {
        case values([BusValue])
        case error(BusError)
    }

    private static func answer(
        _ message: OpaquePointer, _ handler: (BusMessage) throws(BusError) -> [BusValue]?
    ) throws(BusError) -> Answer? {
        let call = try BusMessage(message)
        do throws(BusError) { return try handler(call).map(Answer.values) } catch { return .error(error) }
    }

    private static func reply(to call: OpaquePointer, _ answer: Answer) throws(BusError) {
        var reply: OpaquePointer?
        switch answer {
        case .values: try BusError.check(sd_bus_message_new_method_return(call, &reply))
        case .error(let error):
            var failure = sd_bus_error()
            sd_bus_error_set(&failure, error.name, error.message)
            let result = sd_bus_message_new_method_error(call, &reply, &failure)
            sd_bus_error_free(&failure)
            try BusError.check(result)
        }
        defer { sd_bus_message_unref(reply) }
        guard let reply else { throw BusError(result: -ENOMEM) }
        if case .values(let values) = answer { try BusWriter(message: reply).append(values) }
        try BusError.check(sd_bus_send(nil, reply, nil))
    }
}
