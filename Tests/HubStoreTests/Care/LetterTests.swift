import Accounts
import Database
import Foundation
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct LetterTests {
    /// A request to an address that has no account, as far as a letter goes.
    private func ask(_ email: String, by asker: StoredAccount, _ fixture: HubFixture, now: Milliseconds) throws {
        let consents = fixture.accounts.consents
        let scope = try ConsentScope(asker: .caregiver(asker.id), kinds: [.heartRate], purpose: "Care", term: .untilRevoked)
        let request = ConsentRequest(whom: consents.whom(email: email), scope: scope, created: now)
        let id = try consents.ask(request, label: email, parameters: .caregiver).consent.id
        try consents.reachConsent(id, now: now)
    }

    @Test("CONS-1: somebody without an account is invited once a week, whoever asks", arguments: Engine.allCases)
    func letters(engine: Engine) throws {
        let fixture = try HubFixture(engine), letters = fixture.accounts.invitations
        let one = try fixture.account("One"), two = try fixture.account("Two")
        try ask("new@example.org", by: one, fixture, now: 0)
        try ask("new@example.org", by: two, fixture, now: 1)
        let letter = try #require(try letters.dueLetters(9, lease: 100, now: 1).first)
        #expect(letter.address == "new@example.org" && letter.kind == "request" && letter.arguments == ["asker": "One Invented"])
        #expect(letter.tries == 1 && letter.language == "en" && letter.mark == fixture.accounts.deferredWork.addressMark("new@example.org"))
        #expect(try letters.dueLetters(9, lease: 100, now: 100).isEmpty && letters.dueLetters(9, lease: 100, now: 101).map(\.tries) == [2])
        try letters.putOffLetter(letter.row, until: 500)
        #expect(try letters.dueLetters(9, lease: 100, now: 499).isEmpty && letters.dueLetters(9, lease: 100, now: 500).count == 1)
        try letters.removeLetter(letter.row)
        #expect(try letters.dueLetters(9, lease: 100, now: 9000).isEmpty)
        try ask("new@example.org", by: try fixture.account("Three"), fixture, now: InvitationStore.invitationPause)
        #expect(try fixture.count("letter") == 1)
    }

    @Test("CONS-1: who has an account gets no letter, and one account makes no more than a hundred a day", arguments: Engine.allCases)
    func most(engine: Engine) throws {
        let fixture = try HubFixture(engine), one = try fixture.account("One")
        try fixture.account("Known")
        try ask("known@example.org", by: one, fixture, now: 0)
        #expect(try fixture.count("letter") == 0)
        for number in 0..<InvitationStore.invitationsDailyMax + 2 { try ask("n\(number)@example.org", by: one, fixture, now: 0) }
        #expect(try fixture.count("letter") == InvitationStore.invitationsDailyMax)
        try ask("later@example.org", by: one, fixture, now: day)
        #expect(try fixture.count("letter") == InvitationStore.invitationsDailyMax + 1)
    }

    @Test("RUN-11: who refuses letters gets none that waits, and none again", arguments: Engine.allCases)
    func refused(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts, one = try fixture.account("One")
        try ask("new@example.org", by: one, fixture, now: 0)
        try accounts.deferredWork.refuseLetters(accounts.deferredWork.addressMark("new@example.org"))
        #expect(try accounts.invitations.dueLetters(9, lease: 1, now: 1).isEmpty && fixture.count("letter") == 0)
        try ask("new@example.org", by: try fixture.account("Two"), fixture, now: InvitationStore.invitationPause * 2)
        #expect(try fixture.count("letter") == 0)
    }

    @Test(
        "RUN-11: a damaged letter is told and put off by an hour; the others leave, and nothing is thrown away", arguments: Engine.allCases)
    func damaged(engine: Engine) throws {
        let fixture = try HubFixture(engine), letters = fixture.accounts.invitations, one = try fixture.account("One")
        for name in ["a", "b"] { try ask("\(name)@example.org", by: one, fixture, now: 0) }
        try fixture.damage("letter", where: "id = 1")
        #expect(try letters.dueLetters(1, lease: 1, now: 1).isEmpty, "the damaged one stood first")
        #expect(try letters.dueLetters(1, lease: 1, now: 1).map(\.address) == ["b@example.org"])
        #expect(try fixture.count("letter") == 2 && fixture.keys.unreadable.rows == [UnreadableRow(.letter, 1)])
        #expect(try letters.dueLetters(9, lease: 1, now: hour).map(\.address) == ["b@example.org"])
    }

    @Test("DATA-10: a letter goes with whoever made us write it", arguments: Engine.allCases)
    func deleted(engine: Engine) throws {
        let fixture = try HubFixture(engine), one = try fixture.account("One")
        try ask("new@example.org", by: one, fixture, now: 0)
        try fixture.accounts.deletePerson(one.id.person, now: 1)
        #expect(try fixture.accounts.invitations.dueLetters(9, lease: 1, now: 1).isEmpty && fixture.count("letter") == 0)
    }

    @Test("CONS-1: whoever confirms an account finds the requests that wait for its address or tax number", arguments: Engine.allCases)
    func met(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts, one = try fixture.account("One")
        try ask("new@example.org", by: one, fixture, now: 0)
        #expect(try accounts.timers.dueTimers(9, lease: 1, now: 10).isEmpty)
        let ada = try fixture.account("New")
        let due = try accounts.timers.dueTimers(9, lease: 1, now: 10)
        #expect(due.map(\.kind) == [.consentReach])
        try accounts.consents.reachConsent(try #require(ConsentID(bytes: Data(due[0].subject))), now: 10)
        #expect(try accounts.consents.consents(of: ada.id.person).items.count == 1)
        #expect(try accounts.notices.notices(of: ada).map(\.kind) == [.asked])
    }

    @Test("CONS-1: a name that strangers read is a name, and no link and no message")
    func names() {
        #expect(InvitationStore.inviterName("Ada O'Neill-Smith") == "Ada O'Neill-Smith")
        #expect(InvitationStore.inviterName("See https://evil.example/?a=1 now!") == "See https evil example a now")
        #expect(InvitationStore.inviterName(String(repeating: "ab ", count: 100)).count == 60 && InvitationStore.inviterName("  \n ") == "")
    }
}
