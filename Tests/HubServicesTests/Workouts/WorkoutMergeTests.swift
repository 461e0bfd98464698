import Testing
import Vitals
import Workouts

@testable import HubServices
@testable import HubStore

/// What is found takes the place of what stands in the list.
@Suite struct WorkoutMergeTests {
    private static func record(
        _ span: ClosedRange<Milliseconds>, _ origin: WorkoutRecordContent.Origin? = .found
    ) -> StoredWorkoutRecord {
        let content = origin.map {
            WorkoutRecordContent(origin: $0, kind: .running, statistics: WorkoutStatistics(WorkoutLine([], [], in: span)), sketch: [])
        }
        return StoredWorkoutRecord(id: .random(), person: .random(), span: span, content: content)
    }

    @Test("DATA-17: half of the shorter one makes two the same; new ones are new, and what is found no more goes")
    func same() {
        let old = [Self.record(0...100), Self.record(200...300), Self.record(500...600)]
        let items = [0...140, 250...320, 900...950].map { WorkoutMerge.Item(span: $0, origin: .found) }
        let merge = WorkoutMerge(items, old: old, known: [])
        #expect(merge.kept.map(\.id) == [old[0].id, old[1].id, nil] && merge.gone == [old[2].id] && merge.deleted.isEmpty)
    }

    @Test("DATA-17: a deleted one takes what is found in its place away, once")
    func deleted() {
        let merge = WorkoutMerge([.init(span: 0...90, origin: .found)], old: [Self.record(0...100, nil)], known: [])
        #expect(merge.kept.isEmpty && merge.gone.isEmpty && merge.deleted.isEmpty)
    }

    @Test("DATA-17: one begun by hand is told by its number, and stays away when it was deleted there")
    func begun() {
        let here = WorkoutID.random(), lost = WorkoutID.random()
        let old = [Self.record(0...100, .begun(here)), Self.record(300...400, .begun(lost)), Self.record(0...100)]
        let merge = WorkoutMerge([.init(span: 5...95, origin: .begun(here))], old: old, known: [here])
        #expect(merge.kept.map(\.id) == [old[0].id] && merge.deleted == [old[1].id] && merge.gone == [old[2].id])
        let found = WorkoutMerge([.init(span: 300...400, origin: .found)], old: [old[1]], known: [])
        #expect(found.kept.isEmpty && found.deleted == [old[1].id] && found.gone.isEmpty, "it does not come back as a found one")
        #expect(WorkoutMerge.apart([0...100, 200...300], from: [20...90]) == [1])
    }
}
