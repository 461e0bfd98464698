import Foundation
import Seams

/// Who else could read or change what the hub keeps.
struct PermissionsDoctor: DoctorCheck {
    let subject = DoctorFinding.Subject.permissions
    private static let others: UInt32 = 0o077, strangers: UInt32 = 0o007, writers: UInt32 = 0o022
    /// Names of files that hold keys or what people entrusted.
    private static let secret = [".key", ".sqlite", ".sqlite-wal", ".sqlite-shm", ".jsonl"]

    func findings(_ hub: DoctorPatient) -> [DoctorFinding] {
        guard hub.hasDirectory else {
            return [
                DoctorFinding(
                    .warning, subject, "directory", "The hub's folder is not there: it has never run with these settings.",
                    at: hub.directory,
                    "Start the hub, or correct hub.directory.")
            ]
        }
        return directory(hub) + settings(hub) + programs(hub)
    }

    private func directory(_ hub: DoctorPatient) -> [DoctorFinding] {
        var found = [open(hub.directory, Self.others, "folder", "Others can look into the hub's folder", hub)].compactMap(\.self)
        var owner = stat()
        guard stat(hub.directory, &owner) == 0, let names = try? hub.machine.files.names(in: hub.directory) else {
            return found + [
                DoctorFinding(
                    subject, "closed", "The hub's folder cannot be looked into by user \(geteuid()).", at: hub.directory,
                    "Run the command as root: it goes on as the folder's owner.")
            ]
        }
        for name in names.sorted() {
            let path = hub.path(name)
            var facts = stat()
            guard stat(path, &facts) == 0 else { continue }
            if facts.st_uid != owner.st_uid {
                found.append(
                    DoctorFinding(
                        subject, "owner", "\(name) belongs to another user than the folder: the hub may not be able to write it.", at: path,
                        "sudo chown --reference='\(hub.directory)' '\(path)'"))
            }
            guard Self.secret.contains(where: { name.hasSuffix($0) }) else { continue }
            if let problem = open(path, Self.others, "secret", "Others can read or change \(name)", hub) { found.append(problem) }
        }
        return found
    }

    /// Passwords and secrets in files of the operator's.
    private func settings(_ hub: DoctorPatient) -> [DoctorFinding] {
        let configuration = hub.configuration
        let hasSecrets = !configuration.sos.secret.isEmpty || !configuration.sos.secrets.isEmpty
        let files = [configuration.mail.passwordFile, configuration.voice.passwordFile, configuration.tls.key]
        return (files + [hasSecrets ? hub.settingsFile : nil]).compactMap(\.self).compactMap {
            open($0, Self.strangers, "password", "Everybody on this machine can read or change \($0), which holds a secret", hub)
        }
    }

    /// What the hub starts, it starts with what people entrusted to it.
    private func programs(_ hub: DoctorPatient) -> [DoctorFinding] {
        let programs = hub.configuration.messagePrograms + [hub.configuration.voice.program, hub.configuration.voice.speaker]
        return programs.compactMap { open($0, Self.writers, "program", "Others can change \($0), which the hub starts", hub) }
    }

    /// - Parameter rights: those that nobody but the owner is to have.
    private func open(_ path: String, _ rights: UInt32, _ word: String, _ what: String, _ hub: DoctorPatient) -> DoctorFinding? {
        guard let mode = hub.mode(path), mode & rights != 0 else { return nil }
        let mending = DoctorMending.take(rights: mode & rights, path: path)
        return DoctorFinding(
            subject, word, "\(what) (mode \(String(mode, radix: 8))).", at: path, "sudo \(mending)", mending: mending)
    }
}
