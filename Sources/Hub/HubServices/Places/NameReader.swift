import Exchange
import Foundation
import HubStore

/// Reads what has a name out of an extract that osmium exported, one feature of GeoJSON a line: places first, then what belongs to them. The pieces of a
/// street are one name in each town.
struct NameReader {
    /// More than a large country has.
    static let namesMax = 5_000_000
    private static let nameMax = 100
    /// A tag that the lines of all places have.
    private static let placeTag = Data("\"place\"".utf8)
    /// Places are looked up in cells of a tenth of a degree, their own and those around it.
    private static let cellsInDegree = 10.0
    private static let settlements: Set<String> = [
        "city", "town", "village", "suburb", "quarter", "neighbourhood", "hamlet", "island", "locality", "isolated_dwelling",
    ]
    /// Those that others belong to.
    private static let towns: Set<String> = ["city", "town", "village"]

    private struct Cell: Hashable { let row: Int, column: Int }
    private struct Key: Hashable {
        let kind: MapName.Kind
        let name: String, town: String?
    }

    private var townsNear: [Cell: [MapName]] = [:]
    private var known: [Key: (index: Int, points: Int)] = [:]
    private(set) var names: [MapName] = []

    /// - Throws: where the file cannot be read.
    init(file: String) throws {
        let data = try Data(contentsOf: URL(fileURLWithPath: file), options: .mappedIfSafe)
        let decoder = JSONDecoder()
        try data.withUnsafeBytes { bytes in
            let lines = bytes.split(separator: 0x0A)
            for isOfTowns in [true, false] {
                for line in lines.lazy.map({ Data($0) }) {
                    // Decoding is what takes time, and most lines are streets.
                    if isOfTowns, line.range(of: Self.placeTag) == nil { continue }
                    guard let feature = try? decoder.decode(GeoJSON.self, from: line) else { continue }
                    try take(feature, isOfTowns)
                }
            }
        }
    }

    private struct TooMany: Error, CustomStringConvertible {
        var description: String { "it has more than \(NameReader.namesMax) names" }
    }

    private mutating func take(_ feature: GeoJSON, _ isOfTowns: Bool) throws {
        guard let tags = feature.properties, let text = tags["name"]?.text?.trimmingCharacters(in: .whitespaces), !text.isEmpty,
            let kind = Self.kind(tags), let geometry = feature.geometry.first
        else { return }
        let isTown = kind == .place && Self.towns.contains(tags["place"]?.text ?? "")
        // A closed way comes as an area, too.
        let points = Self.points(geometry.coordinates, 0), isLine = geometry.type == "LineString"
        guard isTown == isOfTowns, isLine == (kind == .street), let middle = Self.middle(points) else { return }
        let place = isLine ? points[points.count / 2] : middle
        var name = MapName(kind: kind, name: String(text.prefix(Self.nameMax)), latitude: place.latitude, longitude: place.longitude)
        if kind == .place { name.people = max(0, tags["population"]?.text.flatMap { Int($0) } ?? 0) }
        if isTown { townsNear[Self.cell(name), default: []].append(name) } else { name.town = town(of: name) }
        let key = Key(kind: kind, name: name.name, town: isTown ? "\(Self.cell(name))" : name.town)
        if let old = known[key] {
            // The longest piece is where a street is shown.
            guard points.count > old.points else { return }
            names[old.index] = name
            known[key] = (old.index, points.count)
        } else {
            guard names.count < Self.namesMax else { throw TooMany() }
            known[key] = (names.count, points.count)
            names.append(name)
        }
    }

    private static func kind(_ tags: [String: GeoJSON.Value]) -> MapName.Kind? {
        func tag(_ key: String) -> String? { tags[key]?.text }
        if let place = tag("place"), settlements.contains(place) { return .place }
        if tag("highway") != nil { return .street }
        for key in ["amenity", "healthcare"] {
            switch tag(key) {
            case "hospital": return .hospital
            case "pharmacy": return .pharmacy
            default: break
            }
        }
        if tag("railway") == "station" { return .station }
        switch tag("natural") {
        case "peak": return .peak
        case "water": return .water
        default: break
        }
        return tag("leisure") == "park" || tag("leisure") == "stadium" ? .park : nil
    }

    // MARK: Where

    private typealias Point = (latitude: Double, longitude: Double)

    private static func points(_ coordinates: GeoJSON.Coordinates?, _ depth: Int) -> [Point] {
        switch coordinates {
        case .numbers(let numbers)?:
            guard numbers.count >= 2, (-180...180).contains(numbers[0]), (-90...90).contains(numbers[1]) else { return [] }
            return [(numbers[1], numbers[0])]
        case .list(let list)? where depth < 5: return list.flatMap { points($0, depth + 1) }
        default: return []
        }
    }

    private static func middle(_ points: [Point]) -> Point? {
        guard let first = points.first else { return nil }
        var (south, north, west, east) = (first.latitude, first.latitude, first.longitude, first.longitude)
        for point in points {
            (south, north) = (min(south, point.latitude), max(north, point.latitude))
            (west, east) = (min(west, point.longitude), max(east, point.longitude))
        }
        return ((south + north) / 2, (west + east) / 2)
    }

    private static func cell(_ name: MapName) -> Cell {
        Cell(
            row: Int((name.latitude * cellsInDegree).rounded(.down)), column: Int((name.longitude * cellsInDegree).rounded(.down)))
    }

    private func town(of name: MapName) -> String? {
        let own = Self.cell(name)
        var best: (name: String, metres: Double)?
        for row in -1...1 {
            for column in -1...1 {
                for town in townsNear[Cell(row: own.row + row, column: own.column + column)] ?? [] {
                    let metres = town.metres(from: name.latitude, name.longitude)
                    if metres < best?.metres ?? .infinity { best = (town.name, metres) }
                }
            }
        }
        return best?.name
    }
}
