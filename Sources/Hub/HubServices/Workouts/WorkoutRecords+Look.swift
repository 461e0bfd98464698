import History
import HubStore
public import Privacy
import Runs
import Vitals
import Workouts

/// Finds workouts in what was stored since somebody's samples were looked through last. Late samples change the count of their day, which
/// is then looked through again.
extension WorkoutRecords {
    /// Days that are looked through at once, at most, the newest first; and in one reading.
    public static let daysAtOnce = 14
    static let daysOfReading = 7
    /// Samples before and behind the days that are looked through: workouts go on over midnight.
    static let margin: Milliseconds = 12 * 3_600_000
    private static let day: Milliseconds = 86_400_000

    /// - Returns: how many days are left to look through; nil when the grant does not hold (any more).
    public func look(_ grant: Grant, _ wearer: Wearer) throws -> Int? {
        try ledger.recordRead(grant, now: now())
        guard let counts = try counts(grant, WorkoutRecordStore.kinds),
            let measured = try self.counts(grant, Set(DayRecordContent.sources.keys))
        else { return nil }
        var scan = try store.scan(of: grant.person)
        if scan.derive(by: wearer.energy == nil ? 1 : 2) {
            guard try store.keep(WorkoutRecordChange(), scan, of: grant.person) else { return scan.days.count }
            scan = try store.scan(of: grant.person)
        }
        // What was measured changes what is worked out beside it.
        let all = counts.merging(measured) { $0 + $1 }
        let changed = try Set(all.keys).union(scan.days.keys).filter { all[$0] != scan.days[$0] }.union(begunAlone(grant.person))
        let days = changed.sorted(by: >)
        var left = days.count
        for window in Array(days.prefix(Self.daysAtOnce)).windows {
            guard let isKept = try look(grant, wearer, window, counts, all) else { return nil }
            // Somebody else looks at the same time, or deletes.
            guard isKept else { break }
            left -= window.count
        }
        return left
    }

    /// The number of samples of each day, by the days since 1970 (UTC).
    private func counts(_ grant: Grant, _ kinds: Set<DataKind>) throws -> [Int64: Int64]? {
        var days: [Int64: Int64] = [:], time = now()
        time += Self.day
        for kind in kinds {
            guard let hours = try history.rollups(grant, of: kind, by: .hours, from: 0, to: time, now: now()) else { return nil }
            for (hour, rollup) in hours { days[hour / 24, default: 0] += rollup.count }
        }
        return days.filter { $0.value > 0 }
    }

    /// The days of workouts that were begun by hand and are not in the list as they are, or no more.
    private func begunAlone(_ person: PersonID) throws -> Set<Int64> {
        var known: [WorkoutID: ClosedRange<Milliseconds>] = [:], days: Set<Int64> = []
        for listed in try store.begun(of: person) { known[listed.id] = listed.span }
        for workout in try begun.spans(of: person) where known.removeValue(forKey: workout.id) != workout.span {
            days.formUnion(workout.span.days)
        }
        for span in known.values { days.formUnion(span.days) }
        return days
    }

    /// Looks through some days that follow each other.
    /// - Returns: whether it was kept; nil when the grant does not hold (any more).
    private func look(
        _ grant: Grant, _ wearer: Wearer, _ window: ClosedRange<Int64>, _ counts: [Int64: Int64], _ all: [Int64: Int64]
    ) throws -> Bool? {
        var scan = try store.scan(of: grant.person)
        let span = window.lowerBound * Self.day...(window.upperBound + 1) * Self.day - 1
        let old = try store.records(of: grant.person, within: span)
        let begun = try begun.spans(of: grant.person).filter { $0.span.overlaps(span) }
        var change = WorkoutRecordChange()
        if try isWhole(grant, from: span.lowerBound - Self.margin) {
            guard let reading = try samples(grant, span.lowerBound - Self.margin...span.upperBound + Self.margin) else { return nil }
            let found = found(reading, wearer, in: span), workouts = begun.map(\.span) + found.map(\.span)
            guard let made = try self.change(grant, wearer, found, begun, old: old) else { return nil }
            change = made
            let rides = found.filter { $0.kind == .cycling }.map(\.span)
            guard let days = try days(grant, wearer, window, reading, rides: rides, workouts) else { return nil }
            change.days = days
        } else {
            // Raw data was overwritten: what was found when it was there stays, unless the person deleted data of it or the rest.
            change.gone = old.filter { record in
                record.content.map { $0.isCleared == true || record.span.days.allSatisfy { counts[$0] == nil } } ?? false
            }.map(\.id)
        }
        for day in window { scan.days[day] = all[day] }
        return try store.keep(change, scan, of: grant.person)
    }

    private func isWhole(_ grant: Grant, from: Milliseconds) throws -> Bool {
        try WorkoutRecordStore.kinds.allSatisfy { try history.isWhole(grant, of: $0, from: max(0, from), now: now()) }
    }

    private func found(_ reading: Reading, _ wearer: Wearer, in span: ClosedRange<Milliseconds>) -> [FoundWorkout] {
        var finder = WorkoutFinder(wearer.zones.map { FinderRules(maximum: $0.maximum) } ?? FinderRules(), motion: reading.motion)
        finder.take(reading.positions, reading.heartRates, reading.scalars)
        return finder.workouts.filter { $0.span.overlaps(span) }
    }

    /// What days came to.
    /// - Returns: nil when the grant does not hold (any more).
    private func days(
        _ grant: Grant, _ wearer: Wearer, _ window: ClosedRange<Int64>, _ reading: Reading, rides: [ClosedRange<Milliseconds>],
        _ workouts: [ClosedRange<Milliseconds>]
    ) throws -> [Int64: DayRecordContent]? {
        let (from, to) = (window.lowerBound * Self.day, (window.upperBound + 1) * Self.day), cycling = WorkoutKind.cycling.rawValue
        let measured = try reader.read(
            grant, kinds: Set(DayRecordContent.sources.keys), from: from - Self.day, to: to - 1, of: Self.counting.union([.manual]),
            now: now())
        guard let measured else { return nil }
        let said = reading.scalars.filter { $0.kind == .activity && $0.value == cycling }.map { $0.time...max($0.time, $0.end ?? $0.time) }
        var derivation = DayDerivation(window, reading, measured: measured.scalars)
        derivation.addMotion(rides: rides + said)
        derivation.addWays(beside: workouts)
        if let body = wearer.energy {
            guard let minutes = try history.rollups(grant, of: .heartRate, by: .minutes, from: from, to: to, now: now()) else { return nil }
            derivation.addEnergy(EnergyFromHeartRate(body), minutes, until: now())
        }
        return derivation.contents
    }

    private func change(
        _ grant: Grant, _ wearer: Wearer, _ found: [FoundWorkout], _ begun: [WorkoutSpan], old: [StoredWorkoutRecord]
    ) throws -> WorkoutRecordChange? {
        let apart = WorkoutMerge.apart(found.map(\.span), from: begun.map(\.span))
        let items =
            begun.map { WorkoutMerge.Item(span: $0.span, origin: .begun($0.id)) }
            + apart.map { WorkoutMerge.Item(span: found[$0].span, origin: .found) }
        let merge = WorkoutMerge(items, old: old, known: Set(begun.map(\.id)))
        var change = WorkoutRecordChange()
        (change.gone, change.deleted) = (merge.gone, merge.deleted)
        for match in merge.kept {
            let item = items[match.item]
            guard let (line, laps) = try way(grant, item.span, item.origin) else { return nil }
            let statistics = WorkoutStatistics(line, zones: wearer.zones, laps: laps, body: wearer.body)
            let kind = found.first { $0.span.isMostly(item.span) }?.kind ?? statistics.kind
            change.kept.append(
                .init(
                    id: match.id, span: item.span,
                    content: WorkoutRecordContent(origin: item.origin, kind: kind, statistics: statistics, sketch: line.sketch)))
        }
        return change
    }
}

extension Reading {
    /// Makers of recordings have smoothed them.
    var motion: MotionRules { provenance == .import ? .recorded : .live }

    /// When laps ended. Two recordings of the same workout say it within two seconds of each other.
    var laps: [Milliseconds] {
        events.filter { $0.code == .lap }.map(\.time).sorted().reduce(into: []) { laps, time in
            if laps.last.map({ time - $0 > 2000 }) ?? true { laps.append(time) }
        }
    }
}

extension WorkoutStatistics {
    /// What a workout that nobody found may have been, by its pace.
    fileprivate var kind: WorkoutKind {
        guard let pace else { return .other }
        return pace > 1000 / 2.1 ? .walking : pace > 1000 / 7.0 ? .running : .cycling
    }
}

extension WorkoutLine {
    /// The way in few points.
    fileprivate var sketch: [[CoursePoint]] {
        let step = max(1, points.count / WorkoutRecordContent.sketchMax)
        var pieces: [[CoursePoint]] = []
        for (index, point) in points.enumerated() {
            if pieces.isEmpty || point.isBehindGap { pieces.append([]) }
            let isEnd = index + 1 == points.count || points[index + 1].isBehindGap || point.isBehindGap
            if index % step == 0 || isEnd { pieces[pieces.count - 1].append(point.place) }
        }
        return pieces.filter { $0.count > 1 }
    }
}

extension [Int64] {
    /// Days in runs that are read at once, the newest first.
    fileprivate var windows: [ClosedRange<Int64>] {
        sorted(by: >).reduce(into: []) { windows, day in
            if let last = windows.last, last.lowerBound == day + 1, last.count < WorkoutRecords.daysOfReading {
                windows[windows.count - 1] = day...last.upperBound
            } else {
                windows.append(day...day)
            }
        }
    }
}
