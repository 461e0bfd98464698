import Configuration
import Foundation
import HubServices
import Mail
import Seams

extension HubConfiguration {
    public struct Mail: Sendable {
        /// `hub.mail.server` / `HUB_MAIL_SERVER`: the mail server that takes this hub's mails, `smtp://HOST[:PORT]` (port 587, with STARTTLS)
        /// or `smtps://HOST[:PORT]` (port 465). Without one the program of ``sendmail`` takes them, which suits a small hub.
        public var server: String?
        /// `hub.mail.tls`: false only where the server is on this machine (port 25 unless told otherwise).
        public var tls = true
        /// `hub.mail.user`: who the hub is to the server; nobody without.
        public var user: String?
        /// `hub.mail.passwordFile`: a file with the password and nothing else. The systemd credential `trackme-mail-password` goes first.
        public var passwordFile: String?
        /// `hub.mail.authority`: a PEM file with the authorities of which the server has its certificate; the system's without.
        public var authority: String?
        /// `hub.mail.connections`: that many at most for mails about somebody in distress; 4 more for all others. A server may grant less
        /// to one address.
        public var connections = SMTPSubmission.alarmsAtOnceStandard
        /// `hub.mail.sendmail`: the machine's mail program, called as `sendmail -i -t`.
        public var sendmail = "/usr/sbin/sendmail"
        /// `hub.mail.sender`: from whom mails come, and whom push services write to about the hub (VAPID's contact, RFC 8292).
        public var sender = "trackme@localhost"
        /// How long the program may take for one mail, and the server for its greeting, in milliseconds.
        var limit = Sendmail.standardLimit, greetingLimit: Int64 = 4000

        static let credential = "trackme-mail-password"
        private static let connectionsRange = 2...500

        init() {}

        init(_ hub: ConfigReader, _ environment: [String: String]) {
            func text(_ key: String) -> String? { hub.string(forKey: ConfigKey("mail." + key)).flatMap { $0.isEmpty ? nil : $0 } }
            server = text("server")
            tls = hub.bool(forKey: "mail.tls") ?? tls
            user = text("user")
            let credential = environment["CREDENTIALS_DIRECTORY"].map { $0 + "/" + Self.credential }
            passwordFile = credential.flatMap { access($0, F_OK) == 0 ? $0 : nil } ?? text("passwordFile")
            authority = text("authority")
            connections = hub.int(forKey: "mail.connections") ?? connections
            sendmail = text("sendmail") ?? sendmail
            sender = text("sender") ?? sender
        }

        /// What will be refused by others for want of a sender that they can answer; nil where nothing is to be said.
        var senderWarning: String? {
            let host = sender.split(separator: "@").last.map { $0.lowercased() } ?? ""
            let isLocal = !host.contains(".") || [".localhost", ".localdomain", ".local"].contains { host.hasSuffix($0) }
            guard isLocal else { return nil }
            return """
                hub.mail.sender is \(sender), an address that nobody outside this machine can answer: other mail servers refuse such \
                mails, or sort them out, and push services, Apple's above all, refuse push messages with such a contact. Set \
                hub.mail.sender to an address of yours.
                """
        }

        /// What takes the mails.
        /// - Parameter machine: whose programs take them, where no server does.
        /// - Throws: `HubConfigurationError` for the first mistake.
        func carrier(on machine: Machine = .system) throws -> any MailCarrier {
            guard let server else {
                guard user == nil else {
                    throw HubConfigurationError("hub.mail.user is set, but hub.mail.server is not: name the server that knows this user.")
                }
                return Sendmail(program: sendmail, limit: limit, programs: machine.programs)
            }
            guard var known = SMTPServer(server, isPlain: !tls) else {
                throw HubConfigurationError(
                    tls
                        ? "hub.mail.server is \(server), which is no mail server: write smtp://HOST:PORT or smtps://HOST:PORT."
                        : "hub.mail.server is \(server), and hub.mail.tls is false: without TLS a mail server must be on this machine, as smtp://127.0.0.1:25. Set hub.mail.tls: true for any other."
                )
            }
            guard Self.connectionsRange.contains(connections) else {
                throw HubConfigurationError("hub.mail.connections is \(connections): use 2 to 500.")
            }
            if let authority, access(authority, R_OK) != 0 {
                throw HubConfigurationError("hub.mail.authority is \(authority), which cannot be read: give a PEM file.")
            }
            (known.authority, known.user) = (authority, user)
            if let user {
                guard let passwordFile, let data = try? machine.files.read(passwordFile) else {
                    throw HubConfigurationError(
                        "hub.mail.user is \(user), but there is no password: name a file that the hub can read in hub.mail.passwordFile, or give the systemd credential \(Self.credential)."
                    )
                }
                let password = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .newlines)
                guard !password.isEmpty else { throw HubConfigurationError("hub.mail.passwordFile, \(passwordFile), is empty.") }
                known.password = password
            }
            return SMTPSubmission(known, alarmsAtOnce: connections)
        }
    }
}
