import Foundation
import HubServices
import Seams
import Vitals

/// Whether there is a backup, and how old the newest is: by the note that each leaves in the hub's directory.
struct BackupsDoctor: DoctorCheck {
    let subject = DoctorFinding.Subject.backups
    private static let hour: Milliseconds = 3_600_000

    func findings(_ hub: DoctorPatient) -> [DoctorFinding] {
        guard hub.hasDirectory else { return [] }
        let path = hub.path(LastBackup.file), note: LastBackup?
        do { note = try LastBackup.read(path, hub.machine.files) } catch {
            return [
                DoctorFinding(
                    subject, "none", "No backup of this hub is known: a broken disk would take everything.", at: path,
                    "Set up backups, to another machine (docs/backups.md).")
            ]
        }
        guard let note else {
            return [
                DoctorFinding(
                    subject, "note", "The note of the newest backup cannot be read.", at: path, "Make a backup: it writes the note anew.")
            ]
        }
        let age = hub.machine.utc - note.finished
        guard age > hub.limits.backupAge else { return [] }
        return [
            DoctorFinding(
                subject, "old", "The newest backup is \(age / Self.hour) hours old.", at: path,
                "Look why the last ones failed (journalctl, the timer's unit), and make one now.")
        ]
    }
}
