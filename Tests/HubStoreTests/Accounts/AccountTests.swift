import Accounts
import Database
import Foundation
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct AccountTests {
    private func add(
        _ new: NewAccount, _ link: UInt8, to fixture: HubFixture, expires: Milliseconds = 100, opener: AccountID? = nil,
        now: Milliseconds = 0
    ) throws -> AccountStore.Added {
        try fixture.accounts.addAccount(new, linkHash: [link], linkExpires: expires, opener: opener, now: now)
    }

    @Test("ACC-5: nothing works before the link of the confirmation mail, which works once and in its time", arguments: Engine.allCases)
    func confirmation(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts
        guard case .added(let ada) = try add(HubFixture.new("Ada"), 1, to: fixture) else { throw HubFixture.Taken() }
        #expect(ada.confirmed == nil && ada.name == "Ada Invented" && ada.hasMail)
        #expect(try accounts.person(ada.id.person) == nil && accounts.confirmedAccounts().isEmpty)
        #expect(try fixture.session([9], of: ada) == nil)
        #expect(try accounts.confirm(linkHash: [2], now: 1) == nil && accounts.confirm(linkHash: [1], now: 100) == nil)
        #expect(try accounts.confirm(linkHash: [1], now: 99) == ada.id)
        #expect(try accounts.confirm(linkHash: [1], now: 99) == nil)
        #expect(try accounts.account(ada.id)?.confirmed == 99)
        #expect(try accounts.person(ada.id.person)?.name == "Ada Invented")
        #expect(try fixture.session([8], of: ada) != nil)
        #expect(try fixture.reopened().accounts.account(email: "ada@example.org")?.id == ada.id)
    }

    @Test(
        "ACC-4: an address that nobody confirmed gives way to whoever has the mailbox; a confirmed one is taken", arguments: Engine.allCases
    )
    func taken(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts
        guard case .added(let first) = try add(HubFixture.new("Ada"), 1, to: fixture),
            case .added(let second) = try add(HubFixture.new("Ada"), 2, to: fixture)
        else { throw HubFixture.Taken() }
        #expect(try first.id != second.id && accounts.account(first.id) == nil)
        #expect(try accounts.confirm(linkHash: [1], now: 1) == nil, "the link went with its account")
        #expect(try accounts.confirm(linkHash: [2], now: 1) == second.id)
        guard case .taken(let known) = try add(HubFixture.new("Ada"), 3, to: fixture) else { throw HubFixture.Taken() }
        #expect(known.id == second.id)
        #expect(try accounts.confirm(linkHash: [3], now: 1) == nil && fixture.count("account") == 1)
    }

    @Test("ACC-4: a tax number belongs to one account, whatever its address", arguments: Engine.allCases)
    func identifiers(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts
        guard case .added(let ada) = try accounts.addConfirmedAccount(HubFixture.new("Ada", identifier: "IT 1"), now: 0) else {
            throw HubFixture.Taken()
        }
        guard case .taken(let known) = try add(HubFixture.new("Bob", identifier: "IT 1"), 3, to: fixture) else { throw HubFixture.Taken() }
        #expect(known.id == ada.id)
        #expect(try accounts.account(identifier: "IT 1")?.id == ada.id && accounts.account(identifier: "IT 2") == nil)
        // An identifier is no address, and the other way round.
        #expect(try accounts.account(email: "IT 1") == nil && accounts.account(identifier: "ada@example.org") == nil)
        try fixture.account("Eve")
        try fixture.account("Zoe")
        #expect(try accounts.confirmedAccounts().map(\.name) == ["Ada Invented", "Eve Invented", "Zoe Invented"])
    }

    @Test("ACC-11: an account that waits for its hand-over gives way to its opener alone", arguments: Engine.allCases)
    func handOverWaits(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts, care = accounts.care
        let carer = try fixture.account("Carer"), other = try fixture.account("Other")
        guard
            case .added(let opened) = try care.openAccount(
                HubFixture.new("Ada"), by: carer.id, linkHash: [1], linkExpires: 100, now: 0)
        else { throw HubFixture.Taken() }
        for stranger in [nil, other.id] {
            guard case .taken = try add(HubFixture.new("Ada"), 7, to: fixture, opener: stranger, now: 50) else { throw HubFixture.Taken() }
        }
        #expect(try accounts.account(opened.id) != nil)
        guard
            case .added(let again) = try care.openAccount(
                HubFixture.new("Ada"), by: carer.id, linkHash: [2], linkExpires: 100, now: 50)
        else { throw HubFixture.Taken() }
        #expect(try accounts.account(opened.id) == nil && accounts.account(again.id) != nil)
        // Behind the link's time it is like any other that nobody confirmed.
        guard case .added = try add(HubFixture.new("Ada"), 8, to: fixture, now: 100) else { throw HubFixture.Taken() }
        #expect(try accounts.account(again.id) == nil)
    }

    @Test("ACC-5: an account made by an operator works at once; its person is on the list", arguments: Engine.allCases)
    func confirmed(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts
        let ada = try fixture.account("Ada"), clinic = try fixture.account("Clinic", [.organisation])
        #expect(ada.confirmed == 0 && clinic.name == "Clinic")
        #expect(try accounts.people().map(\.id) == [ada.id.person], "an organisation is no person")
        #expect(try accounts.row(of: ada.id.person) != nil && accounts.row(of: clinic.id.person) == nil)
        #expect(try fixture.count("mail_link") == 0)
        guard case .taken(let known) = try accounts.addConfirmedAccount(HubFixture.new("Ada"), now: 5) else { throw HubFixture.Taken() }
        #expect(known == ada)
    }

    @Test("ACC-1: which version of a document was accepted stands there once, with its time", arguments: Engine.allCases)
    func acceptances(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts
        var new = HubFixture.new("Ada")
        new.accepted = [.firstName: "1"]
        guard case .added(let ada) = try accounts.addConfirmedAccount(new, now: 5) else { throw HubFixture.Taken() }
        let bob = try fixture.account("Bob")
        for time in [10, 20] as [Milliseconds] { try accounts.acceptances.accept("terms", version: "2", by: ada, now: time) }
        try accounts.acceptances.accept("terms", version: "3", by: ada, now: 30)
        try accounts.acceptances.accept("terms", version: "2", by: bob, now: 40)
        let accepted = try accounts.acceptances.accepted(by: ada.row)
        #expect(accepted.map(\.document) == [Field.firstName.rawValue, "terms", "terms"])
        #expect(accepted.map(\.version) == ["1", "2", "3"] && accepted.map(\.time) == [5, 10, 30])
        #expect(try accounts.acceptances.accepted(by: bob.row).map(\.time) == [40])
    }

    @Test(
        "ACC-8, SOS-6: a changed profile shows at once, to readers as well, and each change is owed to the person's boxes",
        arguments: Engine.allCases)
    func profile(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts, ada = try fixture.account("Ada"), person = ada.id.person
        let told = Told<PersonID>()
        accounts.listenToProfiles { told.tell($0) }
        var details = ada.details
        details[Field.lastName.rawValue] = "Changed"
        #expect(try !accounts.setDetails(details, of: ada, now: 1000), "no operator had looked at it")
        #expect(try accounts.account(ada.id)?.name == "Ada Changed" && accounts.person(person)?.name == "Ada Changed")
        #expect(told.all == [person])
        let owed = try #require(try accounts.timers.profileOwed(person))
        #expect(owed == 1000 + TimerStore.profileGrace)
        // A change of the same instant is owed by another one: that the earlier was told settles no later one.
        try accounts.setDetails(ada.details, of: ada, now: 1000)
        try accounts.timers.profileIsTold(person, owed: owed)
        #expect(try accounts.timers.profileOwed(person) == owed + 1)
        try accounts.timers.profileIsTold(person, owed: owed + 1)
        #expect(try accounts.timers.profileOwed(person) == nil)
        try accounts.notices.setLanguage("it", of: ada, now: 2000)
        #expect(try accounts.account(ada.id)?.language == "it" && told.all.count == 3)
        #expect(try accounts.timers.profileOwed(person) == 2000 + TimerStore.profileGrace)
    }

    @Test(
        "CONS-11: an organisation that changes its proof or purpose loses its approvals; another field costs none",
        arguments: Engine.allCases)
    func checkedAgain(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts, clinic = try fixture.account("Clinic", [.organisation])
        let key = Data(Reader.organisation(OrganisationID(clinic.id)).key)
        try accounts.pool.write { db in
            try db.execute(sql: "INSERT INTO approval(asker, consent, envelope) VALUES(?, x'01', x'01')", arguments: [key])
        }
        var details = clinic.details
        details["phone"] = "1"
        #expect(try !accounts.setDetails(details, of: clinic, now: 1) && fixture.count("approval") == 1)
        details[Field.purpose.rawValue] = "Something else"
        #expect(try accounts.setDetails(details, of: clinic, now: 2) && fixture.count("approval") == 0)
        #expect(try !accounts.setDetails(details, of: clinic, now: 3))
        #expect(try accounts.account(clinic.id)?.checkMark != clinic.checkMark)
        #expect(try accounts.timers.profileOwed(clinic.id.person) == nil, "an organisation has no box")
    }

    @Test("ACC-5: operators are those with a confirmed account and the role, the oldest first", arguments: Engine.allCases)
    func operators(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts
        let one = try fixture.account("One", [.operator]), two = try fixture.account("Two", [.person, .operator])
        try fixture.account("Three")
        _ = try add(HubFixture.new("Four", [.operator]), 4, to: fixture)
        #expect(try accounts.operators().map(\.id) == [one.id, two.id])
        #expect(try accounts.operators().map(\.roles) == [[.operator], [.person, .operator]])
    }

    @Test("ACC-1: a form that nobody confirmed leaves nothing, and its key is destroyed", arguments: Engine.allCases)
    func unconfirmed(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts
        guard case .added(let old) = try add(HubFixture.new("Old"), 1, to: fixture, now: 10),
            case .added(let young) = try add(HubFixture.new("Young"), 2, to: fixture, expires: 500, now: 60)
        else { throw HubFixture.Taken() }
        let carer = try fixture.account("Carer")
        guard
            case .added(let waiting) = try accounts.care.openAccount(
                HubFixture.new("Waiting"), by: carer.id, linkHash: [3], linkExpires: 1000, now: 10)
        else { throw HubFixture.Taken() }
        try accounts.forgetUnconfirmedAccounts(before: 50, now: 200)
        #expect(try accounts.account(old.id) == nil && accounts.isDeleted(old.id.person))
        #expect(try accounts.account(young.id) != nil && accounts.account(waiting.id) != nil && accounts.account(carer.id) != nil)
        try accounts.forgetUnconfirmedAccounts(before: 50, now: 1000)
        #expect(try accounts.account(waiting.id) == nil && accounts.isDeleted(waiting.id.person) && !accounts.isDeleted(carer.id.person))
    }

    @Test("DATA-11: a damaged account throws where it is asked for, is told once, and hides no other", arguments: Engine.allCases)
    func damaged(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts
        let ada = try fixture.account("Ada", [.operator]), bob = try fixture.account("Bob", [.operator])
        try fixture.damage("account", "details", where: "id = \(ada.row)")
        #expect(throws: HubStoreError.self) { try accounts.account(ada.id) }
        for _ in 0..<2 {
            #expect(try accounts.operators().map(\.id) == [bob.id] && accounts.confirmedAccounts().map(\.id) == [bob.id])
        }
        #expect(fixture.keys.unreadable.rows == [UnreadableRow(.account, ada.row)])
        // Who runs the hub is told all the same, as far as their accounts open.
        try accounts.notices.tellOperators(.wayFailed, ["way": "mail"], now: 1)
        #expect(try accounts.notices.notices(of: bob).map(\.kind) == [.wayFailed])
    }

    @Test("DATA-11: secrets and what was first known of a hub stay over restarts", arguments: Engine.allCases)
    func secrets(engine: Engine) throws {
        let fixture = try HubFixture(engine), secret = try fixture.accounts.secret("one")
        #expect(try secret.count == 32 && fixture.accounts.secret("two") != secret)
        #expect(try fixture.accounts.known("pepper", [1, 2]) == [1, 2])
        let again = try fixture.reopened().accounts
        #expect(try again.secret("one") == secret && again.known("pepper", [3]) == [1, 2])
        #expect(again.incarnation == fixture.accounts.incarnation && again.derivedKey("x") == fixture.accounts.derivedKey("x"))
        #expect(again.derivedKey("x") != again.derivedKey("y"))
    }

    @Test("DATA-10: of a deleted person neither account nor name is found, before anything is cleared", arguments: Engine.allCases)
    func deleted(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts, ada = try fixture.account("Ada"),
            bob = try fixture.account("Bob")
        let row = try #require(try accounts.row(of: ada.id.person))
        #expect(try accounts.deletePerson(ada.id.person, now: 5))
        #expect(try accounts.account(ada.id) == nil && accounts.account(email: "ada@example.org") == nil)
        #expect(try accounts.person(ada.id.person) == nil && accounts.people().map(\.id) == [bob.id.person])
        #expect(try accounts.deletedWithRows() == [ada.id.person])
        #expect(try !accounts.setDetails(ada.details, of: ada, now: 6))
        try accounts.eraseRows(of: bob.id.person)
        #expect(try accounts.account(bob.id) != nil, "nobody is erased who was not deleted")
        try accounts.eraseRows(of: ada.id.person)
        #expect(try accounts.deletedWithRows().isEmpty && fixture.count("account") == 1)
        // The number stays taken: nobody else ever gets the series.
        #expect(try fixture.count("person", where: "id = \(row)") == 1)
        try fixture.account("Ada")
        #expect(try fixture.count("account") == 2)
        #expect(throws: HubStoreError.self) { try accounts.links.makeLink(to: .random(), now: 0) }
    }
}
