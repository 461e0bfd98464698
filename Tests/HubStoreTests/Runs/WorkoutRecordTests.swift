import Database
import Privacy
import Runs
import TestSupport
import Testing
import Vitals
import Workouts

@testable import HubStore

@Suite struct WorkoutRecordTests {
    private static func content(_ kind: WorkoutKind = .running, in span: ClosedRange<Milliseconds>) -> WorkoutRecordContent {
        let statistics = WorkoutStatistics(WorkoutLine([], [], in: span))
        return .init(origin: .found, kind: kind, statistics: statistics, sketch: [[CoursePoint(latitude: 1, longitude: 2)]])
    }

    private func change(_ spans: ClosedRange<Milliseconds>...) -> WorkoutRecordChange {
        var change = WorkoutRecordChange()
        change.kept = spans.map { .init(span: $0, content: Self.content(in: $0)) }
        return change
    }

    @Test("DATA-17: workouts are kept sealed for their owner, the newest first, and what they say stays", arguments: Engine.allCases)
    func kept(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store.workoutRecords, ada = PersonID.random()
        #expect(try store.keep(change(100...200, 500...600), store.scan(of: ada), of: ada))
        let found = try store.records(of: ada)
        #expect(found.map(\.span) == [500...600, 100...200] && found.allSatisfy { $0.content?.kind == .running })
        #expect(try store.records(of: .random()).isEmpty && store.record(found[0].id, of: .random()) == nil)
        #expect(try store.records(of: ada, before: 500).map(\.span) == [100...200])
        #expect(try store.records(of: ada, within: 150...400).map(\.span) == [100...200])
        #expect(
            try store.edit(found[0].id, of: ada, .init(title: "Hills", kind: .walking)) && !store.edit(found[0].id, of: .random(), .init()))
        var again = WorkoutRecordChange()
        again.kept = [.init(id: found[0].id, span: 500...700, content: Self.content(in: 500...700))]
        again.gone = [found[1].id]
        #expect(try store.keep(again, store.scan(of: ada), of: ada))
        let now = try #require(try store.records(of: ada).first)
        #expect(try store.records(of: ada).count == 1 && now.id == found[0].id && now.span == 500...700)
        #expect(now.content?.kind == .walking && now.content?.edit?.title == "Hills")
    }

    @Test("DATA-17: of two looks at the same time one counts", arguments: Engine.allCases)
    func revisions(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store.workoutRecords, ada = PersonID.random()
        var scan = try store.scan(of: ada)
        scan.days = [20_000: 7]
        #expect(try store.keep(change(100...200), scan, of: ada) && !store.keep(change(100...200), scan, of: ada))
        #expect(try store.scan(of: ada).days == [20_000: 7] && store.scan(of: ada).revision == 1 && store.records(of: ada).count == 1)
    }

    @Test("DATA-17: of a deleted one only its time stays", arguments: Engine.allCases)
    func deleted(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store.workoutRecords, ada = PersonID.random()
        _ = try store.keep(change(100...200), store.scan(of: ada), of: ada)
        let id = try #require(try store.records(of: ada).first?.id)
        #expect(try !store.delete(id, of: .random()) && store.delete(id, of: ada) && !store.delete(id, of: ada))
        #expect(try store.records(of: ada).isEmpty && store.record(id, of: ada) == nil && !store.edit(id, of: ada, .init(title: "x")))
        let left = try store.records(of: ada, within: 0...1000)
        #expect(left.map(\.span) == [100...200] && left.allSatisfy { $0.content == nil })
        let bytes = try store.pool.read { try $0.fetchOne(Int.self, sql: "SELECT count(*) FROM workout_record WHERE envelope IS NOT NULL") }
        #expect(bytes == 0)
    }

    @Test("DATA-17: all of a long list is gone through once each, the newest first, past what does not open", arguments: Engine.allCases)
    func all(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store.workoutRecords, ada = PersonID.random(), bob = PersonID.random()
        // More than two slices; six begin in each hour, also where a slice ends.
        let count = 2 * WorkoutRecordStore.slice + 7
        var change = WorkoutRecordChange()
        change.kept = (0..<count).map { number in
            let began = Milliseconds(number / 6) * hour
            return .init(span: began...began + 1000 + Milliseconds(number), content: Self.content(in: began...began + 1000))
        }
        #expect(try store.keep(change, store.scan(of: ada), of: ada) && store.keep(self.change(5...6), store.scan(of: bob), of: bob))
        func taken() throws -> [ClosedRange<Milliseconds>] {
            var spans: [ClosedRange<Milliseconds>] = []
            try store.forEach(of: ada) { spans.append($0.span) }
            return spans
        }
        let spans = try taken(), wanted = Set(change.kept.map(\.span))
        #expect(spans.count == count && Set(spans) == wanted && spans.map(\.lowerBound) == spans.map(\.lowerBound).sorted(by: >))
        #expect(try store.count(of: ada) == count)
        // The last of the first slice is deleted, and one beyond it does not open.
        let gone = spans[WorkoutRecordStore.slice - 1], damaged = spans[WorkoutRecordStore.slice + 1]
        let id = try #require(try store.records(of: ada, within: gone).first { $0.span == gone }?.id)
        #expect(try store.delete(id, of: ada))
        try runs.damage("workout_record", where: "ended = \(damaged.upperBound)")
        #expect(try Set(taken()) == wanted.subtracting([gone, damaged]) && runs.fixture.unreadable.contains(.workoutRecord))
    }

    @Test("DATA-10: nothing of it is left of somebody who was deleted", arguments: Engine.allCases)
    func erased(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store.workoutRecords, ada = try runs.fixture.account("Ada").id.person
        _ = try store.keep(change(100...200), store.scan(of: ada), of: ada)
        _ = try runs.fixture.accounts.deletePerson(ada, now: 10)
        #expect(try store.records(of: ada).isEmpty && runs.store.deletedWithRows() == [ada])
        #expect(try !store.keep(change(300...400), WorkoutScan(), of: ada))
        try runs.store.erase(ada, now: 20)
        #expect(try runs.store.deletedWithRows().isEmpty)
    }
}
