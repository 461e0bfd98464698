import Exchange
import Foundation

/// Which time zone a place has (`zones.txt`, made by `packaging/ground/zones`). Its country is that of the nearest town of the maps' ground.
/// A country with one zone has that one, and one with several the zone of the nearest place that the table names.
struct PlaceZones: Sendable {
    private struct Point {
        let latitude: Double, longitude: Double
        let zone: String
    }

    /// By the country's code (ISO 3166-1 alpha-2): a zone alone has no point.
    private let single: [String: String]
    private let points: [String: [Point]]

    /// The table of this program.
    static let table = PlaceZones(String(decoding: EmbeddedFiles.all["zones.txt", default: []], as: UTF8.self))

    /// - Parameter text: a line for each country and zone: `IT Europe/Rome`, or `ES Atlantic/Canary 281,-154` with the latitudes and
    ///   longitudes of places in tenths of a degree.
    init(_ text: String) {
        var single: [String: String] = [:], points: [String: [Point]] = [:]
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let words = line.split(separator: " ").map(String.init)
            guard words.count >= 2 else { continue }
            if words.count == 2 { single[words[0]] = words[1] }
            for word in words.dropFirst(2) {
                let numbers = word.split(separator: ",").compactMap { Double($0) }
                guard numbers.count == 2 else { continue }
                points[words[0], default: []].append(Point(latitude: numbers[0] / 10, longitude: numbers[1] / 10, zone: words[1]))
            }
        }
        (self.single, self.points) = (single, points)
    }

    /// The identifiers of all zones (IANA).
    var all: Set<String> { Set(single.values).union(points.values.joined().map(\.zone)) }

    /// The zone of a place; nil where there is no ground, and for a country that the table lacks.
    func zone(of place: GroundFile.Place, _ ground: GroundFile?) -> TimeZone? {
        guard let ground, let town = ground.nearestTown(to: place)?.town else { return nil }
        return zone(of: place, in: ground.countries[town.country].code).flatMap { TimeZone(identifier: $0) }
    }

    private func zone(of place: GroundFile.Place, in country: String) -> String? {
        if let zone = single[country] { return zone }
        let narrow = cos(place.latitude * .pi / 180)
        func distance(_ point: Point) -> Double {
            let north = point.latitude - place.latitude, turn = point.longitude - place.longitude
            let east = (turn - 360 * (turn / 360).rounded()) * narrow
            return north * north + east * east
        }
        return points[country]?.min { distance($0) < distance($1) }?.zone
    }
}
