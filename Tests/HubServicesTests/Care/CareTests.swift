import Accounts
import Foundation
import HubStore
import Logging
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// Parents and caregivers with a clock that is set by hand.
@Suite struct CareServiceTests {
    private struct Fixture {
        let hub: AccountFixture
        let care: CareService
        let consents: ConsentService
        let timers: TimerService
        let bus = LiveBus()

        init() throws {
            hub = try AccountFixture()
            let clock = hub.clock, time = MonotonicUTC { clock.now }
            let files = try HubDirectory(hub.directory.url)
            let series = try SeriesStore(files, accounts: hub.store, keys: KeyStore(files, environment: [:]))
            consents = ConsentService(accounts: hub.store, series: series.reader, strips: ECGStore(series), bus: bus, time: time)
            care = CareService(service: hub.accounts, consents: consents, series: series.reader, bus: bus)
            var logger = Logger(label: "test")
            logger.logLevel = .critical
            timers = TimerService(
                store: hub.store.timers, handlers: consents.timers.merging(care.timers) { $1 }, logger: logger, time: time)
        }

        func open(_ other: [String: String], by opener: String = "ada@example.org") async throws -> CareService.Opened {
            var fields = [
                "firstName": "Nino", "lastName": "Made-Up", "gender": "male", "cityOfBirth": "Bergamo", "residence": "Via Roma 1, Bergamo",
                "phone": "+39 02 1234567", "taxCountry": "IT", "taxIdentifier": "RSSMRA85T10A562S", "dateOfBirth": "2014-02-10",
                "guardian": "1", "terms": AccountService.documents.terms, "privacy": AccountService.documents.privacy,
            ]
            fields.merge(other) { $1 }
            return try await care.open(fields, by: try #require(try hub.store.account(email: opener)), language: "en")
        }

        func mails(_ kind: String) throws -> [StoredMail] {
            try hub.store.notices.dueMails(100, lease: 0, now: hub.clock.now + 86_400_000).filter { $0.kind == kind }
        }

        func child(_ parent: StoredAccount) throws -> PersonID {
            try #require(try hub.store.care.wards(of: parent.id, now: hub.clock.now).first)
        }
    }

    /// 2028-02-10: fourteen years.
    private static let birthday: Milliseconds = 1_833_753_600_000

    @Test(
        "ACC-17: on the birthday the account becomes the minor's own, by the parents, for no address of a minor was proved; the parent's view ends and a stored consent stays",
        arguments: [true, false])
    func majority(isAddressTyped: Bool) async throws {
        let fixture = try Fixture(), clock = fixture.hub.clock, store = fixture.hub.store
        let parent = try await fixture.hub.account(), aunt = try await fixture.hub.account(email: "aunt@example.org")
        _ = try await fixture.open(isAddressTyped ? ["email": "nino@example.org"] : [:])
        #expect(try store.account(email: "nino@example.org") == nil)
        let child = try fixture.child(parent), grant = try #require(try fixture.consents.siteGrant(of: child, to: parent.id))
        try fixture.consents.give(toCaregiver: aunt, kinds: [.heartRate], purpose: "Aunt", of: child, by: parent.id)
        #expect(throws: ConsentProblem.notYours) {
            try fixture.consents.give(toCaregiver: parent, kinds: [.heartRate], purpose: "x", of: child, by: aunt.id)
        }
        clock.advance(Self.birthday - 1 - clock.now)
        try await fixture.timers.fire()
        #expect(try store.reading(grant, now: clock.now) { true } == true)
        let own = try #require(try store.account(AccountID(child)))
        #expect(try fixture.mails("care.ownNow").isEmpty)

        clock.advance(Self.birthday - clock.now)
        try await fixture.timers.fire()
        #expect(try store.reading(grant, now: clock.now) { true } == nil)
        #expect(try fixture.consents.siteGrant(of: child, to: parent.id) == nil)
        #expect(try fixture.care.list(for: parent.id).isEmpty)
        #expect(try fixture.care.list(for: aunt.id).map(\.person) == [child])
        #expect(try store.consents.authority(over: child).mayAnswer(own.id, at: clock.now))
        #expect(try !store.consents.authority(over: child).mayAnswer(parent.id, at: clock.now))
        let told = try fixture.mails("care.viewEndedLink")
        #expect(told.map(\.account.id) == [parent.id])
        let mail = try #require(told.first)
        let link = try #require(mail.arguments["link"]).split(separator: "/").last.map(String.init)
        #expect(try await fixture.hub.accounts.reset(try #require(link), password: "a sentence of one's own"))
        // Once.
        try await fixture.timers.fire()
        #expect(try fixture.mails("care.viewEndedLink").count == 1)
    }

    @Test("ACC-17: the day that makes a minor of age cannot be moved by editing the profile")
    func fixedDay() async throws {
        let fixture = try Fixture(), store = fixture.hub.store, parent = try await fixture.hub.account()
        _ = try await fixture.open([:])
        let child = try #require(try store.account(AccountID(try fixture.child(parent))))
        var fields = child.details.filter { !["email", "taxCountry", "taxIdentifier"].contains($0.key) }
        (fields["dateOfBirth"], fields["residence"]) = ("1990-01-01", "Via Milano 2")
        try fixture.hub.accounts.edit(child, fields)
        let edited = try #require(try store.account(child.id))
        #expect(edited[.dateOfBirth] == "2014-02-10" && edited[.residence] == "Via Milano 2")
    }

    @Test(
        "ACC-11: nothing works before the hand-over, whose link works for a week and once; an identifier that has an account is told to its owner"
    )
    func handOver() async throws {
        let fixture = try Fixture(), store = fixture.hub.store, clock = fixture.hub.clock
        let carer = try await fixture.hub.account()
        let adult = ["dateOfBirth": "1941-02-10", "email": "rosa@example.org"]
        guard case .mailed = try await fixture.open(adult) else { return #expect(Bool(false), "not mailed") }
        let mail = try #require(try fixture.mails("care.handOver").first)
        let link = String(try #require(mail.arguments["link"]?.split(separator: "/").last))
        #expect(mail.account.email == "rosa@example.org" && mail.account.confirmed == nil)
        #expect(try fixture.care.handOver(link)?.caregiver?.id == carer.id)
        #expect(try store.care.wards(of: carer.id, now: clock.now).isEmpty)
        let fields = ["password": "a sentence of one's own", "terms": "2026-11", "privacy": "2026-11"]
        let taken = try await fixture.care.takeOver(link, fields, kinds: [], purpose: "x")
        #expect(taken != nil && taken?.paper == nil)
        #expect(try await fixture.care.takeOver(link, fields, kinds: [.heartRate], purpose: "x") == nil)
        #expect(try fixture.care.list(for: carer.id).isEmpty)
        #expect(try fixture.mails("care.noView").map(\.account.id) == [carer.id])
        guard case .handOver(let other) = try await fixture.open(adult.merging(["email": ""]) { $1 }) else {
            return #expect(Bool(false), "looks otherwise")
        }
        #expect(try fixture.care.handOver(String(other.split(separator: "/").last ?? "")) == nil)
        #expect(try fixture.mails("account.taken").map(\.account.email) == ["rosa@example.org"])
        guard case .handOver(let late) = try await fixture.open(adult.merging(["email": "", "taxIdentifier": "BNCLRA80A41H501D"]) { $1 })
        else { return #expect(Bool(false), "looks otherwise") }
        // The maintenance leaves it alone as long as its link works.
        clock.advance(CareService.handOverLifetime - 1)
        try store.forgetUnconfirmedAccounts(before: clock.now - 86_400_000, now: clock.now)
        #expect(try fixture.care.handOver(String(late.split(separator: "/").last ?? "")) != nil)
        clock.advance(1)
        try store.forgetUnconfirmedAccounts(before: clock.now - 86_400_000, now: clock.now)
        #expect(try fixture.care.handOver(String(late.split(separator: "/").last ?? "")) == nil)
    }

    @Test("ACC-11: five openings a day, whatever became of them")
    func openings() async throws {
        let fixture = try Fixture()
        _ = try await fixture.hub.account()
        for _ in 1...CareService.openingsDailyMax { _ = try await fixture.open([:]) }
        guard case .tooMany = try await fixture.open([:]) else { return #expect(Bool(false), "one more") }
        // A restart of the hub counts on.
        let again = CareService(
            service: fixture.hub.accounts, consents: fixture.consents,
            series: fixture.care.series, bus: fixture.bus)
        let parent = try #require(try fixture.hub.store.account(email: "ada@example.org"))
        #expect(try !again.accounts.deferredWork.countOpening(by: parent, most: CareService.openingsDailyMax, now: fixture.hub.clock.now))
        fixture.hub.clock.advance(86_400_000)
        guard case .minor = try await fixture.open([:]) else { return #expect(Bool(false), "not on the next day") }
    }

    @Test(
        "ACC-11, ACC-4: an account that waits for its hand-over gives way to nobody but who opened it; its own address gets the hand-over again"
    )
    func waits() async throws {
        let fixture = try Fixture(), store = fixture.hub.store, accounts = fixture.hub.accounts, clock = fixture.hub.clock
        let carer = try await fixture.hub.account()
        guard case .mailed = try await fixture.open(["dateOfBirth": "1941-02-10", "email": "rosa@example.org"]) else {
            return #expect(Bool(false), "not mailed")
        }
        let opened = try #require(try store.account(email: "rosa@example.org"))
        #expect(try store.care.opener(of: opened)?.id == carer.id)
        clock.advance(600_000)
        let form = [
            "firstName": "Eve", "lastName": "Made-Up", "phone": "+390212345678", "email": "rosa@example.org",
            "password": "three ducks swim to Bergamo", "terms": AccountService.documents.terms,
        ]
        try await accounts.signUp(.organiser, form, language: "en")
        _ = try await fixture.hub.account(email: "eve@example.org")
        _ = try await fixture.open(["dateOfBirth": "1941-02-10", "email": "other@example.org"], by: "eve@example.org")
        #expect(try store.account(email: "rosa@example.org")?.id == opened.id && store.account(email: "other@example.org") == nil)
        #expect(try fixture.mails("account.taken").isEmpty && fixture.mails("account.confirm").isEmpty)
        clock.advance(600_000)
        try accounts.forgot(email: "rosa@example.org")
        #expect(try fixture.mails("account.reset").isEmpty)
        let sent = try fixture.mails("care.handOver")
        #expect(sent.count == 3 && sent.allSatisfy { $0.account.id == opened.id })
        // Whichever link is used, the others are void; whoever opened it can begin again.
        let links = try sent.map { String(try #require($0.arguments["link"]?.split(separator: "/").last)) }
        let fields = ["password": "a sentence of one's own", "terms": "2026-11", "privacy": "2026-11"]
        #expect(try await fixture.care.takeOver(links[2], fields, kinds: [], purpose: "x") != nil)
        for link in links { #expect(try fixture.care.handOver(link) == nil) }
        #expect(try store.care.opener(of: try #require(try store.account(opened.id))) == nil)
    }

    @Test("ACC-11: an invitation counts as the word of whoever gave it: when that one may decide no more, nobody gets in")
    func invitation() async throws {
        let fixture = try Fixture(), clock = fixture.hub.clock, store = fixture.hub.store
        let parent = try await fixture.hub.account(), aunt = try await fixture.hub.account(email: "aunt@example.org")
        _ = try await fixture.open([:])
        let child = try fixture.child(parent)
        clock.advance(Self.birthday - 1000 - clock.now)
        #expect(throws: ConsentProblem.notYours) {
            try fixture.care.invite(email: "aunt@example.org", kinds: [.heartRate], purpose: "x", to: child, by: aunt.id)
        }
        #expect(try fixture.care.invite(email: "aunt@example.org", kinds: [.heartRate], purpose: "x", to: child, by: parent.id))
        let mail = try #require(try fixture.mails("care.invited").first)
        #expect(mail.arguments[NoticeStore.deliverTo] == "aunt@example.org")
        let link = String(try #require(mail.arguments["link"]?.split(separator: "/").last))
        clock.advance(Self.birthday - clock.now)
        #expect(throws: ConsentProblem.notYours) { try fixture.care.take(link, by: aunt) }
        #expect(try fixture.consents.siteGrant(of: child, to: aunt.id) == nil)
        #expect(try store.care.invitation([UInt8](repeating: 1, count: 32), now: clock.now) == nil)
    }

    @Test("ACC-17: each parent hears of a new one, whoever invited them")
    func secondParent() async throws {
        let fixture = try Fixture(), store = fixture.hub.store, ada = try await fixture.hub.account()
        let bea = try await fixture.hub.account(email: "bea@example.org"), carl = try await fixture.hub.account(email: "carl@example.org")
        _ = try await fixture.open([:])
        let child = try fixture.child(ada)
        func told(_ account: StoredAccount) throws -> [String?] {
            try store.notices.notices(of: account).filter { $0.kind == .parentAdded }.map { $0.arguments["inviter"] }
        }
        for (other, inviter) in [(bea, ada), (carl, bea)] {
            #expect(try fixture.care.inviteParent(email: other.email, to: child, by: inviter.id))
            let mail = try #require(try fixture.mails("care.invited").first { $0.arguments[NoticeStore.deliverTo] == other.email })
            let link = try #require(mail.arguments["link"]?.split(separator: "/").last)
            #expect(try fixture.care.take(String(link), by: other))
        }
        // Ada hears of both, Bea of the one whom she invited, and nobody of themselves.
        #expect(try told(ada).count == 2 && told(bea) == [bea.name] && told(carl).isEmpty)
        #expect(try store.notices.notices(of: ada).allSatisfy { $0.kind != .careTaken })
    }

    @Test("ACC-11, DATA-12: a look at one of those whom somebody looks after stands in that one's list of reads alone")
    func oneAlone() async throws {
        let fixture = try Fixture(), hub = fixture.hub, carer = try await hub.account(email: "carer@example.org")
        var people: [PersonID] = []
        for name in ["ada", "bob"] {
            let giver = try await hub.account(.person, email: "\(name)@example.org")
            let asked = try fixture.consents.askAsCaregiver(
                ConsentAddress(giver.email), by: carer, kinds: [.heartRate], purpose: "Care at home")
            try hub.store.consents.reachConsent(asked.id, now: hub.clock.now)
            try fixture.consents.answer(asked.id, .accept, by: giver.id)
            people.append(giver.id.person)
        }
        func reads() throws -> [Int] {
            try people.map { try hub.store.ledger.ledger(of: $0).entries.count { $0.what == .read } }
        }
        let found = try fixture.care.cared(people[1], for: carer.id)
        #expect(try found?.person == people[1] && found?.isWard == false && reads() == [0, 1])
        #expect(try fixture.care.list(for: carer.id).count == 2 && reads() == [1, 1])
        #expect(try fixture.care.cared(carer.id.person, for: carer.id) == nil)
        #expect(try fixture.care.cared(people[0], for: AccountID(people[1])) == nil && reads() == [1, 1])
    }

    @Test("ACC-11, ACC-17: who looks after somebody has the role with its notices, whichever way it began; a relative signs up as one")
    func roleOnAllWays() async throws {
        let fixture = try Fixture(), hub = fixture.hub, giver = try await hub.account(.person, email: "ada@example.org")
        let asking = try await hub.account(email: "asks@example.org"), given = try await hub.account(.person, email: "given@example.org")
        let asked = try fixture.consents.askAsCaregiver(
            ConsentAddress(giver.email), by: asking, kinds: [.heartRate], purpose: "Care at home")
        try hub.store.consents.reachConsent(asked.id, now: hub.clock.now)
        #expect(try hub.store.account(asking.id)?.roles == [.organiser], "nobody has answered yet")
        try fixture.consents.answer(asked.id, .accept, by: giver.id)
        #expect(try hub.store.account(asking.id)?.roles == [.organiser, .caregiver])
        try fixture.consents.give(
            toCaregiver: given, kinds: [.heartRate], purpose: "Care at home", of: giver.id.person, by: giver.id)
        #expect(try hub.store.account(given.id)?.roles == [.person, .caregiver])
        let form = [
            "firstName": "Eve", "lastName": "Made-Up", "phone": "+390212345678", "email": "eve@example.org",
            "password": "three ducks swim to Bergamo", "terms": AccountService.documents.terms,
        ]
        try await hub.accounts.signUp(.caregiver, form, language: "en")
        #expect(try hub.store.account(email: "eve@example.org")?.roles == [.caregiver])
        #expect(try fixture.mails("account.confirm").count == 1)
    }

    @Test("ACC-11: the state of sensor and box is what was told last, and each value keeps its time")
    func state() {
        var reading = Reading()
        reading.heartRates = [
            HeartRateSample(time: 1000, beatsPerMinute: 71, contact: .detected), HeartRateSample(time: 2000, beatsPerMinute: 0),
            HeartRateSample(time: 3000, beatsPerMinute: 40, contact: .notDetected),
        ]
        reading.events = [
            StateEvent(time: 100, code: .sensorConnected), StateEvent(time: 200, code: .sensorContact, value: 0),
            StateEvent(time: 300, code: .paused, value: 9000), StateEvent(time: 99_000, code: .sensorLost),
        ]
        let state = CareState(reading, now: 5000)
        #expect(state.heartRate?.time == 1000 && state.heartRate?.beatsPerMinute == 71 && state.position == nil)
        #expect(state.sensor == .notWorn && state.sensorSince == 200 && state.pausedUntil == 9000)
        #expect(CareState(reading, now: 9000).pausedUntil == nil)
        #expect(CareState(reading, now: 99_000).sensor == .lost)
        #expect(CareState(Reading(), now: 1).sensor == .unknown)
    }
}
