import Database
import Foundation
public import Seams

/// The databases of a hub's directory as they were at one moment, while the hub goes on writing ([decision 31](docs/decisions/0031-backup.md)). All
/// but the keys of people, which are backed up apart: of them only the latest state may be kept.
public final class HubSnapshot: Sendable {
    /// Those that are written most come first: each is let go when it was read.
    public let parts: [BackupPart]

    /// The order in which they are read.
    private static let names = ["sos", "journal", "accounts", "runs", "places", "series"]
    private static let suffix = ".sqlite"
    /// How often the moment is looked for, and how long between two tries: a commit takes a disk's fsync, the look a fraction of that.
    private static let tries = 20_000
    private static let pause = Duration.milliseconds(1)

    /// Takes the moment.
    /// - Throws: `HubStoreError` where there are no databases, or one cannot be read.
    public init(_ directory: HubDirectory, machine: Machine = .system) throws {
        let names = Self.names.map { $0 + Self.suffix }.filter { machine.files.exists(directory.path($0)) }
        guard names.contains("accounts" + Self.suffix) else {
            throw HubStoreError.directory(path: directory.url.path, reason: "there is no hub's data in it")
        }
        parts = zip(names, try Self.moment(names, directory, machine)).map { BackupPart($0, $1) }
    }

    private static func moment(_ names: [String], _ directory: HubDirectory, _ machine: Machine) throws -> [DatabaseSnapshot] {
        do {
            return try DatabaseSnapshot.ofOneMoment(names.map { directory.path($0) }, tries: tries) { machine.block(for: pause) }
        } catch let busy as NoCommonMoment {
            throw HubStoreError.directory(
                path: directory.url.path, reason: "its databases were written at each of \(busy.tries) moments; try again later")
        } catch let problem as SnapshotProblem {
            throw HubStoreError.database(path: problem.path, reason: problem.reason)
        } catch let error as DatabaseError {
            throw HubStoreError.directory(path: directory.url.path, reason: error.message ?? "\(error)")
        }
    }

    /// The name of the keys of people in the hub's directory, and in a restored one.
    public static let keysFile = "keys" + suffix
    private static let pieceLength = 1 << 20

    /// A copy of the keys of people as they are now: about 120 bytes for each person. It is read at once, so that no deletion waits, which empties
    /// the log of the keys.
    public static func keys(_ directory: HubDirectory, machine: Machine = .system) throws -> [UInt8] {
        let all = try moment([keysFile], directory, machine).map { BackupPart(keysFile, $0) }
        var copy: [UInt8] = []
        for part in all {
            while copy.count < part.size { copy += try part.read(at: copy.count, count: pieceLength) }
            try part.end()
        }
        return copy
    }
}

/// A file of a backup while it is read.
public final class BackupPart: Sendable {
    /// In the hub's directory.
    public let name: String
    private let snapshot: DatabaseSnapshot

    fileprivate init(_ name: String, _ snapshot: DatabaseSnapshot) { (self.name, self.snapshot) = (name, snapshot) }

    /// In bytes.
    public var size: Int { snapshot.size }

    /// A piece of it; shorter at the end, empty behind it.
    /// - Parameters:
    ///   - offset: a multiple of 64 KiB.
    ///   - count: a multiple of 64 KiB.
    public func read(at offset: Int, count: Int) throws -> [UInt8] {
        do { return try snapshot.read(at: offset, count: count) } catch let problem as SnapshotProblem {
            throw HubStoreError.database(path: problem.path, reason: problem.reason)
        }
    }

    /// Lets it go: nothing can be read of it any more.
    public func end() throws { try snapshot.end() }
}
