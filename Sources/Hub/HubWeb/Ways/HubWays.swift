import Alerts
import Foundation
import HubServices
import HubStore
import Languages
import Logging
import Mail
import NIOCore
import Seams
import Synchronization
import Vitals

/// How this hub watches its ways out (SOS-22): the probes that its configuration asks for.
enum HubWays {
    private static let day: Milliseconds = 86_400_000
    /// A test message that failed is tried again after this.
    private static let proofAgain: Milliseconds = 600_000
    /// After the start, where none was sent in the last day.
    private static let proofFirst: Milliseconds = 60_000
    /// Browsers whose push services are looked at, the newest first.
    private static let browsersMax = 1000
    private static let pushEvery: Milliseconds = 600_000, pushAgain: Milliseconds = 20_000

    /// The hub's ways out, watched; whoever runs the hub is told of each change.
    static func outlets(
        _ configuration: HubConfiguration, carrier: any MailCarrier, voice: TrunkVoice?, accounts: AccountStore, directory: HubDirectory,
        client: EgressClient,
        site: @escaping @Sendable () -> String, time: MonotonicUTC, logger: Logger
    ) throws -> SOSOutlets {
        let now: @Sendable () -> Milliseconds = { time.now }
        let ways = WayMonitor(
            probes: probes(configuration, accounts.machine), now: now, logger: logger, machine: accounts.machine,
            discover: { try pushServices(accounts, client) })
        let outlets = try SOSOutlets.of(
            configuration, carrier: carrier, voice: voice, ways: ways, site: site, now: now, machine: accounts.machine)
        for probe in try attempts(configuration, outlets, ProofTimes(directory, accounts.machine.files), now: now) { ways.add(probe) }
        WayNews(ways: ways, store: accounts.notices, direct: direct(configuration, outlets), logger: logger, now: now) {
            words($0, site: site())
        }.begin()
        return outlets
    }

    /// Looks at programs and servers; nobody is sent anything.
    private static func probes(_ configuration: HubConfiguration, _ machine: Machine) -> [WayProbe] {
        var probes: [WayProbe] = []
        if configuration.mail.server == nil { probes.append(.program(.mail, configuration.mail.sendmail, machine: machine)) }
        if let command = configuration.sms.command { probes.append(.program(.text, command, machine: machine)) }
        let limit = configuration.mail.greetingLimit
        let isPlain = !configuration.mail.tls
        if let server = configuration.mail.server.flatMap({ MailServer($0, isPlain: isPlain) }) {
            probes.append(WayProbe(.mail, "server") { try await server.greeting(limit: .milliseconds(limit)) })
        }
        return probes
    }

    /// Whether the push services of those browsers that were added last answer.
    private static func pushServices(_ accounts: AccountStore, _ client: EgressClient) throws -> [WayProbe] {
        let hosts = Set(
            try accounts.pushes.newestPushAddresses(browsersMax).compactMap { $0.split(separator: "/").dropFirst().first.map(String.init) })
        return hosts.sorted().map { host in
            WayProbe(.push(host), "service", every: pushEvery, everyFailing: pushAgain) {
                guard let url = try? OutsideURL("https://\(host)/") else { throw WayFailure("\(host) is no address of a push service") }
                let status = try await client.head(url)
                guard status < 500 else { throw WayFailure("it answered with status \(status)") }
                return "status \(status) to HEAD"
            }
        }
    }

    /// Signs of life to control rooms that want them, and a message a day to the operator's own addresses.
    private static func attempts(
        _ configuration: HubConfiguration, _ outlets: SOSOutlets, _ times: ProofTimes, now: @escaping @Sendable () -> Milliseconds
    ) throws -> [WayProbe] {
        var probes: [WayProbe] = []
        for setting in try configuration.sos.roomSettings() {
            guard let minutes = setting.heartbeat, let room = outlets.rooms.first(where: { $0.name == setting.name }) else { continue }
            let every = Milliseconds(minutes) * 60_000, site = outlets.site
            probes.append(
                WayProbe(.room(room.name), "heartbeat", every: every, everyFailing: min(every, 60_000), isAttempt: true) {
                    let beat = Heartbeat(
                        sender: .init(name: "TrackMe", address: site()), recipient: .init(name: room.name, address: room.name),
                        sentAt: SOSTime(utc: now()), everySeconds: minutes * 60)
                    return try await room.send(beat, language: room.language ?? .english)
                })
        }
        func proof(_ way: Way, _ send: @escaping @Sendable () async throws -> Void) -> WayProbe {
            WayProbe(
                way, "proof", every: day, everyFailing: proofAgain, isAttempt: true,
                first: max(now() + proofFirst, (times.last(way) ?? .min / 2) + day)
            ) {
                try await send()
                times.note(way, now())
                return "the test to the operator's address has left"
            }
        }
        if let address = configuration.operator.mail {
            let mail = outlets.mail, site = outlets.site
            probes.append(
                proof(.mail) {
                    try await mail(address, both("ways.proofSubject", [:]), both("ways.proofText", ["site": site()], "\n\n"))
                })
        }
        if let phone = configuration.operator.phone, let text = outlets.text {
            probes.append(proof(.text) { try await text(both("ways.proofShort", [:]), phone) })
        }
        return probes
    }

    /// The ways on which an operator is told of a change without the site.
    private static func direct(_ configuration: HubConfiguration, _ outlets: SOSOutlets) -> [Way: WayNews.Send] {
        var direct: [Way: WayNews.Send] = [:]
        if let address = configuration.operator.mail { direct[.mail] = { try await outlets.mail(address, $0, $1) } }
        if let phone = configuration.operator.phone, let send = outlets.text {
            direct[.text] = { subject, _ in try await send(subject, phone) }
        }
        return direct
    }

    /// What a direct message says, in every language: whose it is, is not known.
    private static func words(_ news: WayNews.News, site: String) -> (subject: String, text: String) {
        let key =
            switch news {
            case .way(let change): change.health.isFailing ? "failed" : "works"
            case .people(let unreached): unreached.count > 0 ? "unreached" : "reached"
            }
        func values(_ texts: Texts) -> [String: String] {
            switch news {
            case .way(let change): ["way": texts.way("\(change.way)"), "why": change.health.failure?.what ?? "", "site": site]
            case .people(let unreached): ["count": "\(unreached.count)", "ways": texts.ways(unreached.listed), "site": site]
            }
        }
        func all(_ name: String, _ separator: String) -> String {
            Texts.all.map { $0.filled("ways.\(name)", values($0)) }.joined(separator: separator)
        }
        return (all("\(key)Subject", " / "), all("\(key)Text", "\n\n"))
    }

    private static func both(_ key: String, _ values: [String: String], _ separator: String = " / ") -> String {
        Texts.all.map { $0.filled(key, values) }.joined(separator: separator)
    }
}

extension Texts {
    /// A way as ``Alerts/Way`` describes itself, in words.
    func way(_ description: String) -> String {
        let parts = description.split(separator: " ", maxSplits: 1).map(String.init)
        guard let kind = parts.first else { return description }
        let word = find("ways.kind_\(kind)") ?? kind
        return parts.count > 1 ? "\(word) \(parts[1])" : word
    }

    /// Ways, each on a line behind how many people it fails (``HubServices/PeopleUnreached``), in words.
    func ways(_ listed: String) -> String {
        listed.split(separator: "\n").compactMap { line in
            let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
            return parts.count > 1 ? "\(way(parts[1])) (\(parts[0]))" : nil
        }.joined(separator: ", ")
    }
}

/// When the daily test messages left last: a hub that is started anew does not send them again.
private final class ProofTimes: Sendable {
    private let path: String, files: any FileSystem
    private let times: Mutex<[String: Milliseconds]>

    init(_ directory: HubDirectory, _ files: any FileSystem) {
        (path, self.files) = (directory.path("way-proofs.json"), files)
        // One that cannot be read costs one message more.
        let known = (try? files.read(path)).flatMap { try? JSONDecoder().decode([String: Milliseconds].self, from: Data($0)) }
        times = Mutex(known ?? [:])
    }

    func last(_ way: Way) -> Milliseconds? { times.withLock { $0["\(way)"] } }

    func note(_ way: Way, _ time: Milliseconds) {
        // Under the lock: two ways that leave at once would overwrite each other's time.
        times.withLock { times in
            times["\(way)"] = time
            guard let content = try? JSONEncoder().encode(times) else { return }
            try? files.replace(path, with: Array(content))
        }
    }
}
