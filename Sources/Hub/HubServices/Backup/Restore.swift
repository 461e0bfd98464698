public import Foundation
public import HubStore
public import Seams
public import Vitals

/// Restores a hub into an empty directory: the databases and files of a backup, and the latest keys of people.
public struct Restore: Sendable {
    let reader: BackupReader, directory: HubDirectory, environment: [String: String], machine: Machine

    /// The hub's settings, as they are in a backup and lie in the directory after a restore.
    package static let settingsFile = "restored-hub.yaml"

    public init(
        _ reader: BackupReader, to directory: HubDirectory, environment: [String: String] = ProcessInfo.processInfo.environment,
        machine: Machine = .system
    ) {
        (self.reader, self.directory, self.environment, self.machine) = (reader, directory, environment, machine)
    }

    /// What was restored.
    public struct Report: Sendable, Hashable, Codable {
        public var id: BackupID
        /// The moment of the data, UTC, and the stamp of that of the keys; empty where an interrupted restore was only finished.
        public var time: Milliseconds
        public var keys: String
        public var people: Int
        /// Who was deleted after the moment, and stays so.
        public var deletedSince: Int
        /// Whether the old hub had maps, which are to be imported again.
        public var hadMap: Bool
        public var hasSettings: Bool
    }

    /// - Parameters:
    ///   - stamp: of the backup; nil for the newest.
    ///   - masterKey: the file with the master key; nil where it lies in the directory already, or systemd hands it out.
    /// - Throws: ``BackupProblem``, `HubStoreError`. Then the directory holds nothing of the backup.
    public func run(_ stamp: String? = nil, masterKey: String?, now: Milliseconds) throws -> Report {
        let lock = try directory.lock()
        defer { withExtendedLifetime(lock) {} }
        let folder = RestoreFolder(directory, machine)
        if let report = try folder.finish() { return report }
        try checkEmpty()
        // Asked for before an hour of reading.
        try checkMasterKey(masterKey)
        let (manifest, json, tag) = try reader.manifest(stamp)
        reader.say("restoring \(manifest.id.stamp), \(manifest.bytes / BackupProgress.megabyte) MB")
        do {
            let staged = try folder.make()
            try reader.assemble(manifest, in: staged.url.path)
            let keys = try reader.keys(to: staged.path(HubSnapshot.keysFile))
            try Self.take(masterKey ?? directory.path(KeyStore.masterKeyFile), to: staged, machine)
            try Self.check(json, tag, staged, environment, machine)
            let facts = try RestoredHub(staged).begin(environment: environment, machine: machine, now: now)
            let report = Report(
                id: manifest.id, time: manifest.time, keys: keys, people: facts.people, deletedSince: facts.deletedSince,
                hadMap: manifest.hasMap, hasSettings: manifest.files.contains { $0.name == Self.settingsFile })
            try folder.complete(report)
        } catch {
            folder.discard()
            throw error
        }
        guard let report = try folder.finish() else { throw BackupProblem("\(directory.url.path) was changed by somebody else meanwhile.") }
        return report
    }

    private func checkEmpty() throws {
        let there = try machine.files.names(in: directory.url.path).filter { $0.hasSuffix(".sqlite") }
        guard there.isEmpty else {
            throw BackupProblem(
                "\(directory.url.path) has a hub's data (\(there.sorted().joined(separator: ", "))), which nothing is written over. "
                    + "Move everything but \(KeyStore.masterKeyFile) elsewhere, and run the command again.")
        }
    }

    private func checkMasterKey(_ file: String?) throws {
        let credential = environment["CREDENTIALS_DIRECTORY"].map { "\($0)/\(KeyStore.masterKeyCredential)" }
        if file == nil, let credential, machine.files.exists(credential) { return }
        let path = file ?? directory.path(KeyStore.masterKeyFile)
        guard machine.files.exists(path) else {
            throw BackupProblem(
                "The master key is not at \(path), or the owner of the hub's directory may not read it. It is in no backup: name the file in "
                    + "which you kept it by --master-key.")
        }
    }

    /// Lays the master key beside databases, unless there is none: then systemd hands it out.
    static func take(_ file: String, to directory: HubDirectory, _ machine: Machine) throws {
        guard let key = try machine.files.read(file) else { return }
        try machine.files.write(key, to: directory.path(KeyStore.masterKeyFile), mode: 0o600)
    }

    /// Whether a hub with this master key made the list.
    static func check(_ json: [UInt8], _ tag: [UInt8], _ directory: HubDirectory, _ environment: [String: String], _ machine: Machine)
        throws
    {
        guard try BackupKeys(directory).tag(of: json, environment: environment, machine: machine) == tag else {
            throw BackupProblem(
                "The backup is not of a hub with this master key: somebody else may have put it there. Check the place and the master key.")
        }
    }
}
