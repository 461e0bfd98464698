internal import CSystemd

/// Appends arguments to a message.
struct BusWriter {
    let message: OpaquePointer

    func append(_ values: some Sequence<BusValue>) throws(BusError) {
        for value in values { try append(value) }
    }

    private func append(_ value: BusValue) throws(BusError) {
        switch value {
        case .byte(let value): try basic("y", value)
        case .bool(let value): try basic("b", Int32(value ? 1 : 0))
        case .int16(let value): try basic("n", value)
        case .uint16(let value): try basic("q", value)
        case .int32(let value): try basic("i", value)
        case .uint32(let value): try basic("u", value)
        case .int64(let value): try basic("x", value)
        case .uint64(let value): try basic("t", value)
        case .double(let value): try basic("d", value)
        case .string(let value): try text("s", value)
        case .objectPath(let value): try text("o", value)
        case .signature(let value): try text("g", value)
        case .descriptor(let value): try basic("h", value.number)
        case .bytes(let value): try BusError.check(sd_bus_message_append_array(message, letter("y"), value, value.count))
        case .array(let values, let element): try inside("a", element, values)
        case .structure(let fields): try inside("r", fields.map(\.typeSignature).joined(), fields)
        case .variant(let inner): try inside("v", inner.typeSignature, [inner])
        case .dictionary(let pairs, let key, let value):
            try BusError.check(sd_bus_message_open_container(message, letter("a"), "{\(key)\(value)}"))
            for pair in pairs { try inside("e", key + value, [pair.key, pair.value]) }
            try BusError.check(sd_bus_message_close_container(message))
        }
    }

    private func inside(_ type: Unicode.Scalar, _ contents: String, _ values: [BusValue]) throws(BusError) {
        try BusError.check(sd_bus_message_open_container(message, letter(type), contents))
        try append(values)
        try BusError.check(sd_bus_message_close_container(message))
    }

    private func basic(_ type: Unicode.Scalar, _ value: some BitwiseCopyable) throws(BusError) {
        var value = value
        try BusError.check(sd_bus_message_append_basic(message, letter(type), &value))
    }

    private func text(_ type: Unicode.Scalar, _ value: String) throws(BusError) {
        try BusError.check(value.withCString { sd_bus_message_append_basic(message, letter(type), $0) })
    }

    private func letter(_ type: Unicode.Scalar) -> CChar { CChar(truncatingIfNeeded: type.value) }
}
