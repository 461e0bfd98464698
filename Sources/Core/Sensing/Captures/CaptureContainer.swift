/// One record of a capture file: where its bytes lie and what the container says about them.
struct CaptureRecord {
    /// Microseconds since 1970-01-01T00:00:00Z, as recorded.
    var microseconds: Int64
    var link: CaptureLink
    /// Where the packet lies in the bytes that were parsed.
    var data: Range<Int>
    /// The recorder kept only a part of the packet.
    var isCut: Bool
    /// Of btsnoop: direction and kind (H1), direction (H4) or adapter and opcode (monitor).
    var flags: UInt32 = 0
}

/// How the bytes of a record are to be read (btsnoop datalinks, and link types of tcpdump.org).
enum CaptureLink: Hashable {
    case h1
    /// `hasDirection`: from the flags of btsnoop.
    case h4(hasDirection: Bool)
    /// Four big-endian bytes of direction, then H4 (201).
    case h4WithHeader
    /// Opcode and adapter in the flags (btsnoop 2001).
    case monitor
    /// Adapter and opcode in four big-endian bytes (254).
    case monitorWithHeader
    case linkLayer
    case linkLayerWithHeader
    case nordic
    case perPacketInformation

    static func btsnoop(datalink: UInt32) -> CaptureLink? {
        switch datalink {
        case 1001: .h1
        case 1002: .h4(hasDirection: true)
        case 2001: .monitor
        default: nil
        }
    }

    static func pcap(linkType: UInt32) -> CaptureLink? {
        switch linkType {
        case 187: .h4(hasDirection: false)
        case 201: .h4WithHeader
        case 254: .monitorWithHeader
        case 251: .linkLayer
        case 256: .linkLayerWithHeader
        case 272: .nordic
        case 192: .perPacketInformation
        default: nil
        }
    }

    static let supported = "187, 201 (HCI H4), 254 (Linux monitor), 251, 256 (LE link layer), 272 (Nordic sniffer) and 192 (PPI)"
}

/// The container's reading of the bytes at its position.
enum CaptureStep {
    /// The record is not complete yet.
    case needsMore
    /// `next`: where the following one begins.
    case record(CaptureRecord, next: Int)
    /// Read, without a packet in it (headers, interface descriptions, statistics).
    case structure(next: Int)
    case skipped(CaptureSkip, next: Int)
    /// The length of the record cannot be: where the next one begins is unknown.
    case unreadable(String)
    case refused(RecordingRefused)
}

/// Packets above this are no Bluetooth packets, but a damaged length (an HCI ACL packet has at most 65,535 + 9 bytes).
let capturedBytesMax = 262_144

/// btsnoop (RFC 1761 with Bluetooth datalinks). Everything is big endian.
struct BtsnoopContainer {
    private var link: CaptureLink?
    /// Microseconds of 1970-01-01 on the file's axis, which begins in the year 0 (0x00E03AB44A676000 is 2000-01-01).
    private static let epoch: Int64 = 0x00E0_3AB4_4A67_6000 - 946_684_800_000_000

    private(set) var name = "btsnoop"

    mutating func step(_ bytes: RawSpan, at position: Int) -> CaptureStep {
        let left = bytes.byteCount - position
        guard let link else { return header(bytes, at: position, left: left) }
        guard left >= 24 else { return .needsMore }
        let original = Int(bytes.bigEndian32(at: position)), included = Int(bytes.bigEndian32(at: position + 4))
        guard included <= capturedBytesMax, included <= original else {
            return .unreadable("a record of \(included) of \(original) bytes")
        }
        guard left >= 24 + included else { return .needsMore }
        let time = Int64(bitPattern: bytes.bigEndian64(at: position + 16))
        let record = CaptureRecord(
            microseconds: time.subtractingReportingOverflow(Self.epoch).partialValue, link: link,
            data: (position + 24)..<(position + 24 + included), isCut: included < original, flags: bytes.bigEndian32(at: position + 8))
        return .record(record, next: position + 24 + included)
    }

    private mutating func header(_ bytes: RawSpan, at position: Int, left: Int) -> CaptureStep {
        guard left >= 16 else { return .needsMore }
        let version = bytes.bigEndian32(at: position + 8), datalink = bytes.bigEndian32(at: position + 12)
        guard version == 1 else { return .refused(RecordingRefused("btsnoop of version \(version): only version 1 is known")) }
        guard let link = CaptureLink.btsnoop(datalink: datalink) else {
            return .refused(
                RecordingRefused(
                    "btsnoop with datalink \(datalink): only 1001 (HCI), 1002 (HCI H4) and 2001 (Linux monitor) can be read"))
        }
        self.link = link
        name = "btsnoop, datalink \(datalink)"
        return .structure(next: position + 16)
    }
}

/// pcap, both byte orders, micro- and nanoseconds (draft-ietf-opsawg-pcap).
struct PcapContainer {
    private var link: CaptureLink?
    private var isBigEndian = false
    private var isNano = false
    private(set) var name = "pcap"

    mutating func step(_ bytes: RawSpan, at position: Int) -> CaptureStep {
        let left = bytes.byteCount - position
        guard let link else { return header(bytes, at: position, left: left) }
        guard left >= 16 else { return .needsMore }
        let included = Int(word(bytes, position + 8)), original = Int(word(bytes, position + 12))
        guard included <= capturedBytesMax else { return .unreadable("a record of \(included) bytes") }
        guard left >= 16 + included else { return .needsMore }
        let fraction = Int64(word(bytes, position + 4))
        let record = CaptureRecord(
            microseconds: Int64(word(bytes, position)) * 1_000_000 + (isNano ? fraction / 1000 : fraction), link: link,
            data: (position + 16)..<(position + 16 + included), isCut: included < original)
        return .record(record, next: position + 16 + included)
    }

    private func word(_ bytes: RawSpan, _ offset: Int) -> UInt32 {
        isBigEndian ? bytes.bigEndian32(at: offset) : bytes.littleEndian32(at: offset)
    }

    private mutating func header(_ bytes: RawSpan, at position: Int, left: Int) -> CaptureStep {
        guard left >= 24 else { return .needsMore }
        let magic = bytes.bigEndian32(at: position)
        isBigEndian = magic == 0xA1B2_C3D4 || magic == 0xA1B2_3C4D
        isNano = magic == 0xA1B2_3C4D || magic == 0x4D3C_B2A1
        // The upper bits tell about frame check sequences.
        let linkType = word(bytes, position + 20) & 0xFFFF
        guard let link = CaptureLink.pcap(linkType: linkType) else {
            return .refused(
                RecordingRefused("pcap with link type \(linkType): only \(CaptureLink.supported) can be read"))
        }
        self.link = link
        name = "pcap, link type \(linkType)"
        return .structure(next: position + 24)
    }
}
