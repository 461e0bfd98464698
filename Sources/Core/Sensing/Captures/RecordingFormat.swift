/// The format of a recording, by its first bytes.
public enum RecordingFormat: Hashable, Sendable {
    case btsnoop
    case pcap
    case pcapng
    /// Text with at least the look of NMEA 0183.
    case nmea

    /// The number of first bytes that ``detect(_:)`` looks at.
    public static let bytesExamined = 4096

    /// Tells the format of a file by its first bytes (``bytesExamined`` of them, or the whole file where it is shorter).
    /// - Throws: ``RecordingRefused`` for an empty file, a cut header and everything that cannot be replayed.
    public static func detect(_ first: some Collection<UInt8>) throws(RecordingRefused) -> RecordingFormat {
        let head = Array(first.prefix(bytesExamined))
        if head.isEmpty { throw RecordingRefused("the file is empty") }
        if let capture = try captureFormat(head) { return capture }
        if holdsSentence(head) { return .nmea }
        throw RecordingRefused("this is \(nameOfForeign(head)): neither an NMEA 0183 log nor a Bluetooth capture")
    }

    static let btsnoopMagic: [UInt8] = Array("btsnoop\0".utf8)

    /// The capture format, nil when the bytes begin as none.
    static func captureFormat(_ head: [UInt8]) throws(RecordingRefused) -> RecordingFormat? {
        if head.starts(with: btsnoopMagic) { return .btsnoop }
        switch head.prefix(4) {
        case [0xD4, 0xC3, 0xB2, 0xA1], [0xA1, 0xB2, 0xC3, 0xD4], [0x4D, 0x3C, 0xB2, 0xA1], [0xA1, 0xB2, 0x3C, 0x4D]:
            return .pcap
        case [0x0A, 0x0D, 0x0D, 0x0A]: return .pcapng
        default: break
        }
        if head.count < 8, btsnoopMagic.starts(with: head) || (head.count < 4 && [0x0A, 0x0D, 0x0D, 0x0A].starts(with: head)) {
            throw RecordingRefused("the capture is cut short inside its first \(head.count) bytes")
        }
        return nil
    }

    /// Whether `$` or `!`, five capitals or digits and a comma stand somewhere.
    static func holdsSentence(_ head: [UInt8]) -> Bool {
        var index = 0
        while index + 6 < head.count {
            defer { index += 1 }
            guard head[index] == UInt8(ascii: "$") || head[index] == UInt8(ascii: "!") else { continue }
            let body = head[(index + 1)...].prefix(8)
            guard let comma = body.firstIndex(of: UInt8(ascii: ",")), comma - index >= 5 else { continue }
            let name = head[(index + 1)..<comma]
            if name.allSatisfy({ (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) }) { return true }
        }
        return false
    }

    /// A name for what is not a recording of ours, for the message.
    static func nameOfForeign(_ head: [UInt8]) -> String {
        let signatures: [([UInt8], String)] = [
            ([0xB5, 0x62], "a binary u-blox (UBX) log"), ([0xA0, 0xA2], "a binary SiRF log"), ([0xD3, 0x00], "a binary RTCM 3 log"),
            ([0xD3, 0x01], "a binary RTCM 3 log"), ([0x10, 0x02], "a binary Garmin or TSIP log"),
            ([0x1F, 0x8B], "gzip data (unpack it first)"),
            (Array("PK".utf8), "a zip archive (unpack it first)"), (Array("{".utf8), "JSON"), (Array("<".utf8), "XML"),
            ([0x28, 0xB5, 0x2F, 0xFD], "zstd data (unpack it first)"), (Array("BZh".utf8), "bzip2 data (unpack it first)"),
            (Array("@@".utf8), "a binary Motorola Oncore log"),
        ]
        for (signature, name) in signatures where head.starts(with: signature) { return name }
        if head.count > 11, Array(head[8..<12]) == Array(".FIT".utf8) { return "a FIT activity" }
        // gpsd's logs begin with comment lines: the sync bytes of a binary receiver stand behind them.
        for (signature, name) in signatures.prefix(5) where occurrences(of: signature, in: head) >= 3 { return name }
        let printable = head.count { (0x20...0x7E).contains($0) || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
        if printable == head.count { return "text without NMEA sentences" }
        return head.allSatisfy { $0 == 0 } ? "nothing but zero bytes" : "data of an unknown format"
    }

    private static func occurrences(of pattern: [UInt8], in bytes: [UInt8]) -> Int {
        guard bytes.count >= pattern.count else { return 0 }
        return (0...(bytes.count - pattern.count)).count { bytes[$0..<($0 + pattern.count)].elementsEqual(pattern) }
    }
}

/// Why a file cannot be replayed at all, in words for whoever gave it.
public struct RecordingRefused: Error, Hashable, Sendable, CustomStringConvertible {
    public var description: String
    init(_ description: String) { self.description = description }
}
