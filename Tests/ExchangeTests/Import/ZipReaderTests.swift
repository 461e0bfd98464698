import Exchange
import TestSupport
import Testing

@Suite struct ZipReaderTests {
    private struct Bytes: ZipSource {
        var bytes: [UInt8]
        var count: UInt64 { UInt64(bytes.count) }

        mutating func read(at offset: UInt64, count: Int) throws -> [UInt8] {
            guard offset <= UInt64(bytes.count) else { return [] }
            return Array(bytes[Int(offset)...].prefix(count))
        }
    }

    private struct Broken: Error {}

    /// Unpacks the blocks of RFC 1951, 3.2.4, which is all that `ZipWriter` writes.
    private final class StoredBlocks {
        private var rest: [UInt8] = []

        func inflate(_ packed: [UInt8], _ take: ([UInt8]) throws -> Void) throws -> Bool {
            rest += packed
            while rest.count >= 5 {
                let count = Int(rest[1]) | Int(rest[2]) << 8, isLast = rest[0] & 1 == 1
                guard rest[0] <= 1, count ^ 0xFFFF == Int(rest[3]) | Int(rest[4]) << 8 else { throw Broken() }
                guard rest.count >= 5 + count else { return false }
                try take(Array(rest[5..<5 + count]))
                rest.removeFirst(5 + count)
                if isLast { return true }
            }
            return false
        }
    }

    private func archive(_ members: [(String, [UInt8])]) -> [UInt8] {
        var zip = ZipWriter(modified: someTime), bytes: [UInt8] = []
        for (name, data) in members {
            bytes += zip.begin(name)
            bytes += zip.data(data)
            bytes += zip.endMember()
        }
        return bytes + zip.end()
    }

    private func unpack(_ bytes: [UInt8], limits: ZipReader.Limits = ZipReader.Limits()) throws -> [String: [UInt8]] {
        var source = Bytes(bytes: bytes), reader = try ZipReader(&source, limits: limits), found: [String: [UInt8]] = [:]
        for member in reader.members {
            try reader.read(member, from: &source, inflate: StoredBlocks().inflate) { found[member.name, default: []] += $0 }
        }
        return found
    }

    private let members: [(String, [UInt8])] = [
        ("../export.xml", Array(repeating: 65, count: 150_000)), ("a/b.csv", Array("x,y".utf8)),
    ]

    @Test("DATA-2: what our own archive holds is unpacked, and names are no paths")
    func roundTrip() throws {
        let found = try unpack(archive(members))
        #expect(found == Dictionary(uniqueKeysWithValues: members))
    }

    @Test("DATA-2: stored members with a comment behind the list are read, in 32 bits and in ZIP64")
    func stored() throws {
        for isWide in [false, true] {
            let found = try unpack(Self.storedArchive(Array("hello".utf8), isWide: isWide))
            #expect(found == ["h.txt": Array("hello".utf8)])
        }
    }

    /// An archive of one stored member, made by hand (APPNOTE 4.3).
    private static func storedArchive(_ data: [UInt8], isWide: Bool) -> [UInt8] {
        func little(_ value: UInt64, _ width: Int) -> [UInt8] { (0..<width).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) } }
        // CRC-32 of "hello".
        let checksum = little(0x3610_A686, 4), size = little(UInt64(data.count), 4), name = Array("h.txt".utf8)
        let local =
            little(0x0403_4B50, 4) + little(20, 2) + little(0, 8) + checksum + size + size + little(5, 2) + little(3, 2) + name + [1, 2, 3]
        let extra =
            isWide ? little(9, 2) + little(1, 2) + [7] + little(1, 2) + little(16, 2) + little(UInt64(data.count), 8) + little(0, 8) : []
        var list = little(0x0201_4B50, 4) + little(20, 2) + little(20, 2) + little(0, 8) + checksum + size
        list += isWide ? little(0xFFFF_FFFF, 4) : size
        list += little(5, 2) + little(UInt64(extra.count), 2) + little(0, 10) + little(isWide ? 0xFFFF_FFFF : 0, 4) + name + extra
        let start = UInt64(local.count + data.count), comment = Array("PK\u{5}\u{6} made by hand".utf8)
        return local + data + list + little(0x0605_4B50, 4) + little(0, 4) + little(1, 2) + little(1, 2) + little(UInt64(list.count), 4)
            + little(start, 4) + little(UInt64(comment.count), 2) + comment
    }

    @Test("DATA-3: what unpacks to too much is stopped: by member, in total and by ratio")
    func bombs() throws {
        let bytes = archive([("a", Array(repeating: 0, count: 3_000_000))])
        var limits = ZipReader.Limits()
        limits.memberBytesMax = 2_999_999
        #expect(throws: ZipFault.tooLarge(max: 2_999_999)) { try unpack(bytes, limits: limits) }
        limits = ZipReader.Limits()
        limits.totalBytesMax = 3_100_000
        #expect(throws: ZipFault.tooLarge(max: 3_100_000)) {
            try unpack(archive([members[0], ("a", Array(repeating: 0, count: 3_000_000))]), limits: limits)
        }
        limits = ZipReader.Limits()
        limits.membersMax = 1
        #expect(throws: ZipFault.tooManyMembers(max: 1)) { try unpack(archive(members), limits: limits) }
        // A decompressor that never ends.
        var source = Bytes(bytes: archive(members)), reader = try ZipReader(&source), given = 0
        func endless(_ packed: [UInt8], _ take: ([UInt8]) throws -> Void) throws -> Bool {
            while true { try take(Array(repeating: 0, count: 100_000)) }
        }
        #expect(throws: ZipFault.bomb) {
            try reader.read(reader.members[1], from: &source, inflate: endless) { given += $0.count }
        }
        #expect(given < 1_200_000)
    }

    @Test("DATA-2: a damaged archive says what is wrong, and never ends the program")
    func damaged() throws {
        let bytes = archive(members)
        #expect(throws: ZipFault.noDirectory) { try unpack(Array(bytes.dropLast(30))) }
        #expect(throws: ZipFault.noDirectory) { try unpack([]) }
        var flipped = bytes
        flipped[1000] ^= 1
        #expect(throws: ZipFault.checksum) { try unpack(flipped) }
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<300 {
            var bytes = archive(members)
            let tail = bytes.count - 300
            for _ in 0..<3 { bytes[Int.random(in: tail..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator) }
            _ = try? unpack(bytes)
        }
    }
}
