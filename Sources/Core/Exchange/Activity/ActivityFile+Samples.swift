public import Vitals

extension ActivityFile {
    /// The way along the points in metres, without the gaps between segments: measured, not what the device says.
    public var measuredDistance: Double {
        var sum = 0.0, last: ActivityPoint?, segment = 0
        for (index, point) in points.enumerated() {
            while segment < segments.count, segments[segment] <= index {
                last = nil
                segment += 1
            }
            guard point.place != nil else { continue }
            if let last { sum += last.distance(to: point) }
            last = point
        }
        return sum
    }

    /// The points that have a time, as samples: positions, heart rates with the RR intervals behind them, cadence, and the speed of points
    /// without a position. Power and temperature have no kind. Heart rates that were delivered later stand in for those of the points where
    /// these have none. Where one lap ends and the next begins is an event.
    public var samples: SampleSet {
        var set = SampleSet(events: lapMarks.map { StateEvent(time: $0, code: .lap) }), interval = 0
        for point in points {
            guard let time = point.time else { continue }
            if let place = point.place {
                set.positions.append(
                    PositionSample(
                        time: time, latitude: place.latitude, longitude: place.longitude, altitude: point.altitude, speed: point.speed,
                        course: point.course, horizontalError: point.horizontalError, mode: point.mode))
            } else if let speed = point.speed, let sample = ScalarSample(.speed, time: time, value: Int64(speed)) {
                set.scalars.append(sample)
            }
            if let cadence = point.cadence, let sample = ScalarSample(.cadence, time: time, value: Int64(cadence)) {
                set.scalars.append(sample)
            }
            guard let rate = point.heartRate else { continue }
            var sample = HeartRateSample(time: time, beatsPerMinute: rate)
            while interval < intervals.count, intervals[interval].time <= time {
                if intervals[interval].time == time { sample.rrIntervals += intervals[interval].values }
                interval += 1
            }
            set.heartRates.append(sample)
        }
        if set.heartRates.isEmpty { set.heartRates = heartRates }
        return set
    }

    /// When laps began, but the first of each session: in the order of time, UTC.
    private var lapMarks: [Milliseconds] {
        let begins = Set(sessions.compactMap(\.start))
        return Set(laps.compactMap(\.start).sorted().dropFirst()).subtracting(begins).sorted()
    }

    /// Each session of the file, as samples of the kinds activity, distance and active energy. Sessions without a start and a
    /// length are left out, and values outside of the table of kinds.
    public var summary: [ScalarSample] {
        let parts = sessions.contains { $0.end != nil } ? sessions : [whole]
        return parts.flatMap { session -> [ScalarSample] in
            guard let start = session.start, let end = session.end else { return [] }
            let found = [
                ScalarSample(
                    .activity, time: start, value: session.sport?.code ?? 0, end: end, second: session.sport?.isIndoor.map { $0 ? 1 : 0 }),
                session.distance.flatMap { ScalarSample(.distance, time: start, value: ($0 + 5) / 10, end: end) },
                session.energy.flatMap {
                    ScalarSample(.activeEnergy, time: start, value: $0.multipliedReportingOverflow(by: 10).partialValue, end: end)
                },
            ]
            return found.compactMap(\.self).filter { $0.problem == nil }
        }
    }

    /// The totals with start and length from the points where nothing else says them.
    private var whole: ActivitySection {
        var whole = totals
        let times = points.compactMap(\.time)
        whole.start = whole.start ?? start
        if whole.end == nil, let first = whole.start, let last = times.max() { whole.elapsed = last - first }
        return whole
    }

    /// A workout to write as a file, from what is stored of it.
    ///
    /// Each position becomes a point, with the heart rate that is nearest within a second, and the cadence that is nearest within two.
    /// Heart rates that no position carries, such as those indoors, become points of their own; those without skin contact are left out.
    /// - Parameters:
    ///   - samples: with times in UTC, each kind in the order of time.
    ///   - session: what is known of the whole; its distance, heart rates and times are filled in where they are nil.
    ///   - laps: in the order of time.
    ///   - pauses: in the order of time. A new segment begins behind each.
    public init(
        format: Format, samples: SampleSet, session: ActivitySection, laps: [ActivitySection] = [],
        pauses: [ClosedRange<Milliseconds>] = [], device: String? = nil
    ) {
        self.init(format)
        var merge = ActivityMerge(samples)
        points = merge.points()
        intervals = merge.intervals
        (self.laps, self.pauses, self.device) = (laps, pauses, device)
        segments = points.isEmpty ? [] : [0]
        var pause = 0
        for (index, point) in points.enumerated() {
            guard let time = point.time else { continue }
            var isBehind = false
            while pause < pauses.count, pauses[pause].upperBound <= time {
                (pause, isBehind) = (pause + 1, true)
            }
            if isBehind, index > 0 { segments.append(index) }
        }
        var filled = session
        let times = points.compactMap(\.time), rates = points.compactMap(\.heartRate).filter { $0 > 0 }
        filled.start = session.start ?? times.first
        if let start = filled.start, let last = times.last { filled.elapsed = session.elapsed ?? max(0, last - start) }
        let paused = pauses.reduce(0) { $0 &+ ($1.upperBound &- $1.lowerBound) }
        filled.timer = session.timer ?? filled.elapsed.map { max(0, $0 - paused) }
        filled.distance = session.distance ?? Int64((measuredDistance * 100).rounded())
        filled.maximumHeartRate = session.maximumHeartRate ?? rates.max()
        if filled.averageHeartRate == nil, !rates.isEmpty {
            filled.averageHeartRate = UInt16(clamping: (rates.reduce(0) { $0 + Int($1) } + rates.count / 2) / rates.count)
        }
        (start, sessions) = (filled.start, [filled])
    }
}

/// Makes points of samples of several kinds.
private struct ActivityMerge {
    private let samples: SampleSet
    private let cadences: [ScalarSample], speeds: [ScalarSample]
    private(set) var intervals: [ActivityFile.Intervals] = []

    init(_ samples: SampleSet) {
        self.samples = samples
        cadences = samples.scalars.filter { $0.kind == .cadence }
        speeds = samples.scalars.filter { $0.kind == .speed }
    }

    mutating func points() -> [ActivityPoint] {
        var points = samples.positions.map { position in
            var point = ActivityPoint(
                time: position.time, place: ActivityPoint.Place(latitude: position.latitude, longitude: position.longitude))
            (point.altitude, point.speed, point.course) = (position.altitude, position.speed, position.course)
            (point.horizontalError, point.mode) = (position.horizontalError, position.mode)
            return point
        }
        let rates = samples.heartRates.filter { $0.contact != .notDetected && $0.beatsPerMinute > 0 }
        let owners = Self.owners(rates.map(\.time), among: points.map { $0.time ?? 0 })
        var alone: [ActivityPoint] = []
        for (sample, owner) in zip(rates, owners) {
            var time = sample.time
            if let owner {
                points[owner].heartRate = sample.beatsPerMinute
                time = points[owner].time ?? time
            } else {
                var point = ActivityPoint(time: time)
                point.heartRate = sample.beatsPerMinute
                alone.append(point)
            }
            if !sample.rrIntervals.isEmpty { intervals.append(ActivityFile.Intervals(time: time, values: sample.rrIntervals)) }
        }
        points = Self.merged(points, alone)
        Self.fill(cadences, into: &points) { $0.cadence = $0.cadence ?? Int32(clamping: $1) }
        Self.fill(speeds, into: &points) { $0.speed = $0.speed ?? Int32(clamping: $1) }
        return points
    }

    /// For each of the `times` the index of the place within a second that it is nearest to, if no other one is nearer to that; both lists
    /// ascend.
    private static func owners(_ times: [Milliseconds], among places: [Milliseconds]) -> [Int?] {
        var owners = [Int?](repeating: nil, count: times.count), owned: [Int: Int] = [:], next = 0
        for (index, time) in times.enumerated() where !places.isEmpty {
            func distance(_ place: Int, _ time: Milliseconds) -> Milliseconds { abs(difference(places[place], time)) }
            while next + 1 < places.count, distance(next + 1, time) < distance(next, time) { next += 1 }
            guard distance(next, time) <= 1000 else { continue }
            if let other = owned[next] {
                guard distance(next, time) < distance(next, times[other]) else { continue }
                owners[other] = nil
            }
            (owners[index], owned[next]) = (next, index)
        }
        return owners
    }

    private static func difference(_ left: Milliseconds, _ right: Milliseconds) -> Milliseconds {
        let (difference, overflow) = left.subtractingReportingOverflow(right)
        return overflow ? (left < right ? -.max : .max) : difference
    }

    private static func merged(_ left: [ActivityPoint], _ right: [ActivityPoint]) -> [ActivityPoint] {
        guard !right.isEmpty else { return left }
        var out: [ActivityPoint] = [], first = 0, second = 0
        out.reserveCapacity(left.count + right.count)
        while first < left.count || second < right.count {
            if second == right.count || first < left.count && left[first].time ?? 0 <= right[second].time ?? 0 {
                out.append(left[first])
                first += 1
            } else {
                out.append(right[second])
                second += 1
            }
        }
        return out
    }

    private static func fill(_ scalars: [ScalarSample], into points: inout [ActivityPoint], _ set: (inout ActivityPoint, Int64) -> Void) {
        guard !scalars.isEmpty else { return }
        var next = 0
        for index in points.indices {
            guard let time = points[index].time else { continue }
            while next + 1 < scalars.count,
                abs(difference(scalars[next + 1].time, time)) <= abs(difference(scalars[next].time, time))
            { next += 1 }
            if abs(difference(scalars[next].time, time)) <= 2000 { set(&points[index], scalars[next].value) }
        }
    }
}
