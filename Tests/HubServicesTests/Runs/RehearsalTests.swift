import Foundation
import HubStore
import Privacy
import Runs
import TestSupport
import Testing
import Vitals

@testable import HubServices

@Suite struct RehearsalTests {
    private func stage(_ town: RunTown, runners: Int = 7, startsIn: Milliseconds = 60_000) async throws -> (
        run: Rehearsal.Staged, organiser: String
    ) {
        try await Rehearsal(accounts: town.hub.accounts, runs: town.runs) { _ in }
            .stage(RunTown.course(), name: "square", runners: runners, startsIn: startsIn, password: "")
    }

    @Test("RUN-5: made-up people are enrolled and checked in by the rules of all, and run when their boxes' drill tells where they are")
    func stages() async throws {
        let town = try RunTown(), (staged, organiser) = try await stage(town)
        let run = try #require(try town.finder.run(code: staged.code))
        #expect(run.plan.name == "Rehearsal: square" && run.plan.rehearsal == 1 && run.state == .scheduled)
        #expect(staged.starts == town.now + 60_000 && staged.ends == run.plan.ends)
        #expect(staged.runners.map(\.bib).sorted() == Array(1...7))
        #expect(staged.points.count == 2 * RunTown.course().points.count)
        for runner in staged.runners {
            let enrolment = try #require(try town.store.enrolments.enrolment(of: runner.person, in: run.id))
            #expect(enrolment.bib == runner.bib && enrolment.isAsked(for: run))
            #expect(try town.checkIns.checkIn(of: runner.person, to: run.id).since != nil)
        }
        // The running hub beside it asks nobody anew.
        try await town.settle()
        let boxes = try await town.hub.enrol(staged.runners.map(\.person))
        for runner in staged.runners.dropLast() {
            let segment = town.hub.segment(
                1, stream: .random(), person: runner.person, provenance: .drill, time: town.now + 1)
            _ = try await town.hub.send([segment], token: boxes.token)
        }
        try await town.advance(to: staged.starts)
        let states = try staged.runners.map { try town.store.enrolments.enrolment(of: $0.person, in: run.id)?.state }
        let expected: [EnrolmentState?] = Array(repeating: .checkedIn, count: 6) + [.noPosition]
        #expect(states == expected)
        let account = try #require(try town.hub.accounts.account(email: organiser))
        #expect(try !account.hasMail && town.results.participants(in: run.id, for: account).count == 7)
    }

    @Test("nobody gets a letter, and people who are not made up are found")
    func real() async throws {
        let hub = try ServicesFixture(), before = try Rehearsal.realOnes(in: hub.accounts)
        #expect(before == 1, "the fixture's own person")
        let town = try RunTown(), known = try Rehearsal.realOnes(in: town.hub.accounts)
        let (staged, _) = try await stage(town)
        try await town.settle()
        #expect(try Rehearsal.realOnes(in: town.hub.accounts) == known)
        for runner in staged.runners {
            let account = try #require(try town.hub.accounts.account(AccountID(runner.person)))
            #expect(!account.hasMail && account.email.hasPrefix("rehearsal."))
        }
    }

    @Test("what cannot be is refused in words: no runner, a course that cannot be run, a start that comes too early, no GPX")
    func refusals() async throws {
        let town = try RunTown()
        await #expect(throws: Rehearsal.Problem.self) { try await stage(town, runners: 0) }
        await #expect(throws: Rehearsal.Problem.self) { try await stage(town, startsIn: 0) }
        await #expect(throws: Rehearsal.Problem.self) {
            let short = CoursePlan(points: Array(RunTown.course().points.prefix(1)))
            _ = try await Rehearsal(accounts: town.hub.accounts, runs: town.runs) { _ in }
                .stage(short, name: "short", runners: 1, startsIn: 60_000, password: "")
        }
        #expect(throws: Rehearsal.Problem.self) { try Rehearsal.course(gpx: Array("<html>".utf8), laps: 1) }
        let gpx = #"<gpx><trk><trkseg><trkpt lat="45" lon="9"/><trkpt lat="45.002" lon="9"/></trkseg></trk></gpx>"#
        #expect(try Rehearsal.course(gpx: Array(gpx.utf8), laps: 2).points.count == 2)
    }

    @Test("a thousand people have names that can be told apart")
    func names() {
        let names = (1...1000).map { number in
            let name = Rehearsal.name(number)
            return "\(name.first) \(name.last)"
        }
        #expect(Set(names).count == 1000)
        #expect(names.allSatisfy { $0.count <= EnrolmentChoices.nameMax })
    }
}
