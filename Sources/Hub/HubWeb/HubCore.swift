import AsyncHTTPClient
import Credentials
import Foundation
import HubServices
import HubStore
import Logging
import Mail
import Seams
import Synchronization
import Vitals

/// What every feature of a hub stands on: stores, clocks, and what several features share.
struct HubCore: Sendable {
    let configuration: HubConfiguration
    let logger: Logger
    /// The machine's clock.
    let now: @Sendable () -> Milliseconds
    /// The same for what must not go back.
    let time: MonotonicUTC
    /// The same for alarms, which go on where the machine's clock is set back.
    let dispatchTime: MonotonicUTC
    let directory: HubDirectory
    let machine: Machine
    /// What is counted while the hub works, and what is read at /metrics.
    let metrics = HubMetrics()
    let executors: HubExecutors
    let shedding: LoadShedder
    let accounts: AccountStore
    let audit: AuditLog
    let series: SeriesStore
    let strips: ECGStore
    let sosStore: SOSStore
    let runsStore: RunsStore
    let deletion: Deletion
    let bus: LiveBus
    let authenticator: Authenticator
    let identity: HubIdentity
    let address: HubAddressBook
    let templates: Templates
    let service: AccountService
    let factors: FactorService
    /// Bounds what strangers can make the hub do.
    let requests: RequestLimit
    let export: Export
    let ecg: ECGReading
    let unsubscribe: UnsubscribeLinks
    /// Whom the hub may post to.
    let egress: EgressPolicy
    let client: EgressClient
    let carrier: any MailCarrier
    let map: PlacesMap
    /// Text messages that did not leave, for operators.
    let failedTexts = FailedTexts()

    /// - Parameter directory: locked for this hub by the caller. What is here is held by handlers and tasks, some of which outlive the hub.
    init(
        _ configuration: HubConfiguration, _ directory: HubDirectory, _ logger: Logger, outside: HTTPClient.Configuration,
        now: @escaping @Sendable () -> Milliseconds, boot: (@Sendable () -> Milliseconds)?,
        passwords cost: PasswordCost, machine: Machine
    ) throws {
        let logger = logger.watched(metrics.lines)
        (self.configuration, self.directory, self.logger, self.now) = (configuration, directory, logger, now)
        self.machine = machine
        shedding = LoadShedder(logger: logger, machine: machine)
        (time, dispatchTime) = (MonotonicUTC(now), MonotonicUTC(now, boot: boot))
        let keys = try KeyStore(directory, machine: machine)
        keys.unreadable.listen { row in
            logger.log(
                level: row.kind.concernsAlarms ? .critical : .error, "a row cannot be read and is left out; restore it from the backup",
                metadata: ["what": "\(row.kind.rawValue)", "row": "\(row.row)"])
        }
        accounts = try AccountStore(directory, keys: keys)
        audit = try Self.audit(directory, accounts, logger, now: now)
        series = try Self.series(directory, accounts, keys, logger)
        strips = ECGStore(series)
        (sosStore, runsStore) = (try SOSStore(directory, keys: keys), try RunsStore(directory, keys: keys))
        deletion = Deletion(accounts: accounts, series: series, audit: audit, sos: sosStore, runs: runsStore, logger: logger)
        (bus, authenticator) = (LiveBus(), Authenticator(agents: accounts.agents))
        identity = try HubIdentity(configuration, directory: directory, machine: machine)
        let address = HubAddressBook(identity.url)
        let documents = try configuration.operatorDocuments(machine.files)
        try documents?.keep(in: directory.path("documents"), files: machine.files)
        (self.address, templates) = (address, try Templates(documents: documents))
        service = AccountService(
            accounts: accounts, hasher: try passwordHasher(accounts, cost), url: { address.url }, now: now, ownAge: configuration.ownAge,
            isLater: true, breached: try configuration.breachedPasswords(), documents: templates.accepted)
        // After the hasher, which says what to do where the system refuses threads.
        executors = try HubExecutors(machine)
        (factors, requests) = (FactorService(service), RequestLimit(now: now))
        (export, unsubscribe) = (Export(series: series.reader, now: now), UnsubscribeLinks(accounts: accounts))
        ecg = ECGReading(ledger: accounts.ledger, store: strips, now: now)
        egress = EgressPolicy(allowed: configuration.webhooks.allow.compactMap { IPNetwork($0) })
        client = try EgressClient(
            addresses: egress, configuration: outside, limit: configuration.webhooks.limit, machine: machine)
        (carrier, map) = (try configuration.mail.carrier(on: machine), PlacesMap(map: configuration.map))
    }

    /// Keys are held against each other before anything makes new ones.
    private static func audit(
        _ directory: HubDirectory, _ accounts: AccountStore, _ logger: Logger, now: () -> Milliseconds
    ) throws -> AuditLog {
        let problems = try accounts.reconcileKeys(now: now())
        for problem in problems { logger.critical("keys", metadata: ["what": "\(problem)"]) }
        let audit = try AuditLog(directory, accounts: accounts)
        if !problems.isEmpty { try audit.append(.keysReconciled, by: nil, on: nil, now: now()) }
        return audit
    }

    private static func series(
        _ directory: HubDirectory, _ accounts: AccountStore, _ keys: KeyStore, _ logger: Logger
    ) throws -> SeriesStore {
        let series = try SeriesStore(directory, accounts: accounts, keys: keys) { share in
            logger.info("reading the journal", metadata: ["percent": "\(Int(share * 100))"])
        }
        for problem in series.problemsOfRecovery { logger.error("not readable in the journal", metadata: ["what": "\(problem)"]) }
        return series
    }

    /// How browsers reach the hub, without a slash at its end.
    var url: @Sendable () -> String {
        let address = address
        return { address.url }
    }

    /// `URL#fingerprint` of this hub.
    var enrolmentAddress: @Sendable () -> String {
        let address = address, certificates = identity.certificates
        return { address.url + (certificates.authority.map { "#\($0.fingerprint)" } ?? "") }
    }

    /// Where whoever was mailed without an account ends such mails.
    func stop(_ token: String) -> String { "\(address.url)\(UnsubscribePages.path)/\(token)" }
}

/// How browsers reach this hub, once it knows its port.
final class HubAddressBook: Sendable {
    private let known: Mutex<String>

    init(_ url: String) { known = Mutex(url) }

    var url: String { known.withLock { $0 } }

    func listens(on port: Int) {
        known.withLock { if $0.hasSuffix(":0") { $0 = "\($0.dropLast(2)):\(port)" } }
    }
}

/// The pepper comes of the master key, so a database alone is no help to who guesses passwords. With another master key no password would
/// fit any more, which is said at the start.
func passwordHasher(_ accounts: AccountStore, _ cost: PasswordCost = .standard) throws -> PasswordHasher {
    guard let pepper = Pepper(accounts.derivedKey("pepper")) else { throw HubConfigurationError("The pepper is too short.") }
    let known = try accounts.known("pepper check", Array(pepper.check.utf8))
    guard known == Array(pepper.check.utf8) else {
        throw HubConfigurationError(
            "The master key is not the one with which the passwords were hashed. Put back the key that belongs to this directory.")
    }
    return try PasswordHasher(pepper: pepper, cost: cost, machine: accounts.machine)
}
