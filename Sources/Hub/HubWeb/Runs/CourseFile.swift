import Exchange
import Foundation
import Runs

/// A course from a file that an organiser has, or from the map: GPX, GeoJSON, and the hidden field that draw.js writes.
struct CourseFile {
    var points: [CoursePoint] = []
    var places: [CoursePlace] = []
    /// What was left unread, as keys of `runs.` with values.
    var notes: [(key: String, values: [String: String])] = []

    enum Problem: String, Error {
        /// Neither GPX nor GeoJSON.
        case type
        /// It ends in the middle, or is damaged.
        case cut
        /// There is no line in it.
        case noLine
        case tooLarge
    }

    static let bytesMax = 16 << 20
    static let placesMax = 100

    init(_ bytes: [UInt8]) throws(Problem) {
        guard bytes.count <= Self.bytesMax else { throw .tooLarge }
        switch bytes.first(where: { $0 > 0x20 && $0 < 0x80 }) {
        case UInt8(ascii: "<"): try gpx(bytes)
        case UInt8(ascii: "{"): try geoJSON(bytes)
        default: throw .type
        }
        guard points.count > 1 else { throw .noLine }
        if places.count > Self.placesMax {
            notes.append(("notePlacesMax", ["n": String(places.count - Self.placesMax)]))
            places = Array(places.prefix(Self.placesMax))
        }
    }

    // MARK: GPX

    private mutating func gpx(_ bytes: [UInt8]) throws(Problem) {
        let file: GPXFile
        do { file = try GPXFile(bytes) } catch .noGPX { throw .type } catch .tooManyPoints { throw .tooLarge } catch { throw .cut }
        // A track is what was walked, a route what was planned; where there are several, the longest one.
        let lines = file.tracks.isEmpty ? file.routes : file.tracks
        guard let line = lines.max(by: { $0.count < $1.count }) else { throw .noLine }
        points = line.map { CoursePoint(latitude: $0.latitude, longitude: $0.longitude, elevation: $0.elevation) }
        places = file.waypoints.map {
            Self.place(named: $0.name, at: CoursePoint(latitude: $0.point.latitude, longitude: $0.point.longitude))
        }
        if lines.count > 1 { notes.append(("noteLines", ["n": String(lines.count)])) }
        if file.unusable > 0 { notes.append(("noteUnusable", ["n": String(file.unusable)])) }
    }

    // MARK: GeoJSON (RFC 7946)

    private mutating func geoJSON(_ bytes: [UInt8]) throws(Problem) {
        guard let object = try? JSONDecoder().decode(GeoJSON.self, from: Data(bytes)), object.isObject else { throw .cut }
        var lines: [[CoursePoint]] = []
        collect(object, name: "", into: &lines, depth: 0)
        guard let line = lines.max(by: { $0.count < $1.count }) else { throw .noLine }
        points = line
        if lines.count > 1 { notes.append(("noteLines", ["n": String(lines.count)])) }
    }

    private mutating func collect(_ object: GeoJSON, name: String, into lines: inout [[CoursePoint]], depth: Int) {
        guard depth < 8 else { return }
        switch object.type {
        case "FeatureCollection": for feature in object.features ?? [] { collect(feature, name: "", into: &lines, depth: depth + 1) }
        case "Feature":
            let name = object.properties?["name"]?.text ?? ""
            for geometry in object.geometry { collect(geometry, name: name, into: &lines, depth: depth + 1) }
        case "GeometryCollection": for geometry in object.geometries { collect(geometry, name: name, into: &lines, depth: depth + 1) }
        case "LineString": lines.append(line(object.coordinates))
        // Its parts follow each other: what lies between them is told as a gap.
        case "MultiLineString": lines.append((object.coordinates?.list ?? []).flatMap { line($0) })
        case "Point": if let point = point(object.coordinates) { places.append(Self.place(named: name, at: point)) }
        default: break
        }
    }

    private func line(_ value: GeoJSON.Coordinates?) -> [CoursePoint] { (value?.list ?? []).compactMap { point($0) } }

    private func point(_ value: GeoJSON.Coordinates?) -> CoursePoint? {
        guard let numbers = value?.list, numbers.count > 1, let longitude = numbers[0].number, let latitude = numbers[1].number
        else { return nil }
        let height = numbers.count > 2 ? numbers[2].number : nil
        return Self.point(latitude, longitude, height: height)
    }

    static func point(_ latitude: Double, _ longitude: Double, height: Double? = nil) -> CoursePoint? {
        guard latitude.isFinite, longitude.isFinite, latitude.magnitude <= 90, longitude.magnitude <= 180 else { return nil }
        return CoursePoint(
            latitude: Int32((latitude * 1e7).rounded()), longitude: Int32((longitude * 1e7).rounded()),
            elevation: height.flatMap { $0.magnitude < 1e5 ? Int32(($0 * 10).rounded()) : nil })
    }

    private static func place(named name: String, at point: CoursePoint) -> CoursePlace {
        let words = name.lowercased()
        let kinds: [(CoursePlace.Kind, [String])] = [
            (.water, ["water", "acqua", "fontan"]), (.food, ["food", "ristoro", "cibo"]), (.aid, ["aid", "soccorso", "medic"]),
            (.toilet, ["toilet", "wc", "bagn"]), (.timing, ["timing", "split", "intermedi", "rilevament"]),
        ]
        return CoursePlace(name: name, kind: kinds.first { $0.1.contains(where: words.contains) }?.0 ?? .other, point: point)
    }
}

/// The line as the page sends it: `latitude,longitude` in 1e-7 degrees as whole numbers, `;` between points.
enum DrawnLine {
    static let bytesMax = 4 << 20

    static func text(_ points: [CoursePoint]) -> String { points.map { "\($0.latitude),\($0.longitude)" }.joined(separator: ";") }

    /// nil for what draw.js never writes. Coordinates beyond their ranges stay, and are told as such.
    static func points(_ text: String) -> [CoursePoint]? {
        guard text.utf8.count <= bytesMax else { return nil }
        var points: [CoursePoint] = []
        for part in text.split(separator: ";") {
            let numbers = part.split(separator: ",")
            guard numbers.count == 2, let latitude = Int32(numbers[0]), let longitude = Int32(numbers[1]) else { return nil }
            points.append(CoursePoint(latitude: latitude, longitude: longitude))
        }
        return points
    }

    /// `45.6, 9.7` as somebody types it, in degrees.
    static func place(_ text: String) -> CoursePoint? {
        let parts = text.split { $0 == "," || $0 == ";" || $0 == " " }, numbers = parts.compactMap { Double($0) }
        return parts.count == 2 && numbers.count == 2 ? CourseFile.point(numbers[0], numbers[1]) : nil
    }

    static func text(_ point: CoursePoint) -> String {
        func degrees(_ value: Int32) -> String {
            let sign = value < 0 ? "-" : "", size = value.magnitude / 100
            let digits = String(size % 100_000)
            return sign + "\(size / 100_000)." + String(repeating: "0", count: 5 - digits.count) + digits
        }
        return "\(degrees(point.latitude)), \(degrees(point.longitude))"
    }
}
