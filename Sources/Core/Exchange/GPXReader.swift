/// The places of a GPX file, 1.0 or 1.1: its lines and its marked places. Times and everything else are left unread.
public struct GPXFile: Sendable, Hashable {
    public struct Point: Sendable, Hashable {
        /// 1e-7 degrees.
        public var latitude: Int32, longitude: Int32
        /// 0.1 m above mean sea level.
        public var elevation: Int32?
    }

    public struct Waypoint: Sendable, Hashable {
        public var name: String
        public var point: Point
    }

    /// Each `trk`, its segments joined; the empty ones are left out.
    public internal(set) var tracks: [[Point]] = []
    /// Each `rte`.
    public internal(set) var routes: [[Point]] = []
    public internal(set) var waypoints: [Waypoint] = []
    /// Points without coordinates that can be read; they are in none of the lists.
    public internal(set) var unusable = 0

    /// Why a file is none.
    public enum Problem: Error, Sendable, Hashable {
        /// No element `gpx` in UTF-8.
        case noGPX
        /// It ends in the middle of something: a part of it is missing.
        case cut
        /// More than ``GPXFile/pointsMax``.
        case tooManyPoints
    }

    public static let pointsMax = 500_000
    /// Of what a waypoint is called.
    public static let nameMax = 200

    /// - Throws: ``Problem``.
    public init(_ bytes: [UInt8]) throws(Problem) {
        var reader = GPXReader(bytes)
        self = try reader.read()
    }

    init() {}
}

/// Reads tag by tag, without a tree.
private struct GPXReader {
    private var scanner: XMLScanner
    private var file = GPXFile()
    private var line: [GPXFile.Point] = []
    private var point: GPXFile.Point?
    private var name = ""
    private var count = 0

    init(_ bytes: [UInt8]) { scanner = XMLScanner(bytes) }

    mutating func read() throws(GPXFile.Problem) -> GPXFile {
        var hasRoot = false
        while let tag = try next() {
            if !hasRoot {
                guard tag.name == "gpx", !tag.isEnd else { throw .noGPX }
                hasRoot = true
            }
            guard scanner.faults == 0 else { throw .cut }
            if tag.isEnd { end(tag.name) } else { try begin(tag) }
        }
        guard hasRoot else { throw .noGPX }
        guard scanner.open.isEmpty, scanner.faults == 0 else { throw .cut }
        return file
    }

    private mutating func next() throws(GPXFile.Problem) -> XMLScanner.Tag? {
        do throws(XMLScanner.Problem) { return try scanner.next() } catch .tooDeep { throw .noGPX } catch { throw .cut }
    }

    private mutating func begin(_ tag: XMLScanner.Tag) throws(GPXFile.Problem) {
        switch tag.name {
        case "trk", "rte": line = []
        case "trkpt", "rtept", "wpt":
            count += 1
            guard count <= GPXFile.pointsMax else { throw .tooManyPoints }
            name = ""
            if let place = scanner.place {
                point = GPXFile.Point(latitude: place.latitude, longitude: place.longitude)
            } else {
                file.unusable += 1
            }
        default: break
        }
        if tag.isEmpty { end(tag.name) }
    }

    /// `name` is closed; what is open is around it.
    private mutating func end(_ name: String) {
        switch name {
        case "ele" where scanner.open.last.map(Self.points.contains) == true:
            if let tenths = scanner.number(places: 1), tenths.magnitude < 10_000_000 { point?.elevation = Int32(tenths) }
        case "name" where scanner.open.last == "wpt": self.name = String(scanner.string.prefix(GPXFile.nameMax))
        case "trkpt", "rtept":
            if let point { line.append(point) }
            point = nil
        case "wpt":
            if let point { file.waypoints.append(GPXFile.Waypoint(name: self.name, point: point)) }
            point = nil
        case "trk":
            if !line.isEmpty { file.tracks.append(line) }
            line = []
        case "rte":
            if !line.isEmpty { file.routes.append(line) }
            line = []
        default: break
        }
    }

    private static let points: Set<String> = ["trkpt", "rtept", "wpt"]
}

extension XMLScanner {
    /// The attributes `lat` and `lon` of the last start tag, in degrees; nil where one is none.
    var place: ActivityPoint.Place? {
        guard let latitude = attribute("lat").flatMap({ Self.number($0, places: 7) }), latitude.magnitude <= 900_000_000,
            let longitude = attribute("lon").flatMap({ Self.number($0, places: 7) }), longitude.magnitude <= 1_800_000_000
        else { return nil }
        return ActivityPoint.Place(latitude: Int32(latitude), longitude: Int32(longitude))
    }
}
