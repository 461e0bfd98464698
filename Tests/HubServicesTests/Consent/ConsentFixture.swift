import Accounts
import Database
import Foundation
import HubServices
import HubStore
import Logging
import Privacy
import TestSupport
import Testing
import Vitals

let hour: Milliseconds = 3_600_000
let day = 24 * hour

/// A hub with a person, an organisation and an operator, all made up, and no page.
struct ConsentFixture {
    let hub: ServicesFixture
    let ada: StoredAccount
    let hospital: StoredAccount
    let checker: StoredAccount
    let consents: ConsentService
    let timers: TimerService
    let subscriptions: Subscriptions

    var clock: ManualClock { hub.clock }
    var accounts: AccountStore { hub.accounts }
    var asker: Reader { .organisation(OrganisationID(hospital.id)) }
    var person: PersonID { ada.id.person }

    init() throws {
        let directory = try TemporaryDirectory(), clock = ManualClock()
        let files = try HubDirectory(directory.url)
        let accounts = try AccountStore(files, keys: try KeyStore(files, environment: [:]))
        let ada = try Self.add("ada@example.org", [.person], to: accounts, identifier: "IT:RSSMRA85T10A562S")
        let hospital = try Self.add("data@hospital.example", [.organisation], to: accounts)
        let checker = try Self.add("operator@example.org", [.operator], to: accounts)
        self.init(try ServicesFixture(directory, person: ada.id.person, clock: clock), ada, hospital, checker)
    }

    private init(_ hub: ServicesFixture, _ ada: StoredAccount, _ hospital: StoredAccount, _ checker: StoredAccount) {
        (self.hub, self.ada, self.hospital, self.checker) = (hub, ada, hospital, checker)
        let clock = hub.clock
        let time = MonotonicUTC { clock.now }
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        consents = ConsentService(
            accounts: hub.accounts, series: hub.series.reader, strips: ECGStore(hub.series), bus: hub.bus, time: time, logger: logger)
        timers = TimerService(store: hub.accounts.timers, handlers: consents.timers, logger: logger, time: time)
        subscriptions = Subscriptions(accounts: hub.accounts, arrivals: hub.series.arrivals, bus: hub.bus, time: time)
    }

    /// The same hub after a stop and a start.
    func restarted() throws -> ConsentFixture {
        let again = ConsentFixture(
            try ServicesFixture(hub.directory, person: person, clock: hub.clock), ada, hospital, checker)
        try again.accounts.timers.releaseTimers()
        return again
    }

    static func add(
        _ email: String, _ roles: Set<Role>, to accounts: AccountStore, identifier: String? = nil
    ) throws -> StoredAccount {
        let new = NewAccount(
            roles: roles, details: ["email": email, "firstName": "Made", "lastName": "Up"], canonicalEmail: email,
            canonicalIdentifier: identifier, password: "", language: "en", accepted: [:])
        guard case .added(let account) = try accounts.addConfirmedAccount(new, now: 0) else { throw Taken() }
        return account
    }

    struct Taken: Error {}

    // MARK: Steps

    func ask(
        _ address: String = "ada@example.org", kinds: Set<DataKind> = [.heartRate], purpose: String = "Study of rest",
        term: ConsentTerm = .lasting(30 * day)
    ) throws -> ConsentID {
        try consents.ask(ConsentAddress(address), by: hospital, kinds: kinds, purpose: purpose, term: term).id
    }

    /// Asked, let through by the operator where that is needed, and before the person.
    func asked(
        _ address: String = "ada@example.org", kinds: Set<DataKind> = [.heartRate], purpose: String = "Study of rest",
        term: ConsentTerm = .lasting(30 * day)
    ) async throws -> ConsentID {
        let id = try ask(address, kinds: kinds, purpose: purpose, term: term)
        try consents.approve(id, by: checker)
        try await timers.fire()
        return id
    }

    func accepted(kinds: Set<DataKind> = [.heartRate], term: ConsentTerm = .lasting(30 * day)) async throws -> ConsentID {
        let id = try await asked(kinds: kinds, term: term)
        try consents.answer(id, .accept, by: ada.id)
        return id
    }

    func shown(_ id: ConsentID) throws -> ShownToAsker.State {
        try #require(try accounts.consents.consent(id, askedBy: asker, now: clock.now)).shown
    }

    func open() throws -> [ConsentID] {
        try consents.followers(of: person, for: ada.id).items.map(\.consent).filter {
            if case .pending = $0.state { true } else { false }
        }.map(\.id)
    }

    /// The kinds of the mails that wait for an account, the oldest first.
    func mails(to account: StoredAccount) throws -> [StoredMail] {
        try accounts.notices.dueMails(1000, lease: 0, now: clock.now).filter { $0.account.id == account.id }
    }

    /// Numbers from the database as it lies on the disk.
    func count(_ sql: String) throws -> Int {
        let path = hub.directory.url.appendingPathComponent("accounts.sqlite").path
        return try DatabasePool(path: path).read { try $0.fetchOne(Int.self, sql: sql) ?? 0 }
    }
}

func problem(_ act: () throws -> Void) throws -> ConsentProblem? {
    do {
        try act()
        return nil
    } catch let problem as ConsentProblem { return problem }
}
