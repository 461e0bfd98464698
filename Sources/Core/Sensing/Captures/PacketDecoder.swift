import Vitals

/// Takes one captured packet apart down to ATT: HCI here, the link layer in its extension.
/// Names in brackets are those of Core 5.3, Vol 4 Part E.
struct PacketDecoder: Sendable {
    /// When and where a packet was.
    struct Place {
        var time: Milliseconds
        var endOffset: Int64
    }

    enum Direction { case sent, received, unknown }

    var follower: ATTFollower
    var links = LinkTable()

    init(options: BluetoothCaptureReader.Options) {
        follower = ATTFollower(options: options)
    }

    mutating func decode(_ bytes: RawSpan, _ record: CaptureRecord, endOffset: Int64, emit: (CaptureEvent) -> Void) {
        follower.report.packets += 1
        guard !record.isCut else { return follower.report.skip(.cutByRecorder) }
        // Rounded down, so that the order stays.
        let (whole, rest) = record.microseconds.quotientAndRemainder(dividingBy: 1000)
        let time = rest < 0 ? whole - 1 : whole
        let place = Place(time: time, endOffset: endOffset)
        follower.checkClock(time)
        decode(bytes.extracting(record.data), as: record.link, flags: record.flags, place, emit)
    }

    private mutating func decode(
        _ packet: RawSpan, as link: CaptureLink, flags: UInt32, _ place: Place, _ emit: (CaptureEvent) -> Void
    ) {
        switch link {
        case .h4(let hasDirection):
            h4(packet, hasDirection ? (flags & 1 == 0 ? .sent : .received) : .unknown, place, emit)
        case .h4WithHeader:
            guard packet.byteCount >= 5 else { return follower.report.skip(.malformedPacket) }
            let direction = packet.bigEndian32(at: 0)
            h4(packet.extracting(4..<packet.byteCount), direction & 1 == 0 ? .sent : .received, place, emit)
        case .h1: h1(packet, flags: flags, place, emit)
        case .monitor:
            monitor(packet, opcode: UInt16(truncatingIfNeeded: flags), adapter: UInt16(truncatingIfNeeded: flags >> 16), place, emit)
        case .monitorWithHeader:
            guard packet.byteCount >= 4 else { return follower.report.skip(.malformedPacket) }
            monitor(
                packet.extracting(4..<packet.byteCount), opcode: packet.bigEndian16(at: 2), adapter: packet.bigEndian16(at: 0), place, emit)
        case .linkLayer: linkLayer(packet, LinkLayerNotes(), place, emit)
        case .linkLayerWithHeader: linkLayerWithHeader(packet, place, emit)
        case .nordic: nordic(packet, place, emit)
        case .perPacketInformation:
            // PPI: version, flags, length and the real link type, little endian. Ubertooth writes 147 (user 0) for the link layer.
            guard packet.byteCount >= 8 else { return follower.report.skip(.malformedPacket) }
            let length = Int(packet.littleEndian16(at: 2)), inner = packet.littleEndian32(at: 4)
            guard length >= 8, length <= packet.byteCount else { return follower.report.skip(.malformedPacket) }
            let rest = packet.extracting(length..<packet.byteCount)
            switch inner {
            case 147, 251: linkLayer(rest, LinkLayerNotes(), place, emit)
            case 256: linkLayerWithHeader(rest, place, emit)
            case 187: h4(rest, .unknown, place, emit)
            default: follower.report.skip(.foreignInterface)
            }
        }
    }

    private mutating func h4(_ packet: RawSpan, _ direction: Direction, _ place: Place, _ emit: (CaptureEvent) -> Void) {
        guard packet.byteCount >= 1 else { return follower.report.skip(.malformedPacket) }
        let rest = packet.extracting(1..<packet.byteCount)
        switch packet.byte(at: 0) {
        case 1: command(rest, adapter: 0, place, emit)
        case 2: acl(rest, direction, adapter: 0, place, emit)
        case 4: event(rest, adapter: 0, place, emit)
        case 3, 5: follower.report.skip(.otherHCI)
        default: follower.report.skip(.malformedPacket)
        }
    }

    /// btsnoop 1001: bit 0 of the flags is the direction, bit 1 tells commands and events from data.
    private mutating func h1(_ packet: RawSpan, flags: UInt32, _ place: Place, _ emit: (CaptureEvent) -> Void) {
        switch flags & 3 {
        case 0: acl(packet, .sent, adapter: 0, place, emit)
        case 1: acl(packet, .received, adapter: 0, place, emit)
        case 2: command(packet, adapter: 0, place, emit)
        default: event(packet, adapter: 0, place, emit)
        }
    }

    /// Opcodes of the Linux monitor (linux `hci_mon.h`).
    private mutating func monitor(
        _ packet: RawSpan, opcode: UInt16, adapter: UInt16, _ place: Place, _ emit: (CaptureEvent) -> Void
    ) {
        switch opcode {
        case 2: command(packet, adapter: adapter, place, emit)
        case 3: event(packet, adapter: adapter, place, emit)
        case 4: acl(packet, .sent, adapter: adapter, place, emit)
        case 5: acl(packet, .received, adapter: adapter, place, emit)
        // The adapter was removed or closed.
        case 1, 9: suspendAll(of: adapter, because: "the adapter was switched off", place, emit)
        default: follower.report.skip(.otherHCI)
        }
    }

    private mutating func command(_ packet: RawSpan, adapter: UInt16, _ place: Place, _ emit: (CaptureEvent) -> Void) {
        follower.report.skip(.otherHCI)
        // [HCI_Reset] ends every link without an event.
        guard packet.byteCount >= 3, packet.littleEndian16(at: 0) == 0x0C03 else { return }
        suspendAll(of: adapter, because: "the adapter was reset", place, emit)
    }

    private mutating func event(_ packet: RawSpan, adapter: UInt16, _ place: Place, _ emit: (CaptureEvent) -> Void) {
        guard packet.byteCount >= 2, Int(packet.byte(at: 1)) == packet.byteCount - 2 else {
            return follower.report.skip(.malformedPacket)
        }
        follower.report.skip(.otherHCI)
        switch (packet.byte(at: 0), packet.byteCount) {
        case (0x05, 6...):
            // [HCI_Disconnection_Complete]: status, handle, reason
            guard packet.byte(at: 2) == 0 else { return }
            let key = LinkTable.key(adapter: adapter, handle: packet.littleEndian16(at: 3))
            close(key, because: Self.reason(packet.byte(at: 5)), place, emit)
        case (0x03, 11...):
            // [HCI_Connection_Complete] of BR/EDR: only the handle is taken over.
            guard packet.byte(at: 2) == 0 else { return }
            open(LinkTable.key(adapter: adapter, handle: packet.littleEndian16(at: 3)), address: nil, place, emit)
        case (0x3E, 14...):
            // [HCI_LE_Connection_Complete], enhanced, enhanced v2: status, handle, role, address type, address
            guard [0x01, 0x0A, 0x29].contains(packet.byte(at: 2)), packet.byte(at: 3) == 0 else { return }
            let address = Self.address(packet, at: 8) | UInt64(packet.byte(at: 7) & 1) << 48
            open(LinkTable.key(adapter: adapter, handle: packet.littleEndian16(at: 4)), address: address, place, emit)
        default: break
        }
    }

    static func address(_ bytes: RawSpan, at offset: Int) -> UInt64 {
        UInt64(bytes.littleEndian32(at: offset)) | UInt64(bytes.littleEndian16(at: offset + 4)) << 32
    }

    /// The usual reasons of Core 5.3, Vol 1 Part F.
    static func reason(_ code: UInt8) -> String {
        switch code {
        case 0x08: "out of range or switched off (supervision timeout)"
        case 0x13: "the sensor hung up"
        case 0x16: "the recording side hung up"
        case 0x3E: "the connection could not be established"
        default: "reason 0x" + String(code, radix: 16)
        }
    }

    private mutating func acl(
        _ packet: RawSpan, _ direction: Direction, adapter: UInt16, _ place: Place, _ emit: (CaptureEvent) -> Void
    ) {
        guard packet.byteCount >= 4, Int(packet.littleEndian16(at: 2)) == packet.byteCount - 4 else {
            return follower.report.skip(.malformedPacket)
        }
        let head = packet.littleEndian16(at: 0), boundary = head >> 12 & 3
        let index = link(LinkTable.key(adapter: adapter, handle: head & 0x0FFF))
        // 0 and 2 begin a packet, 1 goes on, 3 is a complete one.
        reassemble(
            packet.extracting(4..<packet.byteCount), starts: boundary != 1, link: index, direction, place, emit)
    }
}
