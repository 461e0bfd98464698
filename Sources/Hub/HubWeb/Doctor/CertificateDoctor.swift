import Foundation
import NIOSSL
import Seams
import SwiftASN1
import Vitals
import X509

/// What the hub shows to browsers and boxes.
struct CertificateDoctor: DoctorCheck {
    let subject = DoctorFinding.Subject.certificate

    func findings(_ hub: DoctorPatient) -> [DoctorFinding] {
        let tls = hub.configuration.tls
        guard tls.enabled else { return [] }
        guard let file = tls.certificate, let key = tls.key else { return own(hub) }
        let files: [String] = [file, key]
        if let unreadable = files.first(where: { access($0, R_OK) != 0 }) {
            let isThere = hub.machine.files.exists(unreadable)
            return [
                finding(
                    isThere ? "unreadable" : "missing",
                    isThere ? "The hub's user cannot read \(unreadable)." : "There is no \(unreadable).", unreadable,
                    isThere
                        ? "Let it be read by the hub's user: sudo setfacl -m u:trackme-hub:r '\(unreadable)', or a copy in /etc/trackme."
                        : "Have the certificate issued, or correct hub.tls.certificate and hub.tls.key.")
            ]
        }
        do { try HubCertificates.check(file, key) } catch {
            return [finding("unusable", "\(error)", file, "Put the chain and its own key there; the hub reads them without a restart.")]
        }
        guard let leaf = Self.leaf(file) else { return [] }
        return dates(of: leaf, in: file, hub) + names(of: leaf, in: file, hub)
    }

    private func finding(
        _ severity: DoctorFinding.Severity, _ word: String, _ what: String, _ place: String, _ advice: String
    ) -> DoctorFinding { DoctorFinding(severity, subject, word, what, at: place, advice) }

    private func finding(_ word: String, _ what: String, _ place: String, _ advice: String) -> DoctorFinding {
        finding(.fault, word, what, place, advice)
    }

    private static func leaf(_ file: String) -> Certificate? {
        guard let first = try? NIOSSLCertificate.fromPEMFile(file).first, let bytes = try? first.toDERBytes() else { return nil }
        return try? Certificate(derEncoded: bytes)
    }

    private static let renewal =
        "Have it renewed (certbot renew), and look why that did not happen by itself: systemctl status certbot.timer."

    private func dates(of leaf: Certificate, in file: String, _ hub: DoctorPatient) -> [DoctorFinding] {
        let now = hub.machine.date, end = leaf.notValidAfter
        let warning = TimeInterval(hub.limits.certificateWarning) / 1000
        if end <= now { return [finding("ended", "The certificate ended \(end.formatted(.iso8601)).", file, Self.renewal)] }
        if leaf.notValidBefore > now {
            return [
                finding(
                    "early", "The certificate is not valid before \(leaf.notValidBefore.formatted(.iso8601)).", file,
                    "Look whether this machine's clock is right (timedatectl), or put the one before back.")
            ]
        }
        guard end.timeIntervalSince(now) < warning else { return [] }
        return [finding(.warning, "ends", "The certificate ends \(end.formatted(.iso8601)).", file, Self.renewal)]
    }

    /// Browsers and boxes refuse a certificate that is for other names.
    private func names(of leaf: Certificate, in file: String, _ hub: DoctorPatient) -> [DoctorFinding] {
        guard let host = hub.configuration.url.flatMap({ URL(string: $0)?.host }) else { return [] }
        let names = (try? leaf.extensions.subjectAlternativeNames).map { Array($0) } ?? []
        guard !names.contains(where: { Self.covers($0, host.lowercased()) }) else { return [] }
        return [
            finding(
                "name", "The certificate is not for \(host), the name in hub.url.", file,
                "Have one issued for \(host), or set hub.url to a name that it is for.")
        ]
    }

    /// Of a wildcard the star stands for one label (RFC 6125, 6.4.3).
    private static func covers(_ name: GeneralName, _ host: String) -> Bool {
        switch name {
        case .dnsName(let text):
            let name = text.lowercased()
            guard name.hasPrefix("*.") else { return name == host }
            return host.firstIndex(of: ".").map { host[$0...] == name.dropFirst() } ?? false
        case .ipAddress(let address):
            var (v4, v6) = ([UInt8](repeating: 0, count: 4), [UInt8](repeating: 0, count: 16))
            if inet_pton(AF_INET, host, &v4) == 1 { return Array(address.bytes) == v4 }
            return inet_pton(AF_INET6, host, &v6) == 1 && Array(address.bytes) == v6
        default: return false
        }
    }

    /// The authority that the hub made. It renews its certificate itself.
    private func own(_ hub: DoctorPatient) -> [DoctorFinding] {
        let file = hub.path("ca.pem")
        do {
            guard hub.hasDirectory, let authority = try CertificateAuthority.load(in: hub.configuration.directory, on: hub.machine) else {
                return []
            }
            let end = authority.certificate.notValidAfter, left = end.timeIntervalSince(hub.machine.date)
            guard left < Self.authorityWarning else { return [] }
            return [
                finding(
                    left <= 0 ? .fault : .warning, "authority", "The hub's own authority ends \(end.formatted(.iso8601)).", file,
                    "Announce the next one, so that boxes learn of it in time: trackme-hub authority renew.")
            ]
        } catch {
            return [
                finding(
                    "authority", "The hub's own authority cannot be used: \(error)", file,
                    "Put ca.pem and ca.key back from one backup: boxes know this hub by them.")
            ]
        }
    }

    /// Boxes that are seldom on have to hear of the next one.
    private static let authorityWarning: TimeInterval = 90 * 86_400
}
