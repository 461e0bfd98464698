import Foundation
import HubStore
public import Runs

/// Obstacles that no course may go along or through by the operator's map (RUN-2): motorways and water, out of GeoJSON (RFC 7946) with OpenStreetMap's
/// tags as properties, and the bridges, tunnels and fords that lead across. One collection, or one feature a line (RFC 8142).
public struct ObstacleMap: Sendable {
    /// Why something in it was not used.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        case otherKind = "neither something to keep out of nor a way across"
        case passable = "above or below the ground, or dry at times"
        case noPlace = "no usable geometry"
        case broken = "not a feature of GeoJSON"
    }

    /// Why there is no map, and what to do.
    public struct Problem: Error, Sendable, CustomStringConvertible {
        public let description: String
    }

    /// 128 MB, which take some 10 s at the start, and the points of a large country's motorways, lakes and bridges (16 bytes each).
    public static let bytesMax = 128 << 20, pointsMax = 5_000_000
    /// Courses are looked at in so many parts at most, so that what lies beside a long one is not near it.
    private static let partsMax = 64
    /// Metres beside a course: an opening lets pass within 100 m.
    private static let reach = 200.0
    /// Metres within which some motorway, water or bridge lies wherever a map says anything.
    private static let coverage = 20_000.0

    private var obstacles: [(area: RunArea, obstacle: Obstacle)] = []
    private var waysAcross: [(area: RunArea, line: [CoursePoint])] = []
    private var points = 0
    public private(set) var unused: [Reason: Int] = [:]

    /// The number of each kind.
    public var counts: [Obstacle.Kind: Int] { obstacles.reduce(into: [:]) { $0[$1.obstacle.kind, default: 0] += 1 } }
    /// Bridges, tunnels and fords.
    public var waysAcrossCount: Int { waysAcross.count }

    /// - Throws: ``Problem``.
    public init(file: String) throws {
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: file), options: .mappedIfSafe) else {
            throw Problem(description: "\(file) cannot be read: give a GeoJSON file that the hub may read, or leave the key out.")
        }
        guard data.count <= Self.bytesMax else {
            throw Problem(
                description: "\(file) has \(data.count >> 20) MB, at most \(Self.bytesMax >> 20) MB are read: cut out your region.")
        }
        if PlaceReader.isSequence(data, named: file) {
            try read(lines: data, file)
        } else {
            try read(collection: data, file)
        }
        guard !obstacles.isEmpty else {
            throw Problem(description: "\(file) holds no motorway and no water: make it as docs/run-pages.md says.\(unusedText)")
        }
    }

    /// Unused parts, for a log and in a refusal; empty for nothing.
    public var unusedText: String {
        Reason.allCases.compactMap { reason in unused[reason].map { " Not used: \($0), \(reason.rawValue)." } }.joined()
    }

    // MARK: Reading

    private mutating func read(lines: Data, _ file: String) throws {
        let decoder = JSONDecoder()
        // Its raw bytes: split as `Data`, that alone would be a third of the time.
        try lines.withUnsafeBytes { bytes in
            for (index, line) in bytes.split(separator: 0x0A).enumerated() {
                let text = line.drop { $0 == 0x1E || $0 == 0x20 || $0 == 0x0D }
                guard !text.isEmpty else { continue }
                let item: Item
                do { item = try decoder.decode(Item.self, from: Data(text)) } catch {
                    throw Problem(description: "\(file): feature \(index + 1) is no whole JSON. Was the file cut off? Make it again.")
                }
                try take(item.feature, number: index + 1, file)
            }
        }
    }

    private mutating func read(collection: Data, _ file: String) throws {
        let whole: Whole
        do { whole = try JSONDecoder().decode(Whole.self, from: collection) } catch DecodingError.dataCorrupted(_) {
            throw Problem(description: "\(file) is no whole JSON. Was the file cut off? Make it again.")
        } catch {
            throw Problem(description: "\(file) is no FeatureCollection of GeoJSON: make it as docs/run-pages.md says.")
        }
        for (index, item) in whole.features.enumerated() { try take(item.feature, number: index + 1, file) }
    }

    private mutating func take(_ feature: MapFeature?, number: Int, _ file: String) throws {
        guard let feature else { return leaveOut(.broken) }
        switch feature.meaning {
        case .nothing(let reason): leaveOut(reason)
        case .wayAcross:
            guard !feature.lines.isEmpty else { return leaveOut(.noPlace) }
            for line in feature.lines {
                guard let area = RunArea(line) else { continue }
                waysAcross.append((area, line))
                points += line.count
            }
        case .obstacle(let kind):
            let shapes = feature.shapes(of: kind)
            guard !shapes.isEmpty else { return leaveOut(.noPlace) }
            for shape in shapes {
                switch shape {
                case .line(let line), .area(let line):
                    guard let area = RunArea(line) else { continue }
                    obstacles.append((area, Obstacle(kind: kind, shape: shape)))
                    points += line.count
                }
            }
        }
        guard points <= Self.pointsMax else {
            throw Problem(
                description: "\(file) has more than \(Self.pointsMax) points up to feature \(number): cut out your region.")
        }
    }

    private mutating func leaveOut(_ reason: Reason) { unused[reason, default: 0] += 1 }

    private struct Whole: Decodable { let features: [Item] }

    /// One that is none counts, and does not hide the others.
    private struct Item: Decodable {
        let feature: MapFeature?
        init(from decoder: any Decoder) throws { feature = try? MapFeature(from: decoder) }
    }

    // MARK: Asking

    /// Whether it says anything of where a course goes.
    public func covers(_ plan: CoursePlan) -> Bool {
        guard let around = RunArea(plan.points.filter(\.isValid))?.wider(metres: Self.coverage) else { return false }
        return obstacles.contains { around.meets($0.area) } || waysAcross.contains { around.meets($0.area) }
    }

    /// Obstacles near a course, open where something leads across.
    public func near(_ plan: CoursePlan) -> [Obstacle] {
        let points = plan.points.filter(\.isValid), size = max(points.count / Self.partsMax, 16)
        // Each part has the first point of the next one, so that none is missing between them.
        let parts = stride(from: 0, to: points.count, by: size).compactMap { first in
            RunArea(Array(points[first..<min(first + size + 1, points.count)]))?.wider(metres: Self.reach)
        }
        let ways = waysAcross.filter { way in parts.contains { $0.meets(way.area) } }
        return obstacles.filter { held in parts.contains { $0.meets(held.area) } }.map { held in
            var obstacle = held.obstacle
            obstacle.open(along: ways.filter { $0.area.meets(held.area) }.map(\.line))
            return obstacle
        }
    }
}
