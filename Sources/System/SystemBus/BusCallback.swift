internal import CSystemd

/// Something that sd-bus calls back: a reply, a signal, a call of an object. Ends when it is released.
final class BusCallback {
    private let body: (OpaquePointer) -> Int32
    private var slot: OpaquePointer?

    /// `install` gets the place for the slot, the function and its data, and returns sd-bus's result.
    init(
        _ body: @escaping (OpaquePointer) -> Int32,
        install: (UnsafeMutablePointer<OpaquePointer?>, sd_bus_message_handler_t, UnsafeMutableRawPointer) -> Int32
    ) throws(BusError) {
        self.body = body
        try BusError.check(install(&slot, Self.entry, Unmanaged.passUnretained(self).toOpaque()))
    }

    deinit { sd_bus_slot_unref(slot) }

    private static let entry: sd_bus_message_handler_t = { message, data, _ in
        guard let message, let data else { return 0 }
        return Unmanaged<BusCallback>.fromOpaque(data).takeUnretainedValue().body(message)
    }
}

/// A match rule or an object of this process, for as long as it is held.
public final class BusRegistration {
    private let callback: BusCallback
    init(_ callback: BusCallback) { self.callback = callback }
}
