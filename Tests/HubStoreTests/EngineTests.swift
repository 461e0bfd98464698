import Accounts
import Crypto
import Database
import Foundation
import Privacy
import Runs
import Seams
import TestSupport
import Testing
import Vitals

@testable import HubStore

/// What the stores promise, with a pool on files and with one connection in memory.
@Suite struct EngineTests {
    typealias Databases = HubDirectory.Databases

    private func account(_ store: StoreFixture, _ email: String, _ role: Role) throws -> StoredAccount {
        let new = NewAccount(
            roles: [role], details: ["email": email, "firstName": "Made", "lastName": "Up"], canonicalEmail: email,
            canonicalIdentifier: nil, password: "", language: "en", accepted: [:])
        guard case .added(let account) = try store.accounts.addConfirmedAccount(new, now: 0) else {
            throw HubStoreError.unknownPerson(email)
        }
        return account
    }

    @Test("a series is read as it was appended: waiting, merged, and by stores that are opened again", arguments: Databases.allCases)
    func series(databases: Databases) throws {
        let store = try StoreFixture(databases: databases), first = heartRates(from: noon, count: 90)
        let later = heartRates(from: noon + 90_000, count: 30)
        try store.append(SampleSet(heartRates: first, positions: positions(from: noon, count: 90)), sequence: 1)
        #expect(try store.all().heartRates.map(\.time) == first.map(\.time))
        try store.series.merger.merge(now: noon)
        try store.append(SampleSet(heartRates: later), sequence: 2)
        let again = try store.reopened()
        #expect(try again.all().heartRates.map(\.time) == (first + later).map(\.time) && again.all().positions.count == 90)
        #expect(again.accounts.incarnation == store.accounts.incarnation)
        let files = try FileManager.default.contentsOfDirectory(atPath: store.directory.url.path)
        #expect(files.contains { $0.contains(".sqlite") } == (databases == .files))
    }

    @Test("CONS-6: a consent lets its reader read until it is revoked", arguments: Databases.allCases)
    func consent(databases: Databases) throws {
        let store = try StoreFixture(databases: databases), ada = try account(store, "ada@example.org", .person)
        let hospital = OrganisationID(try account(store, "data@hospital.example", .organisation).id), reader = Reader.organisation(hospital)
        let scope = try ConsentScope(asker: reader, kinds: [.heartRate], purpose: "Study of rest", term: .untilRevoked)
        let consents = store.accounts.consents
        let id = try consents.giveConsent(scope, of: ada.id.person, by: ada.id, parameters: .data4Help, now: noon).consent.id
        let grant = try #require(try consents.grant(by: id, to: reader, now: noon))
        #expect(try store.accounts.reading(grant, now: noon) { try store.accounts.row(of: ada.id.person) } != nil)
        _ = try consents.answerConsent(id, .revoke, by: ada.id, now: noon + 1)
        #expect(try store.accounts.reading(grant, now: noon + 2) { true } == nil)
    }

    @Test("RUN-4: the last place of a run is given once", arguments: Databases.allCases)
    func enrolments(databases: Databases) throws {
        let store = try StoreFixture(databases: databases), runs = try RunsStore(store.hub, keys: store.accounts.keys)
        let course = CoursePlan(points: [CoursePoint(latitude: 1, longitude: 1), CoursePoint(latitude: 90_001, longitude: 1)])
        let plan = RunPlan(
            name: "Made up", purpose: "Test", place: "Nowhere", timeZone: "UTC", starts: 1000, ends: 2000, closes: 900, most: 1,
            isPublic: true)
        let added = try runs.add(
            plan, course: course, area: try #require(RunArea(course.points)), search: "made up", code: "ABCDEF",
            by: AccountID(high: 1, low: 1), now: 0)
        guard case .added(let draft) = added else { throw HubStoreError.unknownPerson("run") }
        let run = try #require(try runs.publish(draft.id, now: 0)),
            wishes = [PersonID.random(), .random()].map {
                EnrolmentStore.Enrolling(run: run.id, person: $0, choices: .init())
            }
        let outcomes = try runs.enrolments.enrol(wishes, now: 1)
        #expect(try outcomes[0].get().bib == 1 && outcomes[1] == .failure(.full))
        #expect(try RunsStore(store.hub, keys: store.accounts.keys).run(code: "ABCDEF")?.enrolled == 1)
    }

    @Test("DATA-10: behind the deletion of a person nothing is readable, and what remained is cleared", arguments: Databases.allCases)
    func deletion(databases: Databases) throws {
        let store = try StoreFixture(databases: databases)
        try store.append(SampleSet(heartRates: heartRates(from: noon, count: 60)), sequence: 1)
        try store.series.merger.merge(now: noon)
        #expect(try store.accounts.deletePerson(store.person, now: noon) && !store.accounts.deletePerson(store.person, now: noon))
        #expect(try store.readable()?.heartRates.isEmpty ?? true)
        #expect(try store.series.erasure.deletedWithBlocks() == [store.person] && store.count("SELECT count(*) FROM block") == 1)
        try store.series.erasure.erase(store.person)
        try store.accounts.eraseRows(of: store.person)
        #expect(try store.count("SELECT count(*) FROM block") == 0 && store.accounts.deletedWithRows().isEmpty)
        #expect(try store.accounts.person(store.person) == nil)
    }

    @Test("a hub's keys and identifiers come from the randomness that it is given: the same seed makes the same hub, another one another")
    func randomness() throws {
        func drawn(_ machine: Machine) throws -> [String] {
            let directory = try TemporaryDirectory(), hub = try HubDirectory(directory.url, databases: .inMemory)
            let keys = try KeyStore(hub, environment: [:], machine: machine), accounts = try AccountStore(hub, keys: keys)
            let person = try accounts.addPerson(name: "Made up", now: 0).id
            let key = try #require(try keys.key(of: person)).key.withUnsafeBytes { Hexadecimal.string($0) }
            return [
                Hexadecimal.string(keys.derived("test")), accounts.incarnation.description, person.description, key,
                Hexadecimal.string(try accounts.secret("test")), try accounts.links.makeLink(to: person, now: 0),
                Hexadecimal.string(try AuditLog(hub, accounts: accounts, environment: [:]).key.rawRepresentation),
            ]
        }
        let first = try drawn(.seeded(1))
        #expect(try drawn(.seeded(1)) == first && Set(first).count == first.count)
        for other in [Machine.seeded(2), .system] { #expect(try zip(drawn(other), first).allSatisfy { $0 != $1 }) }
    }
}
