public import Vitals

/// The person's activity, from speed, cadence and the heart of the last five minutes. Ten seconds make one point: five minutes are 30.
struct ContextTracker: Hashable, Sendable, Codable {
    private typealias Limit = DistressConstants

    struct Point: Hashable, Sendable, Codable {
        var start: Milliseconds
        var speed = Mean(), cadence = Mean(), heart = Mean()
    }
    struct Mean: Hashable, Sendable, Codable {
        var sum = 0, count = 0
        mutating func add(_ value: Int) { (sum, count) = (sum + value, count + 1) }
        var value: Int? { count == 0 ? nil : sum / count }
    }
    private struct Place: Hashable, Sendable, Codable {
        var time: Milliseconds, latitude: Int32, longitude: Int32, error: Int32
    }
    struct Recent: Hashable, Sendable, Codable {
        var time: Milliseconds, value: Int
    }

    static let pointLength: Milliseconds = 10_000
    private static let recentMax = 32, ratesMax = 16

    private var points: [Point] = []
    /// Speeds of the onset's window.
    private var recent: [Recent] = []
    /// The last readings that counted.
    private var rates: [Recent] = []
    private var cadenceAt: Milliseconds?
    private var place: Place?
    private(set) var last: LastPosition?
    /// Since when fixes tell, without a hole, how fast the person moves.
    private var knownSince: Milliseconds?
    private var exercisedAt: Milliseconds?
    private var concludedAt: Milliseconds?
    /// Without ``Context/home``, which is the detector's to find.
    private(set) var context = Context.unknown
    /// A fix of the last ``DistressConstants/fixOld`` tells whether the person moves. nil: of a stored form that knows it not.
    private var hasNewFix: Bool?
    var hasFix: Bool { hasNewFix ?? false }
    private(set) var reasons: [Reason] = []

    // MARK: - Taking

    mutating func take(heartRate: Int, at time: Milliseconds) {
        rates.append(Recent(time: time, value: heartRate))
        if rates.count > Self.ratesMax { rates.removeFirst() }
        change(at: time) { $0.heart.add(heartRate) }
    }

    mutating func take(cadence: Int, at time: Milliseconds) {
        cadenceAt = time
        change(at: time) { $0.cadence.add(cadence) }
    }

    mutating func take(place sample: PositionSample, at time: Milliseconds) {
        guard isBetter(sample, at: time) else { return }
        last = LastPosition(sample)
        last?.time = time
    }

    mutating func take(_ sample: PositionSample, at time: Milliseconds) {
        take(place: sample, at: time)
        // A network's place tells no speed, and a gateway's says where the box is, not whether its wearer climbs the stairs.
        guard sample.tellsSpeed else { return }
        // Late samples say nothing about now.
        if let newest = recent.last, newest.time > time { return }
        guard let speed = speed(of: sample, at: time), speed <= SampleLimits.speed.upperBound else { return }
        if recent.last.map({ time - $0.time > Limit.fixOld }) ?? true { knownSince = time }
        recent.append(Recent(time: time, value: speed))
        if recent.count > Self.recentMax { recent.removeFirst() }
        change(at: time) { $0.speed.add(speed) }
    }

    /// A satellite fix is not replaced by something coarser as long as it is new, and none by an older one.
    private func isBetter(_ sample: PositionSample, at time: Milliseconds) -> Bool {
        guard let last else { return true }
        guard sample.source != .gnss, last.source == .gnss else { return time >= last.time }
        return time > last.time + Limit.fixOld
    }

    /// In 0.01 m/s: the receiver's, or from the way since an earlier fix: one that is far enough away, or so long ago, that the errors of
    /// both do not decide between rest and exercise.
    private mutating func speed(of sample: PositionSample, at time: Milliseconds) -> Int? {
        let before = place
        if let before, time - before.time < 900 { return sample.speed.map(Int.init) }
        let error = max(sample.horizontalError ?? Limit.fixErrorUnknown, 0)
        let here = Place(time: time, latitude: sample.latitude, longitude: sample.longitude, error: error)
        guard sample.speed == nil, let before, time - before.time <= Limit.fixOld else {
            place = here
            return sample.speed.map(Int.init)
        }
        let metres = Self.distance(before.latitude, before.longitude, sample.latitude, sample.longitude)
        let doubt = Double(before.error + error) / 10
        guard metres > doubt || (metres + doubt) * 100_000 / Double(time - before.time) <= Double(Limit.exerciseSpeed) else { return nil }
        place = here
        return Int(min(metres * 100_000 / Double(time - before.time), 1e6))
    }

    /// Metres between two places near each other. The cosine is a polynomial, good to 0.1 %: this target has no mathematical library.
    static func distance(_ latitude: Int32, _ longitude: Int32, _ toLatitude: Int32, _ toLongitude: Int32) -> Double {
        let radians = Double.pi / 180e7, radius = 6_371_008.8
        let angle = (Double(latitude) + Double(toLatitude)) / 2 * radians, square = angle * angle
        let cosine = 1 - square / 2 * (1 - square / 12 * (1 - square / 30 * (1 - square / 56)))
        let north = (Double(toLatitude) - Double(latitude)) * radians * radius
        var turn = Double(toLongitude) - Double(longitude)
        if turn > 180e7 { turn -= 360e7 } else if turn < -180e7 { turn += 360e7 }
        let east = turn * radians * radius * cosine
        return (north * north + east * east).squareRoot()
    }

    private mutating func change(at time: Milliseconds, _ body: (inout Point) -> Void) {
        let start = time - time % Self.pointLength
        if points.last.map({ $0.start < start }) ?? true { points.append(Point(start: start)) }
        if let first = points.first, first.start <= time - Limit.contextWindow - Self.pointLength {
            points.removeAll { $0.start <= time - Limit.contextWindow - Self.pointLength }
        }
        body(&points[points.count - 1])
    }

    // MARK: - Concluding

    /// - Parameter restCeiling: below this rate the heart is at rest.
    mutating func conclude(at now: Milliseconds, restCeiling: Int) {
        let speeds = points.filter { $0.start > now - Limit.contextWindow - Self.pointLength }.compactMap(\.speed.value)
        let isFixNew = recent.last.map { $0.time > now - Limit.fixOld } ?? false
        hasNewFix = isFixNew
        defer { concludedAt = now }
        if let last = recent.last, now - last.time > Limit.contextOnset, now - last.time <= Limit.fixHold, exercisedAt != nil,
            context == .exercise || context == .recovery, cadence(at: now) == nil
        {
            // Without fixes nobody knows that the exercise is over, or goes on: it stays as it was.
            exercisedAt = context == .exercise ? now : exercisedAt.map { $0 + max(0, now - (concludedAt ?? now)) }
            reasons = [.fixMissing(milliseconds: now - last.time)]
            return
        }
        if let found = exercise(speeds, at: now, restCeiling: restCeiling) {
            (context, reasons) = (.exercise, found)
            exercisedAt = now
        } else if let exercisedAt, now < exercisedAt + Limit.recovery {
            (context, reasons) = (.recovery, [.lasted(milliseconds: now - exercisedAt)])
        } else {
            // Less than that, and the person may be recovering from what nobody saw.
            let isKnown = isFixNew && (knownSince.map { now - $0 >= Limit.contextWindow } ?? false)
            context = isKnown ? .rest : .unknown
            reasons = Self.median(speeds).map { [.speed(centimetresPerSecond: $0)] } ?? []
            if let speed = Self.median(speeds), isVehicle(speed, restCeiling) {
                if speed < Limit.vehicleSpeedLikely { context = .unknown }
                reasons = [.vehicle(centimetresPerSecond: speed, heartRate: Self.median(points.compactMap(\.heart.value)) ?? 0)]
            }
        }
    }

    /// 0 at the end of exercise to 1 when recovery is over.
    func recovered(at now: Milliseconds) -> Double {
        guard let exercisedAt else { return 1 }
        return min(1, Double(now - exercisedAt) / Double(Limit.recovery))
    }

    private func exercise(_ speeds: [Int], at now: Milliseconds, restCeiling: Int) -> [Reason]? {
        if let cadence = cadence(at: now), cadence >= Limit.exerciseCadence { return [.cadence(perMinute: cadence)] }
        let onset = recent.filter { $0.time > now - Limit.contextOnset }.map(\.value)
        let quick = onset.count >= Limit.onsetValuesMin ? Self.median(onset) : nil
        guard let speed = [quick, Self.median(speeds)].compactMap(\.self).max(), speed > Limit.exerciseSpeed else { return nil }
        // Going on needs the long window to be filled by more than a moment.
        guard quick.map({ $0 > Limit.exerciseSpeed }) ?? false || context == .exercise else { return nil }
        return isVehicle(speed, restCeiling) ? nil : [.speed(centimetresPerSecond: speed)]
    }

    /// Up to 40 km/h it may be a bicycle, whose rider's heart is up within a minute; beyond, the five minutes' heart tells.
    private func isVehicle(_ speed: Int, _ restCeiling: Int) -> Bool {
        if speed >= Limit.vehicleSpeedCertain { return true }
        let hearts = points.suffix(speed >= Limit.vehicleSpeedLikely ? points.count : Limit.vehicleHeartPoints).compactMap(\.heart.value)
        guard speed >= Limit.vehicleSpeed, let heart = Self.median(hearts) else { return false }
        return heart < restCeiling
    }

    private func cadence(at now: Milliseconds) -> Int? {
        guard let cadenceAt, cadenceAt > now - Limit.contextOnset else { return nil }
        return points.last(where: { $0.cadence.count > 0 })?.cadence.value
    }

    private static func median(_ values: [Int]) -> Int? { values.isEmpty ? nil : values.sorted()[values.count / 2] }

    // MARK: - Telling

    /// Whether the rate rose within ten seconds as an arrhythmia's does. Where nothing is known of before, nobody can say that it did.
    func isSudden(_ value: Int, at time: Milliseconds) -> Bool {
        let before = rates.filter { $0.time < time }
        if let lowest = before.filter({ $0.time >= time - Limit.suddenWithin }).map(\.value).min() {
            return value - lowest > Limit.suddenRise
        }
        guard let last = before.last, time - last.time <= Limit.suddenHoleMax else { return false }
        return value - last.value > (time - last.time <= Limit.suddenHole ? 1 : 2) * Limit.suddenRise
    }

    /// The last reading that counted.
    var latestRate: Int? { rates.last?.value }

    /// Whether the rate was below `limit` a moment before: it rises, and does not only come down from where nobody looked.
    func isRising(through limit: Int, at time: Milliseconds) -> Bool {
        rates.contains { $0.time < time && $0.time >= time - Limit.suddenWithin && $0.value < limit }
    }

    /// Fixes of this moment show that the person does not move: no step can be taken for a heartbeat.
    func isStill(at now: Milliseconds) -> Bool {
        let speeds = recent.filter { $0.time > now - Limit.contextOnset }.map(\.value)
        guard speeds.count >= Limit.onsetValuesMin, let speed = Self.median(speeds) else { return false }
        return speed <= Limit.exerciseSpeed && cadence(at: now).map { $0 < Limit.exerciseCadence } ?? true
    }

    /// Whether the person has moved by their own force for a while since `time`, all of it after that: nobody does so without a pulse.
    func hasMoved(since time: Milliseconds, until now: Milliseconds, restCeiling: Int) -> Bool {
        guard now >= time + Limit.contextOnset else { return false }
        if let cadenceAt, cadenceAt >= time + Limit.contextOnset, let cadence = cadence(at: now) { return cadence >= Limit.exerciseCadence }
        let speeds = recent.filter { $0.time > max(time, now - Limit.contextOnset) }.map(\.value)
        guard speeds.count >= Limit.onsetValuesMin, let speed = Self.median(speeds), let slowest = speeds.min() else { return false }
        return slowest > Limit.exerciseSpeed && !isVehicle(speed, restCeiling)
    }

    var history: [HistoryPoint] {
        points.map { HistoryPoint(time: $0.start, heartRate: $0.heart.value, speed: $0.speed.value) }
    }
}

extension PositionSample {
    /// Whether it is a satellite fix that is good enough to tell how fast somebody moves: neither a network's place nor a set one does.
    public var tellsSpeed: Bool { source == .gnss && horizontalError ?? 0 <= DistressConstants.fixErrorMax }
}
