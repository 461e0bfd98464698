import Foundation
import Mail
import NIOSSL
import Processes
import Seams

extension HubSetup.Tries {
    /// On this machine.
    /// - Parameters:
    ///   - owner: whose directory the hub's is: what the hub reads, this user must be able to read.
    ///   - isKnown: whether the name service knows a name.
    init(on machine: Machine, owner: (user: UInt32, group: UInt32), isKnown: @escaping @Sendable (String) -> Bool) {
        let reader = FileReader(machine: machine, owner: owner)
        self.init(
            name: { isKnown($0) ? nil : Self.unknown($0) }, certificate: { Self.certificate($0, $1, reader) },
            request: { Self.request($0, $1, machine) },
            mail: { await Self.mail($0, to: $1, machine) },
            text: { await Self.text($0, to: $1, machine) }, map: { Self.map($0, reader) })
    }

    private static func unknown(_ name: String) -> String {
        "\(name) is not known to the name service: make a record for it (A or AAAA) that leads to this machine."
    }

    private static func certificate(_ chain: String, _ key: String, _ reader: FileReader) -> String? {
        for file in [chain, key] {
            if let problem = reader.problem(of: file) { return problem }
        }
        do {
            let certificates = try NIOSSLCertificate.fromPEMFile(chain)
            let source = NIOSSLPrivateKeySource.privateKey(try NIOSSLPrivateKey(file: key, format: .pem))
            _ = try NIOSSLContext(
                configuration: .makeServerConfiguration(certificateChain: certificates.map { .certificate($0) }, privateKey: source))
            guard let first = certificates.first, Int64(first.notValidAfter) * 1000 > reader.machine.utc else {
                return "The certificate in \(chain) has ended: have it renewed."
            }
            return nil
        } catch { return "They cannot be used: both are PEM files, and belong together. (\(error))" }
    }

    /// Of the package: runs certbot, and is its hook.
    private static let certificates = "/usr/lib/trackme-hub/certificate"

    private static func request(_ name: String, _ mail: String, _ machine: Machine) -> String? {
        do throws(Programs.Failure) {
            let command = [certificates, "request", name, mail]
            let (ending, said) = try machine.programs.finish(command, environment: Programs.environment)
            guard ending != .exited(0) else { return nil }
            let words = String(decoding: said, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            return "No certificate was made:\n\(words)".replacing("\n", with: "\n   ")
        } catch { return "\(certificates) cannot be started (error \(error.code)): it comes with the package trackme-hub." }
    }

    private static func mail(_ mail: HubConfiguration.Mail, to: String, _ machine: Machine) async -> String? {
        do {
            let id = "setup.\(machine.utc)@\(mail.sender.split(separator: "@").last ?? "localhost")"
            let message = try MailMessage(
                from: MailAddress(mail.sender, name: "TrackMe"), to: MailAddress(to), subject: "TrackMe: a test",
                text: "This hub can send mails.\n", date: machine.utc, id: id)
            try await mail.carrier(on: machine).send(message)
            return mail.senderWarning
        } catch { return "The mail was not sent: \(error)" }
    }

    private static func text(_ program: String, to number: String, _ machine: Machine) async -> String? {
        guard program.hasPrefix("/"), access(program, X_OK) == 0 else { return "\(program) is no program: give the whole path of one." }
        do {
            try await MessageProgram(program, programs: machine.programs).send("TrackMe: a test. This hub can send texts.", to: number)
            return nil
        } catch { return "The text was not sent: \(error)" }
    }

    private static func map(_ extract: String, _ reader: FileReader) -> String? {
        if let problem = reader.problem(of: extract) { return problem }
        guard extract.hasSuffix(".osm.pbf") else { return "\(extract) is no .osm.pbf: download.geofabrik.de has some for each region." }
        guard access("/usr/bin/tilemaker", X_OK) == 0 else { return "tilemaker is missing: apt-get install tilemaker osmium-tool." }
        return nil
    }
}

/// Looks whether the hub's user may read a file.
private struct FileReader: Sendable {
    let machine: Machine
    let owner: (user: UInt32, group: UInt32)

    /// - Returns: what is wrong and what to do; nil where it can be read.
    func problem(of file: String) -> String? {
        guard file.hasPrefix("/"), machine.files.exists(file) else { return "\(file) is not there: give the whole path of a file." }
        guard geteuid() == 0, owner.user != 0 else { return access(file, R_OK) == 0 ? nil : "\(file) cannot be read." }
        let command = [
            "/usr/bin/setpriv", "--reuid=\(owner.user)", "--regid=\(owner.group)", "--clear-groups", "/usr/bin/test", "-r", file,
        ]
        guard let ending = try? machine.programs.finish(command, environment: Programs.environment).ending, ending == .exited(0) else {
            return "\(file) cannot be read by the hub's user: put a copy into /etc/trackme that its group, trackme-hub, may read."
        }
        return nil
    }
}
