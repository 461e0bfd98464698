import Foundation
import Runs
import TestSupport
import Testing
import Vitals

@testable import HubStore

/// The store of runs over one engine.
struct RunFixture {
    let fixture: HubFixture
    let store: RunsStore
    let organiser = AccountID(high: 1, low: 1)

    var keys: KeyStore { fixture.keys }

    init(_ engine: Engine) throws {
        fixture = try HubFixture(engine)
        store = try fixture.runs()
    }

    static func plan(
        _ name: String = "Made up", starts: Milliseconds = 10 * day, lasts: Milliseconds = hour, most: Int = 10, isPublic: Bool = true
    ) -> RunPlan {
        RunPlan(
            name: name, purpose: "Test", place: "Nowhere", timeZone: "UTC", starts: starts, ends: starts + lasts, closes: starts - hour,
            most: most, isPublic: isPublic)
    }

    /// A course of about a kilometre that begins at a latitude and longitude in 1e-7 degrees.
    static func course(_ latitude: Int32 = 1, _ longitude: Int32 = 1) -> CoursePlan {
        CoursePlan(points: [
            CoursePoint(latitude: latitude, longitude: longitude), CoursePoint(latitude: latitude + 90_000, longitude: longitude),
        ])
    }

    func draft(
        _ plan: RunPlan = plan(), code: String = "ABCDEF", at latitude: Int32 = 1, by organiser: AccountID? = nil, search: String? = nil,
        now: Milliseconds = 0
    ) throws -> StoredRun {
        let course = Self.course(latitude)
        let added = try store.add(
            plan, course: course, area: try #require(RunArea(course.points)), search: search ?? plan.name.lowercased(), code: code,
            by: organiser ?? self.organiser, now: now)
        guard case .added(let draft) = added else { throw HubFixture.Taken() }
        return draft
    }

    func run(
        _ plan: RunPlan = plan(), code: String = "ABCDEF", at latitude: Int32 = 1, by organiser: AccountID? = nil, now: Milliseconds = 0
    ) throws -> StoredRun {
        try #require(try store.publish(try draft(plan, code: code, at: latitude, by: organiser, now: now).id, now: now))
    }

    func enrol(_ person: PersonID = .random(), in run: StoredRun, _ choices: EnrolmentChoices = .init(), now: Milliseconds = 1) throws
        -> StoredEnrolment
    {
        try #require(try store.enrolments.enrol([.init(run: run.id, person: person, choices: choices)], now: now).first).get()
    }

    func refusal(_ person: PersonID, in run: StoredRun, now: Milliseconds = 1) throws -> EnrolmentRefusal? {
        try store.enrolments.refusal(.init(run: run.id, person: person, choices: .init()), now: now)
    }

    func damage(_ table: String, where condition: String = "1 = 1") throws { try fixture.damage(table, where: condition, in: store.pool) }

    /// Everything that is to be told now, told.
    func tell(now: Milliseconds) throws -> [(kind: NoticeKind, people: [PersonID], organiser: Bool)] {
        var told: [(kind: NoticeKind, people: [PersonID], organiser: Bool)] = []
        while let part = try store.notices.dueTelling(9, lease: 10, now: now) {
            told.append((part.kind, part.people, part.isForOrganiser))
            try store.notices.told(part, now: now)
        }
        return told
    }
}
