import Configuration
import Foundation
import HubServices
import Seams
import Telephony

extension HubConfiguration {
    /// The hub's telephone: an account at a SIP trunk. Without one nobody is called by voice.
    public struct Voice: Sendable {
        /// `hub.voice.account`: `sip:USER@HOST` or `sip:USER@HOST:PORT`, as the trunk's provider names it.
        public var account: String?
        /// `hub.voice.user`: the name that goes with the password, where it is not the account's.
        public var user: String?
        /// `hub.voice.passwordFile`: a file that holds the password and nothing else; without, the credential `hub.voice.password` that systemd
        /// hands on (`LoadCredential=`).
        public var passwordFile: String?
        /// `hub.voice.registrar`: where registration and calls go, `HOST` or `HOST:PORT`, where that is not the account's host.
        public var registrar: String?
        /// `hub.voice.transport`: `udp` or `tcp`.
        public var transport = Trunk.Transport.udp.rawValue
        /// `hub.voice.register`: false for a trunk that knows this hub by its address.
        public var registers = true
        /// `hub.voice.caller`: the name that is sent beside the number.
        public var caller: String?
        /// `hub.voice.lines`: how many calls are made at a time, as many as the trunk allows.
        public var lines = 2
        /// `hub.voice.prefixes`: beginnings of numbers that contacts may have (`+39`); all numbers without. It keeps a hub on which people sign up
        /// by themselves from calling numbers that cost much.
        public var prefixes: [String] = []
        /// `hub.voice.baresip`: the program that speaks SIP.
        public var program = "/usr/bin/baresip"
        /// `hub.voice.speaker`: espeak-ng, or a program that is called as it is.
        public var speaker = "/usr/bin/espeak-ng"
        /// Where systemd puts credentials.
        var credentials: String?

        init() {}

        init(_ config: ConfigReader, _ environment: [String: String]) {
            func text(_ key: String) -> String? { config.string(forKey: ConfigKey(key)).flatMap { $0.isEmpty ? nil : $0 } }
            (account, user, passwordFile, registrar, caller) = (
                text("account"), text("user"), text("passwordFile"), text("registrar"), text("caller")
            )
            transport = text("transport") ?? transport
            registers = config.bool(forKey: "register") ?? registers
            lines = config.int(forKey: "lines") ?? lines
            prefixes = config.stringArray(forKey: "prefixes") ?? []
            (program, speaker) = (text("baresip") ?? program, text("speaker") ?? speaker)
            credentials = environment["CREDENTIALS_DIRECTORY"]
        }

        /// The telephone, which has not started yet; nil without an account.
        /// - Throws: `HubConfigurationError` for the first mistake.
        func outlet(
            on machine: Machine = .system, report: @escaping @Sendable (TelephoneLines.Condition) -> Void
        ) throws -> TrunkVoice? {
            guard let account else { return nil }
            guard let transport = Trunk.Transport(rawValue: transport) else {
                throw HubConfigurationError("hub.voice.transport is \(self.transport): write udp or tcp.")
            }
            guard (1...TelephoneLines.linesMax).contains(lines) else {
                throw HubConfigurationError(
                    "hub.voice.lines is \(lines): write 1 to \(TelephoneLines.linesMax), as many calls as the trunk allows at a time.")
            }
            if let wrong = prefixes.first(where: {
                !$0.hasPrefix("+") || $0.count < 2 || !$0.dropFirst().allSatisfy { $0.isASCII && $0.isNumber }
            }) {
                throw HubConfigurationError(
                    "hub.voice.prefixes holds \(wrong): write the beginning of a number with its country's code, like +39.")
            }
            for (key, path, package) in [("baresip", program, "baresip-core"), ("speaker", speaker, "espeak-ng")]
            where !path.hasPrefix("/") || access(path, X_OK) != 0 {
                throw HubConfigurationError(
                    "hub.voice.\(key) is \(path), which is no program: install it (apt-get install \(package)), or give the whole path of one."
                )
            }
            let password = try readPassword(machine)
            do throws(TrunkProblem) {
                let trunk = try Trunk(
                    account: account, login: user, password: password, registrar: registrar, transport: transport,
                    registers: registers,
                    caller: caller)
                let speech = Speech(program: speaker, programs: machine.programs)
                let lines = try TelephoneLines(
                    trunk, count: lines, program: program, speech: speech, programs: machine.programs, report: report)
                return TrunkVoice(lines, prefixes: prefixes)
            } catch { throw HubConfigurationError(error.description) }
        }

        private func readPassword(_ machine: Machine) throws -> String {
            let credential = credentials.map { "\($0)/hub.voice.password" }.flatMap { machine.files.exists($0) ? $0 : nil }
            guard let file = passwordFile ?? credential else { return "" }
            guard let bytes = try? machine.files.read(file) else {
                throw HubConfigurationError(
                    "hub.voice.passwordFile is \(file), which cannot be read: write the password into it, and make it readable for the hub's user alone."
                )
            }
            return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .newlines)
        }
    }
}
