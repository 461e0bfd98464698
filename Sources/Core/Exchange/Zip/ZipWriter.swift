public import Vitals

/// Writes a ZIP archive (PKWARE APPNOTE 6.3) piece by piece, of members whose length is not known before: each call returns the bytes to send next,
/// and what is kept does not grow with them. Members are not compressed, but framed as DEFLATE has it (RFC 1951, 3.2.4), so that
/// readers which see the archive only once find their end. By hand: libraries write files, and want to seek in them.
///
///     var zip = ZipWriter(modified: now)
///     send(zip.begin("samples.csv")); send(zip.data(bytes)) …; send(zip.endMember()); send(zip.end())
public struct ZipWriter: Sendable {
    public static let mediaType = "application/zip"
    public static let fileExtension = "zip"

    private struct Member: Sendable {
        var name: String
        var offset: UInt64
        var checksum = CRC32()
        var length: UInt64 = 0
        var framed: UInt64 = 0
    }

    private let time: UInt16, date: UInt16
    private var members: [Member] = []
    private var written: UInt64 = 0

    /// - Parameter modified: of all members, UTC; written to two seconds, from 1980 on.
    public init(modified: Milliseconds) {
        let seconds = max(modified, 315_532_800_000) / 1000
        let day = CivilDay(days: seconds / 86_400), inDay = seconds % 86_400
        time = UInt16(inDay / 3600) << 11 | UInt16(inDay / 60 % 60) << 5 | UInt16(inDay % 60 / 2)
        date = UInt16(clamping: day.year - 1980) << 9 | UInt16(day.month) << 5 | UInt16(day.day)
    }

    /// Begins a member.
    public mutating func begin(_ name: String) -> [UInt8] {
        members.append(Member(name: name, offset: written))
        var bytes: [UInt8] = []
        bytes.append(little: 0x0403_4B50 as UInt32)
        appendCommon(&bytes)
        // Checksum and lengths stand behind the member.
        for _ in 0..<3 { bytes.append(little: 0 as UInt32) }
        bytes.append(little: UInt16(name.utf8.count))
        bytes.append(little: 0 as UInt16)
        bytes += name.utf8
        return counted(bytes)
    }

    /// The next bytes of the member.
    public mutating func data(_ plain: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(plain.count + (plain.count / Self.blockMax + 1) * 5)
        var start = 0
        while start < plain.count {
            let end = min(start + Self.blockMax, plain.count)
            block(plain[start..<end], isLast: false, &bytes)
            start = end
        }
        update { member in
            plain.withUnsafeBytes { member.checksum.update($0) }
            member.length += UInt64(plain.count)
            member.framed += UInt64(bytes.count)
        }
        return counted(bytes)
    }

    public mutating func endMember() -> [UInt8] {
        var bytes: [UInt8] = []
        block([], isLast: true, &bytes)
        update { $0.framed += UInt64(bytes.count) }
        guard let member = members.last else { return [] }
        bytes.append(little: 0x0807_4B50 as UInt32)
        bytes.append(little: member.checksum.value)
        for length in [member.framed, member.length] {
            if isLarge(member) { bytes.append(little: length) } else { bytes.append(little: UInt32(length)) }
        }
        return counted(bytes)
    }

    /// The end of the file, behind the last member: the list of all.
    public mutating func end() -> [UInt8] {
        var bytes: [UInt8] = []
        for member in members { entry(member, &bytes) }
        let length = UInt64(bytes.count), start = written
        bytes.append(little: 0x0606_4B50 as UInt32)
        bytes.append(little: 44 as UInt64)
        for version in [45, 45] as [UInt16] { bytes.append(little: version) }
        for disk in [0, 0] as [UInt32] { bytes.append(little: disk) }
        for number in [UInt64(members.count), UInt64(members.count), length, start] { bytes.append(little: number) }
        bytes.append(little: 0x0706_4B50 as UInt32)
        bytes.append(little: 0 as UInt32)
        bytes.append(little: start + length)
        bytes.append(little: 1 as UInt32)
        bytes.append(little: 0x0605_4B50 as UInt32)
        for number in [0, 0, UInt16(members.count), UInt16(members.count)] as [UInt16] { bytes.append(little: number) }
        bytes.append(little: UInt32(clamping: length))
        bytes.append(little: UInt32(clamping: start))
        bytes.append(little: 0 as UInt16)
        return counted(bytes)
    }

    private static let blockMax = 65_535

    /// A block that is stored as it is.
    private func block(_ plain: ArraySlice<UInt8>, isLast: Bool, _ bytes: inout [UInt8]) {
        bytes.append(isLast ? 1 : 0)
        bytes.append(little: UInt16(plain.count))
        bytes.append(little: ~UInt16(plain.count))
        bytes += plain
    }

    /// Version, flags (lengths behind, UTF-8), method (DEFLATE), time.
    private func appendCommon(_ bytes: inout [UInt8]) {
        for value in [45, 0x0808, 8, time, date] as [UInt16] { bytes.append(little: value) }
    }

    private func isLarge(_ member: Member) -> Bool { max(member.framed, member.length) >= UInt64(UInt32.max) }

    private func entry(_ member: Member, _ bytes: inout [UInt8]) {
        let isFar = isLarge(member) || member.offset >= UInt64(UInt32.max)
        bytes.append(little: 0x0201_4B50 as UInt32)
        bytes.append(little: 45 as UInt16)
        appendCommon(&bytes)
        bytes.append(little: member.checksum.value)
        for length in [member.framed, member.length] { bytes.append(little: isFar ? UInt32.max : UInt32(length)) }
        let extra = isFar ? 28 : 0
        for value in [UInt16(member.name.utf8.count), UInt16(extra), 0, 0, 0] { bytes.append(little: value) }
        bytes.append(little: 0 as UInt32)
        bytes.append(little: isFar ? UInt32.max : UInt32(member.offset))
        bytes += member.name.utf8
        guard isFar else { return }
        bytes.append(little: 1 as UInt16)
        bytes.append(little: 24 as UInt16)
        for number in [member.length, member.framed, member.offset] { bytes.append(little: number) }
    }

    private mutating func update(_ change: (inout Member) -> Void) {
        guard !members.isEmpty else { return }
        change(&members[members.count - 1])
    }

    private mutating func counted(_ bytes: [UInt8]) -> [UInt8] {
        written += UInt64(bytes.count)
        return bytes
    }
}

extension [UInt8] {
    fileprivate mutating func append(little value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }
}
