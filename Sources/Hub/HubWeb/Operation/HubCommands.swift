import Configuration
import Foundation
import HubServices
import HubStore
import Logging
import Seams
import ServiceLifecycle
import Supervision
import SystemPackage
import UnixSignals
import Vitals

/// What the commands of `trackme-hub` do.
public enum HubCommands {
    /// A command is composed like a hub, and takes the machine that it runs on.
    static let machine = Machine.system

    static func now() -> Milliseconds { machine.utc }

    private static func accounts(_ configuration: HubConfiguration) throws -> AccountStore {
        let directory = try HubDirectory(configuration.directory)
        return try AccountStore(directory, keys: KeyStore(directory))
    }

    private static func person(_ text: String) throws -> PersonID {
        guard let id = PersonID(text) else { throw HubStoreError.unknownPerson(text) }
        return id
    }

    /// Runs a hub until SIGINT or SIGTERM.
    /// - Parameter rehearsalSpeed: how many times as fast as others its clock goes, in a directory of made-up people; nil: as the directory has it.
    public static func serve(_ configuration: HubConfiguration, rehearsalSpeed: Int? = nil) async throws {
        let logger = try configuration.log.logger("trackme-hub", on: machine)
        let sockets = try HandedSockets(ServiceManager.takeListeners())
        let configuration = sockets.applied(to: configuration, logger: logger)
        for key in configuration.unknownKeys { logger.warning("a setting that is none is left out", metadata: ["what": "\(key)"]) }
        raiseFileLimit()
        let clock = try RehearsalClock.begin(configuration, speed: rehearsalSpeed, on: machine)
        if let clock {
            logger.warning(
                "A REHEARSAL: the clock of this hub goes faster, and nobody in it is real", metadata: ["speed": "\(clock.speed)"])
        }
        let hub = try buildHub(
            configuration: configuration, logger: logger, now: { clock.map { $0.now(at: machine.utc) } ?? machine.utc },
            boot: clock == nil ? MonotonicUTC.bootClock(of: machine) : nil, machine: machine, sockets: sockets)
        let services = hub.services + [HubSupervision(hub, configuration, logger: logger, on: machine)]
        let group = ServiceGroup(
            configuration: .init(
                services: services.map { .init(service: $0, successTerminationBehavior: .gracefullyShutdownGroup) },
                gracefulShutdownSignals: [.sigint, .sigterm], logger: logger))
        try await group.run()
    }

    /// Each connection is a file. What the system allows, but gives only to who asks for it, is asked for.
    private static func raiseFileLimit() {
        var files = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(resource, &files) == 0 else { return }
        files.rlim_cur = files.rlim_max
        setrlimit(resource, &files)
    }

    /// Adds people; returns the identifiers.
    public static func addPeople(names: [String], _ configuration: HubConfiguration) throws -> [String] {
        guard names.allSatisfy({ (1...100).contains($0.count) }) else { throw HubConfigurationError("A name has 1 to 100 characters.") }
        let accounts = try accounts(configuration)
        return try names.map { try accounts.addPerson(name: $0, now: now()).id.description }
    }

    /// Identifiers and names.
    public static func people(_ configuration: HubConfiguration) throws -> [String] {
        try accounts(configuration).people().map { "\($0.id)  \($0.name)" }
    }

    /// Merges everything that waits for it. For a hub that does not run: a running one merges by itself.
    public static func merge(_ configuration: HubConfiguration) throws -> String {
        let directory = try HubDirectory(configuration.directory)
        let lock = try directory.lock()
        defer { withExtendedLifetime(lock) {} }
        let keys = try KeyStore(directory)
        let series = try SeriesStore(directory, accounts: AccountStore(directory, keys: keys), keys: keys)
        let report = try series.merger.merge(now: now())
        return "merged \(report.segments) segments of \(report.people) people into \(report.blocks) blocks"
            + (report.quarantined.isEmpty ? "" : "; set aside: " + report.quarantined.joined(separator: "; "))
    }

    /// Makes an enrolment code; returns the command to type at the box.
    public static func enrolmentCode(people: [String], _ configuration: HubConfiguration) throws -> String {
        let code = try Enrolment(accounts: accounts(configuration)).makeCode(for: people.map(person), now: now())
        return "trackme-agent enrol '\(try HubIdentity.enrolmentAddress(configuration))' \(code)"
    }

    /// Makes a one-time link to a person's live page.
    /// - Returns: its URL, and whom it shows: a person with an account is asked first.
    public static func link(person text: String, _ configuration: HubConfiguration) throws -> (url: String, shown: String) {
        let id = try person(text), accounts = try accounts(configuration)
        let links = LiveLinks(accounts: accounts, audit: try AuditLog(HubDirectory(configuration.directory), accounts: accounts))
        guard let made = try links.make(to: id, now: now()) else {
            throw HubConfigurationError("This person is a minor: a parent lets others read, on the page of their followers.")
        }
        let url = try HubIdentity.enrolmentAddress(configuration).prefix { $0 != "#" }
        return ("\(url)/l/\(made.secret)", made.shown.text)
    }

    /// Identifier, key words, name and state of each enrolled box.
    public static func agents(_ configuration: HubConfiguration) throws -> [String] {
        let identity = try HubIdentity(configuration, directory: HubDirectory(configuration.directory))
        let accounts = try accounts(configuration), thinned = try accounts.thinned.thinned(), hosts = try accounts.agents.hosts()
        return try accounts.agents.agents().map { listed in
            let date = Date(timeIntervalSince1970: Double(listed.created) / 1000).formatted(.iso8601)
            let state = listed.agent.revoked ? ", revoked" : ""
            let copies = listed.copiesSeen == 0 ? "" : ", COPIES OF ITS CARD SEEN: \(listed.copiesSeen)"
            let leftOut = thinned[listed.agent.row].map { ", too dense: \($0.samples) samples left out" } ?? ""
            return "\(listed.agent.id)  \(identity.keyWords(of: listed.agent))  \(listed.name), since \(date), "
                + "for \(listed.agent.people.count) people\(state)\(copies)\(leftOut)"
                + (hosts[listed.agent.row].map { ", reaches the hub as \($0), which is none of its names" } ?? "")
        }
    }

    /// Announces a successor of the hub's CA; a running hub announces it within half a minute. Returns what was done.
    public static func renewAuthority(_ configuration: HubConfiguration) throws -> String {
        guard configuration.tls.enabled, configuration.tls.certificate == nil else {
            throw HubConfigurationError("This hub has no CA of its own: its certificate is the operator's.")
        }
        let directory = try HubDirectory(configuration.directory)
        let succession = try CertificateAuthority.announceSuccessor(in: directory.url, now: machine.date, on: machine)
        guard let time = succession.takesOver else { return "" }
        return "announced: boxes that reach the hub before \(time.formatted(.iso8601)) take the new CA over; others must be enrolled again"
    }

    /// Revokes an agent; returns what was done.
    public static func revoke(agent text: String, _ configuration: HubConfiguration) throws -> String {
        guard let id = AgentID(text), try accounts(configuration).agents.revokeAgent(id, now: now()) else {
            throw HubConfigurationError("No active agent \(text) is known here. Its box prints the identifier with `trackme-agent status`.")
        }
        return "revoked: the box's next request is refused"
    }

    /// Ends that a box reaches the hub by a name that is none of its own. Returns what was done.
    public static func forgetName(agent text: String, _ configuration: HubConfiguration) throws -> String {
        guard let id = AgentID(text), try accounts(configuration).agents.forgetHost(of: id) else {
            throw HubConfigurationError(
                "No agent \(text) is known here that uses another name. `trackme-hub agent list` shows those that do.")
        }
        return "forgotten: from its next token on, within an hour, the box has to use a name of the hub (hub.url, hub.names)"
    }
}

extension LiveLinks.Made.Shown {
    /// For whoever made the link.
    fileprivate var text: String {
        switch self {
        case .madeUp: "A drill: nobody real is shown. The link works at once."
        case .withoutAccount: "This person has no account, so that nobody could be asked. The link works at once."
        case .asked: "The person was asked. The link opens once they have allowed it under Followers, where they can end it, too."
        }
    }
}

extension HubConfiguration {
    /// Reads the environment and, where one is given, a YAML file; the environment wins.
    public static func read(file: String?) async throws -> HubConfiguration {
        var providers: [any ConfigProvider] = [EnvironmentVariablesProvider()]
        var unknown: [String] = []
        if let file {
            do { providers.append(try await FileProvider<YAMLSnapshot>(filePath: FilePath(file))) } catch {
                throw HubConfigurationError("The configuration \(file) cannot be read: \(error)")
            }
            let text = try? Machine.system.files.read(file).map { String(decoding: $0, as: UTF8.self) }
            unknown = SettingsKeys.unknown(in: text ?? "", of: file)
        }
        let misread = MisreadSettings()
        var configuration = HubConfiguration(config: ConfigReader(providers: providers, accessReporter: misread))
        (configuration.misread, configuration.unknownKeys) = (misread.mistakes, unknown)
        return configuration
    }

    /// Uses another directory than the configured one.
    public mutating func use(directory path: String) { directory = URL(fileURLWithPath: path, isDirectory: true) }
}
