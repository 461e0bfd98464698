import Crypto
import Foundation
import Seams
public import Vitals

/// A row of the audit log as its hash covers it.
struct AuditRow: Sendable, Hashable {
    /// From 1, without a gap.
    let number: Int64
    /// UTC milliseconds.
    let time: Milliseconds
    let actor: [UInt8]?
    let action: String
    let subject: [UInt8]?
    let previous: [UInt8]
    let hash: [UInt8]

    init(number: Int64, time: Milliseconds, actor: [UInt8]?, action: String, subject: [UInt8]?, previous: [UInt8], hash: [UInt8]? = nil) {
        (self.number, self.time, self.actor, self.action) = (number, time, actor, action)
        (self.subject, self.previous) = (subject, previous)
        self.hash = hash ?? Self.hash(number, time, actor, action, subject, previous)
    }

    var isWhole: Bool { hash == Self.hash(number, time, actor, action, subject, previous) }

    /// The part before the first row.
    static let beginning = [UInt8](repeating: 0, count: 32)

    /// SHA-256 over the fields in order; those of variable length behind their length, so that no two rows have the same bytes.
    private static func hash(
        _ number: Int64, _ time: Milliseconds, _ actor: [UInt8]?, _ action: String, _ subject: [UInt8]?, _ previous: [UInt8]
    ) -> [UInt8] {
        var bytes = Array("trackme audit row 1".utf8)
        bytes.appendLittleEndian(number)
        bytes.appendLittleEndian(time)
        for field in [actor, Array(action.utf8), subject] {
            bytes.append(field == nil ? 0 : 1)
            bytes.appendLittleEndian(UInt32(field?.count ?? 0))
            bytes += field ?? []
        }
        bytes += previous
        return Array(SHA256.hash(data: bytes))
    }
}

/// The hub's word, signed, for what the audit log held at a moment.
public struct AuditCheckpoint: Sendable, Hashable, Codable {
    /// The last row.
    public let row: Int64
    public let time: Milliseconds
    /// The last row's hash, in hexadecimal digits.
    public let hash: String
    /// Ed25519, in hexadecimal digits.
    public let signature: String
    /// Whether the hub forgot everything up to this row, as it was old enough; nil for false.
    private var cut: Bool?

    /// Whether the log may begin behind this row.
    var isCut: Bool { cut == true }

    static func signed(row: Int64, hash: [UInt8], time: Milliseconds, by key: Curve25519.Signing.PrivateKey) throws -> AuditCheckpoint {
        let hash = Hexadecimal.string(hash)
        let signature = try key.signature(for: bytes(row, time, hash, isCut: false))
        return AuditCheckpoint(row: row, time: time, hash: hash, signature: Hexadecimal.string(signature))
    }

    /// The same, signed as the place up to which the log is forgotten.
    func cut(by key: Curve25519.Signing.PrivateKey) throws -> AuditCheckpoint {
        let signature = try key.signature(for: Self.bytes(row, time, hash, isCut: true))
        return AuditCheckpoint(row: row, time: time, hash: hash, signature: Hexadecimal.string(signature), cut: true)
    }

    func isValid(_ key: Curve25519.Signing.PublicKey) -> Bool {
        guard let signature = Hexadecimal.bytes(signature) else { return false }
        return key.isValidSignature(signature, for: Self.bytes(row, time, hash, isCut: isCut))
    }

    private static func bytes(_ row: Int64, _ time: Milliseconds, _ hash: String, isCut: Bool) -> [UInt8] {
        Array("trackme audit \(isCut ? "cut" : "checkpoint") 1 \(row) \(time) \(hash)".utf8)
    }
}

/// Checkpoints stand in a file of their own, one JSON object a line: who cuts the table or restores the database does not take them along.
struct AuditCheckpointFile: Sendable {
    let path: String
    let files: any FileSystem

    /// The checkpoints, oldest first; nil stands for a line that cannot be read. What stands behind the last line feed was being written when
    /// the power failed, and was never given out.
    func read() throws -> [AuditCheckpoint?] {
        let data: [UInt8]
        do throws(FileProblem) { data = try files.read(path) ?? [] } catch {
            throw HubStoreError.audit(path: path, reason: "it cannot be read")
        }
        return data.prefix(Self.wholeLines(of: data)).split(separator: UInt8(ascii: "\n")).map {
            try? JSONDecoder().decode(AuditCheckpoint.self, from: Data($0))
        }
    }

    func append(_ checkpoint: AuditCheckpoint) throws {
        let line = try JSONEncoder().encode(checkpoint) + [UInt8(ascii: "\n")]
        // The hub and a command beside it: what the one wrote is no torn line to the other.
        do throws(FileProblem) { try files.append(Array(line), to: path, keeping: Self.wholeLines) } catch {
            throw HubStoreError.audit(path: path, reason: "a checkpoint could not be written: \(error.reason)")
        }
    }

    /// Bytes up to the last line feed, with it.
    private static func wholeLines(of data: [UInt8]) -> Int { data.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0 }
}
