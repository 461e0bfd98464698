import Database
import Foundation
import Runs
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct RunsStoreTests {
    private func plan(most: Int = 10, isPublic: Bool = true) -> RunPlan {
        RunPlan(
            name: "Made up", purpose: "Test", place: "Nowhere", timeZone: "UTC", starts: 1000, ends: 2000, closes: 900, most: most,
            isPublic: isPublic)
    }

    private func run(_ store: RunsStore, _ plan: RunPlan, code: String = "ABCDEF") throws -> StoredRun {
        let course = CoursePlan(points: [CoursePoint(latitude: 1, longitude: 1), CoursePoint(latitude: 90_001, longitude: 1)])
        let area = try #require(RunArea(course.points))
        let added = try store.add(plan, course: course, area: area, search: "made up", code: code, by: AccountID(high: 1, low: 1), now: 0)
        guard case .added(let draft) = added else { throw HubStoreError.unknownPerson(code) }
        return try #require(try store.publish(draft.id, now: 0))
    }

    @Test("design rule 1: what was answered is on the disk, and there after a new start; a code is given once")
    func durable() throws {
        let fixture = try HubFixture(.files)
        var store = try fixture.runs()
        #expect(try store.pool.write { try $0.fetchOne(Int.self, sql: "PRAGMA synchronous") } == 2)
        let run = try run(store, plan()), person = PersonID.random()
        let enrolled = try #require(
            try store.enrolments.enrol([.init(run: run.id, person: person, choices: .init(publicName: "Z"))], now: 1).first
        )
        .get()
        let area = RunArea(south: 0, west: 0, north: 0, east: 0)
        let twice = try store.add(
            plan(), course: CoursePlan(points: []), area: area, search: "", code: run.code, by: AccountID(high: 2, low: 2), now: 0)
        #expect(twice == .codeTaken)
        store = try fixture.reopened().runs()
        #expect(try store.run(code: "ABCDEF")?.id == run.id && store.enrolments.enrolment(of: person, in: run.id) == enrolled)
    }

    @Test("RUN-6: from cancelled and finished nothing leaves, and a draft neither starts nor ends", arguments: Engine.allCases)
    func states(_ engine: Engine) throws {
        let fixture = try HubFixture(engine), store = try fixture.runs(), run = try run(store, plan())
        #expect(run.state(at: 999) == .scheduled && run.state(at: 1000) == .live && run.state(at: 2000) == .finished)
        #expect(try store.move(run.id, to: .live, now: 1000)?.began == 1000)
        #expect(try store.move(run.id, to: .live, now: 1001) == nil && store.move(run.id, to: .scheduled, now: 1001) == nil)
        #expect(try store.move(run.id, to: .finished, now: 1500)?.ended == 1500)
        for state in RunState.allCases { #expect(try store.move(run.id, to: state, now: 1600) == nil) }
        #expect(try store.run(run.id)?.state(at: 1700) == .finished)
    }

    @Test(
        "DATA-10: what a deleted person chose cannot be read, before anything is cleared, by a copy of the database either",
        arguments: Engine.allCases)
    func deleted(_ engine: Engine) throws {
        let fixture = try HubFixture(engine), store = try fixture.runs(), run = try run(store, plan()), person = PersonID.random()
        _ = try store.enrolments.enrol([.init(run: run.id, person: person, choices: .init(publicName: "Zaphod"))], now: 1)
        _ = try fixture.keys.destroy(person, now: 2)
        #expect(try store.enrolments.enrolment(of: person, in: run.id) == nil && store.enrolments.enrolments(in: run.id).isEmpty)
        #expect(try store.deletedWithRows() == [person])
        try store.erase(person, now: 3)
        #expect(try store.deletedWithRows().isEmpty && store.run(run.id)?.enrolled == 0)
        #expect(try store.enrolments.refusal(.init(run: run.id, person: person, choices: .init()), now: 4) == .unknown)
    }
}
