import Accounts
import Foundation
import HubServices
import HubStore
import Privacy
import TestSupport
import Testing
import Vitals

/// Named readers and invitations without pages.
@Suite struct OfferTests {
    private func offer(_ hub: ConsentFixture, _ email: String, kinds: Set<DataKind> = [.heartRate]) async throws -> ConsentID {
        let id = try hub.consents.offer(to: EmailAddress(email), kinds: kinds, purpose: "My heart", of: hub.person, by: hub.ada.id)
        try await hub.timers.fire()
        return id
    }

    private func letters(_ hub: ConsentFixture) throws -> [StoredLetter] {
        try hub.accounts.invitations.dueLetters(100, lease: 0, now: hub.clock.now)
    }

    @Test("CONS-16: somebody takes what a person offers, reads the granted kinds alone, and nothing after the revocation; the ledger knows")
    func taken() async throws {
        let hub = try ConsentFixture(), doctor = try ConsentFixture.add("Doctor@example.org".lowercased(), [.person], to: hub.accounts)
        let other = try ConsentFixture.add("eve@example.org", [.person], to: hub.accounts)
        let id = try await offer(hub, "DOCTOR@example.org")
        #expect(try hub.mails(to: doctor).map(\.kind) == ["offer.made"] && letters(hub).isEmpty)
        #expect(try hub.consents.offers(to: doctor).map(\.offer.id) == [id] && hub.consents.offers(to: other).isEmpty)
        #expect(try hub.consents.read(id, as: .named(doctor.id), from: 0, to: 1) == nil)
        #expect(try problem { try hub.consents.takeOffer(id, by: other) } == .notYours)
        try hub.consents.takeOffer(id, by: doctor)
        #expect(try problem { try hub.consents.takeOffer(id, by: doctor) } == .notYours)
        let followed = try #require(try hub.consents.followed(by: doctor).first)
        #expect(followed.consent.id == id && followed.grant.kinds == [.heartRate] && followed.grant.person == hub.person)
        #expect(try hub.consents.read(id, as: .named(doctor.id), from: 0, to: 1) != nil)
        #expect(try hub.consents.read(id, as: .named(other.id), from: 0, to: 1) == nil)
        #expect(try hub.consents.followers(of: hub.person, for: hub.ada.id).items.first?.lastRead == hub.clock.now)
        try hub.consents.answer(id, .revoke, by: hub.ada.id)
        #expect(try hub.consents.read(id, as: .named(doctor.id), from: 0, to: 1) == nil && hub.consents.followed(by: doctor).isEmpty)
        let whats = try hub.consents.ledger(of: hub.person, for: hub.ada.id).entries.map(\.what)
        #expect(whats == [.consent(.over(.revoked), by: hub.ada.id), .read, .consent(.given, by: hub.ada.id)])
    }

    @Test("CONS-16, CONS-1: to the person an address with an account and one without look the same until it is taken, and after 72 hours")
    func alike() async throws {
        let hub = try ConsentFixture(), doctor = try ConsentFixture.add("known@example.org", [.organisation], to: hub.accounts)
        let refusing = try ConsentFixture.add("refusing@example.org", [.person], to: hub.accounts)
        let ids = try await [offer(hub, "known@example.org"), offer(hub, "nobody@example.org"), offer(hub, "refusing@example.org")]
        try hub.consents.declineOffer(ids[2], by: refusing)
        func seen() throws -> [String] {
            try hub.consents.offers(of: hub.person, for: hub.ada.id).map { "\($0.isWaiting) \($0.offer.expires) \($0.offer.details.kinds)" }
        }
        #expect(try seen().count == 3 && Set(seen()).count == 1)
        #expect(try hub.consents.followers(of: hub.person, for: hub.ada.id).items.isEmpty)
        #expect(try letters(hub).map(\.address) == ["nobody@example.org"])
        hub.clock.advance(72 * hour)
        #expect(try Set(seen()).count == 1 && seen().allSatisfy { $0.hasPrefix("false") })
        #expect(try problem { try hub.consents.takeOffer(ids[0], by: doctor) } == .notYours)
    }

    @Test("CONS-16: who signs up within 72 hours with the address takes the offer; a withdrawn one is gone; oneself cannot be offered")
    func signsUp() async throws {
        let hub = try ConsentFixture()
        let id = try await offer(hub, "new@example.org"), gone = try await offer(hub, "new@example.org", kinds: [.position])
        try hub.consents.withdrawOffer(gone, of: hub.person, by: hub.ada.id)
        let newcomer = try ConsentFixture.add("new@example.org", [.person], to: hub.accounts)
        #expect(try hub.consents.offers(to: newcomer).map(\.offer.id) == [id])
        try hub.consents.takeOffer(id, by: newcomer)
        #expect(try hub.consents.followed(by: newcomer).count == 1)
        #expect(
            try problem {
                _ = try hub.consents.offer(
                    to: EmailAddress("Ada@example.org"), kinds: [.event], purpose: "x", of: hub.person, by: hub.ada.id)
            }
                == .notYours)
        #expect(
            try problem {
                _ = try hub.consents.offer(
                    to: EmailAddress("a@b.example"), kinds: [.event], purpose: "x", of: hub.person, by: hub.hospital.id)
            }
                == .notYours)
        let again = try await offer(hub, "late@example.org")
        #expect(
            try problem {
                _ = try hub.consents.offer(
                    to: EmailAddress("late@example.org"), kinds: [.heartRate], purpose: "x", of: hub.person, by: hub.ada.id)
            } == .alreadyAsked(again))
        for number in 3..<OfferStore.offersDailyMax { _ = try await offer(hub, "x\(number)@example.org") }
        #expect(
            try problem {
                _ = try hub.consents.offer(
                    to: EmailAddress("one@more.example"), kinds: [.event], purpose: "x", of: hub.person, by: hub.ada.id)
            } == .tooManyOpen)
    }

    @Test("CONS-1, CONS-16: whoever wants no letters gets none, from anybody, also not one that waits; the sender sees no difference")
    func unwanted() async throws {
        let hub = try ConsentFixture(), links = UnsubscribeLinks(accounts: hub.accounts)
        _ = try await hub.asked("new@example.org")
        let letter = try #require(try letters(hub).first)
        let token = links.token(letter.mark)
        #expect(try links.token(EmailAddress("NEW@example.org")) == token)
        #expect(links.isGood(token) && !links.isGood(token + "0") && !links.isGood("") && !links.isGood("ab-cd"))
        #expect(try !links.refuse(String(token.dropLast())) && !letters(hub).isEmpty)
        #expect(try links.refuse(token))
        #expect(try letters(hub).isEmpty)
        hub.clock.advance(30 * day)
        let id = try await offer(hub, "new@example.org")
        _ = try await hub.asked("new@example.org", kinds: [.position])
        #expect(try letters(hub).isEmpty)
        #expect(try hub.consents.offers(of: hub.person, for: hub.ada.id).map(\.isWaiting) == [true])
        _ = try await offer(hub, "else@example.org")
        #expect(try letters(hub).map(\.address) == ["else@example.org"])
        // An account has its own choices.
        let newcomer = try ConsentFixture.add("new@example.org", [.person], to: hub.accounts)
        #expect(try hub.consents.offers(to: newcomer).map(\.offer.id) == [id])
    }

    @Test("CONS-1: who is asked without an account is invited once a week, and finds the question after signing up within 72 hours")
    func invitation() async throws {
        let hub = try ConsentFixture()
        let id = try await hub.asked("new@example.org"), other = try await hub.asked("new@example.org", kinds: [.position])
        let lab = try ConsentFixture.add("lab@example.org", [.organisation], to: hub.accounts)
        let third = try hub.consents.ask(ConsentAddress("new@example.org"), by: lab, kinds: [.event], purpose: "x", term: .once).id
        try hub.consents.approve(third, by: hub.checker)
        try await hub.timers.fire()
        let letters = try letters(hub)
        #expect(letters.map(\.address) == ["new@example.org"] && letters.first?.arguments == ["asker": "Made Up"])
        let before = try hub.shown(id)
        // Known people get their mail, and no invitation; a tax identifier has no address.
        _ = try await hub.asked()
        _ = try await hub.asked("RSSMRA80A01F205X")
        #expect(try self.letters(hub).count == 1)

        hub.clock.advance(71 * hour)
        let newcomer = try ConsentFixture.add("new@example.org", [.person], to: hub.accounts)
        let mails = try hub.mails(to: hub.hospital).count
        try await hub.timers.fire()
        let found = try hub.consents.followers(of: newcomer.id.person, for: newcomer.id).items.map(\.consent.id)
        #expect(Set(found) == [id, other, third])
        #expect(try hub.mails(to: newcomer).filter { $0.kind == "consent.asked" }.count == 3)
        // The asker sees no difference.
        #expect(try hub.shown(id) == before && hub.mails(to: hub.hospital).count == mails)
        try hub.consents.answer(id, .accept, by: newcomer.id)
        #expect(try hub.consents.read(id, as: hub.asker, from: 0, to: 1) != nil)
        hub.clock.advance(2 * hour)
        #expect(try problem { try hub.consents.answer(other, .accept, by: newcomer.id) } == .over(.unanswered))
    }

    @Test("CONS-1: a question that ran out does not appear to who signs up later")
    func late() async throws {
        let hub = try ConsentFixture(), id = try await hub.asked("new@example.org")
        hub.clock.advance(72 * hour)
        let newcomer = try ConsentFixture.add("new@example.org", [.person], to: hub.accounts)
        try await hub.timers.fire()
        #expect(try hub.consents.followers(of: newcomer.id.person, for: newcomer.id).items.isEmpty)
        #expect(try hub.shown(id) == .over(.unanswered, at: hub.clock.now))
    }

    @Test("CONS-1: an invitation names its sender, and nothing that a mail program would make a link of")
    func names() async throws {
        let hub = try ConsentFixture()
        let new = NewAccount(
            roles: [.person], details: ["email": "x@example.org", "firstName": "https://evil.example", "lastName": "D'Amico-Rè"],
            canonicalEmail: "x@example.org", canonicalIdentifier: nil, password: "", language: "it", accepted: [:])
        guard case .added(let sender) = try hub.accounts.addConfirmedAccount(new, now: 0) else { return }
        _ = try hub.consents.offer(to: EmailAddress("new@example.org"), kinds: [.event], purpose: "x", of: sender.id.person, by: sender.id)
        try await hub.timers.fire()
        let letter = try #require(try letters(hub).first)
        #expect(letter.arguments == ["giver": "https evil example D'Amico-Rè"] && letter.language == "it")
    }
}
