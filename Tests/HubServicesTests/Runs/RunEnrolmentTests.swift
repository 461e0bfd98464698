import Accounts
import Foundation
import HubStore
import Privacy
import Runs
import TestSupport
import Testing
import Vitals

@testable import HubServices

@Suite struct RunEnrolmentTests {
    @Test("RUN-4: a person enrols, withdraws and comes back with the same number; everybody else gets the next one")
    func enrols() async throws {
        let town = try RunTown(), run = try town.published(), bob = try town.runner("Bob")
        #expect(try await town.enrol(town.ada, in: run).bib == 1)
        #expect(try await town.enrol(bob, in: run).bib == 2)
        #expect(try town.store.run(run.id)?.enrolled == 2)
        #expect(try await town.refusal { try await town.enrol(town.ada, in: run) } == .alreadyEnrolled)
        try town.enrolments.withdraw(town.ada.id.person, from: run.id, by: town.ada)
        #expect(try town.store.run(run.id)?.enrolled == 1)
        #expect(try await town.refusal { try town.enrolments.withdraw(town.ada.id.person, from: run.id, by: town.ada) } == .notEnrolled)
        #expect(try await town.enrol(town.ada, in: run).bib == 1)
        #expect(try town.enrolments.runs(of: bob.id.person, for: bob).map(\.run.code) == [run.code])
    }

    @Test("RUN-4: refused when unknown, a draft, closed, started, finished or cancelled, by the clock alone, whenever the timers come")
    func states() async throws {
        let town = try RunTown(), draft = try town.draft(), ada = town.ada
        #expect(try await town.refusal { _ = try await town.enrolments.enrol(ada.id.person, in: .random(), by: ada) } == .unknown)
        #expect(try await town.refusal { try await town.enrol(ada, in: draft) } == .unknown)
        let run = try town.published(), called = try town.published(town.plan("Another", in: 2 * day))
        _ = try town.organising.cancel(called.id, reason: "storm", by: town.organiser)
        #expect(try await town.refusal { try await town.enrol(ada, in: called) } == .cancelled)
        town.clock.advance(day - hour)
        #expect(try await town.refusal { try await town.enrol(ada, in: run) } == .closed(at: run.plan.closes))
        town.clock.advance(hour)
        #expect(try await town.refusal { try await town.enrol(ada, in: run) } == .started)
        town.clock.advance(2 * hour)
        #expect(try await town.refusal { try await town.enrol(ada, in: run) } == .finished)
        #expect(try await town.refusal { try town.enrolments.withdraw(ada.id.person, from: run.id, by: ada) } == .notEnrolled)
    }

    @Test("RUN-4: refused when enrolled in another run at the same time, which is named; one behind it is none")
    func overlaps() async throws {
        let town = try RunTown(), run = try town.published()
        let other = try town.published(town.plan("Other", in: day + hour)),
            later = try town.published(town.plan("Later", in: day + 2 * hour))
        try await town.enrol(town.ada, in: run)
        #expect(try await town.refusal { try await town.enrol(town.ada, in: other) } == .overlaps(code: run.code))
        try await town.enrol(town.ada, in: later)
        _ = try town.organising.cancel(run.id, reason: "", by: town.organiser)
        try town.enrolments.withdraw(town.ada.id.person, from: later.id, by: town.ada)
        try await town.enrol(town.ada, in: other)
    }

    @Test(
        "RUN-4, RUN-11: a run by invitation takes who is invited; a link works so often as it says, by its POST alone, until it is revoked")
    func invited() async throws {
        let town = try RunTown(), run = try town.published(town.plan(isPublic: false)), ada = town.ada, bob = try town.runner("Bob")
        #expect(try await town.refusal { try await town.enrol(ada, in: run) } == .notInvited)
        #expect(try town.finder.run(code: run.code, for: ada) == nil)
        func secret(_ link: String) -> String { String(link.dropFirst("https://hub.example:8443/runs/invitation/".count)) }
        let link = secret(try town.invitations.invitationLink(to: run.id, uses: 1, by: town.organiser))
        // Looking uses up nothing.
        for _ in 0..<3 { #expect(try town.invitations.run(invitedBy: link)?.id == run.id) }
        #expect(try await town.refusal { try await town.enrol(ada, in: run) } == .notInvited)
        #expect(try await town.refusal { _ = try town.invitations.redeem(link, for: ada.id.person, by: bob) } == .notYours)
        #expect(try town.invitations.redeem(link, for: ada.id.person, by: ada)?.id == run.id)
        #expect(try town.invitations.redeem(link, for: ada.id.person, by: ada)?.id == run.id)
        #expect(try town.invitations.redeem(link, for: bob.id.person, by: bob) == nil)
        #expect(try await town.refusal { try await town.enrol(bob, in: run) } == .notInvited)
        try await town.enrol(ada, in: run)
        #expect(try town.finder.run(code: run.code, for: ada)?.id == run.id)
        let second = secret(try town.invitations.invitationLink(to: run.id, uses: 5, by: town.organiser))
        let waiting = try town.invitations.invitations(to: run.id, by: town.organiser)
        #expect(waiting.map(\.left) == [5])
        try town.invitations.revokeInvitation(waiting[0].number, to: run.id, by: town.organiser)
        #expect(try town.invitations.redeem(second, for: bob.id.person, by: bob) == nil)
        #expect(try town.invitations.run(invitedBy: second) == nil)
    }

    @Test("RUN-11: an invitation goes by mail to any address alike, unless it wants no letters, and not without end")
    func mailed() async throws {
        let town = try RunTown(), run = try town.published(town.plan(isPublic: false))
        try town.invitations.invite(email: "stranger@example.org", to: run.id, by: town.organiser)
        let mail = try #require(try town.hub.accounts.notices.dueMails(10, lease: 0, now: town.now).first { $0.kind == "run.invited" })
        #expect(mail.arguments["deliverTo"] == "stranger@example.org" && mail.arguments["run"] == run.plan.name)
        #expect(mail.arguments["link"]?.hasPrefix("https://hub.example:8443/runs/invitation/") == true && mail.arguments["stop"] != nil)
        #expect(try runProblem { try town.invitations.invite(email: "nobody", to: run.id, by: town.organiser) } == .address)
        let address = try EmailAddress("never@example.org"), letters = UnsubscribeLinks(accounts: town.hub.accounts)
        #expect(try letters.refuse(letters.token(address)))
        try town.invitations.invite(email: "never@example.org", to: run.id, by: town.organiser)
        #expect(try town.hub.accounts.notices.dueMails(10, lease: 0, now: town.now).count == 1)
        for _ in 2..<RunInvitationService.dailyMax { _ = try town.invitations.invitationLink(to: run.id, uses: 1, by: town.organiser) }
        #expect(
            try runProblem { try town.invitations.invite(email: "a@example.org", to: run.id, by: town.organiser) }
                == .dailyLimit(RunInvitationService.dailyMax))
    }

    @Test("RUN-4, ACC-17: nobody enrols somebody else; of a minor a parent does; who is too young on the day is refused")
    func deciders() async throws {
        let town = try RunTown(), run = try town.published(), bob = try town.runner("Bob")
        #expect(try await town.refusal { _ = try await town.enrolments.enrol(town.ada.id.person, in: run.id, by: bob) } == .notYours)
        let organiser = town.organiser
        #expect(try await town.refusal { _ = try await town.enrolments.enrol(organiser.id.person, in: run.id, by: organiser) } == .notYours)
        try town.hub.accounts.consents.setGuardians([bob.id], of: town.ada.id.person, adultFrom: .max)
        #expect(try await town.refusal { try await town.enrol(town.ada, in: run) } == .notYours)
        #expect(try await town.enrolments.enrol(town.ada.id.person, in: run.id, by: bob).bib == 1)
        // The day of the start is the 16th in Rome, at 9.
        var plan = town.plan("Adults", in: day)
        plan.youngest = 18
        let adults = try town.published(plan), young = try town.runner("Young", born: "2009-01-17")
        let grown = try town.runner("Grown", born: "2009-01-16")
        #expect(try await town.refusal { try await town.enrol(young, in: adults) } == .tooYoung(years: 18))
        try await town.enrol(grown, in: adults)
    }

    @Test("RUN-4: never fuller than full with 5,000 who try at once, and each is told one thing")
    func crowd() async throws {
        let town = try RunTown(), run = try town.published(town.plan(most: 300)), queue = town.enrolments.enrolling
        let outcomes = try await withThrowingTaskGroup(of: EnrolmentQueue.Outcome.self) { group in
            for _ in 0..<5000 {
                group.addTask { try await queue.enrol(.init(run: run.id, person: .random(), choices: .init())) }
            }
            return try await group.reduce(into: [EnrolmentQueue.Outcome]()) { $0.append($1) }
        }
        let bibs = outcomes.compactMap { try? $0.get().bib }
        #expect(outcomes.count == 5000 && bibs.count == 300 && Set(bibs) == Set(1...300))
        #expect(
            outcomes.allSatisfy {
                guard case .failure(let refusal) = $0 else { return true }
                return refusal == .full
            })
        #expect(try town.store.run(run.id)?.enrolled == 300)
        #expect(try town.store.enrolments.enrolments(in: run.id).count == 300)
    }

    @Test("RUN-4: the last place goes once, also by two hubs' worth of threads around the queue")
    func lastPlace() async throws {
        let town = try RunTown(), run = try town.published(town.plan(most: 1))
        let people = try (0..<8).map { try town.runner("R\($0)") }
        let runs = town.runs
        let taken = try await withThrowingTaskGroup(of: Bool.self) { group in
            for person in people {
                group.addTask {
                    do {
                        _ = try await runs.enrolments.enrol(person.id.person, in: run.id, by: person)
                        return true
                    } catch EnrolmentRefusal.full { return false }
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(taken == 1)
    }

    @Test(
        "RUN-8, RUN-15: a public name is no address and no tax identifier; zone and delay have bounds; name and wave are fixed when it begins"
    )
    func choices() async throws {
        let town = try RunTown(), ada = town.ada
        var plan = town.plan()
        plan.waves = [Wave(name: "A", gun: plan.starts), Wave(name: "B", gun: plan.starts + 600_000)]
        let run = try town.published(plan)
        func fault(_ choices: EnrolmentChoices) async throws -> EnrolmentRefusal? {
            try await town.refusal { try await town.enrol(ada, in: run, choices) }
        }
        for name in ["ada@example.org", "ADA@elsewhere", "RSSMRA 85T10 A562S"] {
            #expect(try await fault(.init(publicName: name)) == .choices(.nameTellsTooMuch), "\(name)")
        }
        #expect(try await fault(.init(publicName: String(repeating: "a", count: 41))) == .choices(.nameTooLong))
        #expect(try await fault(.init(wave: 2)) == .choices(.noSuchWave))
        #expect(try await fault(.init(delay: 30 * 60_000 + 1)) == .choices(.delay))
        let home = CoursePoint(latitude: 454_000_000, longitude: 90_000_000)
        #expect(try await fault(.init(home: HomeZone(centre: home, radius: 3000))) == .choices(.homeRadius))
        let zone = try town.enrolments.homeZone(around: home, radius: 300, of: ada.id.person)
        #expect(zone.centre != home && zone.holds(home))
        try await town.enrol(ada, in: run, .init(publicName: "A\u{202E}da  R.\n", wave: 1, home: zone, delay: 60_000))
        let mine = try town.enrolments.run(run.id, of: ada.id.person, for: ada)
        #expect(mine.enrolment.choices.publicName == "A da R." && mine.starts == plan.starts + 600_000)
        #expect(try town.enrolments.homeZone(around: home, radius: 300, of: ada.id.person) == zone)
        town.clock.advance(day)
        let changed = try town.enrolments.choose(
            .init(publicName: "Other", wave: 0, delay: 0, published: []), of: ada.id.person, in: run.id, by: ada)
        #expect(changed.choices == EnrolmentChoices(publicName: "A da R.", wave: 1, delay: 0, published: []))
    }
}
