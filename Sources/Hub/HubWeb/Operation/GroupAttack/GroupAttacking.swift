import Accounts
import Crypto
import Foundation
import Groups
import HubServices
import HubStore
import Logging
import Seams
import ServiceLifecycle
import Vitals

/// How large an attack is.
public struct GroupAttacking: Sendable {
    /// Towns with 63 targets each.
    public var towns: Int
    /// Windows that are closed and read.
    public var windows: Int
    /// By what the variance of the noise is divided: more than 1 is a planted fault.
    var divisor: UInt64 = 1
    /// How old accounts are that are made up for a question, in milliseconds: old enough to count is a planted fault.
    var newAge = Eligibility.accountAgeMin - 86_400_000

    /// How many towns there may be.
    public static let townsRange = 2...200
    /// So many towns have at least as many targets.
    public static func towns(for targets: Int) -> Int { (targets + 62) / 63 }

    public init(towns: Int = 4, windows: Int = 53) { (self.towns, self.windows) = (towns, windows) }
}

extension GroupAttacking {
    /// Starts a hub of made-up people on loopback, in a directory in which nobody is, attacks its figures about groups over HTTP, and stops it;
    /// then another one, in the directory "accounts" within, whose people have accounts, and whose windows are closed as everybody's are.
    /// - Returns: success beside chance and what the budget allows, and whether nothing did better.
    /// - Throws: ``HubConfigurationError`` for a directory in which somebody is.
    public static func attackGroups(
        _ wanted: GroupAttacking, _ configuration: HubConfiguration
    ) async throws -> (text: String, isHeld: Bool) {
        guard GroupAttacking.townsRange.contains(wanted.towns), (1...GroupRequest.pastMax).contains(wanted.windows) else {
            throw HubConfigurationError(
                "Attacks take 2 to \(GroupAttacking.townsRange.upperBound) towns, and 1 to \(GroupRequest.pastMax) windows.")
        }
        let settings = try configuration.groups.settings()
        var outcomes = try await attacked(configuration) { hub, _ in
            try stage(wanted, settings, hub)
        } attack: { stage, base in
            try await attack(stage, settings, base)
        }
        var accounts = configuration
        accounts.directory.append(path: "accounts")
        outcomes += try await attacked(accounts) { hub, logger in
            try stageOfAccounts(wanted, settings, hub, accounts, logger)
        } attack: { stage, base in
            guard let people = stage.people else {
                return [.init("accounts", note: "heart rates are not released of regions: not attacked", isHeld: true)]
            }
            try await people.close()
            return try await people.attack(client(base, stage.asker))
        }
        return (text(outcomes, wanted), outcomes.allSatisfy(\.isHeld))
    }

    /// Starts a hub, has it attacked, and stops it.
    /// - Parameter stage: what is there before the hub listens.
    private static func attacked<Stage: Sendable>(
        _ configuration: HubConfiguration, stage: (Hub, Logger) throws -> Stage,
        attack: (Stage, String) async throws -> [GroupAttack.Outcome]
    ) async throws -> [GroupAttack.Outcome] {
        var configuration = configuration
        (configuration.listen.host, configuration.listen.port, configuration.tls.enabled) = ("127.0.0.1", 0, false)
        configuration.url = attackedURL
        // Its windows are closed by hand.
        configuration.groups.isEnabled = false
        var logger = Logger(label: "trackme-hub")
        logger.logLevel = .critical
        let hub = try buildHub(configuration: configuration, logger: logger, machine: HubCommands.machine)
        guard try hub.accounts.people().isEmpty, try hub.accounts.confirmedAccounts().isEmpty else {
            throw HubConfigurationError(
                "Somebody is in \(configuration.directory.path). Attacks make people up: name a new directory with --directory.")
        }
        let staged = try stage(hub, logger)
        let group = ServiceGroup(
            configuration: .init(services: hub.services.map { .init(service: $0) }, gracefulShutdownSignals: [], logger: logger))
        let running = HubCommands.machine.start { try? await group.run() }
        func stop() async {
            await group.triggerGracefulShutdown()
            await running.value
        }
        guard let port = await hub.port.value() else { throw GroupAttackProblem("The hub did not begin to listen.") }
        do {
            let outcomes = try await attack(staged, "http://127.0.0.1:\(port)")
            await stop()
            return outcomes
        } catch {
            await stop()
            throw error
        }
    }

    private struct Asker: Sendable {
        let account: AccountID
        let key: P256.Signing.PrivateKey
    }

    /// What is there before the hub listens.
    private struct Attacked: Sendable {
        let people: GroupAttackPeople
        let size: Int
        let windows: [GroupWindow]
        let askers: [Asker]
        let close: @Sendable () throws -> Int
    }

    private static func stage(_ wanted: GroupAttacking, _ settings: GroupSettings, _ hub: Hub) throws -> Attacked {
        let budget = settings.budget
        let kinds = settings.kinds.filter { budget.variance(of: $0, at: .municipality) != nil && GroupBins($0)?.isOrdered == true }
        let size = GroupAttackPeople.size(of: kinds, settings)
        guard !kinds.isEmpty, let people = GroupAttackPeople(Regions.list, Regions.tree, towns: wanted.towns, kinds: kinds, size: size)
        else {
            throw GroupAttackProblem("Attacks need kinds that are released of municipalities, and a list of regions with enough towns.")
        }
        let windows = newest(wanted.windows, settings)
        let made = MadeUpWindows(accounts: hub.accounts, tree: Regions.tree, settings: settings), divisor = wanted.divisor
        let close: @Sendable () throws -> Int = { try made.close(people.people, asked: people.asked, windows, divisor: divisor) }
        guard try close() == windows.count else {
            throw GroupAttackProblem("Windows of this directory are closed already: name a new one with --directory.")
        }
        return Attacked(
            people: people, size: size, windows: windows, askers: try [1, 2].map { try asker($0, kinds, hub) }, close: close)
    }

    /// The newest windows that are to be closed by now, the oldest first.
    private static func newest(_ count: Int, _ settings: GroupSettings) -> [GroupWindow] {
        let length = settings.budget.window, newest = GroupWindow(length, at: HubCommands.now() - settings.closingDelay).number - 1
        return (0..<Int64(count)).reversed().map { GroupWindow(length, number: newest - $0) }
    }

    private static func stageOfAccounts(
        _ wanted: GroupAttacking, _ settings: GroupSettings, _ hub: Hub, _ configuration: HubConfiguration, _ logger: Logger
    ) throws -> (people: GroupAttackAccounts?, asker: Asker) {
        let audit = try AuditLog(HubDirectory(configuration.directory), accounts: hub.accounts)
        let deletion = Deletion(accounts: hub.accounts, series: hub.series, audit: audit, logger: logger)
        let people = try GroupAttackAccounts(
            hub, settings, newest(2, settings), newAge: wanted.newAge, deletion: deletion, logger: logger)
        return (people, try asker(1, [GroupAttackAccounts.kind], hub))
    }

    /// An organisation with a key, and an operator's leave for questions of this purpose, with ranges and without.
    private static func asker(_ number: Int, _ kinds: [DataKind], _ hub: Hub) throws -> Asker {
        let email = "attack\(number)@example.org", key = CertificateAuthority.newKey(HubCommands.machine.randomness),
            time = HubCommands.now()
        let new = NewAccount(
            roles: [.organisation], details: [Field.email.rawValue: email, Field.organisationName.rawValue: "Attack \(number)"],
            canonicalEmail: email, canonicalIdentifier: nil, password: "none", language: "en", accepted: [:])
        guard case .added(let account) = try hub.accounts.addConfirmedAccount(new, now: time) else {
            throw GroupAttackProblem("The directory has such organisations already: name a new one with --directory.")
        }
        _ = try OrganisationKeys(organisations: hub.accounts.organisations).add(
            key.publicKey.pemRepresentation, name: "attack", to: account.id, now: time)
        let requests = hub.accounts.consents.groupRequests, bins = GroupBins.count - 1
        let ask = try GroupAsk(
            kinds: Set(kinds), sexes: [.other], ranges: kinds.map { DoorQuestion.Range($0, bins: bins...bins) }, in: Regions.tree)
        let stored = try requests.ask(
            GroupRequest(ask: ask, purpose: GroupAttackClient.purpose, term: .once, past: 1, mails: false, created: time), by: account,
            now: time)
        try requests.approve(stored.id, now: time)
        // Before the hub runs: the leave stays, and the question itself is never answered.
        _ = try requests.end(stored.id, by: OrganisationID(account.id), now: time)
        return Asker(account: account.id, key: key)
    }

    private static func attack(_ stage: Attacked, _ settings: GroupSettings, _ base: String) async throws -> [GroupAttack.Outcome] {
        let clients = try await [client(base, stage.askers[0]), client(base, stage.askers[1])]
        let attack = GroupAttack(
            people: stage.people, known: GroupAttackPeople.known(size: stage.size), budget: settings.budget, windows: stage.windows.count,
            client: clients[0], other: clients[1], lateData: stage.close)
        return try await attack.run()
    }

    private static func client(_ base: String, _ asker: Asker) async throws -> GroupAttackClient {
        try await GroupAttackClient(
            base: base, endpoint: attackedURL + APIController.token, organisation: "\(asker.account)", key: asker.key,
            now: HubCommands.now(),
            machine: HubCommands.machine)
    }

    /// How the hub believes that it is reached: the audience of assertions.
    private static let attackedURL = "http://attack.invalid"

    private static func text(_ outcomes: [GroupAttack.Outcome], _ wanted: GroupAttacking) -> String {
        let head = "\(wanted.towns * 63) targets, every second of whom counts, in \(wanted.windows) windows; chance is 0.500."
        let table =
            [["attack", "success", "bound", "AUC", "bound", "", ""]]
            + outcomes.map { outcome in
                let figures = outcome.scores.map { [$0.success, $0.successMax, $0.auc, $0.aucMax].map { String(format: "%.3f", $0) } }
                return [outcome.name] + (figures ?? ["", "", "", ""]) + [outcome.isHeld ? "holds" : "BROKEN", outcome.note]
            }
        let widths = table[0].indices.map { column in table.map { $0[column].count }.max() ?? 0 }
        let rows = table.map { row in
            zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: "  ")
        }
        return ([head] + rows + ["Bounds are those of the budget that was read; three standard errors are allowed above them."])
            .joined(separator: "\n")
    }
}
