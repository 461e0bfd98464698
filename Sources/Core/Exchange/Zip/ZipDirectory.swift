/// The list of members at the end of a ZIP archive (APPNOTE 4.3).
enum ZipDirectory {
    /// Bytes of the list that are taken: names of 100,000 members.
    private static let bytesMax: UInt64 = 64 << 20
    private static let nameMax = 1024

    private struct Place {
        var start: UInt64, size: UInt64, count: UInt64
    }

    static func members(_ source: inout some ZipSource, _ limits: ZipReader.Limits) throws -> [ZipReader.Member] {
        let place = try place(&source)
        guard place.count <= UInt64(limits.membersMax) else { throw ZipFault.tooManyMembers(max: limits.membersMax) }
        guard place.size <= bytesMax, place.start <= source.count, place.size <= source.count - place.start else {
            throw ZipFault.noDirectory
        }
        let bytes = ZipBytes(try source.read(at: place.start, count: Int(place.size)))
        var members: [ZipReader.Member] = [], at = 0
        while members.count < Int(place.count) {
            guard let (member, end) = member(bytes, at) else { throw ZipFault.noDirectory }
            members.append(member)
            at = end
        }
        return members
    }

    /// Where the bytes of a member begin: behind its local header (APPNOTE 4.3.7), whose lengths may differ from those in the list.
    static func data(of member: ZipReader.Member, _ source: inout some ZipSource) throws -> UInt64 {
        guard member.offset <= source.count, source.count - member.offset >= 30 else { throw ZipFault.cut }
        let header = ZipBytes(try source.read(at: member.offset, count: 30))
        guard header.u32(0) == 0x0403_4B50, let name = header.u16(26), let extra = header.u16(28) else { throw ZipFault.cut }
        let start = member.offset + 30 + UInt64(name) + UInt64(extra)
        guard start <= source.count, member.packed <= source.count - start else { throw ZipFault.cut }
        return start
    }

    /// By the end record (APPNOTE 4.3.16), which a comment of up to 65,535 bytes may follow, and that of ZIP64 before it.
    private static func place(_ source: inout some ZipSource) throws -> Place {
        let tailCount = min(source.count, 22 + 65_535), tailStart = source.count - tailCount
        let tail = ZipBytes(try source.read(at: tailStart, count: Int(tailCount)))
        var at = tail.count - 22
        while at >= 0 {
            if tail.u32(at) == 0x0605_4B50, let comment = tail.u16(at + 20), at + 22 + Int(comment) <= tail.count { break }
            at -= 1
        }
        guard at >= 0, let disk = tail.u16(at + 4), let count = tail.u16(at + 10), let size = tail.u32(at + 12),
            let start = tail.u32(at + 16)
        else { throw ZipFault.noDirectory }
        if at >= 20, tail.u32(at - 20) == 0x0706_4B50, let offset = tail.u64(at - 12) { return try place64(&source, offset) }
        guard disk == 0 else { throw ZipFault.severalDisks }
        return Place(start: UInt64(start), size: UInt64(size), count: UInt64(count))
    }

    private static func place64(_ source: inout some ZipSource, _ offset: UInt64) throws -> Place {
        guard offset <= source.count, source.count - offset >= 56 else { throw ZipFault.noDirectory }
        let record = ZipBytes(try source.read(at: offset, count: 56))
        guard record.u32(0) == 0x0606_4B50, let disk = record.u32(16), let count = record.u64(32), let size = record.u64(40),
            let start = record.u64(48)
        else { throw ZipFault.noDirectory }
        guard disk == 0 else { throw ZipFault.severalDisks }
        return Place(start: start, size: size, count: count)
    }

    /// The entry at `at`, and where the next one begins (APPNOTE 4.3.12).
    private static func member(_ bytes: ZipBytes, _ at: Int) -> (ZipReader.Member, Int)? {
        guard bytes.u32(at) == 0x0201_4B50, let flags = bytes.u16(at + 8), let method = bytes.u16(at + 10),
            let checksum = bytes.u32(at + 16), let packed = bytes.u32(at + 20), let size = bytes.u32(at + 24),
            let nameCount = bytes.u16(at + 28), let extraCount = bytes.u16(at + 30), let commentCount = bytes.u16(at + 32),
            let offset = bytes.u32(at + 42)
        else { return nil }
        let nameEnd = at + 46 + Int(nameCount), extraEnd = nameEnd + Int(extraCount), end = extraEnd + Int(commentCount)
        guard end <= bytes.count else { return nil }
        var values = [UInt64(size), UInt64(packed), UInt64(offset)]
        guard widen(&values, bytes, nameEnd..<extraEnd) else { return nil }
        let name = bytes.text((at + 46)..<min(nameEnd, at + 46 + nameMax))
        let member = ZipReader.Member(
            name: name, method: method, isEncrypted: flags & 1 == 1, checksum: checksum, packed: values[1], size: values[0],
            offset: values[2])
        return (member, end)
    }

    /// Replaces what does not fit into 32 bits by the ZIP64 field (APPNOTE 4.5.3), which has just those values, in this order.
    private static func widen(_ values: inout [UInt64], _ bytes: ZipBytes, _ extra: Range<Int>) -> Bool {
        guard values.contains(UInt64(UInt32.max)) else { return true }
        var at = extra.lowerBound
        while let id = bytes.u16(at), let count = bytes.u16(at + 2), at + 4 + Int(count) <= extra.upperBound {
            if id == 1 {
                var field = at + 4
                for index in values.indices where values[index] == UInt64(UInt32.max) {
                    guard field + 8 <= at + 4 + Int(count), let value = bytes.u64(field) else { return false }
                    values[index] = value
                    field += 8
                }
                return true
            }
            at += 4 + Int(count)
        }
        return false
    }
}

/// Little-endian numbers; nil beyond the end.
private struct ZipBytes {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var count: Int { bytes.count }

    func u16(_ at: Int) -> UInt16? { number(at, 2).map { UInt16(truncatingIfNeeded: $0) } }
    func u32(_ at: Int) -> UInt32? { number(at, 4).map { UInt32(truncatingIfNeeded: $0) } }
    func u64(_ at: Int) -> UInt64? { number(at, 8) }
    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    private func number(_ at: Int, _ width: Int) -> UInt64? {
        guard at >= 0, bytes.count >= width, at <= bytes.count - width else { return nil }
        return bytes[at..<at + width].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
