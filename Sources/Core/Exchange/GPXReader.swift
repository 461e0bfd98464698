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
    private let bytes: [UInt8]
    private var at = 0
    private var file = GPXFile()
    /// The elements that are open, by their names without a prefix.
    private var open: [String] = []
    private var line: [GPXFile.Point] = []
    private var point: GPXFile.Point?
    private var name = "", text: [UInt8] = []
    private var count = 0

    private static let depthMax = 64
    private static let textMax = 1024

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func read() throws(GPXFile.Problem) -> GPXFile {
        var hasRoot = false
        while at < bytes.count {
            guard bytes[at] == UInt8(ascii: "<") else {
                // Only names and heights are read, and they are short.
                if text.count < Self.textMax, point != nil { text.append(bytes[at]) }
                at += 1
                continue
            }
            if try skips() { continue }
            let tag = try tag()
            if !hasRoot {
                guard tag.name == "gpx", !tag.isEnd else { throw .noGPX }
                hasRoot = true
            }
            try take(tag)
        }
        guard hasRoot else { throw .noGPX }
        guard open.isEmpty else { throw .cut }
        return file
    }

    // MARK: Tags

    private struct Tag {
        var name: String
        var isEnd: Bool, isEmpty: Bool
        var latitude: Int32?, longitude: Int32?
    }

    /// Comments, declarations and instructions are passed over; the text of a CDATA section is text.
    private mutating func skips() throws(GPXFile.Problem) -> Bool {
        if starts(with: "<!--") { return try skip(to: "-->") }
        if starts(with: "<![CDATA[") {
            let from = at + 9
            _ = try skip(to: "]]>")
            if point != nil { text += bytes[from..<(at - 3)].prefix(Self.textMax) }
            return true
        }
        if starts(with: "<?") { return try skip(to: "?>") }
        if starts(with: "<!") { return try skip(to: ">") }
        return false
    }

    private func starts(with mark: StaticString) -> Bool {
        bytes[at...].starts(with: UnsafeBufferPointer(start: mark.utf8Start, count: mark.utf8CodeUnitCount))
    }

    private mutating func skip(to mark: StaticString) throws(GPXFile.Problem) -> Bool {
        while at < bytes.count {
            if starts(with: mark) {
                at += mark.utf8CodeUnitCount
                return true
            }
            at += 1
        }
        throw .cut
    }

    /// The tag at `at`, which is behind it afterwards.
    private mutating func tag() throws(GPXFile.Problem) -> Tag {
        at += 1
        var tag = Tag(name: "", isEnd: false, isEmpty: false)
        if at < bytes.count, bytes[at] == UInt8(ascii: "/") {
            tag.isEnd = true
            at += 1
        }
        tag.name = local(word())
        while true {
            while at < bytes.count, Self.isBlank(bytes[at]) { at += 1 }
            guard at < bytes.count else { throw .cut }
            switch bytes[at] {
            case UInt8(ascii: ">"):
                at += 1
                return tag
            case UInt8(ascii: "/"):
                tag.isEmpty = true
                at += 1
            default:
                let (name, value) = try attribute()
                if name == "lat" { tag.latitude = degrees(value, most: 90) }
                if name == "lon" { tag.longitude = degrees(value, most: 180) }
            }
        }
    }

    private mutating func attribute() throws(GPXFile.Problem) -> (String, [UInt8]) {
        let name = word()
        while at < bytes.count, Self.isBlank(bytes[at]) { at += 1 }
        guard at < bytes.count, bytes[at] == UInt8(ascii: "=") else {
            // No XML; what follows is looked at all the same.
            if name.isEmpty { at += 1 }
            return (name, [])
        }
        at += 1
        while at < bytes.count, Self.isBlank(bytes[at]) { at += 1 }
        guard at < bytes.count else { throw .cut }
        let quote = bytes[at]
        guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return (name, []) }
        at += 1
        let from = at
        while at < bytes.count, bytes[at] != quote { at += 1 }
        guard at < bytes.count else { throw .cut }
        at += 1
        return (name, Array(bytes[from..<(at - 1)]))
    }

    private mutating func word() -> String {
        let from = at
        while at < bytes.count, !Self.isBlank(bytes[at]), !Self.ends.contains(bytes[at]) { at += 1 }
        return String(decoding: bytes[from..<at].prefix(80), as: UTF8.self)
    }

    private static let ends = Set(">/=\"'<".utf8)
    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    private func local(_ name: String) -> String { name.lastIndex(of: ":").map { String(name[name.index(after: $0)...]) } ?? name }

    // MARK: What they say

    private mutating func take(_ tag: Tag) throws(GPXFile.Problem) {
        if tag.isEnd {
            guard open.last == tag.name else { throw .cut }
            open.removeLast()
            return end(tag.name)
        }
        try begin(tag)
        if tag.isEmpty { end(tag.name) } else { open.append(tag.name) }
        guard open.count <= Self.depthMax else { throw .noGPX }
    }

    private mutating func begin(_ tag: Tag) throws(GPXFile.Problem) {
        text = []
        switch tag.name {
        case "trk", "rte": line = []
        case "trkpt", "rtept", "wpt":
            count += 1
            guard count <= GPXFile.pointsMax else { throw .tooManyPoints }
            name = ""
            if let latitude = tag.latitude, let longitude = tag.longitude {
                point = GPXFile.Point(latitude: latitude, longitude: longitude)
            } else {
                file.unusable += 1
            }
        default: break
        }
    }

    /// `name` is closed; `open` holds what is around it.
    private mutating func end(_ name: String) {
        switch name {
        case "ele" where open.last.map(Self.points.contains) == true:
            if let metres = Double(trimmed), metres.isFinite, metres.magnitude < 1e6 { point?.elevation = Int32((metres * 10).rounded()) }
        case "name" where open.last == "wpt": self.name = String(Self.unescaped(trimmed).prefix(GPXFile.nameMax))
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

    private var trimmed: String {
        let inner = text.drop(while: Self.isBlank).reversed().drop(while: Self.isBlank).reversed()
        return String(decoding: Array(inner), as: UTF8.self)
    }

    private func degrees(_ value: [UInt8], most: Double) -> Int32? {
        let inner = value.drop(while: Self.isBlank).reversed().drop(while: Self.isBlank).reversed()
        guard let degrees = Double(String(decoding: Array(inner), as: UTF8.self)), degrees.isFinite, degrees.magnitude <= most else {
            return nil
        }
        return Int32((degrees * 1e7).rounded())
    }

    /// The five names and the numbers of XML 1.0, 4.1 and 4.6; anything else stays as it is.
    private static func unescaped(_ text: String) -> String {
        guard text.contains("&") else { return text }
        let named: [Substring: String] = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]
        var out = "", rest = text[...]
        while let start = rest.firstIndex(of: "&") {
            out += rest[..<start]
            rest = rest[start...]
            guard let end = rest.prefix(12).firstIndex(of: ";") else {
                out += "&"
                rest = rest.dropFirst()
                continue
            }
            let inner = rest[rest.index(after: start)..<end]
            let number =
                inner.hasPrefix("#x") ? UInt32(inner.dropFirst(2), radix: 16) : inner.hasPrefix("#") ? UInt32(inner.dropFirst()) : nil
            if let known = named[inner] {
                out += known
            } else if let scalar = number.flatMap(Unicode.Scalar.init) {
                out.unicodeScalars.append(scalar)
            } else {
                out += rest[start...end]
            }
            rest = rest[rest.index(after: end)...]
        }
        return out + rest
    }
}
