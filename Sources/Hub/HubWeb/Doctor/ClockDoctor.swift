import Seams
import Vitals

/// Whether the clock may be believed: alarms, certificates and results go by it.
struct ClockDoctor: DoctorCheck {
    let subject = DoctorFinding.Subject.clock
    private static let program = "/proc/self/exe"

    func findings(_ hub: DoctorPatient) -> [DoctorFinding] {
        let files = hub.machine.files, now = hub.machine.utc
        let names = hub.hasDirectory ? (try? files.names(in: hub.directory)) ?? [] : []
        let dated = (names.map { hub.path($0) } + [Self.program]).compactMap { path in
            files.facts(path).map { (path: path, time: Milliseconds($0.modified / 1_000_000)) }
        }
        var found: [DoctorFinding] = []
        if let newest = dated.max(by: { $0.time < $1.time }), newest.time > now + hub.limits.clockBehind {
            found.append(
                DoctorFinding(
                    subject, "behind", "The clock is \((newest.time - now) / 60_000) minutes behind a file that was already written.",
                    at: newest.path, "Set it, and have it kept right: timedatectl set-ntp true."))
        }
        if !hub.limits.clockSetters.contains(where: { files.exists($0) }) {
            found.append(
                DoctorFinding(
                    .warning, subject, "free", "Nothing keeps this machine's clock right, as far as can be seen.", at: "timedatectl",
                    "Install systemd-timesyncd or chrony. In a container the machine around it keeps the clock: look there."))
        }
        return found
    }
}
