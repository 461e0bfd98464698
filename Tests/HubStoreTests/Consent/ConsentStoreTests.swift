import Accounts
import Foundation
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubStore

/// A store with a person and an organisation that have accounts.
private struct ConsentStoreFixture {
    let store: StoreFixture
    let ada: StoredAccount
    let hospital: StoredAccount

    var accounts: AccountStore { store.accounts }
    var asker: Reader { .organisation(OrganisationID(hospital.id)) }

    init(_ engine: Engine = .files) throws {
        let directory = try TemporaryDirectory(), hub = try HubDirectory(directory.url, databases: engine)
        let accounts = try AccountStore(hub, keys: try KeyStore(hub, environment: [:]))
        ada = try Self.add("ada@example.org", [.person], accounts)
        hospital = try Self.add("data@hospital.example", [.organisation], accounts)
        store = try StoreFixture(directory, hub: hub, person: ada.id.person)
    }

    private static func add(_ email: String, _ roles: Set<Role>, _ accounts: AccountStore) throws -> StoredAccount {
        let new = NewAccount(
            roles: roles, details: ["email": email, "firstName": "Made", "lastName": "Up"], canonicalEmail: email,
            canonicalIdentifier: nil, password: "", language: "en", accepted: [:])
        guard case .added(let account) = try accounts.addConfirmedAccount(new, now: 0) else { throw Taken() }
        return account
    }

    struct Taken: Error {}

    func scope(_ kinds: Set<DataKind> = [.heartRate], purpose: String = "Study of rest") throws -> ConsentScope {
        try ConsentScope(asker: asker, kinds: kinds, purpose: purpose, term: .untilRevoked)
    }

    func given() throws -> ConsentID {
        try accounts.consents.giveConsent(scope(), of: ada.id.person, by: ada.id, parameters: .data4Help, now: noon).consent.id
    }
}

@Suite struct ConsentStoreTests {
    @Test("CONS-6: many readers while consents are given and revoked: whoever begins to read after a revocation's commit reads nothing")
    func revocationRace() async throws {
        let fixture = try ConsentStoreFixture(), accounts = fixture.accounts
        let runs = Locked<(running: Set<ConsentID>, all: [ConsentID])>((running: [], all: []))
        let wrong = Locked(0), right = Locked(0)
        await withTaskGroup { group in
            group.addTask {
                for _ in 0..<60 {
                    guard let id = try? fixture.given() else { break }
                    runs.change { ($0.running, $0.all) = ($0.running.union([id]), $0.all + [id]) }
                    try? await Task.sleep(for: .milliseconds(2))
                    _ = try? accounts.consents.answerConsent(id, .revoke, by: fixture.ada.id, now: noon + 1)
                    // From here on the commit is over.
                    runs.change { $0.running.remove(id) }
                }
                runs.change { $0.all.append(ConsentID(high: 0, low: 0)) }
            }
            for _ in 0..<4 {
                group.addTask {
                    var grants: [ConsentID: Grant] = [:]
                    while true {
                        let (running, all) = runs.current
                        if all.last == ConsentID(high: 0, low: 0) { break }
                        if let id = all.last, grants[id] == nil {
                            grants[id] = try? accounts.consents.grant(by: id, to: fixture.asker, now: noon + 1)
                        }
                        for (id, grant) in grants.suffix(8) {
                            let known = running.contains(id)
                            let read = (try? accounts.reading(grant, now: noon + 1) { true }) ?? nil
                            if read == true, !known { wrong.change { $0 += 1 } }
                            if read == true { right.change { $0 += 1 } }
                        }
                        await Task.yield()
                    }
                }
            }
        }
        #expect(runs.current.all.count == 61)
        #expect(wrong.current == 0)
        #expect(right.current > 0)
    }

    @Test("DATA-3: a grant holds for the kinds, the person and the reader that it names, and for no other", arguments: Engine.allCases)
    func grants(_ engine: Engine) throws {
        let fixture = try ConsentStoreFixture(engine), accounts = fixture.accounts
        try fixture.store.append(
            SampleSet(heartRates: heartRates(from: noon, count: 5), positions: positions(from: noon, count: 5)), sequence: 1)
        let id = try fixture.given()
        let grant = try #require(try accounts.consents.grant(by: id, to: fixture.asker, now: noon))
        let reading = try #require(try fixture.store.series.reader.read(grant, from: 0, to: .max, now: noon))
        #expect(reading.heartRates.count == 5 && reading.positions.isEmpty)
        #expect(try accounts.consents.grant(by: id, to: .caregiver(fixture.hospital.id), now: noon) == nil)
        let own = try #require(try accounts.consents.authority(over: fixture.ada.id.person).grant(to: fixture.ada.id, at: noon))
        #expect(try fixture.store.series.reader.read(own, from: 0, to: .max, now: noon)?.positions.count == 5)
        #expect(try accounts.consents.authority(over: fixture.ada.id.person).grant(to: fixture.hospital.id, at: noon) == nil)
        // Somebody who was never asked: no consent of that name, and a person without an account.
        #expect(try accounts.consents.grant(by: .random(), to: fixture.asker, now: noon) == nil)
        let elder = try accounts.addPerson(name: "Made up", now: 0)
        #expect(try accounts.consents.authority(over: elder.id).account == nil)
    }

    @Test("DATA-11: nothing on the disk says who asks whom for what")
    func sealed() throws {
        let fixture = try ConsentStoreFixture(), accounts = fixture.accounts, person = fixture.ada.id.person
        let request = ConsentRequest(whom: accounts.consents.whom(email: "ada@example.org"), scope: try fixture.scope(), created: noon)
        let id = try accounts.consents.ask(request, label: "ada@example.org", parameters: .caregiver).consent.id
        try accounts.consents.reachConsent(id, now: noon)
        _ = try accounts.consents.answerConsent(id, .accept, by: fixture.ada.id, now: noon)
        let grant = try #require(try accounts.consents.grant(by: id, to: fixture.asker, now: noon))
        try accounts.ledger.recordRead(grant, now: noon)
        try accounts.consents.setPolicy(AccessPolicy(exceptions: [fixture.asker: []]), of: person, by: fixture.ada.id, now: noon)
        #expect(try accounts.ledger.ledger(of: person).entries.count == 3)
        for file in ["accounts.sqlite", "accounts.sqlite-wal"] {
            let bytes = try Data(contentsOf: fixture.store.directory.url.appendingPathComponent(file))
            for text in ["Study of rest", "example.org", "heartRate", "accepted", "Made"] {
                #expect(bytes.range(of: Data(text.utf8)) == nil, "\(text) in \(file)")
            }
        }
    }

    @Test("DATA-14: arrivals come in the order of arrival, and each was there once, while merging runs beside it")
    func arrivalsWhileMerging() async throws {
        let fixture = try ConsentStoreFixture(), store = fixture.store
        let id = try fixture.given()
        let grant = try #require(try fixture.accounts.consents.grant(by: id, to: fixture.asker, now: noon))
        let isDone = Locked(false)
        let total: UInt64 = 400
        try await withThrowingTaskGroup { group in
            group.addTask {
                for number in 1...total {
                    try store.append(
                        SampleSet(heartRates: heartRates(from: noon + Milliseconds(number) * 1000, count: 1)), sequence: number)
                    if number.isMultiple(of: 10) { await Task.yield() }
                }
                isDone.change { $0 = true }
            }
            group.addTask {
                while !isDone.current {
                    try store.series.merger.merge(now: noon)
                    try await Task.sleep(for: .milliseconds(3))
                }
            }
            group.addTask {
                var cursor: SubscriptionCursor?, seen: Set<Milliseconds> = [], reread: Set<Milliseconds> = [], last: Milliseconds = 0
                while true {
                    let over = isDone.current
                    let found = try #require(
                        try store.series.arrivals.read(grant, after: cursor, since: 0, segmentsMax: 7, now: noon + 86_400_000))
                    switch found {
                    case .startOver(let from, let next):
                        cursor = next
                        let again = try #require(try store.series.reader.read(grant, from: from, to: .max, now: noon))
                        reread.formUnion(again.heartRates.map(\.time))
                    case .items(let items, let upTo):
                        for time in items.flatMap(\.samples.heartRates).map(\.time) {
                            // Each is handed out once.
                            #expect(seen.insert(time).inserted)
                            #expect(time > last)
                            last = time
                        }
                        cursor = upTo ?? cursor
                        if over, items.isEmpty {
                            #expect(seen.union(reread).count == Int(total))
                            return
                        }
                    }
                    await Task.yield()
                }
            }
            try await group.waitForAll()
        }
    }

    @Test(
        "CONS-14: a place that is older than what is told apart is answered, and so is one that this database never gave",
        arguments: Engine.allCases)
    func tooOld(_ engine: Engine) throws {
        let fixture = try ConsentStoreFixture(engine), store = fixture.store
        let grant = try #require(try fixture.accounts.consents.grant(by: try fixture.given(), to: fixture.asker, now: noon))
        try store.append(SampleSet(heartRates: heartRates(from: noon, count: 1)), sequence: 1)
        try store.series.merger.merge(now: noon)
        func isToldToStartOver(_ place: ArrivalCursor, _ store: StoreFixture, now: Milliseconds) throws -> Bool {
            let cursor = SubscriptionCursor.order(place, hub: store.accounts.incarnation)
            guard case .startOver = try store.series.arrivals.read(grant, after: cursor, since: noon, now: now) else { return false }
            return true
        }
        let now = noon + 86_400_000
        for store in [store, try store.reopened()] {
            guard case .items(let items, _)? = try store.series.arrivals.read(grant, after: nil, since: noon, now: now) else {
                Issue.record("what was merged is told as missed")
                return
            }
            #expect(items.count == 1)
            #expect(try isToldToStartOver(ArrivalCursor(journal: 2, received: now), store, now: now))
            #expect(try !isToldToStartOver(ArrivalCursor(journal: 1, received: now), store, now: now))
            #expect(try isToldToStartOver(ArrivalCursor(journal: 1, received: now), store, now: now + ArrivalReader.lifetime + 1))
        }
    }

    @Test("design rule 10: a grant is asked for each event of each reader, so that it must cost little")
    func cost() throws {
        let fixture = try ConsentStoreFixture(), accounts = fixture.accounts
        let consent = try #require(try accounts.consents.grant(by: try fixture.given(), to: fixture.asker, now: noon))
        let own = try #require(try accounts.consents.authority(over: fixture.ada.id.person).grant(to: fixture.ada.id, at: noon))
        for grant in [consent, own] {
            let count = 2000
            let took = try ContinuousClock().measure {
                for _ in 0..<count {
                    let holds = try accounts.reading(grant, now: noon) { true }
                    #expect(holds == true)
                }
            }
            // Measured 0.06 ms without optimisation; a loaded machine may be ten times slower.
            #expect(took / count < .milliseconds(2), "\(took / count)")
        }
    }
}
