public import Foundation
public import HubStore
public import Seams
import Vitals

/// Backs a hub's directory up while the hub runs ([decision 31](docs/decisions/0031-backup.md)): all databases as they were at one moment, encrypted
/// to recipients whose private key is elsewhere. What a chain of backups has already is not written again.
public struct Backup: Sendable {
    /// What an operator sets.
    public struct Settings: Sendable {
        public var place: BackupPlace
        /// Who can read it, as `age` names them.
        public var recipients: [String]
        /// So many days a backup is kept; 0 for all.
        public var keepDays = 35
        /// After so many days a full backup is made again.
        public var fullDays = 7

        public init(place: BackupPlace, recipients: [String]) { (self.place, self.recipients) = (place, recipients) }
    }

    /// What was done.
    public struct Report: Sendable, Hashable {
        public var id: BackupID
        /// Bytes of all files, and those that were written anew.
        public var bytes: Int, written: Int
        public var isFull: Bool
        /// Objects of older backups that were deleted.
        public var deleted: Int
    }

    let directory: HubDirectory, settings: Settings, version: String, environment: [String: String]
    let machine: Machine, say: @Sendable (String) -> Void
    let objects: BackupObjects

    /// The names of files in the hub's directory.
    static let memoryFile = "backup-chain.json", keysFile = "backup-keys.json"
    /// Files of this size at most are read whole, before the moment; larger ones piece by piece.
    private static let smallMax = 4 << 20
    private static let day: Milliseconds = 86_400_000

    /// - Parameters:
    ///   - version: of the hub.
    ///   - environment: names the master key where systemd hands it out.
    ///   - say: hears how far it is, a line at a time.
    public init(
        _ directory: HubDirectory, _ settings: Settings, version: String,
        environment: [String: String] = ProcessInfo.processInfo.environment, machine: Machine = .system,
        say: @escaping @Sendable (String) -> Void
    ) {
        (self.directory, self.settings, self.version, self.environment) = (directory, settings, version, environment)
        (self.machine, self.say) = (machine, say)
        objects = BackupObjects(place: settings.place, machine: machine)
    }

    /// Makes a backup. The hub may run, and goes on meanwhile.
    /// - Parameter settingsFile: the hub's settings, which are backed up with it; nil for none.
    /// - Throws: ``BackupProblem``, `HubStoreError`.
    public func run(settingsFile: String? = nil) throws -> Report {
        guard let lock = try directory.lockForBackup() else {
            throw BackupProblem("Another backup of \(directory.url.path) is being made: wait for its end.")
        }
        defer { withExtendedLifetime(lock) {} }
        let names = try objects.names()
        let memory = self.memory(names)
        let stamp = freeStamp(names), id = BackupID(chain: memory?.chain ?? stamp, stamp: stamp)
        say(memory == nil ? "a full backup to \(settings.place)" : "a backup to \(settings.place), of what has changed since \(id.chain)")
        var writer = PackWriter(objects, settings.recipients, id, memory: memory)
        let files = try otherFiles(&writer, settingsFile)
        let snapshot = try HubSnapshot(directory, machine: machine), time = machine.utc
        try putKeys()
        var manifest = BackupManifest(hub: version, id: id, time: time)
        manifest.files = files + (try databases(snapshot, &writer))
        try writer.flush()
        manifest.packs = writer.packs
        manifest.hasMap = machine.files.exists(directory.path(StreetMap.folder) + "/" + StreetMap.tiles)
        try put(manifest)
        try remember(
            BackupMemory(
                place: settings.place.description, recipients: settings.recipients, chain: id.chain, began: memory?.began ?? time,
                newest: time, packs: writer.packs, pieces: Array(writer.known.values)))
        let deleted = try retain(id, writer.packs, now: time)
        do { try LastBackup(finished: machine.utc).write(in: directory, machine.files) } catch {
            throw BackupProblem("\(error): the backup is whole, but whoever watches the hub does not know of it.")
        }
        return Report(id: id, bytes: manifest.bytes, written: writer.bytesWritten, isFull: memory == nil, deleted: deleted)
    }

    // MARK: The chain

    /// What is known of the chain to add to; nil for a full backup.
    private func memory(_ names: [String]) -> BackupMemory? {
        guard let bytes = try? machine.files.read(directory.path(Self.memoryFile)),
            let memory = try? JSONDecoder().decode(BackupMemory.self, from: Data(bytes)), memory.place == settings.place.description,
            memory.recipients == settings.recipients,
            machine.utc < memory.began + Milliseconds(settings.fullDays) * Self.day, machine.utc >= memory.newest
        else { return nil }
        let missing = Set(memory.packs).subtracting(names).count
        if missing > 0 { say("\(missing) of the \(memory.packs.count) packs of earlier backups are gone from \(settings.place)") }
        return missing == 0 ? memory : nil
    }

    private func remember(_ memory: BackupMemory) throws {
        let path = directory.path(Self.memoryFile)
        do { try machine.files.replace(path, with: Array(JSONEncoder().encode(memory))) } catch let problem as FileProblem {
            throw BackupProblem("\(problem): the backup is whole, and the next one will be a full one.")
        }
    }

    /// A second has one backup.
    private func freeStamp(_ names: [String]) -> String {
        let newest = names.compactMap { BackupName($0)?.backup.stamp }.max() ?? ""
        var stamp = BackupStamp.text(machine.utc), time = machine.utc
        // A clock that was set back must not put this backup before the others.
        while stamp <= newest, time < machine.utc + Self.day {
            time += 1000
            stamp = BackupStamp.text(time)
        }
        return stamp
    }

    // MARK: Files

    /// Keys, certificates, checkpoints of the audit log: all that lies in the directory and is no database. They come before the moment, so that no
    /// checkpoint speaks of rows that the accounts do not have.
    private func otherFiles(_ writer: inout PackWriter, _ settingsFile: String?) throws -> [BackupManifest.File] {
        var files: [BackupManifest.File] = []
        for name in try machine.files.names(in: directory.url.path).sorted() where Self.isKept(name) {
            let path = directory.path(name)
            guard let facts = machine.files.facts(path), !facts.isFolder else { continue }
            if facts.size <= Self.smallMax {
                // A file that was just removed is none.
                guard let bytes = try machine.files.read(path) else { continue }
                files.append(try writer.add(name, read: { Array(bytes.dropFirst($0).prefix($1)) }))
            } else {
                let file = try LargeFile(path, for: .reading)
                files.append(try writer.add(name, read: { try file.read(at: $0, count: $1) }))
            }
        }
        if let settingsFile, let bytes = try machine.files.read(settingsFile) {
            files.append(try writer.add(Restore.settingsFile, read: { Array(bytes.dropFirst($0).prefix($1)) }))
        }
        return files
    }

    /// The master key is in no backup; databases are read otherwise; the rest is of this machine or this moment.
    static func isKept(_ name: String) -> Bool {
        let others = [
            "lock", "backup.lock", "backup-keys.lock", memoryFile, keysFile, LastBackup.file, Restore.settingsFile, "allow-older",
        ]
        let isOfDatabase = [".sqlite", ".sqlite-wal", ".sqlite-shm", ".sqlite-journal"].contains { name.hasSuffix($0) }
        return !isOfDatabase && !others.contains(name) && !name.hasPrefix(KeyStore.masterKeyFile) && !name.hasPrefix(".")
            && !name.hasSuffix(".new")
    }

    private func databases(_ snapshot: HubSnapshot, _ writer: inout PackWriter) throws -> [BackupManifest.File] {
        let whole = snapshot.parts.reduce(0) { $0 + $1.size }
        var files: [BackupManifest.File] = [], before = 0, progress = BackupProgress(whole: whole, machine: machine, say: say)
        for part in snapshot.parts {
            files.append(
                try writer.add(
                    part.name, told: { progress.reached(before + $0) }, read: { try part.read(at: $0, count: $1) }))
            before += part.size
            try part.end()
        }
        return files
    }

    private func put(_ manifest: BackupManifest) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let json = Array(try encoder.encode(manifest))
        let text = BackupManifest.text(json, tag: try BackupKeys(directory).tag(of: json, environment: environment, machine: machine))
        try objects.put(BackupName(manifest.id, .manifest).text, to: settings.recipients) { write in
            try text.withUnsafeBytes { try write($0) }
        }
    }

    // MARK: What is kept

    /// Deletes chains whose newest backup is too old, and what a backup left that was not finished.
    /// - Parameter packs: of the own chain, which newer backups lean on, whether or not the lists of older ones are still there.
    /// - Returns: how many objects were deleted.
    private func retain(_ own: BackupID, _ packs: [String], now: Milliseconds) throws -> Int {
        guard settings.keepDays > 0 else { return 0 }
        let names = try objects.names().compactMap(BackupName.init), needed = Set(packs)
        let before = BackupStamp.text(now - Milliseconds(settings.keepDays) * Self.day)
        var newest: [String: String] = [:]
        for name in names where name.part == .manifest {
            newest[name.backup.chain] = max(newest[name.backup.chain] ?? "", name.backup.stamp)
        }
        let goes = names.filter { name in
            guard name.backup.chain == own.chain else { return newest[name.backup.chain].map { $0 < before } ?? true }
            return name.part != .manifest && !needed.contains(name.text)
        }
        // Lists first: none names a pack that is gone.
        for name in goes.sorted(by: { ($0.part == .manifest ? 0 : 1) < ($1.part == .manifest ? 0 : 1) }) { try objects.remove(name.text) }
        return goes.count
    }
}
