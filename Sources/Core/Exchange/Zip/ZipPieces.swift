/// Unpacks one member of an archive step by step, for whoever waits for something between two steps. ``ZipReader/begin(_:from:inflate:)``
/// makes one, ``ZipReader/next(_:from:)`` goes on.
public struct ZipPieces {
    /// Packed bytes that a step reads, at most.
    static let packedMax = 65_536

    let member: ZipReader.Member
    private let limits: ZipReader.Limits
    private let inflate: ZipReader.Inflate
    private var at: UInt64, left: UInt64
    private var checksum = CRC32(), size: UInt64 = 0, isEnd = false

    /// Packed bytes that were read.
    public var done: UInt64 { member.packed - left }

    init(_ member: ZipReader.Member, at start: UInt64, _ limits: ZipReader.Limits, _ inflate: @escaping ZipReader.Inflate) {
        (self.member, self.limits, self.inflate, at, left) = (member, limits, inflate, start, member.packed)
    }

    /// The next bytes, unpacked, which may be nothing yet; nil at the end.
    /// - Parameter total: bytes that were unpacked of all members.
    mutating func next(from source: inout some ZipSource, total: inout UInt64) throws -> [UInt8]? {
        guard left > 0, !isEnd else {
            guard isEnd || member.method == 0 else { throw ZipFault.cut }
            guard size == member.size, checksum.value == member.checksum else { throw ZipFault.checksum }
            return nil
        }
        let piece = try source.read(at: at, count: Int(min(left, UInt64(Self.packedMax))))
        guard !piece.isEmpty, UInt64(piece.count) <= left else { throw ZipFault.cut }
        (at, left) = (at &+ UInt64(piece.count), left - UInt64(piece.count))
        var unpacked: [UInt8] = []
        if member.method == 0 {
            try take(piece, &total)
            return piece
        }
        isEnd = try inflate(piece) { bytes in
            try take(bytes, &total)
            unpacked += bytes
        }
        return unpacked
    }

    private mutating func take(_ bytes: [UInt8], _ total: inout UInt64) throws {
        size += UInt64(bytes.count)
        total += UInt64(bytes.count)
        guard size <= limits.memberBytesMax else { throw ZipFault.tooLarge(max: limits.memberBytesMax) }
        guard total <= limits.totalBytesMax else { throw ZipFault.tooLarge(max: limits.totalBytesMax) }
        if size > 1 << 20, size / max(done, 1) >= limits.ratioMax { throw ZipFault.bomb }
        bytes.withUnsafeBytes { checksum.update($0) }
    }
}
