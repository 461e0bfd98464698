import Accounts
import Foundation
import HubStore
import Privacy
import Runs
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// What is refused about runs in states, by people and at times that nothing else looks at.
@Suite struct RunRefusalTests {
    @Test("RUN-6: a run does not end before it has begun, and a draft whose time has passed is not published")
    func wrongTime() throws {
        let town = try RunTown(), draft = try town.draft(), run = try town.published(town.plan("Other", in: 2 * day))
        #expect(try runProblem { _ = try town.organising.finish(run.id, by: town.organiser) } == .state(.scheduled))
        #expect(try runProblem { _ = try town.organising.begin(run.id, by: town.organiser) } == .tooEarly(run.checkInOpens))
        #expect(try runProblem { try town.results.setEntry(.disqualified, bib: 1, in: run.id, by: town.organiser) } == .state(.scheduled))
        town.clock.advance(day)
        #expect(try runProblem { _ = try town.organising.publish(draft.id, by: town.organiser) } == .faults([.starts]))
        #expect(try town.state(draft) == .draft && town.state(run) == .scheduled)
    }

    @Test("RUN-1, RUN-18: another organiser changes, ends and reads nothing of a run")
    func anothersRun() async throws {
        let town = try RunTown(), run = try town.published(), other = try RunTown.account("other@example.org", [.organiser], town.hub)
        try await town.enrol(town.ada, in: run)
        let acts: [(RunServices) throws -> Void] = [
            { _ = try $0.organising.cancel(run.id, reason: "", by: other) }, { _ = try $0.organising.begin(run.id, by: other) },
            { _ = try $0.organising.finish(run.id, by: other) }, { try $0.organising.message("Hello", to: run.id, by: other) },
            { try $0.organising.setDocument(nil, of: run.id, by: other) }, { _ = try $0.organising.document(of: run.id, for: other) },
            { _ = try $0.results.participants(in: run.id, for: other) }, { _ = try $0.results.tracks(of: run, for: other) },
            { try $0.results.setEntry(.disqualified, bib: 1, in: run.id, by: other) },
            { try $0.invitations.invite(email: "a@b.example", to: run.id, by: other) },
            { _ = try $0.invitations.invitationLink(to: run.id, uses: 1, by: other) },
            { _ = try $0.invitations.invitations(to: run.id, by: other) },
            { try $0.invitations.revokeInvitation(1, to: run.id, by: other) },
        ]
        for (number, act) in acts.enumerated() { #expect(try runProblem { try act(town.runs) } == .unknown, "act \(number)") }
        #expect(try town.state(run) == .scheduled)
    }

    @Test("RUN-4: nobody is withdrawn from a run that is over, or was called off")
    func overIsOver() async throws {
        let town = try RunTown(), run = try town.published(), called = try town.published(town.plan("Other", in: 3 * day))
        for run in [run, called] { try await town.enrol(town.ada, in: run) }
        _ = try town.organising.cancel(called.id, reason: "", by: town.organiser)
        let person = town.ada.id.person
        #expect(try await town.refusal { try town.enrolments.withdraw(person, from: called.id, by: town.ada) } == .cancelled)
        #expect(try town.store.enrolments.withdraw(person, from: called.id, now: town.now) == .failure(.cancelled))
        town.clock.advance(day + 2 * hour)
        #expect(try await town.refusal { try town.enrolments.withdraw(person, from: run.id, by: town.ada) } == .finished)
        #expect(try town.store.enrolments.withdraw(person, from: run.id, now: town.now) == .failure(.finished))
    }

    @Test("RUN-4: nobody withdraws somebody else, chooses for them, or reads what they run")
    func strangers() async throws {
        let town = try RunTown(), run = try town.published(), bob = try town.runner("Bob"), ada = town.ada.id.person
        try await town.enrol(town.ada, in: run, .init(publicName: "Ada"))
        #expect(try await town.refusal { try town.enrolments.withdraw(ada, from: run.id, by: bob) } == .notYours)
        let chosen = try await town.refusal { _ = try town.enrolments.choose(.init(publicName: "Bob"), of: ada, in: run.id, by: bob) }
        #expect(chosen == .notYours)
        #expect(try await town.refusal { _ = try town.enrolments.runs(of: ada, for: bob) } == .notYours)
        #expect(try await town.refusal { _ = try town.enrolments.run(run.id, of: ada, for: bob) } == .notYours)
        #expect(try await town.refusal { _ = try town.workouts.friends(of: ada, for: bob) } == .notYours)
        #expect(try await town.refusal { try town.workouts.endFriendship(of: ada, with: bob.id.person, by: bob) } == .notYours)
        #expect(try await town.refusal { _ = try town.enrolments.makeFeed(of: ada, by: bob) } == .notYours)
        #expect(try await town.refusal { try town.enrolments.endFeed(of: ada, by: bob) } == .notYours)
        #expect(try town.store.enrolments.enrolment(of: ada, in: run.id)?.choices.publicName == "Ada")
    }

    @Test("RUN-5: who withdrew checks in no more; a heart rate that is no longer to be public is not")
    func checkInAgain() async throws {
        let town = try RunTown(), run = try town.published(), bob = try town.runner("Bob"), ada = town.ada.id.person
        for runner in [town.ada, bob] { try await town.enrol(runner, in: run) }
        try town.enrolments.withdraw(bob.id.person, from: run.id, by: bob)
        try await town.advance(to: run.checkInOpens)
        #expect(throws: CheckInService.Refusal.notEnrolled) {
            try town.checkIns.checkIn(bob.id.person, to: run.id, publicHeartRate: false, by: bob)
        }
        #expect(try town.checkIns.checkIn(ada, to: run.id, publicHeartRate: true, by: town.ada).isHeartRatePublic)
        let open = try #require(try town.store.enrolments.enrolment(of: ada, in: run.id)?.publicHeartRate)
        #expect(try town.hub.accounts.runConsents.runPublicGrant(by: open, now: town.now) != nil)
        #expect(try !town.checkIns.checkIn(ada, to: run.id, publicHeartRate: false, by: town.ada).isHeartRatePublic)
        #expect(try town.hub.accounts.runConsents.runPublicGrant(by: open, now: town.now) == nil)
    }

    @Test("RUN-5: who withdraws in the moment of the start is not on the list, whatever was about to be written down")
    func withdrawsAtStart() async throws {
        let town = try RunTown(), run = try town.published()
        try await town.enrol(town.ada, in: run)
        let stale = try town.store.enrolments.enrolments(in: run.id)
        try town.enrolments.withdraw(town.ada.id.person, from: run.id, by: town.ada)
        try town.store.enrolments.decide(stale.map { ($0, .checkedIn) }, in: run, now: town.now)
        #expect(try town.store.enrolments.enrolments(in: run.id).map(\.state) == [.withdrawn] && town.store.run(run.id)?.enrolled == 0)
    }

    @Test("RUN-14: a day after the end nobody's position is waited for any more")
    func waitsADay() async throws {
        let town = try RunTown(), run = try town.published(), ada = town.ada
        try await town.enrol(ada, in: run)
        try await town.advance(to: run.checkInOpens)
        _ = try town.checkIns.checkIn(ada.id.person, to: run.id, publicHeartRate: false, by: ada)
        try await town.advance(to: run.plan.starts)
        #expect(try town.store.enrolments.enrolment(of: ada.id.person, in: run.id)?.state == .noPosition)
        try await town.advance(to: run.plan.ends + CheckInService.lateMax)
        #expect(try town.store.timers.lateTimers(by: 0, now: .max / 2) > 0, "still looked for")
        try await town.advance(to: town.now + 120_000)
        #expect(try town.store.timers.lateTimers(by: 0, now: .max / 2) == 0)
    }

    @Test("RUN-11: an invitation ends with the enrolment, and to a run that was called off nobody is invited")
    func invitationsEnd() async throws {
        let town = try RunTown(), run = try town.published(town.plan(isPublic: false)), ada = town.ada
        let link = String(try town.invitations.invitationLink(to: run.id, uses: 5, by: town.organiser).split(separator: "/").last ?? "")
        town.clock.advance(run.plan.closes - 1 - town.now)
        #expect(try town.invitations.run(invitedBy: link) != nil)
        town.clock.advance(1)
        #expect(try town.invitations.run(invitedBy: link) == nil && town.invitations.redeem(link, for: ada.id.person, by: ada) == nil)
        #expect(try town.invitations.invitations(to: run.id, by: town.organiser).isEmpty)
        _ = try town.organising.cancel(run.id, reason: "", by: town.organiser)
        #expect(try runProblem { _ = try town.invitations.invitationLink(to: run.id, uses: 1, by: town.organiser) } == .state(.cancelled))
        let mailed = try runProblem { try town.invitations.invite(email: "a@example.org", to: run.id, by: town.organiser) }
        #expect(mailed == .state(.cancelled))
    }
}
