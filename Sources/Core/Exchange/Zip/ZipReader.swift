/// Bytes that can be read at any place: a file, an upload on a disk.
public protocol ZipSource {
    /// The number of bytes.
    var count: UInt64 { get }

    /// Reads `count` bytes from `offset` on; fewer only at the end.
    mutating func read(at offset: UInt64, count: Int) throws -> [UInt8]
}

/// Why an archive, or a member of it, is not read.
public enum ZipFault: Error, Sendable, Hashable {
    /// The list of members is missing or damaged: the file was cut short, or is no ZIP archive.
    case noDirectory
    /// Parts of it are in other files.
    case severalDisks
    case tooManyMembers(max: Int)
    case encrypted
    /// It is packed by another method than stored and DEFLATE. APPNOTE 4.4.5 has the numbers.
    case method(UInt16)
    /// The member is not where the list says, or its end is missing.
    case cut
    /// It was read, but is not what was packed.
    case checksum
    /// It unpacks to more than is taken.
    case tooLarge(max: UInt64)
    /// It unpacks to so many times its size that it can only be meant to fill the memory.
    case bomb
}

/// Reads a ZIP archive (PKWARE APPNOTE 6.3, ZIP64 included) from the list at its end. Members come out piece by piece. Their names are
/// names and never paths: whoever writes a member to a disk chooses a name of their own.
///
/// Exchange has no decompressor of its own: ``Inflate`` is handed in.
public struct ZipReader: Sendable {
    public struct Member: Sendable, Hashable {
        /// As the archive has it, 1,024 bytes at most; it may hold anything, `../` too.
        public let name: String
        public let method: UInt16
        public let isEncrypted: Bool
        public let checksum: UInt32
        /// Bytes in the archive, and when unpacked, as the list says.
        public let packed: UInt64, size: UInt64
        /// Of its local header.
        let offset: UInt64

        public var isFolder: Bool { name.hasSuffix("/") }
    }

    /// Bounds of what is unpacked.
    public struct Limits: Sendable, Hashable {
        public var membersMax = 100_000
        /// Of one member: 8 GiB.
        public var memberBytesMax: UInt64 = 8 << 30
        /// Of all members that one reader reads: 16 GiB.
        public var totalBytesMax: UInt64 = 16 << 30
        /// The largest ratio of a member's size to its packed size, once it is above 1 MiB. DEFLATE can do 1,032; an export of records has far
        /// less.
        public var ratioMax: UInt64 = 250

        public init() {}
    }

    /// Unpacks one member (RFC 1951): takes the next packed bytes, gives what they are in pieces of at most some 100 kB, and returns
    /// whether that was the end. It throws what `take` throws, and an error of its own for what is no DEFLATE.
    public typealias Inflate = (_ packed: [UInt8], _ take: ([UInt8]) throws -> Void) throws -> Bool

    /// In the order of the list.
    public let members: [Member]
    private let limits: Limits
    private var total: UInt64 = 0

    /// Reads the list of members.
    /// - Throws: ``ZipFault``, and what the source throws.
    public init(_ source: inout some ZipSource, limits: Limits = Limits()) throws {
        self.limits = limits
        members = try ZipDirectory.members(&source, limits)
    }

    /// Unpacks a member. What was given before an error is thrown is right as far as it goes, but for ``ZipFault/checksum``.
    /// - Parameters:
    ///   - inflate: a fresh one for each member. It is not called for stored ones.
    ///   - take: takes the next bytes; what it throws ends the reading.
    /// - Throws: ``ZipFault``, and what the source, `inflate` and `take` throw.
    public mutating func read(
        _ member: Member, from source: inout some ZipSource, inflate: @escaping Inflate, take: ([UInt8]) throws -> Void
    ) throws {
        var pieces = try begin(member, from: &source, inflate: inflate)
        while let bytes = try next(&pieces, from: &source) {
            if !bytes.isEmpty { try take(bytes) }
        }
    }

    /// The same step by step.
    /// - Parameter inflate: a fresh one for each member. It is not called for stored ones.
    /// - Throws: ``ZipFault``, and what the source throws.
    public func begin(
        _ member: Member, from source: inout some ZipSource, inflate: @escaping Inflate
    ) throws -> ZipPieces {
        guard !member.isEncrypted else { throw ZipFault.encrypted }
        guard member.method == 0 || member.method == 8 else { throw ZipFault.method(member.method) }
        guard member.size <= limits.memberBytesMax else { throw ZipFault.tooLarge(max: limits.memberBytesMax) }
        return ZipPieces(member, at: try ZipDirectory.data(of: member, &source), limits, inflate)
    }

    /// The next bytes of a member, unpacked, which may be nothing yet: of packed 64 KiB at a time.
    /// - Returns: nil at the end of the member.
    /// - Throws: ``ZipFault``, and what the source and `inflate` throw.
    public mutating func next(_ pieces: inout ZipPieces, from source: inout some ZipSource) throws -> [UInt8]? {
        try pieces.next(from: &source, total: &total)
    }
}
