import Foundation
import Sensing
import Vitals

/// Captures made byte by byte, independently of the decoder.
enum CaptureBuilding {
    static let discovery: [(isSent: Bool, pdu: [UInt8])] = [
        (true, [0x08, 0x01, 0x00, 0xFF, 0xFF, 0x03, 0x28]),
        // 0x2A37 at 0x0010, 0x2A38 at 0x0013, 0x2A39 at 0x0015
        (false, [0x09, 7, 0x0F, 0, 0x10, 0x10, 0, 0x37, 0x2A, 0x12, 0, 0x02, 0x13, 0, 0x38, 0x2A, 0x14, 0, 0x08, 0x15, 0, 0x39, 0x2A]),
        (true, [0x0A, 0x13, 0x00]), (false, [0x0B, 0x01]),
    ]

    static func notification(_ value: [UInt8], handle: UInt16 = 0x10) -> [UInt8] { [0x1B] + le16(handle) + value }

    static func l2cap(_ pdu: [UInt8], channel: UInt16 = 4) -> [UInt8] { le16(UInt16(pdu.count)) + le16(channel) + pdu }

    static func acl(_ payload: [UInt8], connection: UInt16 = 0x40, isStart: Bool = true) -> [UInt8] {
        le16(connection | (isStart ? 0x2000 : 0x1000)) + le16(UInt16(payload.count)) + payload
    }

    /// Connection complete for that handle, without the H4 byte.
    static func connected(_ connection: UInt16 = 0x40, address: UInt8 = 0xC4) -> [UInt8] {
        [0x3E, 19, 0x01, 0] + le16(connection) + [0, 1, 1, 2, 3, 4, 5, address, 24, 0, 0, 0, 42, 0, 0]
    }

    static func disconnected(_ connection: UInt16 = 0x40) -> [UInt8] { [0x05, 4, 0] + le16(connection) + [0x08] }

    /// 2026-01-01T00:00:00.5Z: half a second can be written in every resolution.
    static let start: Int64 = 1_767_225_600_500_000

    static func le16(_ value: UInt16) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8)] }
    static func le32(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> UInt32(8 * $0)) } }
    static func be32(_ value: UInt32) -> [UInt8] { le32(value).reversed() }

    /// A record of HCI traffic: `kind` as in H4 (1 command, 2 data, 4 event).
    struct Packet {
        var kind: UInt8
        var isSent: Bool
        var bytes: [UInt8]
        var microseconds: Int64
    }

    /// Discovery, then these values, a second apart.
    static func session(_ values: [[UInt8]], discovers: Bool = true, connects: Bool = true) -> [Packet] {
        var packets: [Packet] = []
        func add(_ kind: UInt8, _ isSent: Bool, _ bytes: [UInt8]) {
            packets.append(Packet(kind: kind, isSent: isSent, bytes: bytes, microseconds: start + Int64(packets.count) * 1_000_000))
        }
        if connects { add(4, false, connected()) }
        if discovers { for (isSent, pdu) in discovery { add(2, isSent, acl(l2cap(pdu))) } }
        for value in values { add(2, false, acl(l2cap(notification(value)))) }
        return packets
    }

    static func btsnoop(_ packets: [Packet], datalink: UInt32 = 1002) -> [UInt8] {
        var file = Array("btsnoop\0".utf8) + be32(1) + be32(datalink)
        for packet in packets {
            var flags: UInt32 = (packet.isSent ? 0 : 1) | (packet.kind == 2 ? 0 : 2)
            var bytes = [packet.kind] + packet.bytes
            if datalink != 1002 { bytes = packet.bytes }
            if datalink == 2001 { flags = packet.kind == 1 ? 2 : packet.kind == 4 ? 3 : packet.isSent ? 4 : 5 }
            let time = UInt64(packet.microseconds + 0x00DC_DDB3_0F2F_8000)
            file += be32(UInt32(bytes.count)) + be32(UInt32(bytes.count)) + be32(flags) + be32(0)
            file += be32(UInt32(time >> 32)) + be32(UInt32(truncatingIfNeeded: time)) + bytes
        }
        return file
    }

    static func payload(_ packet: Packet, linkType: UInt32) -> [UInt8] {
        let h4 = [packet.kind] + packet.bytes
        switch linkType {
        case 201: return be32(packet.isSent ? 0 : 1) + h4
        case 254:
            let opcode: UInt8 = packet.kind == 1 ? 2 : packet.kind == 4 ? 3 : packet.isSent ? 4 : 5
            return [0, 0, 0, opcode] + packet.bytes
        case 192: return [0, 0, 8, 0] + le32(187) + h4
        default: return h4
        }
    }

    static func pcap(_ packets: [Packet], linkType: UInt32, isBig: Bool = false, isNano: Bool = false) -> [UInt8] {
        let word = isBig ? be32 : le32
        var file = word(isNano ? 0xA1B2_3C4D : 0xA1B2_C3D4) + (isBig ? [0, 2, 0, 4] : [2, 0, 4, 0])
        file += word(0) + word(0) + word(65535) + word(linkType)
        for packet in packets {
            let bytes = payload(packet, linkType: linkType), fraction = packet.microseconds % 1_000_000
            file += word(UInt32(packet.microseconds / 1_000_000)) + word(UInt32(isNano ? fraction * 1000 : fraction))
            file += word(UInt32(bytes.count)) + word(UInt32(bytes.count)) + bytes
        }
        return file
    }

    /// `resolution`: the if_tsresol byte, nil for none (microseconds); 9 and 0x94 (2^-20) are what the tests use.
    static func pcapng(_ packets: [Packet], linkType: UInt32, isBig: Bool = false, resolution: UInt8? = nil) -> [UInt8] {
        let word = isBig ? be32 : le32
        func half(_ value: UInt16) -> [UInt8] { isBig ? le16(value).reversed() : le16(value) }
        func block(_ kind: UInt32, _ body: [UInt8]) -> [UInt8] {
            let padded = body + [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
            return word(kind) + word(UInt32(padded.count + 12)) + padded + word(UInt32(padded.count + 12))
        }
        var file = block(0x0A0D_0D0A, word(0x1A2B_3C4D) + half(1) + half(0) + word(.max) + word(.max))
        let options = resolution.map { half(9) + half(1) + [$0, 0, 0, 0] + half(0) + half(0) } ?? []
        file += block(1, half(UInt16(linkType)) + half(0) + word(0) + options)
        file += block(0x0BAD, [1, 2, 3, 4])
        for packet in packets {
            let bytes = payload(packet, linkType: linkType)
            let ticks: UInt64 =
                switch resolution {
                case 9: UInt64(packet.microseconds) * 1000
                case 0x94: UInt64(packet.microseconds / 500_000) << 19
                default: UInt64(packet.microseconds)
                }
            let head = word(0) + word(UInt32(ticks >> 32)) + word(UInt32(truncatingIfNeeded: ticks))
            file += block(6, head + word(UInt32(bytes.count)) + word(UInt32(bytes.count)) + bytes)
        }
        return file
    }

    /// A link-layer data packet in link type 256 or 251, with a checksum that nobody checks.
    static func linkLayer(_ payload: [UInt8], llid: UInt8, sequence: UInt8, isCentral: Bool, withHeader: Bool = true) -> [UInt8] {
        let pdu = le32(0x5065_1234) + [llid | sequence << 3, UInt8(payload.count)] + payload + [1, 2, 3]
        guard withHeader else { return pdu }
        // Dewhitened, checksum checked and right, direction.
        let flags: UInt16 = 0x0C01 | (isCentral ? 2 : 3) << 7
        return [5, 0xC4, 0, 0] + le32(0) + le16(flags) + pdu
    }
}

/// Runs a whole file through the reader, in chunks of that size.
func read(
    _ file: [UInt8], _ options: BluetoothCaptureReader.Options = .init(), chunk: Int = .max
) throws(RecordingRefused) -> (events: [CaptureEvent], reader: BluetoothCaptureReader) {
    var reader = BluetoothCaptureReader(options: options)
    var events: [CaptureEvent] = []
    var position = 0
    while position < file.count {
        let end = chunk >= file.count - position ? file.count : position + chunk
        try reader.feed(Array(file[position..<end])) { events.append($0) }
        position = end
    }
    try reader.finish { events.append($0) }
    return (events, reader)
}

func rates(_ events: [CaptureEvent]) -> [UInt16] {
    events.compactMap { if case .measurement(let sample) = $0.event { sample.beatsPerMinute } else { nil } }
}

/// The directory with the captures of the rig and of others: tests of it are skipped where it is not given.
let captures = ProcessInfo.processInfo.environment["TRACKME_CAPTURES"].map { URL(fileURLWithPath: $0) }

func contents(_ url: URL) throws -> [UInt8] { [UInt8](try Data(contentsOf: url)) }
