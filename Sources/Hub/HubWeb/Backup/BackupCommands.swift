import Foundation
import HubServices
import HubStore
import Seams
import Vitals

/// What `trackme-hub backup` and `trackme-hub restore` do.
public enum BackupCommands {
    static let machine = HubCommands.machine

    /// Where a backup lies, and what reads it.
    public struct Source: Sendable {
        /// As `hub.backup.to`; nil for that of the settings.
        public var from: String?
        /// The file with the private key.
        public var identity: String
        /// The stamp of the backup; nil for the newest.
        public var stamp: String?
        /// The file with the master key; nil where it is not at hand, or lies in the hub's directory.
        public var masterKey: String?

        public init(from: String?, identity: String, stamp: String?, masterKey: String?) {
            (self.from, self.identity, self.stamp, self.masterKey) = (from, identity, stamp, masterKey)
        }

        func place(_ configuration: HubConfiguration) throws -> BackupPlace {
            guard let text = from ?? configuration.backup.place else {
                throw HubConfigurationError("No place is known: say --from, with /FOLDER, rclone:REMOTE:PATH or command:/PROGRAM.")
            }
            return try BackupPlace(text)
        }

        /// As `age` and the hub find them from wherever they run.
        func reader(_ configuration: HubConfiguration) throws -> BackupReader {
            BackupReader(try place(configuration), identity: absolute(identity), machine: machine, say: say)
        }
    }

    private static func absolute(_ path: String) -> String { URL(fileURLWithPath: path).path }

    @Sendable private static func say(_ line: String) {
        try? FileHandle.standardError.write(contentsOf: Data("trackme-hub: \(line)\n".utf8))
    }

    private static func backup(_ configuration: HubConfiguration, say: @escaping @Sendable (String) -> Void = say) throws -> Backup? {
        guard let settings = try configuration.backup.settings() else { return nil }
        return Backup(try HubDirectory(configuration.directory), settings, version: HubVersion.current, machine: machine, say: say)
    }

    /// Makes a backup beside a running hub.
    /// - Parameters:
    ///   - isOptional: whether a hub without a place for backups is no error, as before an upgrade.
    ///   - settingsFile: the file with the hub's settings; nil for that of the package.
    /// - Returns: what was done.
    public static func make(isOptional: Bool, settingsFile: String?, _ configuration: HubConfiguration) throws -> String {
        guard let backup = try backup(configuration) else {
            let todo = "No backup is set up: set hub.backup.to and hub.backup.recipients, as docs/backups.md says."
            guard isOptional else { throw HubConfigurationError(todo) }
            return "Nothing was backed up. \(todo)"
        }
        let report = try backup.run(settingsFile: settingsFile ?? HubConfiguration.packagedFile)
        return "backed up \(report.id.stamp): \(megabytes(report.bytes)), of which \(megabytes(report.written)) were written"
            + (report.isFull ? " (a full backup)" : " (the rest is in the chain of \(report.id.chain))")
            + (report.deleted > 0 ? "; \(report.deleted) objects of older backups were deleted" : "")
    }

    /// Brings the copy of the keys up to date after a deletion; says nothing where there is nothing to do.
    public static func keys(_ configuration: HubConfiguration) throws -> String? {
        guard let backup = try backup(configuration), try backup.keysIfDeleted() else { return nil }
        return "the keys in the backup are those of now: who was deleted since then is deleted there, too"
    }

    /// The stamps of all backups, each with its chain.
    public static func list(from: String?, _ configuration: HubConfiguration) throws -> [String] {
        let source = Source(from: from, identity: "", stamp: nil, masterKey: nil)
        return try BackupReader.list(source.place(configuration), machine: machine).map {
            $0.chain == $0.stamp ? "\($0.stamp)  full" : "\($0.stamp)  leans on \($0.chain)"
        }
    }

    /// Restores a backup into a folder that is removed again, and compares.
    /// - Parameter scratch: where there is room for it.
    public static func verify(_ source: Source, scratch: String, _ configuration: HubConfiguration) throws -> String {
        let report = try BackupCheck(source.reader(configuration), scratch: absolute(scratch), machine: machine)
            .run(source.stamp, masterKey: source.masterKey.map(absolute))
        return
            "\(report.id.stamp) can be restored: \(report.files) files, \(megabytes(report.bytes)), each piece as it was; keys of \(report.keys)"
            + (report.isTagChecked ? "; made by the hub with this master key" : ". With --master-key it is checked who made it, too")
    }

    /// Restores a hub.
    /// - Returns: what was done, and what is to be done next, line by line.
    public static func restore(_ source: Source, _ configuration: HubConfiguration) throws -> [String] {
        let directory = try HubDirectory(configuration.directory)
        let report = try Restore(source.reader(configuration), to: directory, machine: machine)
            .run(source.stamp, masterKey: source.masterKey.map(absolute), now: machine.utc)
        return RestoreText.lines(report, directory.url.path, now: machine.utc)
    }

    private static func megabytes(_ bytes: Int) -> String { "\((Double(bytes) / 100_000).rounded() / 10) MB" }
}

/// What the operator of a restored hub is told.
enum RestoreText {
    /// Boxes keep what was acknowledged for so long.
    private static let daysOfBoxes = 14
    private static let day: Milliseconds = 86_400_000

    static func lines(_ report: Restore.Report, _ directory: String, now: Milliseconds) -> [String] {
        let time = Date(timeIntervalSince1970: Double(report.time) / 1000).formatted(.iso8601)
        var lines = [
            "restored \(report.id.stamp) into \(directory), as it was at \(time); people: \(report.people)",
            "keys of \(report.keys); deleted after the backup, and staying so: \(report.deletedSince). Who was deleted after the keys' time is back: "
                + "delete them again (trackme-hub person delete).",
        ]
        if now - report.time > Milliseconds(daysOfBoxes) * day {
            lines.append(
                "The backup is older than \(daysOfBoxes) days: boxes send again what they have of those days; what is older is lost.")
        } else {
            lines.append(
                "Boxes send again what is missing, as soon as they reach the hub. What came from phones, imports and pages since is lost.")
        }
        lines += ["", "Now:", "  1. See to it that the old hub never starts again: both would take in data and call for help."]
        if report.hasSettings {
            lines.append(
                "  2. Settings: compare \(directory)/\(Restore.settingsFile) with /etc/trackme/hub.yaml, and take over what is missing there, with the "
                    + "files that it names (certificate, passwords).")
        } else {
            lines.append("  2. Write the settings (trackme-hub setup): there were none in the backup.")
        }
        lines.append("  3. Start the hub: systemctl start trackme-hub, and look at its log.")
        lines.append(
            "  4. Boxes that were enrolled after the backup are not known: enrol them again. trackme-hub agent list shows those that are.")
        if report.hadMap { lines.append("  5. Import the maps again: trackme-hub map import.") }
        lines.append("  Figures about groups of windows that closed since are held back: docs/groups.md, \"After a restore\".")
        lines.append("  Make a backup today: trackme-hub backup. It is a full one.")
        return lines
    }
}
