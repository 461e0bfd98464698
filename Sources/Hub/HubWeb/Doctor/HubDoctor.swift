import Foundation
import Seams

/// Looks at a hub from beside it, and says what is wrong, where, and what to do.
struct HubDoctor: Sendable {
    let hub: DoctorPatient

    static let checks: [any DoctorCheck] = [
        SettingsDoctor(), CertificateDoctor(), MailDoctor(), TextsDoctor(), DiskDoctor(), ClockDoctor(), PortsDoctor(), ProxyDoctor(),
        TilesDoctor(), PermissionsDoctor(), BackupsDoctor(), MasterKeyDoctor(),
    ]

    /// Everything that is wrong, in the order of the subjects; faults come first in each.
    func findings() async -> [DoctorFinding] {
        var found: [DoctorFinding] = []
        for check in Self.checks { found += await check.findings(hub) }
        return DoctorFinding.Subject.allCases.flatMap { subject in
            let own = found.filter { $0.subject == subject }
            return own.filter { $0.severity == .fault } + own.filter { $0.severity == .warning }
        }
    }

    /// Mends what can be mended here.
    /// - Returns: why it was not; nil where it was.
    static func mend(_ mending: DoctorMending) -> String? {
        switch mending {
        case .take(let rights, let path):
            var facts = stat()
            guard stat(path, &facts) == 0, chmod(path, facts.st_mode & 0o7777 & ~rights) == 0 else {
                return "\(String(cString: strerror(errno))): as root, \(mending)"
            }
            return nil
        }
    }
}
