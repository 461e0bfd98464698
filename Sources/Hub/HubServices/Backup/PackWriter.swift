import Crypto
import Foundation

/// Cuts what is backed up into pieces, and writes those that the chain does not have yet into packs.
struct PackWriter {
    /// Bytes of a pack; one program's start each.
    static let packLength = 32 << 20

    let objects: BackupObjects, recipients: [String], id: BackupID
    private(set) var packs: [String]
    /// All pieces of the chain, by their hash.
    private(set) var known: [Data: BackupManifest.Piece]
    private(set) var bytesWritten = 0

    private var pack: [UInt8] = []
    private var packNumber = 0

    init(_ objects: BackupObjects, _ recipients: [String], _ id: BackupID, memory: BackupMemory?) {
        (self.objects, self.recipients, self.id) = (objects, recipients, id)
        packs = memory?.packs ?? []
        known = Dictionary((memory?.pieces ?? []).map { ($0.hash, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Takes a file in.
    /// - Parameters:
    ///   - read: gives the piece at an offset, of ``BackupManifest/pieceLength`` bytes but for the last one, and nothing behind that.
    ///   - told: hears after each piece how many bytes of the file are done.
    mutating func add(
        _ name: String, told: (Int) -> Void = { _ in }, read: (_ offset: Int, _ count: Int) throws -> [UInt8]
    ) throws -> BackupManifest.File {
        var file = BackupManifest.File(name: name, size: 0, pieces: [])
        while true {
            let bytes = try read(file.size, BackupManifest.pieceLength)
            guard !bytes.isEmpty else { return file }
            file.pieces.append(try add(bytes))
            file.size += bytes.count
            told(file.size)
            guard bytes.count == BackupManifest.pieceLength else { return file }
        }
    }

    private mutating func add(_ bytes: [UInt8]) throws -> BackupManifest.Piece {
        let hash = Data(SHA256.hash(data: bytes))
        if let there = known[hash] { return there }
        if pack.isEmpty {
            packNumber += 1
            packs.append(BackupName(id, .pack(packNumber)).text)
        }
        let piece = BackupManifest.Piece(hash: hash, pack: packs.count - 1, offset: pack.count, length: bytes.count)
        pack += bytes
        known[hash] = piece
        if pack.count >= Self.packLength { try flush() }
        return piece
    }

    /// Writes the pack that is not full yet.
    mutating func flush() throws {
        guard !pack.isEmpty, let name = packs.last else { return }
        try objects.put(name, to: recipients) { write in try pack.withUnsafeBytes { try write($0) } }
        bytesWritten += pack.count
        pack.removeAll(keepingCapacity: true)
    }
}
