import Crypto
import Exchange
import Seams

/// Where uploaded files wait to be read: in pieces beside the databases, sealed with a key that stands in memory alone. What a hub leaves
/// when it is stopped can be read by nobody, and is removed with the next start.
struct UploadSpool: Sendable {
    /// Bytes of a piece.
    static let pieceBytes = 1 << 20

    let files: any FileSystem
    let folder: String

    /// Removes what is left of before.
    func clear() throws(FileProblem) {
        guard files.exists(folder) else { return }
        for name in try files.names(in: folder) { try files.remove(path(name)) }
    }

    func path(_ name: String) -> String { "\(folder)/\(name)" }
}

/// One uploaded file.
struct SpooledFile: Sendable {
    /// As the browser named it.
    let name: String
    /// How its pieces begin.
    let prefix: String
    private let key: SymmetricKey
    private let spool: UploadSpool
    private(set) var count: UInt64 = 0
    private var pieces: UInt64 = 0
    private var rest: [UInt8] = []

    /// - Parameter number: of the file within the upload.
    init(_ name: String, _ number: Int, of upload: String, key: SymmetricKey, _ spool: UploadSpool) {
        (self.name, prefix, self.key, self.spool) = (name, "\(upload)-\(number)", key, spool)
    }

    private func path(_ piece: UInt64) -> String { spool.path("\(prefix)-\(piece)") }

    /// No nonce is used twice: each file has a key of its own.
    private static func nonce(_ piece: UInt64) throws -> AES.GCM.Nonce {
        try AES.GCM.Nonce(data: [0, 0, 0, 0] + withUnsafeBytes(of: piece.bigEndian) { Array($0) })
    }

    // MARK: Writing

    /// - Returns: whether a piece is full, and ``flush()`` due.
    mutating func add(_ bytes: some Collection<UInt8>) -> Bool {
        rest += bytes
        count += UInt64(bytes.count)
        return rest.count >= UploadSpool.pieceBytes
    }

    /// Writes what is full.
    /// - Parameter isEnd: also what is not.
    mutating func flush(isEnd: Bool = false) throws {
        while rest.count >= UploadSpool.pieceBytes || isEnd && !rest.isEmpty {
            let piece = Array(rest.prefix(UploadSpool.pieceBytes))
            let box = try AES.GCM.seal(piece, using: key, nonce: Self.nonce(pieces))
            try spool.files.write(Array(box.ciphertext) + Array(box.tag), to: path(pieces), mode: 0o600)
            rest.removeFirst(piece.count)
            pieces += 1
        }
    }

    /// Removes it from the disk.
    func remove() throws(FileProblem) {
        for piece in 0..<pieces { try spool.files.remove(path(piece)) }
    }

    // MARK: Reading

    fileprivate func piece(_ number: UInt64) throws -> [UInt8] {
        guard let sealed = try spool.files.read(path(number)), sealed.count >= 16 else {
            throw FileProblem(.read, path(number), code: 2)
        }
        let box = try AES.GCM.SealedBox(nonce: Self.nonce(number), ciphertext: sealed.dropLast(16), tag: sealed.suffix(16))
        return Array(try AES.GCM.open(box, using: key))
    }
}

/// Reads an uploaded file at any place; the last piece is kept.
struct SpoolSource: ZipSource {
    let file: SpooledFile
    private var piece: (number: UInt64, bytes: [UInt8])?

    init(_ file: SpooledFile) { self.file = file }

    var count: UInt64 { file.count }

    mutating func read(at offset: UInt64, count: Int) throws -> [UInt8] {
        let size = UInt64(UploadSpool.pieceBytes), end = min(file.count, offset + UInt64(max(count, 0)))
        var at = offset, found: [UInt8] = []
        while at < end {
            let number = at / size
            if piece?.number != number { piece = (number, try file.piece(number)) }
            guard let bytes = piece?.bytes else { break }
            let from = Int(at - number * size), to = min(bytes.count, Int(end - number * size))
            guard from < to else { break }
            found += bytes[from..<to]
            at = number * size + UInt64(to)
        }
        return found
    }
}
