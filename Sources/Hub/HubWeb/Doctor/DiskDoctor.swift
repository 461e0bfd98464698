import Foundation
import Seams

/// Whether the hub can write, and for how long.
struct DiskDoctor: DoctorCheck {
    let subject = DoctorFinding.Subject.disk
    private static let probe = "doctor.probe"

    func findings(_ hub: DoctorPatient) -> [DoctorFinding] {
        guard hub.hasDirectory else { return [] }
        if let problem = writing(hub) { return [problem] }
        var facts = statvfs()
        guard statvfs(hub.directory, &facts) == 0 else { return [] }
        let room = UInt64(facts.f_bavail) * UInt64(facts.f_frsize), megabytes = room / 1_000_000
        var found: [DoctorFinding] = []
        if room < hub.limits.roomWarning {
            let isFault = room < hub.limits.roomFault
            found.append(
                DoctorFinding(
                    isFault ? .fault : .warning, subject, "room", "\(megabytes) MB are free where the hub keeps its files.",
                    at: hub.directory,
                    "Make room, or move hub.directory to a larger disk: see what is large with du -xh \(hub.directory) | sort -h | tail. A lower hub.quota lets the oldest measurements go."
                ))
        }
        // Some file systems make room for names as they need it, and say 0.
        if facts.f_files > 0, UInt64(facts.f_favail) < hub.limits.filesFault {
            found.append(
                DoctorFinding(
                    subject, "files", "The disk can take \(facts.f_favail) more files, however much room there is.", at: hub.directory,
                    "Delete files that nobody needs, or move hub.directory to another disk: df -i shows which are full."))
        }
        return found
    }

    private func writing(_ hub: DoctorPatient) -> DoctorFinding? {
        let path = hub.path(Self.probe)
        do throws(FileProblem) {
            try hub.machine.files.write([UInt8](repeating: 0, count: 4096), to: path, mode: 0o600)
            try hub.machine.files.remove(path)
            return nil
        } catch {
            try? hub.machine.files.remove(path)
            return DoctorFinding(
                subject, "write", "Nothing can be written: \(error.reason).", at: hub.directory,
                "Run the command as root, or give the folder to the hub's user. A disk that became read-only is damaged: dmesg says so.")
        }
    }
}
