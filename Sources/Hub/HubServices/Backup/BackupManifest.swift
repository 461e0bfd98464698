import Foundation
import Vitals

/// What a backup consists of: files, each as pieces that lie in packs.
struct BackupManifest: Codable, Sendable {
    /// Bytes of a piece; the last one of a file is shorter. A multiple of every page's size.
    static let pieceLength = 128 << 10
    /// The form of this text; another one is not read.
    static let formatNow = 1

    struct Piece: Codable, Sendable, Hashable {
        /// SHA-256.
        var hash: Data
        /// A place in ``packs``.
        var pack: Int
        /// In the decrypted pack.
        var offset: Int
        var length: Int
    }

    struct File: Codable, Sendable {
        var name: String
        var size: Int
        var pieces: [Piece]
    }

    var format = formatNow
    /// The version of the hub.
    var hub: String
    var id: BackupID
    /// The moment, UTC.
    var time: Milliseconds
    /// Names of objects.
    var packs: [String] = []
    var files: [File] = []
    /// Whether maps had been imported, which are no part of it.
    var hasMap = false

    var bytes: Int { files.reduce(0) { $0 + $1.size } }

    /// As it is encrypted: a tag in hexadecimal digits, a line's end, JSON.
    static func text(_ json: [UInt8], tag: [UInt8]) -> [UInt8] { Array(Hexadecimal.string(tag).utf8) + [UInt8(ascii: "\n")] + json }

    static func read(_ text: [UInt8], of name: String) throws -> (manifest: BackupManifest, json: [UInt8], tag: [UInt8]) {
        let damaged = BackupProblem(
            "\(name) is no list of a backup, or damaged. `trackme-hub backup list` shows others; take one by --backup.")
        guard let end = text.firstIndex(of: UInt8(ascii: "\n")), let tag = Hexadecimal.bytes(String(decoding: text[..<end], as: UTF8.self))
        else { throw damaged }
        let json = Array(text[(end + 1)...])
        struct Head: Decodable { var format: Int }
        guard let head = try? JSONDecoder().decode(Head.self, from: Data(json)) else { throw damaged }
        guard head.format == formatNow else {
            throw BackupProblem("\(name) was made by a newer version of trackme-hub: install that version, and run the command again.")
        }
        guard let manifest = try? JSONDecoder().decode(BackupManifest.self, from: Data(json)), manifest.isSound else { throw damaged }
        return (manifest, json, tag)
    }

    /// Names stay in the folder, packs are there, and pieces follow each other.
    private var isSound: Bool {
        files.allSatisfy { file in
            !file.name.isEmpty && !file.name.contains("/") && !file.name.hasPrefix(".")
                && file.pieces.allSatisfy {
                    packs.indices.contains($0.pack) && $0.offset >= 0 && (1...Self.pieceLength).contains($0.length)
                }
                && file.pieces.reduce(0) { $0 + $1.length } == file.size
        } && packs.allSatisfy { BackupName($0) != nil }
    }
}

/// What the hub remembers of the chain that it adds to, so that it need not read what it cannot decrypt. Without it the next backup is a full one.
struct BackupMemory: Codable, Sendable {
    var place: String
    var recipients: [String]
    var chain: String
    /// When the chain began, UTC.
    var began: Milliseconds
    /// When the newest backup was made, UTC.
    var newest: Milliseconds
    var packs: [String]
    var pieces: [BackupManifest.Piece]
}
