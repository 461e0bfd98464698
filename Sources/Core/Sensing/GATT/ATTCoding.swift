extension ATT.PDU {
    /// Decodes one whole PDU as L2CAP delivered it.
    /// - Throws: ``ATT/Malformed`` for an empty one or a length that the opcode does not allow.
    public init(_ bytes: some Collection<UInt8>) throws(ATT.Malformed) {
        guard let first = bytes.first else { throw ATT.Malformed(opcode: nil, reason: "empty") }
        let opcode = ATT.Opcode(rawValue: first)
        var fields = Fields(opcode: opcode, rest: Array(bytes.dropFirst()))
        switch opcode {
        case .errorResponse:
            let request = ATT.Opcode(rawValue: try fields.byte()), handle = try fields.word()
            self = .error(request: request, handle: handle, code: ATT.ErrorCode(rawValue: try fields.byte()))
        case .exchangeMTURequest: self = .exchangeMTURequest(mtu: try fields.word())
        case .exchangeMTUResponse: self = .exchangeMTUResponse(mtu: try fields.word())
        case .findInformationRequest: self = .findInformationRequest(start: try fields.word(), end: try fields.word())
        case .findInformationResponse: self = .findInformationResponse(try fields.information())
        case .findByTypeValueRequest:
            let start = try fields.word(), end = try fields.word(), type = try fields.word()
            self = .findByTypeValueRequest(start: start, end: end, type: type, value: fields.remainder())
        case .findByTypeValueResponse: self = .findByTypeValueResponse(try fields.handleRanges())
        case .readByTypeRequest:
            self = .readByTypeRequest(start: try fields.word(), end: try fields.word(), type: try fields.uuid())
        case .readByTypeResponse: self = .readByTypeResponse(try fields.attributes(grouped: false))
        case .readByGroupTypeRequest:
            self = .readByGroupTypeRequest(start: try fields.word(), end: try fields.word(), type: try fields.uuid())
        case .readByGroupTypeResponse: self = .readByGroupTypeResponse(try fields.attributes(grouped: true))
        case .readRequest: self = .readRequest(handle: try fields.word())
        case .readResponse: self = .readResponse(value: fields.remainder())
        case .writeRequest: self = .writeRequest(handle: try fields.word(), value: fields.remainder())
        case .writeResponse: self = .writeResponse
        case .writeCommand: self = .writeCommand(handle: try fields.word(), value: fields.remainder())
        case .notification: self = .notification(handle: try fields.word(), value: fields.remainder())
        case .indication: self = .indication(handle: try fields.word(), value: fields.remainder())
        case .confirmation: self = .confirmation
        default:
            self = .other(opcode: opcode)
            return
        }
        try fields.end()
    }

    /// The bytes to send. ``other(opcode:)`` gives its opcode alone.
    public var encoded: [UInt8] {
        switch self {
        case .error(let request, let handle, let code):
            [0x01, request.rawValue] + Self.word(handle) + [code.rawValue]
        case .exchangeMTURequest(let mtu): [0x02] + Self.word(mtu)
        case .exchangeMTUResponse(let mtu): [0x03] + Self.word(mtu)
        case .findInformationRequest(let start, let end): [0x04] + Self.word(start) + Self.word(end)
        case .findInformationResponse(let pairs):
            // One format for all pairs: 16-bit only where every type has such a form.
            if pairs.allSatisfy({ $0.type.short != nil }) {
                [0x05, 0x01] + pairs.flatMap { Self.word($0.handle) + $0.type.littleEndianBytes }
            } else {
                [0x05, 0x02] + pairs.flatMap { Self.word($0.handle) + $0.type.fullLittleEndianBytes }
            }
        case .findByTypeValueRequest(let start, let end, let type, let value):
            [0x06] + Self.word(start) + Self.word(end) + Self.word(type) + value
        case .findByTypeValueResponse(let ranges): [0x07] + ranges.flatMap { Self.word($0.start) + Self.word($0.end) }
        case .readByTypeRequest(let start, let end, let type):
            [0x08] + Self.word(start) + Self.word(end) + type.littleEndianBytes
        case .readByTypeResponse(let attributes): [0x09] + Self.list(attributes)
        case .readRequest(let handle): [0x0A] + Self.word(handle)
        case .readResponse(let value): [0x0B] + value
        case .readByGroupTypeRequest(let start, let end, let type):
            [0x10] + Self.word(start) + Self.word(end) + type.littleEndianBytes
        case .readByGroupTypeResponse(let attributes): [0x11] + Self.list(attributes)
        case .writeRequest(let handle, let value): [0x12] + Self.word(handle) + value
        case .writeResponse: [0x13]
        case .notification(let handle, let value): [0x1B] + Self.word(handle) + value
        case .indication(let handle, let value): [0x1D] + Self.word(handle) + value
        case .confirmation: [0x1E]
        case .writeCommand(let handle, let value): [0x52] + Self.word(handle) + value
        case .other(let opcode): [opcode.rawValue]
        }
    }

    private static func word(_ value: UInt16) -> [UInt8] {
        [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
    }

    /// The length byte and the attributes. All have the first one's length; one of another length would need a PDU of its own.
    private static func list(_ attributes: [ATT.Attribute]) -> [UInt8] {
        let items = attributes.map { word($0.handle) + ($0.end.map(word) ?? []) + $0.value }
        let size = items.first?.count ?? 0
        return [UInt8(truncatingIfNeeded: size)] + items.filter { $0.count == size }.flatMap { $0 }
    }
}

/// Reads a PDU's parameters from front to back.
private struct Fields {
    let opcode: ATT.Opcode
    var rest: [UInt8]
    var position = 0

    init(opcode: ATT.Opcode, rest: [UInt8]) {
        self.opcode = opcode
        self.rest = rest
    }

    private var left: Int { rest.count - position }
    private func malformed(_ reason: String) -> ATT.Malformed { ATT.Malformed(opcode: opcode, reason: reason) }

    mutating func byte() throws(ATT.Malformed) -> UInt8 {
        guard left >= 1 else { throw malformed("cut short") }
        defer { position += 1 }
        return rest[position]
    }

    mutating func word() throws(ATT.Malformed) -> UInt16 {
        guard left >= 2 else { throw malformed("cut short") }
        defer { position += 2 }
        return UInt16(rest[position]) | UInt16(rest[position + 1]) << 8
    }

    /// A UUID that fills the rest.
    mutating func uuid() throws(ATT.Malformed) -> ATT.UUID {
        guard let uuid = ATT.UUID(littleEndian: remainder()) else { throw malformed("UUID of neither 2 nor 16 bytes") }
        return uuid
    }

    mutating func remainder() -> [UInt8] {
        defer { position = rest.count }
        return Array(rest[position...])
    }

    func end() throws(ATT.Malformed) {
        guard left == 0 else { throw malformed("\(left) bytes too many") }
    }

    mutating func information() throws(ATT.Malformed) -> [ATT.Information] {
        let format = try byte()
        guard format == 1 || format == 2 else { throw malformed("format \(format)") }
        let size = format == 1 ? 4 : 18
        var pairs: [ATT.Information] = []
        while left > 0 {
            guard left >= size, let type = ATT.UUID(littleEndian: rest[(position + 2)..<(position + size)]) else {
                throw malformed("cut short")
            }
            pairs.append(ATT.Information(handle: try word(), type: type))
            position += size - 2
        }
        return pairs
    }

    mutating func handleRanges() throws(ATT.Malformed) -> [ATT.HandleRange] {
        var ranges: [ATT.HandleRange] = []
        while left > 0 { ranges.append(ATT.HandleRange(start: try word(), end: try word())) }
        return ranges
    }

    mutating func attributes(grouped: Bool) throws(ATT.Malformed) -> [ATT.Attribute] {
        let size = Int(try byte()), header = grouped ? 4 : 2
        guard size >= header else { throw malformed("attributes of \(size) bytes") }
        var attributes: [ATT.Attribute] = []
        while left > 0 {
            guard left >= size else { throw malformed("cut short") }
            let handle = try word(), end = grouped ? try word() : nil
            attributes.append(ATT.Attribute(handle: handle, end: end, value: Array(rest[position..<(position + size - header)])))
            position += size - header
        }
        return attributes
    }
}
