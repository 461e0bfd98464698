import Foundation
import HubStore
import Seams
import Vitals

/// Looks at one part of a hub.
protocol DoctorCheck: Sendable {
    var subject: DoctorFinding.Subject { get }

    /// Changes nothing.
    func findings(_ hub: DoctorPatient) async -> [DoctorFinding]
}

/// The hub that the doctor looks at, from beside it: it may run or not.
struct DoctorPatient: Sendable {
    let configuration: HubConfiguration
    /// Where the settings stand; nil for the environment alone.
    let settingsFile: String?
    let machine: Machine
    let network: DoctorNetwork
    var limits = DoctorLimits()

    var directory: String { configuration.directory.path }
    var hasDirectory: Bool { machine.files.facts(directory)?.isFolder == true }

    func path(_ name: String) -> String { configuration.directory.appendingPathComponent(name).path }

    /// Whether a hub has the directory now. A hub that starts in the same microseconds is refused, and started again by its unit.
    var isRunning: Bool {
        guard hasDirectory, machine.files.exists(path("lock")) else { return false }
        do { _ = try HubDirectory(configuration.directory, machine: machine).lock() } catch {
            if case HubStoreError.inUse = error { return true }
        }
        return false
    }

    /// The mode of a file or folder, without its kind; nil where it is not there or cannot be looked at.
    func mode(_ path: String) -> UInt32? {
        var facts = stat()
        return stat(path, &facts) == 0 ? facts.st_mode & 0o7777 : nil
    }
}

/// From when on something is told.
struct DoctorLimits: Sendable {
    /// Bytes that are free: below the first it is a fault, below the second a warning.
    var roomFault: UInt64 = 500_000_000, roomWarning: UInt64 = 5_000_000_000
    /// Files that the disk can still take.
    var filesFault: UInt64 = 10_000
    /// A certificate that ends within so many milliseconds.
    var certificateWarning: Milliseconds = 14 * 86_400_000
    /// The age of the newest backup, in milliseconds: one each night, and a night that failed.
    var backupAge: Milliseconds = 48 * 3_600_000
    /// How far behind the clock may be, in milliseconds: less is a clock that was just set.
    var clockBehind: Milliseconds = 300_000
    /// How long a server may take to answer, in milliseconds.
    var patience: Int64 = 10_000
    /// What programs that set the clock leave while they do: systemd-timesyncd, chrony, ntpsec and ntpd.
    var clockSetters = ["/run/systemd/timesync/synchronized", "/run/chrony/chronyd.pid", "/run/ntpd.pid", "/var/run/ntpd.pid"]
    /// Where systemd finds the master key.
    var masterKeyCredential = "/etc/credstore.encrypted/" + KeyStore.masterKeyCredential
}
