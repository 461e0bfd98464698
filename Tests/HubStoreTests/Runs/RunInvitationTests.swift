import Foundation
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct RunInvitationTests {
    @Test("RUN-11: an invitation lets so many in until it expires or is revoked; who was let in stays so", arguments: Engine.allCases)
    func invitations(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, run = try runs.run(RunFixture.plan(isPublic: false))
        func invite(_ hash: UInt8, uses: Int, daily: Int = 9, now: Milliseconds = 0) throws -> Bool {
            try store.invitations.addInvitation(
                .init(email: "a\(hash)@example.org"), hash: [hash], uses: uses, expires: 100, to: run, daily: daily, now: now)
        }
        let people = (0..<3).map { _ in PersonID.random() }
        #expect(try invite(1, uses: 2) && invite(2, uses: 1) && !invite(3, uses: 1, daily: 2))
        #expect(
            try store.invitations.run(invitedBy: [1], now: 99)?.id == run.id && store.invitations.run(invitedBy: [1], now: 100) == nil
                && store.invitations.run(invitedBy: [9], now: 0) == nil)
        #expect(
            try store.invitations.redeem([1], for: people[0], now: 1)?.id == run.id
                && store.invitations.redeem([1], for: people[0], now: 1)?.id == run.id)
        #expect(
            try store.invitations.invitations(to: run, now: 1).map(\.left) == [1, 1] && store.invitations.isInvited(people[0], to: run)
                && !store.invitations.isInvited(people[1], to: run))
        #expect(
            try store.invitations.redeem([1], for: people[1], now: 1) != nil && store.invitations.redeem([1], for: people[2], now: 1) == nil
                && store.invitations.run(invitedBy: [1], now: 1) == nil)
        #expect(try store.invitations.redeem([2], for: people[2], now: 100) == nil)
        try store.invitations.revokeInvitation(2, to: run)
        #expect(try store.invitations.redeem([2], for: people[2], now: 1) == nil && store.invitations.invitations(to: run, now: 1).isEmpty)
        #expect(try runs.refusal(people[0], in: run) == nil && runs.refusal(people[2], in: run) == .notInvited)
        #expect(try invite(4, uses: 1, daily: 2, now: day + 1))
    }

    @Test("RUN-11: a damaged invitation is told, and hides no other from its organiser", arguments: Engine.allCases)
    func damagedInvitation(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, run = try runs.run()
        for hash in [1, 2] as [UInt8] {
            _ = try store.invitations.addInvitation(.init(email: nil), hash: [hash], uses: 5, expires: 100, to: run, daily: 9, now: 0)
        }
        try runs.damage("invitation", where: "number = 1")
        #expect(try store.invitations.invitations(to: run, now: 1).map(\.number) == [2] && runs.fixture.unreadable == [.runInvitation])
        #expect(try store.invitations.redeem([1], for: .random(), now: 1)?.id == run.id, "who has the link is let in all the same")
    }
}
