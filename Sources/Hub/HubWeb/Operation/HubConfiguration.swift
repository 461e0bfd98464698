import Accounts
public import Configuration
public import Foundation
import HubServices
import Mail
import SIP
import Seams

/// Everything that an operator sets, read once. Keys stand in `hub.yaml` (nested) or in the environment (upper case, with `_`).
public struct HubConfiguration: Sendable {
    /// `hub.directory` / `HUB_DIRECTORY`: where databases, keys and certificates are kept.
    public var directory: URL
    public var listen: Listen
    /// `hub.url`: how boxes and browsers reach the hub, when that is not `https://HOST:PORT` of ``listen``.
    public var url: String?
    /// `hub.names`: further names and addresses by which boxes reach the hub, beside that of ``url``. What a box signed for another is refused.
    public var names: [String] = []
    public var tls: TLS
    public var proxy = Proxy()
    public var map: Map
    public var mail = Mail()
    public var webhooks = Webhooks()
    /// `hub.quota` / `HUB_QUOTA`: bytes of series, sealed, that each person may have; beyond it the oldest is overwritten.
    public var quota = Quota.bytesMaxDefault
    public var imports = Imports()
    public var runs = Runs()
    public var consent = Consent()
    public var groups = Groups()
    public var sms = SMS()
    public var sos = SOS()
    public var `operator` = Operator()
    public var passwords = Passwords()
    public var voice = Voice()
    public var payments = PaymentSettings()
    public var helpers = Helpers()
    public var log = LogSettings()
    public var backup = BackupSettings()
    public var maintenance = Maintenance()
    public var documents = DocumentTexts()
    public var support = Support()
    /// `hub.age.own`: from which age on, in years, people open and own their account themselves; 14 in Italy and 16 elsewhere unless set.
    public var ownAge: Int?
    /// Values that are not of their kind, as they were read: ``check()`` refuses them.
    var misread: [String] = []
    /// What the file names and the hub does not know.
    var unknownKeys: [String] = []

    /// What nobody may choose for a password.
    public struct Passwords: Sendable {
        /// `hub.passwords.breached`: a file that `trackme-hub passwords` made of a list of breached passwords.
        public var breached: String?
    }

    /// How whoever runs the hub is reached without the hub's own pages.
    public struct Operator: Sendable {
        /// `hub.operator.mail` / `HUB_OPERATOR_MAIL`: gets a test mail each day, and word of a way out that has failed while mail works.
        public var mail: String?
        /// `hub.operator.phone` / `HUB_OPERATOR_PHONE` (`+39…`): the same by text message, where `hub.sms.command` is set.
        public var phone: String?
    }

    /// Help by whoever runs the hub.
    public struct Support: Sendable {
        /// `hub.support.contact` / `HUB_SUPPORT_CONTACT`: how people reach the operator; stands on every page of help, beside the form.
        public var contact: String?
        static let contactMax = 200
    }

    /// Files that people import.
    public struct Imports: Sendable {
        /// `hub.imports.max` / `HUB_IMPORTS_MAX`: bytes of all files of one import. They lie on the hub's disk while they are read.
        public var max = ImportService.bytesMaxDefault
    }

    public struct SMS: Sendable {
        /// `hub.sms.command` / `HUB_SMS_COMMAND`: a program that sends text messages, called with the number as its argument and the text on
        /// its standard input. Without one no telephone number is ever called verified.
        public var command: String?
        /// How long it may take for one message, in milliseconds.
        var limit: Int64 = 20_000
    }

    public struct SOS: Sendable {
        /// `hub.sos.rooms`: control rooms that get alarms, each as `NAME=ADDRESS` with an area behind it or none: ``ControlRoomSetting``.
        public var rooms: [String] = []
        /// `hub.sos.authority`: a PEM file with the authorities of whom control rooms have their certificates; the system's without.
        public var authority: String?
        /// `hub.sos.secret`: signs what goes to a control room by HTTPS, and what comes back from it; for rooms without one of their own.
        public var secret = ""
        /// `hub.sos.secrets`: a secret for each control room, each as `NAME=SECRET`. A room that has one answers for itself alone.
        public var secrets: [String] = []
        /// `hub.sos.watchdog` / `HUB_SOS_WATCHDOG`: the URL of a dead-man's switch, which gets an empty POST each minute while alarms would be
        /// seen to, and nothing else.
        public var watchdog: String?
        /// How long a control room may take to answer a look, in milliseconds.
        var checkLimit: Int64 = 5000
        /// How long one by SIP may take to answer a message, in milliseconds.
        var answerLimit = SIPSender.patienceUsual

        func roomSettings() throws -> [ControlRoomSetting] {
            let own = try ownSecrets()
            do throws(RoomProblem) {
                return try ControlRoomSetting.all(rooms, hasSecret: !secret.isEmpty, withSecret: Set(own.keys), hasVoice: hasVoice)
            } catch {
                throw HubConfigurationError(error.description)
            }
        }

        /// The secrets of rooms, by their names.
        func ownSecrets() throws -> [String: [UInt8]] {
            try secrets.reduce(into: [:]) { own, entry in
                let parts = entry.split(separator: "=", maxSplits: 1).map(String.init)
                guard parts.count == 2, parts[1].utf8.count >= Self.secretMin else {
                    throw HubConfigurationError(
                        "hub.sos.secrets has an entry that is no NAME=SECRET with \(Self.secretMin) characters or more in the secret: correct it."
                    )
                }
                guard own.updateValue(Array(parts[1].utf8), forKey: parts[0]) == nil else {
                    throw HubConfigurationError("hub.sos.secrets names \(parts[0]) twice: give each control room one secret.")
                }
            }
        }

        private static let secretMin = 16

        /// Whether control rooms can be called by telephone.
        var hasVoice = false
    }

    public struct Listen: Sendable {
        /// `hub.listen.host`: an address or name; loopback unless told otherwise.
        public var host = "127.0.0.1"
        /// `hub.listen.port`; 0 takes a free one.
        public var port = 8443
        /// `hub.listen.threads`: event loop threads, 0 for one a core.
        public var threads = 0
        /// `hub.listen.connections`: at most so many at once, the others wait; 0 for as many as the process may have files, less
        /// 512; never more than that.
        public var connections = 0
        /// Within so many seconds the first head of a connection has to come.
        var headSeconds: Int64 = 20

        var connectionsMax: Int {
            var files = rlimit()
            let isKnown = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files) == 0
            return connectionsMax(files: isKnown ? Int(clamping: files.rlim_cur) : 0)
        }

        /// Databases, logs and webhooks find a free file whoever holds connections.
        func connectionsMax(files: Int) -> Int {
            let room = max(64, files - 256 - DeliveryLimits.totalMax)
            return connections == 0 ? room : min(connections, room)
        }
    }

    public struct TLS: Sendable {
        /// `hub.tls.enabled`: false only behind a proxy that does TLS. The hub then listens on loopback, unless `hub.proxy.trusted` is set.
        public var enabled = true
        /// `hub.tls.certificate` and `hub.tls.key`: the operator's own certificate chain and key (PEM). Without them the hub makes a CA.
        public var certificate: String?
        public var key: String?
        /// `hub.tls.names`: further host names and addresses for the certificate that the hub makes.
        public var names: [String] = []
    }

    public struct Proxy: Sendable {
        /// `hub.proxy.trusted`: addresses and networks (`10.8.0.0/16`) of proxies before the hub. Theirs are believed about whom they speak for:
        /// X-Forwarded-For, Forwarded where there is none, and the PROXY protocol's version 2.
        public var trusted: [String] = []
    }

    public struct Map: Sendable {
        /// `hub.map.tiles`: URL template of map tiles (`https://HOST/{z}/{x}/{y}.png`); a graticule is drawn without.
        public var tiles: String?
        /// `hub.map.attribution`: the credit that the tiles' provider asks for.
        public var attribution: String?
        /// `hub.map.obstacles`: a GeoJSON file of motorways and water, which no course may cross (docs/run-pages.md says how it is made). Read
        /// at the start; that of `trackme-hub map import` without one. With none, or one that cannot be used, courses are not held against a map.
        public var obstacles: String?
        /// `hub.map.leaflet`: where Debian's libjs-leaflet lies.
        public var leaflet = "/usr/share/javascript/leaflet"
    }

    public struct Webhooks: Sendable {
        /// `hub.webhooks.allow`: networks (`10.8.0.0/16`) of the operator's own to which webhooks and push messages may be posted; the public
        /// Internet only without.
        public var allow: [String] = []
        /// From a connection to the end of its answer.
        var limit = EgressClient.limit
    }

    public init(directory: URL) {
        self.directory = directory
        listen = Listen()
        tls = TLS()
        map = Map()
    }

    public init(config: ConfigReader) {
        let environment = ProcessInfo.processInfo.environment
        let hub = config.scoped(to: "hub")
        let directory = hub.string(forKey: "directory") ?? environment["STATE_DIRECTORY"] ?? Self.defaultDirectory(environment)
        self.init(directory: URL(fileURLWithPath: directory, isDirectory: true))
        listen.host = hub.string(forKey: "listen.host") ?? listen.host
        listen.port = hub.int(forKey: "listen.port") ?? listen.port
        listen.threads = hub.int(forKey: "listen.threads") ?? listen.threads
        listen.connections = hub.int(forKey: "listen.connections") ?? listen.connections
        url = hub.string(forKey: "url")
        names = hub.stringArray(forKey: "names") ?? []
        tls.enabled = hub.bool(forKey: "tls.enabled") ?? tls.enabled
        tls.certificate = hub.string(forKey: "tls.certificate")
        tls.key = hub.string(forKey: "tls.key")
        tls.names = hub.stringArray(forKey: "tls.names") ?? []
        passwords.breached = hub.string(forKey: "passwords.breached").flatMap { $0.isEmpty ? nil : $0 }
        proxy.trusted = hub.stringArray(forKey: "proxy.trusted") ?? []
        `operator`.mail = hub.string(forKey: "operator.mail").flatMap { $0.isEmpty ? nil : $0 }
        `operator`.phone = hub.string(forKey: "operator.phone").flatMap { $0.isEmpty ? nil : $0 }
        sos.watchdog = hub.string(forKey: "sos.watchdog").flatMap { $0.isEmpty ? nil : $0 }
        mail = Mail(hub, environment)
        sms.command = hub.string(forKey: "sms.command").flatMap { $0.isEmpty ? nil : $0 }
        sos.rooms = hub.stringArray(forKey: "sos.rooms") ?? []
        sos.authority = hub.string(forKey: "sos.authority").flatMap { $0.isEmpty ? nil : $0 }
        sos.secret = hub.string(forKey: "sos.secret", isSecret: true) ?? ""
        sos.secrets = hub.stringArray(forKey: "sos.secrets", isSecret: true) ?? []
        voice = Voice(hub.scoped(to: "voice"), environment)
        sos.hasVoice = voice.account != nil
        payments = PaymentSettings(hub.scoped(to: "payments"), environment)
        helpers = Helpers(hub.scoped(to: "helpers"))
        log.format = hub.string(forKey: "log.format") ?? log.format
        backup = BackupSettings(hub.scoped(to: "backup"))
        maintenance.hours = hub.string(forKey: "maintenance.hours").flatMap { $0.isEmpty ? nil : $0 }
        support.contact = hub.string(forKey: "support.contact").flatMap { $0.isEmpty ? nil : $0 }
        documents = DocumentTexts(hub.scoped(to: "documents"))
        ownAge = hub.int(forKey: "age.own")
        map.tiles = hub.string(forKey: "map.tiles")
        map.attribution = hub.string(forKey: "map.attribution")
        map.obstacles = hub.string(forKey: "map.obstacles").flatMap { $0.isEmpty ? nil : $0 }
        map.leaflet = hub.string(forKey: "map.leaflet") ?? map.leaflet
        webhooks.allow = hub.stringArray(forKey: "webhooks.allow") ?? []
        quota = hub.int(forKey: "quota") ?? quota
        imports.max = hub.int(forKey: "imports.max") ?? imports.max
        groups = Groups(hub.scoped(to: "groups"))
        consent.answerWithin = hub.int(forKey: "consent.answerWithin") ?? consent.answerWithin
        consent.denialsMax = hub.int(forKey: "consent.denialsMax") ?? consent.denialsMax
        runs.organisers = hub.string(forKey: "runs.organisers") ?? runs.organisers
        runs.check = hub.string(forKey: "runs.check") ?? runs.check
    }

    /// Less would not hold a day.
    private static let quotaMin = 100_000
    /// A long activity.
    private static let importMin = 1_000_000

    private static func defaultDirectory(_ environment: [String: String]) -> String {
        let system = "/var/lib/trackme-hub"
        if access(system, W_OK) == 0 { return system }
        return (environment["XDG_STATE_HOME"] ?? NSHomeDirectory() + "/.local/state") + "/trackme-hub"
    }

    /// Mistakes that can be seen before anything starts.
    /// - Throws: ``HubConfigurationError`` with all of them.
    func check() throws {
        var mistakes = HubMistakes(misread)
        checkConnections(&mistakes)
        checkWays(&mistakes)
        checkLimits(&mistakes)
        mistakes.look { _ = try operatorDocuments() }
        mistakes.look { _ = try groups.settings() }
        mistakes.look { _ = try runs.whoOrganises() }
        mistakes.look { _ = try runs.whichAreChecked() }
        mistakes.look { try maintenance.check() }
        mistakes.look { _ = try backup.settings() }
        mistakes.look { _ = try payments.sale(quota) }
        mistakes.look { _ = try log.known() }
        mistakes.look { _ = try consent.settings() }
        try mistakes.end()
    }

    private func checkConnections(_ mistakes: inout HubMistakes) {
        mistakes.unless(
            tls.enabled || ["127.0.0.1", "::1", "localhost"].contains(listen.host) || !proxy.trusted.isEmpty,
            "TLS is off, but the hub would listen on \(listen.host). Without TLS it only listens on 127.0.0.1: set hub.tls.enabled, or hub.proxy.trusted to the addresses of the proxy that does TLS."
        )
        for wrong in proxy.trusted where IPNetwork(wrong) == nil {
            mistakes.add("hub.proxy.trusted holds \(wrong), which is no address or network: write it like 10.8.0.0/16.")
        }
        mistakes.unless(
            (tls.certificate == nil) == (tls.key == nil),
            "hub.tls.certificate and hub.tls.key go together: give both, or none to have the hub make them.")
        for wrong in webhooks.allow where IPNetwork(wrong) == nil {
            mistakes.add("hub.webhooks.allow holds \(wrong), which is no network: write it like 10.8.0.0/16.")
        }
        mistakes.unless(
            listen.connections >= 0,
            "hub.listen.connections is \(listen.connections): use a number, or 0 for as many as there are files.")
        mistakes.unless(
            (0...65_535).contains(listen.port), "hub.listen.port is \(listen.port), which is no port: use 0 to 65535.")
    }

    private func checkLimits(_ mistakes: inout HubMistakes) {
        mistakes.unless(
            support.contact?.count ?? 0 <= Support.contactMax,
            "hub.support.contact is too long: \(Support.contactMax) characters hold an address and a number.")
        mistakes.unless(
            quota >= Self.quotaMin,
            "hub.quota is \(quota) bytes a person. It must be \(Self.quotaMin) at least: 10000000 is 10 MB.")
        mistakes.unless(
            imports.max >= Self.importMin,
            "hub.imports.max is \(imports.max) bytes. It must be \(Self.importMin) at least: 1000000000 is 1 GB.")
        if let ownAge, !OwnAge.range.contains(ownAge) {
            mistakes.add("hub.age.own is \(ownAge): use \(OwnAge.range.lowerBound) to \(OwnAge.range.upperBound) years, or leave it out.")
        }
    }
}

extension HubConfiguration {
    /// Mistakes in the ways out, and in what they are watched by.
    fileprivate func checkWays(_ mistakes: inout HubMistakes) {
        mistakes.look { _ = try mail.carrier() }
        var telephone: TrunkVoice?
        mistakes.look { telephone = try voice.outlet { _ in } }
        mistakes.look { _ = try SOSOutlets.rooms(sos, "localhost", telephone, .system) { _, _, _ in } }
        // What a helper may run is nothing that this process may.
        if let command = sms.command, !command.hasPrefix("/") || access(command, helpers.messages == nil ? X_OK : F_OK) != 0 {
            mistakes.add("hub.sms.command is \(command), which is no program: give the whole path of one.")
        }
        if let server = mail.server, SMTPServer(server, isPlain: !mail.tls) != nil, MailServer(server, isPlain: !mail.tls) == nil {
            mistakes.add("hub.mail.server is \(server): write smtp://HOST, smtp://HOST:PORT or smtps://HOST, or leave it out.")
        }
        if let address = `operator`.mail, (try? MailAddress(address)) == nil {
            mistakes.add("hub.operator.mail is \(address), which is no mail address: write it like ops@example.org.")
        }
        if let phone = `operator`.phone {
            mistakes.unless(
                phone.hasPrefix("+") && (8...16).contains(phone.count) && phone.dropFirst().allSatisfy(\.isNumber),
                "hub.operator.phone is \(phone): write it with the country's code and without blanks, like +393330000000.")
            mistakes.unless(
                sms.command != nil,
                "hub.operator.phone is set, but hub.sms.command is not: no text would leave. Set both, or neither.")
        }
        if let watchdog = sos.watchdog {
            let url = URL(string: watchdog)
            mistakes.unless(
                ["https", "http"].contains(url?.scheme) && url?.host != nil,
                "hub.sos.watchdog is \(watchdog), which is no URL: write it like https://watch.example/ping/NAME.")
        }
    }
}

/// Mistakes in the configuration, with what to do.
public struct HubConfigurationError: Error, CustomStringConvertible {
    /// One sentence or more for each.
    public let mistakes: [String]
    /// A line for each.
    public var description: String { mistakes.joined(separator: "\n") }
    init(_ description: String) { mistakes = [description] }
    init(_ mistakes: [String]) { self.mistakes = mistakes }
}

/// All mistakes, rather than the first.
struct HubMistakes {
    private(set) var all: [String]

    init(_ all: [String] = []) { self.all = all }

    mutating func add(_ mistake: String) { if !all.contains(mistake) { all.append(mistake) } }

    mutating func unless(_ isRight: Bool, _ mistake: @autoclosure () -> String) { if !isRight { add(mistake()) } }

    /// Whatever is thrown is a mistake.
    mutating func look(_ body: () throws -> Void) {
        do { try body() } catch let error as HubConfigurationError { for mistake in error.mistakes { add(mistake) } } catch {
            add("\(error)")
        }
    }

    /// - Throws: ``HubConfigurationError`` where there are any.
    func end() throws { if !all.isEmpty { throw HubConfigurationError(all) } }
}
