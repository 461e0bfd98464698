internal import Vitals

/// The tracks of a GPX file, 1.0 or 1.1, with times and what extensions measure: Garmin's TrackPointExtension 1 and 2, its power extension,
/// and the elements that other programs use in their place. An element is known by its name, whatever its prefix.
struct GPXActivityReader {
    private var scanner: XMLScanner
    private var file = ActivityFile(.gpx)
    private var problems = ActivityProblems()
    private var point: ActivityPoint?
    private var session: ActivitySection?
    private var device = "", metadataTime: Milliseconds?
    private var isNewSegment = false
    /// Index of the track's first point.
    private var first = 0

    static func read(_ bytes: [UInt8]) -> ActivityFile {
        var reader = GPXActivityReader(scanner: XMLScanner(bytes))
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
        closeTrack()
        file.device = device.isEmpty ? nil : device
        file.start = file.earliest ?? metadataTime
        file.problems = problems.byLine(scanner.bytes)
        return file
    }

    private mutating func begin(_ tag: XMLScanner.Tag) {
        switch tag.name {
        case "gpx":
            let creator = scanner.attribute("creator").map { XMLScanner.unescaped(String(decoding: $0, as: UTF8.self)) } ?? ""
            device = String(creator.prefix(ActivityFile.Limits.nameMax))
        case "trk": session = ActivitySection()
        case "trkseg": isNewSegment = true
        case "trkpt":
            let place = scanner.place
            if place == nil { problems.note(.value, byte: tag.at, "place") }
            point = ActivityPoint(place: place)
        case "rtept": file.leaveOut(.routePoints)
        case "wpt": file.leaveOut(.waypoints)
        default: break
        }
    }

    /// `name` is closed; what is open is around it.
    private mutating func end(_ name: String) {
        switch name {
        case "trkpt":
            if let point { add(point) }
            point = nil
        case "trk": closeTrack()
        case "type" where scanner.open.last == "trk": if !scanner.trimmed.isEmpty { session?.sport = ActivitySport(name: scanner.string) }
        case "time" where scanner.open.last == "metadata" || scanner.open.last == "gpx": metadataTime = scanner.time
        default: if point != nil { value(name) }
        }
    }

    /// The elements of a point, at any depth.
    private mutating func value(_ name: String) {
        let isOwn = scanner.open.last == "trkpt"
        switch name {
        case "time" where isOwn: set(\.time, scanner.time, "time")
        case "ele" where isOwn: set(\.altitude, scanner.value(places: 1, in: SampleLimits.altitude), "altitude")
        case "fix" where isOwn: point?.mode = Self.modes[scanner.string] ?? .unknown
        case "hr", "heartrate": set(\.heartRate, scanner.value(in: 0...SampleLimits.beatsPerMinuteMax), "heartRate")
        // Of one foot or the crank; doubled for sports on foot when the track's type is known.
        case "cad", "cadence", "RunCadence": set(\.cadence, scanner.value(places: 1, in: ActivityFile.cadences), "cadence")
        case "speed": set(\.speed, scanner.value(places: 2, in: SampleLimits.speed), "speed")
        case "course": set(\.course, scanner.value(places: 2, in: 0...36_000).map { $0 % 36_000 }, "course")
        case "atemp", "temp", "temperature": set(\.temperature, scanner.value(places: 1, in: ActivityFile.temperatures), "temperature")
        case "power", "PowerInWatts", "Watts", "watts": set(\.power, scanner.value(in: ActivityFile.powers), "power")
        case "distance": set(\.distance, scanner.value(places: 2, in: 0...Int32.max), "distance")
        default: break
        }
    }

    /// Elements with other elements in them, such as `PowerExtension`, have no text of their own.
    private mutating func set<Value>(_ path: WritableKeyPath<ActivityPoint, Value?>, _ value: Value?, _ name: String) {
        if let value { point?[keyPath: path] = value } else { problems.note(.value, byte: scanner.at, name) }
    }

    private mutating func add(_ point: ActivityPoint) {
        guard !point.isEmpty else { return }
        guard file.add(point, isNewSegment: isNewSegment, at: scanner.at, &problems) else { return }
        isNewSegment = false
        if session?.start == nil { session?.start = point.time }
    }

    private mutating func closeTrack() {
        guard let session else { return }
        if session.sport?.isOnFoot == true { file.countBothFeet(from: first, &problems, at: scanner.at) }
        if file.points.count > first, file.sessions.count < ActivityFile.Limits.sectionsMax { file.sessions.append(session) }
        first = file.points.count
        self.session = nil
        isNewSegment = true
    }

    private static let modes: [String: FixMode] = ["2d": .twoDimensional, "3d": .threeDimensional, "dgps": .threeDimensional]
}
