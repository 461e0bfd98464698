import Foundation
import HubStore
import Seams

/// Where the key lies that opens everything.
struct MasterKeyDoctor: DoctorCheck {
    let subject = DoctorFinding.Subject.masterKey
    private static let digits = 64

    func findings(_ hub: DoctorPatient) -> [DoctorFinding] {
        guard hub.hasDirectory else { return [] }
        let path = hub.path(KeyStore.masterKeyFile), credential = hub.limits.masterKeyCredential
        let isCredential = hub.machine.files.exists(credential)
        guard hub.machine.files.exists(path) else {
            guard !isCredential, hub.machine.files.exists(hub.path("keys.sqlite")) else { return [] }
            return [
                DoctorFinding(
                    subject, "missing", "The master key is nowhere: nothing that the hub keeps can be read.", at: path,
                    "Put it back from its own backup, as this file or as the credential \(KeyStore.masterKeyCredential).")
            ]
        }
        let key = (try? hub.machine.files.read(path)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let hexadecimal = key.trimmingCharacters(in: .whitespacesAndNewlines)
        if !isCredential, hexadecimal.count != Self.digits || !hexadecimal.allSatisfy(\.isHexDigit) {
            return [
                DoctorFinding(
                    subject, "damaged", "The master key does not hold \(Self.digits) hexadecimal digits.", at: path,
                    "Put it back from its own backup, and start no hub before.")
            ]
        }
        return [
            DoctorFinding(
                .warning, subject, "beside",
                isCredential
                    ? "The master key lies in the open beside the databases, although systemd hands it out."
                    : "The master key lies beside the databases: who gets a copy of the folder reads everything.", at: path,
                isCredential
                    ? "Once the hub has started with the credential and you have a backup elsewhere: sudo shred -u \(path)."
                    : "Keep it encrypted: sudo systemd-creds encrypt --name=\(KeyStore.masterKeyCredential) \(path) \(credential). docs/installing-a-hub.md has the steps."
            )
        ]
    }
}
