import Accounts
import Database
import Foundation
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct CareTests {
    private func opened(_ fixture: HubFixture, by carer: StoredAccount, link: UInt8 = 1) throws -> StoredAccount {
        let added = try fixture.accounts.care.openAccount(
            HubFixture.new("Grandma"), by: carer.id, linkHash: [link], linkExpires: 100, now: 0)
        guard case .added(let account) = added else { throw HubFixture.Taken() }
        return account
    }

    @Test(
        "ACC-11: an account that a relative opens works from the moment in which its person takes it over, once", arguments: Engine.allCases
    )
    func handOver(engine: Engine) throws {
        let fixture = try HubFixture(engine), care = fixture.accounts.care, carer = try fixture.account("Carer")
        let account = try opened(fixture, by: carer)
        #expect(
            try account.confirmed == nil && care.opener(of: account)?.id == carer.id && fixture.accounts.person(account.id.person) == nil)
        #expect(try care.handOver([1], now: 99)?.caregiver?.id == carer.id && care.handOver([1], now: 99)?.account.id == account.id)
        #expect(try care.handOver([1], now: 100) == nil && care.handOver([2], now: 0) == nil)
        #expect(try care.takeOver([1], password: "own", accepted: [.firstName: "7"], now: 100) == nil)
        let taken = try #require(try care.takeOver([1], password: "own", accepted: [.firstName: "7"], now: 50))
        #expect(taken.confirmed == 50 && taken.password == "own")
        #expect(try care.opener(of: taken) == nil && care.takeOver([1], password: "other", accepted: [:], now: 51) == nil)
        #expect(try fixture.accounts.acceptances.accepted(by: taken.row).map(\.version) == ["7"])
        #expect(try fixture.accounts.person(taken.id.person)?.name == "Grandma Invented" && fixture.count("opened") == 0)
    }

    @Test("ACC-11: of printed links for a password the last one works", arguments: Engine.allCases)
    func printed(engine: Engine) throws {
        let fixture = try HubFixture(engine), care = fixture.accounts.care, ada = try fixture.account("Ada")
        try care.setPrintedResetLink([1], of: ada, expires: 100)
        try care.setPrintedResetLink([2], of: ada, expires: 100)
        #expect(try fixture.accounts.account(ofLink: [1], .reset, now: 1) == nil)
        #expect(try fixture.accounts.resetPassword("new", linkHash: [2], now: 1)?.id == ada.id)
    }

    private func minor(_ fixture: HubFixture, _ parent: StoredAccount, adultFrom: Milliseconds = 1000) throws -> StoredAccount {
        let added = try fixture.accounts.care.openMinor(HubFixture.new("Kid"), guardian: parent.id, adultFrom: adultFrom, now: 0)
        guard case .added(let kid) = added else { throw HubFixture.Taken() }
        return kid
    }

    @Test("ACC-17: a minor's account works at once in the hands of the parent, until the birthday", arguments: Engine.allCases)
    func minors(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts, care = accounts.care
        let parent = try fixture.account("Parent"), kid = try minor(fixture, parent), person = kid.id.person
        #expect(try kid.confirmed == 0 && accounts.person(person) != nil)
        #expect(try care.wards(of: parent.id, now: 999) == [person] && care.wards(of: parent.id, now: 1000).isEmpty)
        #expect(try care.wards(of: kid.id, now: 0).isEmpty && care.hasBeenMinor(person) && !care.hasBeenMinor(parent.id.person))
        let authority = try accounts.consents.authority(over: person)
        #expect(authority.mayAnswer(parent.id, at: 999) && !authority.mayAnswer(kid.id, at: 999))
        #expect(!authority.mayAnswer(parent.id, at: 1000) && authority.mayAnswer(kid.id, at: 1000))
        #expect(try accounts.timers.dueTimers(9, lease: 1, now: 1000).map(\.kind) == [.majority])
    }

    @Test(
        "ACC-17: with the birthday the person gets a link of their own, and the parent hears that the view ends", arguments: Engine.allCases
    )
    func majority(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts, care = accounts.care
        let parent = try fixture.account("Parent"), kid = try minor(fixture, parent), person = kid.id.person
        #expect(try care.comeOfAge(person, linkHash: [1], link: "L", linkExpires: 5000, now: 999) == nil)
        #expect(try accounts.notices.dueMails(9, lease: 0, now: 5000).isEmpty)
        #expect(
            try accounts.timers.dueTimers(9, lease: 1, now: 999).isEmpty && accounts.timers.dueTimers(9, lease: 1, now: 1000).count == 1)
        #expect(try care.comeOfAge(person, linkHash: [1], link: "L", linkExpires: 5000, now: 1000)?.id == kid.id)
        let mails = try accounts.notices.dueMails(9, lease: 0, now: 5000)
        #expect(mails.map(\.kind) == ["care.ownNow", "care.viewEnded"] && mails.map(\.account.id) == [kid.id, parent.id])
        #expect(mails[0].arguments["link"] == "L" && mails[1].arguments["link"] == nil)
        #expect(try accounts.resetPassword("own", linkHash: [1], now: 1001)?.id == kid.id)
        #expect(try accounts.timers.dueTimers(9, lease: 1, now: 9000).isEmpty)
    }

    @Test("ACC-17: who has no mailbox gets the link by the parent", arguments: Engine.allCases)
    func withoutMailbox(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts, parent = try fixture.account("Parent")
        var new = HubFixture.new("Kid")
        (new.details[Field.email.rawValue], new.canonicalEmail) = ("kid-1", "kid-1")
        guard case .added(let kid) = try accounts.care.openMinor(new, guardian: parent.id, adultFrom: 1000, now: 0) else {
            throw HubFixture.Taken()
        }
        _ = try accounts.care.comeOfAge(kid.id.person, linkHash: [1], link: "L", linkExpires: 5000, now: 1000)
        let mails = try accounts.notices.dueMails(9, lease: 0, now: 5000)
        #expect(mails.map(\.kind) == ["care.viewEndedLink"] && mails[0].arguments["link"] == "L")
        #expect(!kid.hasMail && mails[0].arguments["user"] == "kid-1")
        #expect(try accounts.notices.notices(of: kid).map(\.name) == ["care.ownNow"])
    }

    // MARK: Invitations

    private func offer(_ person: StoredAccount, to email: String, by: AccountID? = nil) -> CareInvitation {
        CareInvitation(person: person.id.person, by: by ?? person.id, email: email, kinds: [.heartRate], purpose: "Looks after me")
    }

    private func invite(_ fixture: HubFixture, _ offer: CareInvitation, _ link: UInt8, now: Milliseconds = 0) throws -> Bool {
        try fixture.accounts.care.invite(offer, linkHash: [link], link: "L\(link)", stop: "S", expires: now + 100, now: now)
    }

    @Test("ACC-11: whoever takes an invitation reads what was offered, once, and becomes a caregiver", arguments: Engine.allCases)
    func invitation(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts, care = accounts.care
        let ada = try fixture.account("Ada"), carer = try fixture.account("Carer")
        #expect(try invite(fixture, offer(ada, to: "carer@example.org"), 1))
        #expect(try care.invitation([1], now: 99)?.purpose == "Looks after me" && care.invitation([1], now: 100) == nil)
        let mail = try #require(try accounts.notices.dueMails(9, lease: 0, now: 1).first)
        #expect(mail.kind == "care.invited" && mail.arguments[NoticeStore.deliverTo] == "carer@example.org" && mail.account.id == ada.id)
        #expect(throws: ConsentProblem.notYours) { try care.takeInvitation([1], by: ada, parameters: .caregiver, now: 2) }
        let outcome = try #require(try care.takeInvitation([1], by: carer, parameters: .caregiver, now: 2))
        #expect(try care.takeInvitation([1], by: carer, parameters: .caregiver, now: 2) == nil)
        #expect(try accounts.account(carer.id)?.roles == [.person, .caregiver])
        #expect(try accounts.consents.grant(by: outcome.consent.id, to: .caregiver(carer.id), now: 3)?.kinds.contains(.heartRate) == true)
        #expect(try accounts.notices.notices(of: ada).contains { $0.kind == .careTaken })
    }

    @Test("ACC-11: a new invitation counts in the place of one to the same address; twenty wait at most", arguments: Engine.allCases)
    func waiting(engine: Engine) throws {
        let fixture = try HubFixture(engine), care = fixture.accounts.care, ada = try fixture.account("Ada"),
            bob = try fixture.account("Bob")
        #expect(try invite(fixture, offer(ada, to: "one@example.org"), 1) && invite(fixture, offer(ada, to: "ONE@example.org"), 2))
        #expect(try care.waitingInvitations(of: ada.id.person, now: 0).map(\.hash) == [[2]])
        for number in 3...21 as ClosedRange<UInt8> { #expect(try invite(fixture, offer(ada, to: "n\(number)@example.org"), number)) }
        #expect(try !invite(fixture, offer(ada, to: "more@example.org"), 99) && invite(fixture, offer(bob, to: "more@example.org"), 98))
        #expect(try !care.withdrawInvitation([5], of: bob.id.person) && care.withdrawInvitation([5], of: ada.id.person))
        #expect(try care.invitation([5], now: 0) == nil && invite(fixture, offer(ada, to: "more@example.org"), 99))
        #expect(
            try care.waitingInvitations(of: ada.id.person, now: 100).isEmpty
                && invite(fixture, offer(ada, to: "x@example.org"), 100, now: 100))
        #expect(try fixture.count("invitation") == 1, "what expired is forgotten")
    }

    @Test("ACC-17: a parent invites for a child; the child does not, and nobody else", arguments: Engine.allCases)
    func deciders(engine: Engine) throws {
        let fixture = try HubFixture(engine), parent = try fixture.account("Parent"), kid = try minor(fixture, parent)
        let stranger = try fixture.account("Stranger")
        for other in [kid.id, stranger.id] {
            #expect(throws: ConsentProblem.notYours) { try invite(fixture, offer(kid, to: "a@example.org", by: other), 1) }
        }
        #expect(try invite(fixture, offer(kid, to: "a@example.org", by: parent.id), 1))
        // Behind the birthday the parent's offer gives nothing.
        #expect(throws: ConsentProblem.notYours) {
            try fixture.accounts.care.invite(
                offer(kid, to: "b@example.org", by: parent.id), linkHash: [2], link: "", stop: "", expires: 2000, now: 1000)
        }
    }

    @Test("ACC-11: a damaged invitation is told, and keeps no other from the list or from being made", arguments: Engine.allCases)
    func damaged(engine: Engine) throws {
        let fixture = try HubFixture(engine), care = fixture.accounts.care, ada = try fixture.account("Ada")
        _ = try (invite(fixture, offer(ada, to: "one@example.org"), 1), invite(fixture, offer(ada, to: "two@example.org"), 2))
        try fixture.damage("invitation", where: "hash = x'01'")
        #expect(try care.waitingInvitations(of: ada.id.person, now: 0).map(\.hash) == [[2]])
        #expect(try invite(fixture, offer(ada, to: "three@example.org"), 3) && fixture.unreadable == [.invitation])
        #expect(throws: HubStoreError.self) { try care.invitation([1], now: 0) }
    }
}
