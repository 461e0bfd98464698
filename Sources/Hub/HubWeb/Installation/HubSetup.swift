import Foundation

/// Asks an operator for what a hub needs most, tries each answer, and changes the settings. Enter leaves a thing as it is.
struct HubSetup {
    /// What is tried. Each says what is wrong and what to do, or nil.
    struct Tries: Sendable {
        var name: @Sendable (_ name: String) async -> String?
        var certificate: @Sendable (_ chain: String, _ key: String) async -> String?
        /// Has a certificate made over ACME, which then lies in ``HubSetup/certificateFile``.
        var request: @Sendable (_ name: String, _ mail: String) async -> String?
        var mail: @Sendable (_ mail: HubConfiguration.Mail, _ to: String) async -> String?
        var text: @Sendable (_ program: String, _ number: String) async -> String?
        var map: @Sendable (_ extract: String) async -> String?
    }

    /// Where the package's program for certificates puts chain and key.
    static let certificateFile = "/etc/trackme/tls/hub.pem"
    /// The answer that has a certificate made over ACME.
    private static let acme = "acme"

    /// Nobody answers any more: nothing was changed.
    struct Ended: Error {}

    /// Shows a question, and comes back with the line; nil when there are no more. A secret is not shown while it is typed.
    let ask: (_ question: String, _ isSecret: Bool) -> String?
    let say: (String) -> Void
    let tries: Tries
    /// Keeps a password in a file for the hub alone; comes back with the path.
    let keep: (_ password: String) throws -> String
    /// As it is before.
    let port: Int
    /// By which the hub is reached; nil as long as nobody said it.
    private var host: String?
    private(set) var file: HubSettingsFile
    /// What is to be imported.
    private(set) var extract: String?

    init(
        _ file: HubSettingsFile, port: Int, host: String?, tries: Tries, ask: @escaping (String, Bool) -> String?,
        say: @escaping (String) -> Void, keep: @escaping (String) throws -> String
    ) {
        (self.file, self.port, self.host, self.tries, self.ask, self.say, self.keep) = (file, port, host, tries, ask, say, keep)
    }

    /// - Throws: ``Ended``, and what `keep` throws.
    mutating func run() async throws {
        say("Five questions. Enter leaves a thing as it is; each answer is tried.")
        try await name()
        try await certificate()
        try await mail()
        try await texts()
        try await map()
    }

    private func answer(_ question: String, isSecret: Bool = false) throws -> String {
        guard let line = ask(question + " ", isSecret) else { throw Ended() }
        return line.trimmingCharacters(in: .whitespaces)
    }

    /// Whether to answer a question anew, after what was wrong was said.
    private func isAnew(_ problem: String) throws -> Bool {
        say("   \(problem)")
        return try answer("   Enter to answer again, or k to keep it all the same:").lowercased() != "k"
    }

    private mutating func name() async throws {
        while true {
            let name = try answer("1. By which name do browsers and boxes reach this hub (hub.example)?")
            guard !name.isEmpty else { return }
            let problem = Self.isName(name) ? await tries.name(name) : "\(name) is no name: write it like hub.example."
            if let problem, try isAnew(problem) { continue }
            file.set("url", to: "https://\(name)" + (port == 443 ? "" : ":\(port)"))
            file.set("listen.host", to: "0.0.0.0")
            host = name
            return
        }
    }

    private static func isName(_ name: String) -> Bool {
        name.utf8.count <= 253 && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == ".") }
    }

    private mutating func certificate() async throws {
        while true {
            let files = "2. The file of its certificate (PEM, with the chain), or acme for one of Let's Encrypt?"
            let chain = try answer(files + " Without one it makes an authority of its own.")
            guard !chain.isEmpty else { return }
            guard chain != Self.acme else {
                if try await request() { return }
                continue
            }
            let key = try answer("   The file of its key?")
            if let problem = await tries.certificate(chain, key), try isAnew(problem) { continue }
            file.set("tls.certificate", to: chain)
            file.set("tls.key", to: key)
            return
        }
    }

    /// - Returns: whether there is a certificate now. Settings that name one that is not there would keep the hub from starting.
    private mutating func request() async throws -> Bool {
        guard let host else {
            say("   The hub has no name yet: run setup again, and answer the first question.")
            return false
        }
        let mail = try answer("   An address of yours for notices about it? With it you agree to the terms at letsencrypt.org/repository.")
        guard !mail.isEmpty else { return false }
        say("   certbot asks for it. That takes up to a minute.")
        if let problem = await tries.request(host, mail) {
            say("   \(problem)")
            return false
        }
        for key in ["certificate", "key"] { file.set("tls.\(key)", to: Self.certificateFile) }
        say("   It is there, and certbot renews it. The hub takes each new one without a restart.")
        return true
    }

    private mutating func mail() async throws {
        while true {
            let server = try answer("3. Which server takes its mails (smtps://mail.example)? Or: sendmail, the machine's own program.")
            guard !server.isEmpty else { return }
            var mail = HubConfiguration.Mail()
            if server != "sendmail" {
                mail.server = server
                let user = try answer("   Who is the hub to that server? Enter where it asks nobody.")
                if !user.isEmpty {
                    mail.user = user
                    mail.passwordFile = try keep(answer("   The password?", isSecret: true))
                }
            }
            mail.sender = try answer("   From which address do its mails come?")
            let to = try answer("   An address of yours, which gets a test now and each day?")
            if let problem = await tries.mail(mail, to), try isAnew(problem) { continue }
            let sender: String? = mail.sender
            for (key, value) in [("server", mail.server), ("user", mail.user), ("passwordFile", mail.passwordFile), ("sender", sender)] {
                if let value { file.set("mail.\(key)", to: value) }
            }
            file.set("operator.mail", to: to)
            say("   A test is on its way to \(to).")
            return
        }
    }

    private mutating func texts() async throws {
        while true {
            let program = try answer("4. Which program sends text messages (/usr/local/bin/send-text)? Without one none are sent.")
            guard !program.isEmpty else { return }
            let number = try answer("   A number of yours, which gets a test now and each day (+393330000000)?")
            if let problem = await tries.text(program, number), try isAnew(problem) { continue }
            file.set("sms.command", to: program)
            file.set("operator.phone", to: number)
            say("   A test is on its way to \(number).")
            return
        }
    }

    private mutating func map() async throws {
        while true {
            let extract = try answer("5. Which extract of OpenStreetMap has the streets of your region (region.osm.pbf)?")
            guard !extract.isEmpty else { return }
            if let problem = await tries.map(extract), try isAnew(problem) { continue }
            self.extract = extract
            return
        }
    }
}
