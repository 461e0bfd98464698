import Database
import Exchange
import History
import Logging
import Privacy
import Runs
import Seams
import TestSupport
import Testing
import Vitals
import Workouts

@testable import HubServices
@testable import HubStore

/// Workouts that are found by themselves in what a hub stored.
@Suite struct WorkoutRecordsTests {
    private static let nine = StoredWearer.midnight + 9 * StoredWearer.hour
    private let nobody = WorkoutRecords.Wearer(zones: HeartRateZones(age: 40), body: nil)

    private func only(_ wearer: StoredWearer) throws -> StoredWorkoutRecord {
        let found = try wearer.records.list(wearer.own, count: 10)
        #expect(found.count == 1)
        return try #require(found.first)
    }

    @Test("DATA-17: a run is found in stored samples, with distance, heart rate, a small way; nothing new is looked through once")
    func found() async throws {
        let wearer = try await StoredWearer()
        #expect(try wearer.records.look(wearer.own, nobody) == 0)
        #expect(try wearer.records.list(wearer.own, count: 10).isEmpty)
        try await wearer.send(StoredWearer.way(from: Self.nine, seconds: 900, metresASecond: 3))
        #expect(try wearer.records.look(wearer.own, nobody) == 0)
        let record = try only(wearer), content = try #require(record.content)
        #expect(content.origin == .found && content.kind == .running)
        #expect(abs(content.statistics.metres - 2697) < 50 && content.statistics.heart?.max == 150)
        #expect(content.sketch.count == 1 && (2...130).contains(content.sketch[0].count))
        let revision = try wearer.runs.workoutRecords.scan(of: wearer.hub.person).revision
        #expect(try wearer.records.look(wearer.own, nobody) == 0)
        #expect(try wearer.runs.workoutRecords.scan(of: wearer.hub.person).revision == revision)
    }

    @Test("DATA-14, DATA-17: what comes late is worked in; the workout stays the same, and so does what its owner said of it")
    func late() async throws {
        let wearer = try await StoredWearer()
        try await wearer.send(StoredWearer.way(from: Self.nine, seconds: 900, metresASecond: 3))
        _ = try wearer.records.look(wearer.own, nobody)
        let first = try only(wearer)
        #expect(try wearer.records.edit(first.id, of: wearer.hub.person, .init(title: "Lake", kind: .walking, note: "Wind")))
        let behind = Self.nine + 900_000
        try await wearer.send(StoredWearer.way(from: behind, seconds: 600, metresASecond: 3, latitude: 458_000_000 + 242_811))
        _ = try wearer.records.look(wearer.own, nobody)
        let second = try only(wearer), content = try #require(second.content)
        #expect(second.id == first.id && second.span.upperBound > first.span.upperBound)
        #expect(content.statistics.metres > 4000 && content.edit?.title == "Lake" && content.kind == .walking)
    }

    @Test("DATA-17: one that its owner deleted is not found again, also when data comes late")
    func deleted() async throws {
        let wearer = try await StoredWearer()
        try await wearer.send(StoredWearer.way(from: Self.nine, seconds: 900, metresASecond: 3))
        _ = try wearer.records.look(wearer.own, nobody)
        let record = try only(wearer)
        #expect(try wearer.records.delete(record.id, of: wearer.hub.person))
        #expect(try !wearer.records.delete(record.id, of: wearer.hub.person))
        try await wearer.send(StoredWearer.way(from: Self.nine + 900_000, seconds: 60, metresASecond: 3, latitude: 458_242_811))
        _ = try wearer.records.look(wearer.own, nobody)
        #expect(try wearer.records.list(wearer.own, count: 10).isEmpty)
    }

    @Test("DATA-10, DATA-17: what a deletion takes from a workout its figures lose at once; the next look works out what is left")
    func partDeleted() async throws {
        let wearer = try await StoredWearer(), own = try OwnDataFixture(wearer.hub, runs: wearer.runs), person = wearer.hub.person
        let starter = AccountID(high: person.high, low: person.low)
        try await wearer.send(StoredWearer.way(from: Self.nine, seconds: 1800, metresASecond: 3))
        try await wearer.send(StoredWearer.way(from: Self.nine - 86_400_000, seconds: 900, metresASecond: 3))
        _ = try wearer.records.look(wearer.own, nobody)
        let records = try wearer.records.list(wearer.own, count: 10)
        let first = try #require(records.first), before = try #require(first.content)
        #expect(records.count == 2 && before.statistics.metres > 5000)
        #expect(try wearer.records.edit(first.id, of: person, .init(title: "Lake")))
        let cut = Self.nine + 900_000...Self.nine + 1_799_999
        _ = try own.deletion.deletePart(of: person, kinds: [.position, .heartRate], span: cut, by: starter, now: wearer.hub.clock.now)
        try own.deletion.work(now: wearer.hub.clock.now)
        let cleared = try wearer.records.list(wearer.own, count: 10)
        #expect(cleared.map(\.id) == records.map(\.id) && cleared[1].content == records[1].content)
        let content = try #require(cleared[0].content)
        #expect(content.statistics.metres == 0 && content.statistics.heart == nil)
        #expect(content.sketch.isEmpty && content.edit?.title == "Lake")
        #expect(try wearer.records.look(wearer.own, nobody) == 0)
        let after = try #require(try wearer.records.list(wearer.own, count: 10).first?.content)
        #expect((2500...2800).contains(after.statistics.metres) && after.edit?.title == "Lake" && after.isCleared == nil)
        // And all of it.
        _ = try own.deletion.deletePart(
            of: person, kinds: [.position, .heartRate], span: Self.nine...cut.upperBound, by: starter, now: wearer.hub.clock.now)
        try own.deletion.work(now: wearer.hub.clock.now)
        #expect(try wearer.records.look(wearer.own, nobody) == 0)
        #expect(try wearer.records.list(wearer.own, count: 10).map(\.id) == [records[1].id])
    }

    @Test("DATA-10, DATA-17: a stream that is taken back clears the workouts that it was part of, and no others")
    func streamDeleted() async throws {
        let wearer = try await StoredWearer(), own = try OwnDataFixture(wearer.hub, runs: wearer.runs), person = wearer.hub.person
        try await wearer.send(StoredWearer.way(from: Self.nine, seconds: 900, metresASecond: 3))
        let stream = try await wearer.send(StoredWearer.way(from: Self.nine - 86_400_000, seconds: 900, metresASecond: 3), .import)
        _ = try wearer.records.look(wearer.own, nobody)
        let records = try wearer.records.list(wearer.own, count: 10)
        #expect(records.count == 2)
        _ = try own.deletion.deleteStream(stream, of: person, by: AccountID(high: person.high, low: person.low), now: wearer.hub.clock.now)
        try own.deletion.work(now: wearer.hub.clock.now)
        let cleared = try wearer.records.list(wearer.own, count: 10)
        #expect(cleared.map(\.id) == records.map(\.id) && cleared[0].content == records[0].content)
        #expect(cleared[1].content?.statistics.metres == 0)
        #expect(try wearer.records.look(wearer.own, nobody) == 0)
        #expect(try wearer.records.list(wearer.own, count: 10).map(\.id) == [records[0].id])
    }

    @Test("DATA-17: the search in the background looks until nothing is left, person after person")
    func search() async throws {
        let wearer = try await StoredWearer(), person = wearer.hub.person
        for day in 0..<20 {
            let begin = Self.nine - Milliseconds(day) * 2 * 86_400_000
            try await wearer.send(StoredWearer.way(from: begin, seconds: 400, metresASecond: 3))
        }
        let search = WorkoutSearch(records: wearer.records, machine: .system, logger: Logger(label: "test")) { who in
            who == person ? WorkoutRecords.Wearer(zones: nil, body: nil) : nil
        }
        search.look(.random())
        search.look(person)
        while search.left(of: person) != nil { try await Task.sleep(for: .milliseconds(5)) }
        #expect(try wearer.records.list(wearer.own, count: 50).count == 20)
        // Because samples came: once in some hours.
        for (ago, count) in [(1, 21), (3, 21)] as [(Milliseconds, Int)] {
            try await wearer.send(StoredWearer.way(from: Self.nine - ago * 86_400_000, seconds: 400, metresASecond: 3))
            search.samplesCame(of: [person])
            while search.left(of: person) != nil { try await Task.sleep(for: .milliseconds(5)) }
            #expect(try wearer.records.list(wearer.own, count: 50).count == count)
        }
    }

    @Test("RUN-19, DATA-17: one begun by hand stands in the list with its own time, and is not found beside itself")
    func begun() async throws {
        let wearer = try await StoredWearer(), person = wearer.hub.person, starter = AccountID(high: person.high, low: person.low)
        try await wearer.send(StoredWearer.way(from: Self.nine, seconds: 900, metresASecond: 3))
        _ = try wearer.records.look(wearer.own, nobody)
        #expect(try only(wearer).content?.origin == .found)
        _ = try wearer.runs.workouts.beginWorkout(.init(starter: starter), of: person, isShared: false, now: Self.nine + 30_000)
        let ended = try #require(try wearer.runs.workouts.endWorkout(of: person, now: Self.nine + 840_000))
        _ = try wearer.records.look(wearer.own, nobody)
        let record = try only(wearer)
        #expect(record.content?.origin == .begun(ended.id) && record.span == Self.nine + 30_000...Self.nine + 840_000)
        #expect(record.content?.kind == .running)
        // Deleted where it was begun: it does not come back as a found one.
        #expect(try wearer.runs.workouts.deleteWorkout(ended.id, of: person))
        _ = try wearer.records.look(wearer.own, nobody)
        #expect(try wearer.records.list(wearer.own, count: 10).isEmpty)
    }

    @Test("DATA-7, DATA-17: one workout has its way, splits and zones; GPX, TCX and FIT hold the same points")
    func detail() async throws {
        let wearer = try await StoredWearer()
        try await wearer.send(StoredWearer.way(from: Self.nine, seconds: 900, metresASecond: 3))
        _ = try wearer.records.look(wearer.own, nobody)
        let record = try only(wearer)
        let detail = try #require(try wearer.records.detail(wearer.own, record.id, nobody))
        #expect(detail.line?.points.isEmpty == false && detail.statistics.kilometres.count == 3)
        #expect(detail.statistics.zones?.reduce(0, +) ?? 0 > 800_000)
        for format in WorkoutRecords.FileFormat.allCases {
            let bytes = try #require(try wearer.records.file(wearer.own, record.id, format, name: "Run"))
            let file = try ActivityFile.read(bytes)
            #expect(file.points.count > 850 && file.points.allSatisfy { $0.heartRate == 150 }, "\(format)")
            #expect(file.format.rawValue == format.rawValue, "\(format)")
        }
        #expect(try wearer.records.file(wearer.own, WorkoutRecordID.random(), .gpx, name: "") == nil)
        #expect(try wearer.records.detail(wearer.own, WorkoutRecordID.random(), nobody) == nil)
    }

    @Test("RUN-15, DATA-17: a file to pass on lacks the positions around the home, as it was chosen for any workout, and keeps the others")
    func hidden() async throws {
        let wearer = try await StoredWearer(), person = wearer.hub.person, starter = AccountID(high: person.high, low: person.low)
        try await wearer.send(StoredWearer.way(from: Self.nine, seconds: 900, metresASecond: 3))
        _ = try wearer.records.look(wearer.own, nobody)
        let record = try only(wearer)
        #expect(try wearer.records.homes(of: person).isEmpty)
        let home = HomeZone(centre: CoursePoint(latitude: 458_000_000, longitude: 116_000_000), radius: 500)
        for begin in [1000, 2000] as [Milliseconds] {
            _ = try wearer.runs.workouts.beginWorkout(.init(starter: starter, home: home), of: person, isShared: false, now: begin)
            _ = try wearer.runs.workouts.endWorkout(of: person, now: begin + 10)
        }
        let homes = try wearer.records.homes(of: person)
        #expect(homes == [home], "each once")
        for format in WorkoutRecords.FileFormat.allCases {
            func places(hiding zones: [HomeZone]) throws -> [CoursePoint] {
                let bytes = try #require(try wearer.records.file(wearer.own, record.id, format, name: "Run", hiding: zones))
                return try ActivityFile.read(bytes).samples.positions.map { CoursePoint($0) }
            }
            let whole = try places(hiding: []), cut = try places(hiding: homes)
            #expect(cut == whole.filter { !home.holds($0) } && cut.count > 500 && whole.count - cut.count > 100, "\(format)")
        }
    }

    @Test("DATA-17: laps of a recording and of the button part a workout, stand in its files, and come back from them")
    func laps() async throws {
        let wearer = try await StoredWearer(), person = wearer.hub.person, starter = AccountID(high: person.high, low: person.low)
        var samples = StoredWearer.way(from: Self.nine, seconds: 900, metresASecond: 3)
        // Two recordings of the same lap, and one that another workout has.
        samples.events = [300_000, 301_500, 5_000_000].map { StateEvent(time: Self.nine + $0, code: .lap) }
        try await wearer.send(samples)
        _ = try wearer.records.look(wearer.own, nobody)
        let found = try only(wearer)
        let mark = Self.nine + 300_000, parts = [mark - found.span.lowerBound, found.span.upperBound - mark]
        #expect(found.content?.statistics.laps.map(\.duration) == parts)
        let store = wearer.runs.workouts
        _ = try store.beginWorkout(.init(starter: starter), of: person, isShared: false, now: Self.nine)
        #expect(try store.addLap(of: person, now: Self.nine + 600_000) && store.addLap(of: person, now: Self.nine + 600_500))
        #expect(try !store.addLap(of: .random(), now: Self.nine + 700_000))
        _ = try store.endWorkout(of: person, now: Self.nine + 900_000)
        #expect(try !store.addLap(of: person, now: Self.nine + 900_500), "it is over")
        #expect(try RunsExport(starter, wearer.runs).workouts.first?.laps?.count == 1)
        _ = try wearer.records.look(wearer.own, nobody)
        let record = try only(wearer), detail = try #require(try wearer.records.detail(wearer.own, record.id, nobody))
        #expect(detail.statistics.laps.map(\.duration) == [300_000, 300_000, 300_000])
        #expect(record.content?.statistics.laps == detail.statistics.laps)
        #expect(detail.statistics.laps.allSatisfy { abs($0.metres - 900) < 30 && $0.heartRate == 150 })
        for format in [WorkoutRecords.FileFormat.tcx, .fit] {
            let file = try ActivityFile.read(try #require(try wearer.records.file(wearer.own, record.id, format, name: "Run")))
            #expect(file.laps.map(\.timer) == [300_000, 300_000, 300_000], "\(format)")
            #expect(file.samples.events == [300_000, 600_000].map { StateEvent(time: Self.nine + $0, code: .lap) }, "\(format)")
        }
    }

    @Test("DATA-17: trends add up by the reader's weeks, with records")
    func trends() async throws {
        let wearer = try await StoredWearer()
        try await wearer.send(StoredWearer.way(from: Self.nine, seconds: 900, metresASecond: 3))
        try await wearer.send(StoredWearer.way(from: Self.nine - 7 * 86_400_000, seconds: 600, metresASecond: 3))
        _ = try wearer.records.look(wearer.own, nobody)
        let trends = try wearer.records.trends(wearer.own, by: .week) { _ in 0 }
        let sums = trends.sums(of: .running).sorted { $0.key < $1.key }.map(\.value)
        #expect(sums.map(\.workouts) == [1, 1] && sums[1].metres > sums[0].metres)
        #expect(trends.records[.running]?[.distance]?.value ?? 0 > 2600)
    }

    @Test("DATA-7, DATA-17: trends are of all workouts; the map of all ways opens the newest, so many at most, and says if there are more")
    func bounded() async throws {
        let wearer = try await StoredWearer(), store = wearer.runs.workoutRecords, person = wearer.hub.person
        let count = 2 * WorkoutRecords.waysMax + 2, hour = StoredWearer.hour
        // Of each two one begins with the one before it: where slices meet, none is left out and none counts twice.
        func begin(_ number: Int) -> Milliseconds { Self.nine - Milliseconds(number / 2) * 2 * hour }
        var change = WorkoutRecordChange()
        for number in 0..<count {
            let span = begin(number)...begin(number) + 600_000
            let way = [0, 1].map { CoursePoint(latitude: 458_000_000 + Int32($0) * 100_000, longitude: 116_000_000) }
            change.kept.append(
                .init(
                    span: span,
                    content: WorkoutRecordContent(
                        origin: .found, kind: .running, statistics: WorkoutStatistics(WorkoutLine([], [], in: span)), sketch: [way])))
        }
        #expect(try store.keep(change, store.scan(of: person), of: person))
        func taken() throws -> Int {
            try wearer.records.trends(wearer.own, by: .week) { _ in 0 }.sums(of: .running).values.reduce(0) { $0 + $1.workouts }
        }
        #expect(try taken() == count)
        // Those beyond one more than are shown do not open: whoever tried would count a damaged row.
        let oldest = begin(count - 1)
        try store.pool.write { try $0.execute(sql: "UPDATE workout_record SET envelope = x'00' WHERE began <= ?", arguments: [oldest]) }
        let ways = try #require(try wearer.records.ways(wearer.own, in: 0..<Self.nine + hour))
        #expect(ways.ways.count == WorkoutRecords.waysMax && ways.isCut)
        #expect(ways.ways.last?.record.span.lowerBound == begin(WorkoutRecords.waysMax - 1))
        #expect(store.keys.unreadable.count == 0)
        #expect(try taken() == count - 2 && store.keys.unreadable.count == 2, "one that does not open is told, and the others count")
    }
}
