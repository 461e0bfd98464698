import Database
import Foundation
import Privacy
import Runs
import Synchronization
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct RunsStoreTests {
    private let directory: TemporaryDirectory
    private let keys: KeyStore

    init() throws {
        directory = try TemporaryDirectory()
        keys = try KeyStore(HubDirectory(directory.url), environment: [:])
    }

    private func store() throws -> RunsStore { try RunsStore(HubDirectory(directory.url), keys: keys) }

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
        var store = try store()
        #expect(try store.pool.write { try $0.fetchOne(Int.self, sql: "PRAGMA synchronous") } == 2)
        let run = try run(store, plan()), person = PersonID.random()
        let enrolled = try #require(try store.enrol([.init(run: run.id, person: person, choices: .init(publicName: "Z"))], now: 1).first)
            .get()
        let area = RunArea(south: 0, west: 0, north: 0, east: 0)
        let twice = try store.add(
            plan(), course: CoursePlan(points: []), area: area, search: "", code: run.code, by: AccountID(high: 2, low: 2), now: 0)
        #expect(twice == .codeTaken)
        store = try self.store()
        #expect(try store.run(code: "ABCDEF")?.id == run.id && store.enrolment(of: person, in: run.id) == enrolled)
    }

    @Test("RUN-4: within one commit each is checked behind the one before: full, twice the same person, and another run at the same time")
    func batch() throws {
        let store = try store(), run = try run(store, plan(most: 2)), other = try self.run(store, plan(), code: "GHJKMN")
        let (ada, bob, eve) = (PersonID.random(), PersonID.random(), PersonID.random())
        func wish(_ run: StoredRun, _ person: PersonID) -> RunsStore.Enrolling { .init(run: run.id, person: person, choices: .init()) }
        let outcomes = try store.enrol([wish(run, ada), wish(run, ada), wish(other, ada), wish(run, bob), wish(run, eve)], now: 1)
        let refusals = outcomes.map { outcome -> EnrolmentRefusal? in
            if case .failure(let refusal) = outcome { refusal } else { nil }
        }
        #expect(refusals == [nil, .alreadyEnrolled, .overlaps(code: run.code), nil, .full])
        // A place that is free again goes to the next one.
        _ = try store.withdraw(bob, from: run.id, now: 2).get()
        #expect(try #require(try store.enrol([wish(run, eve)], now: 3).first).get().bib == 3)
        #expect(try store.refusal(wish(run, bob), now: 4) == .full)
    }

    @Test("RUN-6: from cancelled and finished nothing leaves, and a draft neither starts nor ends")
    func states() throws {
        let store = try store(), run = try run(store, plan())
        #expect(run.state(at: 999) == .scheduled && run.state(at: 1000) == .live && run.state(at: 2000) == .finished)
        #expect(try store.move(run.id, to: .live, now: 1000)?.began == 1000)
        #expect(try store.move(run.id, to: .live, now: 1001) == nil && store.move(run.id, to: .scheduled, now: 1001) == nil)
        #expect(try store.move(run.id, to: .finished, now: 1500)?.ended == 1500)
        for state in RunState.allCases { #expect(try store.move(run.id, to: state, now: 1600) == nil) }
        #expect(try store.run(run.id)?.state(at: 1700) == .finished)
    }

    @Test("design rule 9: a telling goes out in parts, each once; a part that nobody confirmed comes again behind its lease")
    func telling() throws {
        let store = try store(), run = try run(store, plan()), people = (0..<5).map { _ in PersonID.random() }
        _ = try store.enrol(people.map { .init(run: run.id, person: $0, choices: .init()) }, now: 1)
        _ = try store.move(run.id, to: .cancelled, ["reason": "storm"], now: 10)
        var told: [PersonID] = [], organiser = 0, time: Milliseconds = 10
        // Who enrolled behind it is not concerned.
        while let part = try store.dueTelling(2, lease: 100, now: time) {
            #expect(part.kind == .runCancelled && part.arguments == ["reason": "storm"])
            #expect(try store.dueTelling(2, lease: 100, now: time) == nil)
            time += 100
            #expect(try store.dueTelling(2, lease: 100, now: time) == part)
            told += part.people
            organiser += part.isForOrganiser ? 1 : 0
            try store.told(part, now: time)
        }
        #expect(told == people && organiser == 1)
    }

    @Test("design rule 9: all that is to be told of a run that does not open is moved at once, however much it is")
    func tellings() throws {
        let store = try store(), bad = try run(store, plan()), good = try run(store, plan(), code: "GHJKMN")
        try store.pool.write { db in
            for count in 0..<200 { try store.tell(.runMessage, ["text": "\(count)"], .onList, about: bad, now: 1, db) }
            try store.tell(.runMessage, ["text": "sound"], .onList, about: good, now: 1, db)
            try db.execute(sql: "UPDATE run SET envelope = zeroblob(60) WHERE id = ?", arguments: [bad.row])
        }
        let moves = Mutex(0)
        try store.pool.write { db in
            db.trace { statement in
                if statement.hasPrefix("UPDATE telling") { moves.withLock { $0 += 1 } }
            }
        }
        #expect(try store.dueTelling(2, lease: 100, now: 1)?.arguments == ["text": "sound"])
        try store.pool.write { $0.trace(nil) }
        let moved = moves.withLock { $0 }
        #expect(moved == 2, "one of the bad run, one of the sound one")
        let due = try store.pool.read { try $0.fetchOne(Int.self, sql: "SELECT count(*) FROM telling WHERE due = 101") }
        #expect(due == 201)
    }

    @Test("RUN-10: each place is given once: finishers stand by begun seconds, who was under way around the places that were left")
    func places() {
        func kept(_ row: Int64, _ group: RankingRow.Group, _ place: Int?, _ time: Milliseconds? = nil, isLeft: Bool = false) -> Rank {
            Rank(row: row, group: group, place: place, time: time, isLeft: isLeft)
        }
        let rows = [
            kept(1, .finished, 1, 1_000_400), kept(2, .finished, 1, 1_000_900, isLeft: true), kept(3, .finished, 2, 1_001_001),
            kept(4, .running, 3), kept(5, .running, 5, isLeft: true), kept(6, .running, 4), kept(7, .running, 4),
            kept(8, .didNotFinish, nil),
        ]
        #expect(Rank.places(rows) == [1: 1, 2: 1, 3: 3, 4: 4, 5: 5, 6: 6, 7: 6])
        #expect(Rank.places(rows.reversed()) == Rank.places(rows))
        #expect(Rank.places([kept(1, .running, 7, isLeft: true)]) == [1: 1] && Rank.places([]).isEmpty)
    }

    private func result(
        _ enrolment: StoredEnrolment, place: Int, seconds: Int, in name: String? = nil, _ placeInClass: Int? = nil
    ) throws -> RunResult {
        let json = """
            {"bib": \(enrolment.bib), "group": "finished", "place": \(place), "gunTime": \(seconds * 1000), "metres": 4000,
            "missedMetres": 0, "splits": [], "stretches": []}
            """
        var result = try JSONDecoder().decode(RunnerResult.self, from: Data(json.utf8))
        (result.category, result.placeInCategory) = (name, placeInClass)
        return RunResult(result, of: enrolment)
    }

    @Test("RUN-10: where results are left each row is written once, with the place that it has among all, and only those left that move")
    func writtenOnce() throws {
        let store = try store(), run = try run(store, plan()), people = (0..<6).map { _ in PersonID.random() }
        _ = try store.enrol(people.map { .init(run: run.id, person: $0, choices: .init()) }, now: 1)
        let list = try store.enrolments(in: run.id)
        // The first two and the last one are left; the third passes the second.
        try store.keepResults(list.enumerated().map { try result($1, place: $0 + 1, seconds: 1000 + $0 * 10) }, of: run.id)
        #expect(try store.results(of: run.id).map(\.place) == [1, 2, 3, 4, 5, 6])
        try store.pool.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE seen(enrolment, place);
                    CREATE TRIGGER written AFTER UPDATE ON result BEGIN INSERT INTO seen VALUES(NEW.enrolment, NEW.place); END
                    """)
        }
        let again = try [
            result(list[2], place: 1, seconds: 1005), result(list[3], place: 2, seconds: 1030), result(list[4], place: 3, seconds: 1040),
        ]
        try store.keepResults(again, of: run.id, unread: [list[0].row, list[1].row, list[5].row], slice: 2)
        let seen = try store.pool.read { db in
            try db.fetchAll(sql: "SELECT enrolment, place FROM seen ORDER BY rowid").map { [$0[0] as Int64, $0[1] as Int64] }
        }
        #expect(seen == [[list[2].row, 2], [list[3].row, 4], [list[4].row, 5], [list[1].row, 3]])
        let kept = try store.results(of: run.id)
        #expect(kept.map(\.enrolment) == [0, 2, 1, 3, 4, 5].map { list[$0].row } && kept.map(\.place) == [1, 2, 3, 4, 5, 6])
        try store.keepResults(again, of: run.id, unread: [list[0].row])
        #expect(try store.results(of: run.id).map(\.enrolment) == [0, 2, 3, 4].map { list[$0].row })
        #expect(try store.results(of: run.id).map(\.place) == [1, 2, 3, 4])
    }

    @Test("RUN-10: who is left counts within their class too; behind somebody whose class is not known any more no place in it is told")
    func classes() throws {
        let store = try store(), run = try run(store, plan()), people = (0..<5).map { _ in PersonID.random() }
        _ = try store.enrol(people.map { .init(run: run.id, person: $0, choices: .init()) }, now: 1)
        let list = try store.enrolments(in: run.id)
        func places() throws -> [Int?] {
            let kept = Dictionary(try store.results(of: run.id).map { ($0.enrolment, $0.result?.placeInCategory) }) { $1 }
            return list.map { kept[$0.row] ?? nil }
        }
        try store.keepResults(
            [
                result(list[0], place: 1, seconds: 1000, in: "Men", 1), result(list[1], place: 2, seconds: 1010, in: "Women", 1),
                result(list[2], place: 3, seconds: 1020, in: "Men", 2), result(list[3], place: 4, seconds: 1030, in: "Women", 2),
            ], of: run.id)
        #expect(try places() == [1, 1, 2, 2, nil])
        // The first and the fourth are left; the fifth came in between, and the third is the last one now.
        let again = try [
            result(list[1], place: 1, seconds: 1010, in: "Women", 1), result(list[4], place: 2, seconds: 1015, in: "Women", 2),
            result(list[2], place: 3, seconds: 1040, in: "Men", 1),
        ]
        try store.keepResults(again, of: run.id, unread: [list[0].row, list[3].row])
        #expect(try store.results(of: run.id).map(\.enrolment) == [0, 1, 4, 3, 2].map { list[$0].row })
        #expect(try places() == [1, 1, 2, 3, 2])
        _ = try keys.destroy(people[3], now: 2)
        try store.keepResults(again, of: run.id, unread: [list[0].row])
        #expect(try places() == [1, 1, nil, nil, 2] && store.results(of: run.id).map(\.place) == [1, 2, 3, 4, 5])
    }

    @Test("DATA-10: what a deleted person chose cannot be read, before anything is cleared, by a copy of the database either")
    func deleted() throws {
        let store = try store(), run = try run(store, plan()), person = PersonID.random()
        _ = try store.enrol([.init(run: run.id, person: person, choices: .init(publicName: "Zaphod"))], now: 1)
        _ = try keys.destroy(person, now: 2)
        #expect(try store.enrolment(of: person, in: run.id) == nil && store.enrolments(in: run.id).isEmpty)
        #expect(try store.deletedWithRows() == [person])
        try store.erase(person, now: 3)
        #expect(try store.deletedWithRows().isEmpty && store.run(run.id)?.enrolled == 0)
        #expect(try store.refusal(.init(run: run.id, person: person, choices: .init()), now: 4) == .unknown)
    }
}
