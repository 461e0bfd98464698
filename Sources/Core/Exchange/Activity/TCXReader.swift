internal import Vitals

/// Garmin's Training Center Database, version 2, with its Activity Extension 2. An element is known by its name, whatever its prefix.
struct TCXReader {
    private var scanner: XMLScanner
    private var file = ActivityFile(.tcx)
    private var problems = ActivityProblems()
    private var session: ActivitySection?
    private var lap: ActivitySection?
    private var point: ActivityPoint?
    private var latitude: Int32?, longitude: Int32?
    private var isNewSegment = false, isPlan = false
    /// Index of the activity's first point.
    private var first = 0

    static func read(_ bytes: [UInt8]) -> ActivityFile {
        var reader = TCXReader(scanner: XMLScanner(bytes))
        return reader.read()
    }

    private init(scanner: XMLScanner) { self.scanner = scanner }

    private mutating func read() -> ActivityFile {
        while let tag = scanner.next(&problems) {
            if tag.isEnd {
                end(tag.name)
            } else {
                begin(tag)
                if tag.isEmpty { end(tag.name) }
            }
        }
        closeLap()
        closeActivity()
        file.start = file.earliest
        file.problems = problems.byLine(scanner.bytes)
        return file
    }

    // MARK: Elements

    private mutating func begin(_ tag: XMLScanner.Tag) {
        switch tag.name {
        case "Course", "Workout": (isPlan, file.leftOut[.plans]) = (true, file.leftOut[.plans, default: 0] + 1)
        case "Activity":
            closeActivity()
            session = ActivitySection(sport: scanner.attribute("Sport").map { ActivitySport(name: String(decoding: $0, as: UTF8.self)) })
        case "Lap" where !isPlan:
            closeLap()
            let start = scanner.attribute("StartTime").map { XMLScanner.trimmed($0) }
            lap = ActivitySection(start: start.flatMap { TimeText.milliseconds(String(decoding: $0, as: UTF8.self)) })
            if lap?.start == nil { problems.note(.value, byte: tag.at, "start") }
            isNewSegment = true
        case "Track": isNewSegment = true
        case "Trackpoint" where !isPlan: point = ActivityPoint()
        case "Position": (latitude, longitude) = (nil, nil)
        default: break
        }
    }

    /// `name` is closed; what is open is around it.
    private mutating func end(_ name: String) {
        switch name {
        case "Course", "Workout": isPlan = false
        case "Activity": closeActivity()
        case "Lap": closeLap()
        case "Trackpoint":
            if let point { add(point) }
            point = nil
        default:
            if point != nil {
                value(name, in: scanner.open.last)
            } else if lap != nil {
                lapValue(name, in: scanner.open.last)
            } else {
                fileValue(name, in: scanner.open.last)
            }
        }
    }

    private mutating func fileValue(_ name: String, in parent: String?) {
        switch name {
        case "Id" where parent == "Activity": session?.start = scanner.time
        case "Name" where parent == "Creator" && file.device == nil:
            let name = String(scanner.string.prefix(ActivityFile.Limits.nameMax))
            if !name.isEmpty { file.device = name }
        default: break
        }
    }

    private mutating func value(_ name: String, in parent: String?) {
        switch name {
        case "Time": set(\.time, scanner.time, "time")
        case "LatitudeDegrees": latitude = scanner.value(places: 7, in: -900_000_000...900_000_000)
        case "LongitudeDegrees": longitude = scanner.value(places: 7, in: -1_800_000_000...1_800_000_000)
        case "Position":
            let place = latitude.flatMap { latitude in longitude.map { ActivityPoint.Place(latitude: latitude, longitude: $0) } }
            set(\.place, place, "place")
        case "AltitudeMeters": set(\.altitude, scanner.value(places: 1, in: SampleLimits.altitude), "altitude")
        case "DistanceMeters": set(\.distance, scanner.value(places: 2, in: 0...Int32.max), "distance")
        case "Value" where parent == "HeartRateBpm":
            set(\.heartRate, scanner.value(in: 0...SampleLimits.beatsPerMinuteMax), "heartRate")
        case "Cadence", "RunCadence": set(\.cadence, scanner.value(places: 1, in: ActivityFile.cadences), "cadence")
        case "Speed": set(\.speed, scanner.value(places: 2, in: SampleLimits.speed), "speed")
        case "Watts": set(\.power, scanner.value(in: ActivityFile.powers), "power")
        default: break
        }
    }

    private mutating func set<Value>(_ path: WritableKeyPath<ActivityPoint, Value?>, _ value: Value?, _ name: String) {
        if let value { point?[keyPath: path] = value } else { problems.note(.value, byte: scanner.at, name) }
    }

    private mutating func lapValue(_ name: String, in parent: String?) {
        switch (name, parent) {
        case ("TotalTimeSeconds", "Lap"): lap?.timer = scanner.value(places: 3, in: 0...Milliseconds(1) << 40)
        case ("DistanceMeters", "Lap"): lap?.distance = scanner.value(places: 2, in: 0...Int64(Int32.max))
        case ("MaximumSpeed", "Lap"): lap?.maximumSpeed = scanner.value(places: 2, in: SampleLimits.speed)
        case ("Calories", "Lap"): lap?.energy = scanner.value(in: 0...100_000)
        case ("Value", "AverageHeartRateBpm"): lap?.averageHeartRate = scanner.value(in: 0...SampleLimits.beatsPerMinuteMax)
        case ("Value", "MaximumHeartRateBpm"): lap?.maximumHeartRate = scanner.value(in: 0...SampleLimits.beatsPerMinuteMax)
        case ("AvgWatts", _): lap?.averagePower = scanner.value(in: ActivityFile.powers)
        default: break
        }
    }

    // MARK: Parts

    private mutating func add(_ point: ActivityPoint) {
        if file.add(point, isNewSegment: isNewSegment, at: scanner.at, &problems) { isNewSegment = false }
    }

    private mutating func closeLap() {
        if let lap, file.laps.count < ActivityFile.Limits.sectionsMax { file.laps.append(lap) }
        lap = nil
    }

    private mutating func closeActivity() {
        guard var session else { return }
        if session.sport?.isOnFoot == true { file.countBothFeet(from: first, &problems, at: scanner.at) }
        session.start = session.start ?? file.points[first...].lazy.compactMap(\.time).first
        if file.sessions.count < ActivityFile.Limits.sectionsMax { file.sessions.append(session) }
        first = file.points.count
        self.session = nil
    }
}
