import Accounts
import Database
import Foundation
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct OrganisationUserTests {
    private static let hash = [UInt8](repeating: 7, count: 32)

    /// A consent of Ada's to the clinic, and a user of the clinic.
    private func user(_ asking: AskingFixture, _ rights: Membership.Rights = .reads) throws -> (
        store: OrganisationUserStore, bea: StoredAccount
    ) {
        let store = OrganisationUserStore(asking.accounts), bea = try asking.fixture.account("Bea", [.member])
        #expect(try store.invite(EmailAddress("bea@example.org"), rights, to: asking.clinic, link: ("text", Self.hash), now: 10))
        #expect(try store.join(Self.hash, bea, now: 11))
        return (store, bea)
    }

    @Test(
        "ACC-20: a user is invited by mail, joins once, and acts for that organisation alone, with the rights that it gave",
        arguments: Engine.allCases)
    func joins(engine: Engine) throws {
        let asking = try AskingFixture(engine), accounts = asking.accounts, (store, bea) = try user(asking)
        let mails = try accounts.notices.dueMails(9, lease: 0, now: 20).filter { $0.kind == "user.invited" }
        #expect(mails.map { $0.arguments[NoticeStore.deliverTo] } == ["bea@example.org"] && mails.first?.arguments["link"] == "text")
        #expect(try !store.join(Self.hash, bea, now: 12), "once")
        let session = try #require(try asking.fixture.session([1], of: bea, now: 20)), acting = try #require(session.acting())
        #expect(session.account.id == bea.id && session.user.id == bea.id && session.membership?.rights == .reads)
        #expect(acting.account.id == asking.clinic.id && acting.user.id == bea.id && acting.hash == session.hash)
        #expect(try asking.fixture.session([2], of: asking.clinic, now: 20)?.acting() == nil)
        #expect(try store.users(of: asking.clinic).map(\.account.id) == [bea.id] && store.users(of: asking.boss).isEmpty)
        #expect(try store.setRights(.asks, of: bea.id, in: asking.clinic) && !store.setRights(.asks, of: bea.id, in: asking.ada))
        #expect(try accounts.session([1], now: 21)?.membership?.rights == .asks)

        // Neither an organisation nor an operator nor a user of another organisation joins.
        let rival = try asking.fixture.account("Rival", [.organisation])
        for (number, account) in [rival, asking.boss, bea].enumerated() {
            let hash = [UInt8](repeating: UInt8(number), count: 32)
            #expect(try store.invite(EmailAddress("x\(number)@example.org"), .reads, to: rival, link: ("t", hash), now: 30))
            #expect(try !store.join(hash, account, now: 31), "\(number)")
        }
        let end = 30 + OrganisationUserStore.invitationLifetime
        #expect(try store.invitations(of: rival, now: end - 1).count == 3 && store.invitations(of: rival, now: end).isEmpty)
        let first = try #require(try store.invitations(of: rival, now: 32).first)
        #expect(try !store.withdrawInvitation(first.hash, of: asking.clinic) && store.withdrawInvitation(first.hash, of: rival))
        #expect(try asking.fixture.reopened().accounts.session([1], now: 33)?.acting()?.account.id == asking.clinic.id)
    }

    @Test("ACC-20: a user who is taken out loses every session, and acts for nobody", arguments: Engine.allCases)
    func removed(engine: Engine) throws {
        let asking = try AskingFixture(engine), accounts = asking.accounts, (store, bea) = try user(asking)
        _ = try asking.fixture.session([1], of: bea, now: 20)
        #expect(try !store.remove(bea.id, from: asking.ada, now: 21) && accounts.session([1], now: 21) != nil)
        #expect(try store.remove(bea.id, from: asking.clinic, now: 22) && !store.remove(bea.id, from: asking.clinic, now: 23))
        #expect(try accounts.session([1], now: 24) == nil && store.users(of: asking.clinic).isEmpty)
        let later = try #require(try asking.fixture.session([2], of: bea, now: 25))
        #expect(later.membership == nil && later.acting() == nil)
        #expect(try accounts.notices.dueMails(9, lease: 0, now: 30).contains { $0.kind == "user.removed" && $0.account.id == bea.id })
    }

    @Test(
        "ACC-20, DATA-12: the ledger names the user who read, once for each hour; the organisation's own reads name nobody",
        arguments: Engine.allCases)
    func ledger(engine: Engine) throws {
        let asking = try AskingFixture(engine), ledger = asking.accounts.ledger, (_, bea) = try user(asking)
        let id = try asking.give(asking.scope(), now: 12),
            grant = try #require(try asking.consents.grant(by: id, to: asking.reader, now: 20))
        for now in [20, 21, hour] as [Milliseconds] {
            try ReadingUser.$current.withValue(ReadingUser(bea)) { try ledger.recordRead(grant, now: now) }
        }
        try ledger.recordRead(grant, now: 22)
        try ledger.recordRead(grant, by: ReadingUser(bea), now: 23)
        let reads = try ledger.ledger(of: asking.person).entries.filter { $0.what == .read }
        #expect(reads.map(\.user?.account) == [nil, bea.id, bea.id] && reads.map(\.at) == [22, hour, 20])
        #expect(reads.map(\.readerName) == ["Clinic", "Clinic (Bea Invented)", "Clinic (Bea Invented)"])
        #expect(
            try asking.fixture.reopened().accounts.ledger.ledger(of: asking.person).entries.contains { $0.user?.name == "Bea Invented" })
    }

    @Test("ACC-20, DATA-11: users and invitations go with the organisation's account; users keep theirs")
    func deleted() throws {
        let asking = try AskingFixture(.files), accounts = asking.accounts, (store, bea) = try user(asking)
        #expect(try store.invite(EmailAddress("cleo@example.org"), .asks, to: asking.clinic, link: ("t", [1]), now: 20))
        try accounts.deletePerson(asking.clinic.id.person, now: 30)
        let session = try #require(try asking.fixture.session([1], of: bea, now: 31))
        #expect(session.membership == nil && session.account.id == bea.id)
        #expect(try store.invitation([1], now: 31) == nil)
        try accounts.eraseRows(of: asking.clinic.id.person)
        #expect(try asking.fixture.count("member") == 0 && asking.fixture.count("member_invitation") == 0)
    }
}
