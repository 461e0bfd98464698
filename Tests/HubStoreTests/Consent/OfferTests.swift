import Accounts
import Database
import Foundation
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct OfferTests {
    private func details(
        _ asking: AskingFixture, _ email: String = "doctor@example.org", _ kinds: Set<DataKind> = [.heartRate], by: AccountID? = nil
    ) -> ReadingOffer.Details {
        ReadingOffer.Details(email: email, kinds: kinds, purpose: "Advice", term: .untilRevoked, by: by ?? asking.ada.id)
    }

    private func offer(_ asking: AskingFixture, _ details: ReadingOffer.Details, now: Milliseconds = 0) throws -> ConsentID {
        try asking.accounts.offers.offerReading(details, to: EmailAddress(details.email), of: asking.person, now: now)
    }

    @Test("CONS-16: whoever has the address takes an offer once, and reads from that commit on", arguments: Engine.allCases)
    func taken(engine: Engine) throws {
        let asking = try AskingFixture(engine), offers = asking.accounts.offers, doctor = try asking.fixture.account("Doctor")
        let id = try offer(asking, details(asking))
        #expect(try asking.accounts.timers.dueTimers(9, lease: 1, now: 0).map(\.kind) == [.offerReach])
        try offers.reachOffer(id, now: 0)
        #expect(try asking.accounts.notices.dueMails(9, lease: 0, now: 1).map(\.kind) == ["offer.made"])
        #expect(try offers.offers(to: doctor, now: 1).map(\.name) == ["Ada Invented"] && offers.offers(to: asking.clinic, now: 1).isEmpty)
        #expect(throws: ConsentProblem.notYours) { try offers.takeOffer(id, by: asking.clinic, parameters: .caregiver, now: 2) }
        #expect(throws: ConsentProblem.notYours) {
            try offers.takeOffer(id, by: doctor, parameters: .caregiver, now: OfferStore.offerLifetime)
        }
        let outcome = try offers.takeOffer(id, by: doctor, parameters: .caregiver, now: 2)
        #expect(outcome.opened && outcome.consent.id == id)
        #expect(try asking.consents.grant(by: id, to: .named(doctor.id), now: 3) != nil)
        #expect(throws: ConsentProblem.notYours) { try offers.takeOffer(id, by: doctor, parameters: .caregiver, now: 4) }
        #expect(try offers.offers(of: asking.person, now: 4).isEmpty && offers.offers(to: doctor, now: 4).isEmpty)
        _ = try asking.consents.answerConsent(id, .revoke, by: asking.ada.id, now: 5)
        #expect(try asking.notices(of: doctor).contains(.offerOver))
    }

    @Test(
        "CONS-16: an offer is taken back by who decides; one that was declined looks to the person as if it waited",
        arguments: Engine.allCases)
    func ends(engine: Engine) throws {
        let asking = try AskingFixture(engine), offers = asking.accounts.offers, doctor = try asking.fixture.account("Doctor")
        let one = try offer(asking, details(asking)), two = try offer(asking, details(asking, "doctor@example.org", [.position]))
        #expect(throws: ConsentProblem.notYours) { try offers.withdrawOffer(one, of: asking.person, by: doctor.id, now: 1) }
        try offers.declineOffer(two, by: doctor, now: 1)
        #expect(try offers.offers(of: asking.person, now: 2).map { $0.isWaiting(at: 2) } == [true, true])
        #expect(try offers.offers(to: doctor, now: 2).map(\.offer.id) == [one])
        for id in [one, two] { try offers.withdrawOffer(id, of: asking.person, by: asking.ada.id, now: 3) }
        #expect(throws: ConsentProblem.notYours) { try offers.withdrawOffer(one, of: asking.person, by: asking.ada.id, now: 4) }
        #expect(throws: ConsentProblem.notYours) { try offers.takeOffer(one, by: doctor, parameters: .caregiver, now: 4) }
        #expect(try offers.offers(of: asking.person, now: 4).map(\.state) == [.withdrawn, .withdrawn])
        // An offer that is over sends no mail any more.
        try offers.reachOffer(one, now: 5)
        #expect(try asking.accounts.notices.dueMails(9, lease: 0, now: 9).isEmpty)
    }

    @Test("CONS-16: not to oneself, not the same twice, and ten a day", arguments: Engine.allCases)
    func limits(engine: Engine) throws {
        let asking = try AskingFixture(engine)
        #expect(throws: ConsentProblem.notYours) { try offer(asking, details(asking, "ada@example.org")) }
        #expect(throws: ConsentProblem.notYours) { try offer(asking, details(asking, by: asking.clinic.id)) }
        let id = try offer(asking, details(asking, "doctor@example.org", [.heartRate, .position]))
        #expect(throws: ConsentProblem.alreadyAsked(id)) { try offer(asking, details(asking, "doctor@example.org", [.position])) }
        for number in 1..<OfferStore.offersDailyMax { _ = try offer(asking, details(asking, "n\(number)@example.org")) }
        #expect(throws: ConsentProblem.tooManyOpen) { try offer(asking, details(asking, "more@example.org")) }
        _ = try offer(asking, details(asking, "more@example.org"), now: day)
        // What became of an offer is shown for a month behind its end.
        let late = OfferStore.offerLifetime + 31 * day
        _ = try offer(asking, details(asking, "last@example.org"), now: late)
        #expect(
            try asking.accounts.offers.offers(of: asking.person, now: late).map(\.details.email) == [
                "last@example.org", "more@example.org",
            ])
    }

    @Test(
        "CONS-16: somebody without an account is invited, and takes the offer with the account that they make", arguments: Engine.allCases)
    func invited(engine: Engine) throws {
        let asking = try AskingFixture(engine), offers = asking.accounts.offers
        let id = try offer(asking, details(asking, "new@example.org"))
        try offers.reachOffer(id, now: 0)
        #expect(try asking.accounts.invitations.dueLetters(9, lease: 0, now: 1).map(\.kind) == ["reader"])
        let doctor = try asking.fixture.account("New")
        #expect(try offers.offers(to: doctor, now: 1).map(\.offer.id) == [id])
        #expect(try offers.takeOffer(id, by: doctor, parameters: .caregiver, now: 2).opened)
    }

    @Test("CONS-16: a damaged offer is told, and hides no other", arguments: Engine.allCases)
    func damaged(engine: Engine) throws {
        let asking = try AskingFixture(engine), offers = asking.accounts.offers, doctor = try asking.fixture.account("Doctor")
        let one = try offer(asking, details(asking)), two = try offer(asking, details(asking, "doctor@example.org", [.position]))
        try asking.fixture.damage("offer", where: "id = 1")
        #expect(
            try offers.offers(of: asking.person, now: 1).map(\.id) == [two] && offers.offers(to: doctor, now: 1).map(\.offer.id) == [two])
        #expect(asking.fixture.unreadable == [.offer])
        #expect(throws: HubStoreError.self) { try offers.takeOffer(one, by: doctor, parameters: .caregiver, now: 2) }
        _ = try offer(asking, details(asking, "other@example.org"))
    }
}
