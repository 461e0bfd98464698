import Foundation
import HubStore
public import Seams

/// Restores a backup into a folder that is removed again, and compares: every piece with its hash, every database by SQLite's own check, and the list
/// of them with the master key, where that is named.
public struct BackupCheck: Sendable {
    let reader: BackupReader, scratch: String, machine: Machine

    /// - Parameter scratch: a folder in which there is room for the whole backup; one of its own is made in it.
    public init(_ reader: BackupReader, scratch: String, machine: Machine = .system) {
        (self.reader, self.scratch, self.machine) = (reader, scratch, machine)
    }

    /// What was found.
    public struct Report: Sendable, Hashable {
        public var id: BackupID
        public var files: Int, bytes: Int
        /// The moment of the keys.
        public var keys: String
        /// Whether the list of the backup was held against the master key.
        public var isTagChecked: Bool
    }

    /// - Parameters:
    ///   - stamp: of the backup; nil for the newest.
    ///   - masterKey: the file with the master key; nil where it is not at hand.
    /// - Throws: ``BackupProblem`` for a backup that cannot be restored.
    public func run(_ stamp: String? = nil, masterKey: String?) throws -> Report {
        let (manifest, json, tag) = try reader.manifest(stamp)
        let url = URL(
            fileURLWithPath: "\(scratch)/trackme-verify-\(UInt32(truncatingIfNeeded: machine.randomness.next()))", isDirectory: true)
        let directory = try HubDirectory(url, machine: machine)
        defer { RestoreFolder.remove(url.path, machine) }
        try reader.assemble(manifest, in: url.path)
        let keys = try reader.keys(to: directory.path(HubSnapshot.keysFile))
        if let masterKey {
            try Restore.take(masterKey, to: directory, machine)
            try Restore.check(json, tag, directory, [:], machine)
        }
        for name in manifest.files.map(\.name).filter({ $0.hasSuffix(".sqlite") }) + [HubSnapshot.keysFile] {
            reader.say("checking \(name)")
            let problems = try RestoredHub.problems(of: directory.path(name))
            guard problems.isEmpty else {
                throw BackupProblem(
                    "\(name) in the backup \(manifest.id.stamp) is damaged: \(problems.prefix(3).joined(separator: "; ")). Check the disk of the hub."
                )
            }
        }
        return Report(
            id: manifest.id, files: manifest.files.count + 1, bytes: manifest.bytes, keys: keys, isTagChecked: masterKey != nil)
    }
}
