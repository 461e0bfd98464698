import Accounts
import Foundation
import HubServices
import HubStore
import Privacy
import TestSupport
import Testing
import Vitals

/// What was delivered for a "once" and is over, downloaded again.
@Suite struct RepeatedDownloadTests {
    private func delivered(_ hub: ConsentFixture) async throws -> ConsentID {
        let id = try await hub.accepted(term: .once)
        #expect(try hub.consents.read(id, as: hub.asker, from: 0, to: 1) != nil)
        try hub.consents.delivered(id, to: hub.asker)
        return id
    }

    private func until(_ hub: ConsentFixture, _ id: ConsentID) throws -> Milliseconds? {
        try hub.accounts.consents.consent(id, askedBy: hub.asker, now: hub.clock.now)?.repeatedUntil
    }

    @Test("CONS-9: what a once delivered is downloaded again for 30 days after the yes, nothing newer than it, and it stands in the ledger")
    func again() async throws {
        let hub = try ConsentFixture(), yes = hub.clock.now
        let id = try await delivered(hub)
        hub.clock.advance(day)
        #expect(try until(hub, id) == yes + 30 * day)
        #expect(try hub.consents.downloadable(id, of: hub.asker)?.id == id && hub.consents.running(id, of: hub.asker) == nil)
        let first = try #require(try hub.consents.download(id, as: hub.asker))
        #expect(first.span == 0...yes && first.grant.kinds == [.heartRate])
        #expect(try hub.consents.ledger(of: hub.person, for: hub.ada.id, consent: id).entries.filter { $0.what == .read }.count == 2)
        #expect(try hub.consents.read(id, as: hub.asker, from: 0, to: 1) == nil)
        #expect(try hub.consents.updates(id, as: hub.asker) == nil)
        let rival = try ConsentFixture.add("rival@example.org", [.organisation], to: hub.accounts)
        #expect(try hub.consents.download(id, as: .organisation(OrganisationID(rival.id))) == nil)
        // As long as a file is written the permission is asked for.
        #expect(try hub.accounts.reading(first.grant, now: yes + 30 * day - 1) { true } == true)
        #expect(try hub.accounts.reading(first.grant, now: yes + 30 * day) { true } == nil)
        hub.clock.advance(29 * day)
        #expect(try hub.consents.download(id, as: hub.asker) == nil && until(hub, id) == nil)
        #expect(try hub.consents.downloadable(id, of: hub.asker) == nil)
    }

    @Test("CONS-9, CONS-6: the person takes it back at any time, and from that commit on nothing is downloaded")
    func takenBack() async throws {
        let hub = try ConsentFixture()
        let id = try await delivered(hub)
        let grant = try #require(try hub.consents.download(id, as: hub.asker)).grant
        #expect(try hub.consents.followers(of: hub.person, for: hub.ada.id).items.first?.repeated(at: hub.clock.now) != nil)
        hub.clock.advance(hour)
        try hub.consents.answer(id, .revoke, by: hub.ada.id)
        #expect(try hub.accounts.reading(grant, now: hub.clock.now) { true } == nil)
        #expect(try hub.consents.download(id, as: hub.asker) == nil)
        #expect(try hub.shown(id) == .over(.revoked, at: hub.clock.now))
        #expect(try hub.consents.ledger(of: hub.person, for: hub.ada.id).entries.first?.what == .consent(.over(.revoked), by: hub.ada.id))
        #expect(try hub.consents.followers(of: hub.person, for: hub.ada.id).items.first?.repeated(at: hub.clock.now) == nil)
    }

    @Test("CONS-9: a once whose time ran out is downloaded again where something was read, and only there; subscriptions and denials never")
    func ranOut() async throws {
        let hub = try ConsentFixture()
        let read = try await hub.accepted(term: .once)
        #expect(try hub.consents.download(read, as: hub.asker) != nil)
        hub.clock.advance(7 * day)
        try await hub.timers.fire()
        #expect(try hub.consents.download(read, as: hub.asker) != nil)
        let never = try await hub.accepted(kinds: [.position], term: .once)
        let subscribed = try await hub.accepted(kinds: [.event], term: .lasting(day))
        #expect(try hub.consents.read(subscribed, as: hub.asker, from: 0, to: 1) != nil)
        let denied = try await hub.asked(kinds: [.event, .position], term: .once)
        try hub.consents.answer(denied, .deny, by: hub.ada.id)
        hub.clock.advance(7 * day)
        try await hub.timers.fire()
        for id in [never, subscribed, denied] { #expect(try hub.consents.download(id, as: hub.asker) == nil && until(hub, id) == nil) }
        // A yes that was taken back before the delivery is no yes.
        let revoked = try await hub.accepted(kinds: [.heartRate, .event], term: .once)
        try hub.consents.answer(revoked, .revoke, by: hub.ada.id)
        #expect(try hub.consents.download(revoked, as: hub.asker) == nil)
    }
}
