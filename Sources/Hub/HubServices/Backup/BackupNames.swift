import Foundation
import Vitals

/// The name of an object of a backup, and what it tells. Names in order are in the order of their times.
///
/// `tm-CHAIN-STAMP-manifest.age` and `tm-CHAIN-STAMP-00001.age` are a backup. A chain is a full backup and those that lean on it; it bears the stamp of
/// the full one. `keys-STAMP.age` are the keys of people.
struct BackupName: Hashable, Sendable, Comparable {
    enum Part: Hashable, Sendable {
        case manifest
        /// From 1.
        case pack(Int)
    }

    /// The backup that the object belongs to.
    var backup: BackupID
    var part: Part

    var text: String {
        switch part {
        case .manifest: "tm-\(backup.chain)-\(backup.stamp)-manifest.age"
        case .pack(let number): "tm-\(backup.chain)-\(backup.stamp)-\(Self.digits(number)).age"
        }
    }

    private static let digitsOfPack = 5
    private static func digits(_ number: Int) -> String {
        let text = "\(number)"
        return String(repeating: "0", count: max(0, digitsOfPack - text.count)) + text
    }

    init(_ backup: BackupID, _ part: Part) { (self.backup, self.part) = (backup, part) }

    /// nil for what is none of a backup's: a place may hold other files.
    init?(_ text: String) {
        guard text.hasPrefix("tm-"), text.hasSuffix(".age") else { return nil }
        let words = text.dropLast(4).split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard words.count == 4, BackupStamp.isOne(words[1]), BackupStamp.isOne(words[2]) else { return nil }
        backup = BackupID(chain: words[1], stamp: words[2])
        if words[3] == "manifest" {
            part = .manifest
        } else if let number = Int(words[3]), number > 0 {
            part = .pack(number)
        } else {
            return nil
        }
        guard self.text == text else { return nil }
    }

    static func < (left: BackupName, right: BackupName) -> Bool { left.text < right.text }
}

/// A backup: its own moment, and the chain that it belongs to.
public struct BackupID: Hashable, Sendable, Codable, Comparable {
    public var chain: String
    public var stamp: String

    public static func < (left: BackupID, right: BackupID) -> Bool { (left.stamp, left.chain) < (right.stamp, right.chain) }
}

/// A time as names of objects have it, in UTC: `20261128T020000Z`.
enum BackupStamp {
    static func text(_ time: Milliseconds) -> String {
        let text = Date(timeIntervalSince1970: Double(time / 1000)).formatted(.iso8601)
        return text.filter { !separators.contains($0) }
    }

    private static let separators: Set<Character> = ["-", ":"]

    static func isOne(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.count == 16 && bytes[8] == UInt8(ascii: "T") && bytes[15] == UInt8(ascii: "Z")
            && (bytes[..<8] + bytes[9..<15]).allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    private static let keysPrefix = "keys-", suffix = ".age"

    /// The name of the keys of a moment.
    static func keysName(_ stamp: String) -> String { keysPrefix + stamp + suffix }

    /// nil for what are no keys.
    static func ofKeys(_ name: String) -> String? {
        guard name.hasPrefix(keysPrefix), name.hasSuffix(suffix) else { return nil }
        let stamp = String(name.dropFirst(keysPrefix.count).dropLast(suffix.count))
        return isOne(stamp) ? stamp : nil
    }
}
