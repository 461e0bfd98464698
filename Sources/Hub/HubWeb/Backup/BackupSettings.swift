import Configuration
import HubServices

/// Where backups go, and who can read them.
public struct BackupSettings: Sendable {
    /// `hub.backup.to` / `HUB_BACKUP_TO`: `/FOLDER`, `rclone:REMOTE:PATH` or `command:/PROGRAM`; nil: no backup is set up.
    public var place: String?
    /// `hub.backup.recipients`: public keys, as `age-keygen` prints them.
    public var recipients: [String] = []
    /// `hub.backup.keep`: days; 0 for ever.
    public var keep = 35
    /// `hub.backup.full`: days between two full backups.
    public var full = 7

    private static let keepMax = 36_500, fullMax = 365

    init() {}

    init(_ config: ConfigReader) {
        place = config.string(forKey: "to").flatMap { $0.isEmpty ? nil : $0 }
        recipients = config.stringArray(forKey: "recipients") ?? []
        keep = config.int(forKey: "keep") ?? keep
        full = config.int(forKey: "full") ?? full
    }

    /// nil where no backup is set up.
    func settings() throws -> HubServices.Backup.Settings? {
        guard let place else {
            guard recipients.isEmpty else {
                throw HubConfigurationError("hub.backup.recipients is set, but hub.backup.to is not: say where backups go.")
            }
            return nil
        }
        let parsed: BackupPlace
        do throws(BackupProblem) { parsed = try BackupPlace(place) } catch { throw HubConfigurationError(error.description) }
        guard !recipients.isEmpty else {
            throw HubConfigurationError(
                "hub.backup.recipients is empty: make a key by `age-keygen -o backup-key.txt` on another machine, keep the file there, and "
                    + "write the public key that it prints, age1…")
        }
        if let wrong = recipients.first(where: { !$0.hasPrefix("age1") && !$0.hasPrefix("ssh-") }) {
            let isPrivate = wrong.uppercased().hasPrefix("AGE-SECRET-KEY")
            throw HubConfigurationError(
                isPrivate
                    ? "hub.backup.recipients holds a private key: take it out of the settings, keep it elsewhere, and write the public one, age1…"
                    : "hub.backup.recipients holds \(wrong), which is no public key: write it as age-keygen prints it, age1…")
        }
        guard (0...Self.keepMax).contains(keep) else {
            throw HubConfigurationError("hub.backup.keep is \(keep): use days, 1 to \(Self.keepMax), or 0 for ever.")
        }
        guard (1...Self.fullMax).contains(full) else {
            throw HubConfigurationError("hub.backup.full is \(full): use days, 1 to \(Self.fullMax).")
        }
        var settings = HubServices.Backup.Settings(place: parsed, recipients: recipients)
        (settings.keepDays, settings.fullDays) = (keep, full)
        return settings
    }
}
