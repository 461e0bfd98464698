import Exchange
import Foundation
import HubServices
import HubStore
import Hummingbird

/// The search on maps (DATA-16): towns of the ground, and streets, places, hospitals … of the extract that the operator imported. Nothing of a question
/// is kept.
struct MapSearch: Sendable {
    let map: StreetMap

    func routes(_ router: Router<HubContext>) {
        router.get("/map/places") { request, _ in try places(request) }
    }

    /// Answers at most, and towns among them where there are streets as well; characters of a question.
    private static let foundMax = 8, townsMax = 4, wordsMax = 60
    /// Metres within which a town of the ground and a place of the extract with the same name are one.
    private static let sameMetres = 10_000.0

    /// Those whose names begin with `q`, first those that are large or near `lat`, `lon`.
    private func places(_ request: Request) throws -> Response {
        let query = request.uri.queryParameters, words = String((query["q"].map(String.init) ?? "").prefix(Self.wordsMax))
        let near = Self.near(query["lat"], query["lon"])
        let towns = Ground.file?.search(words, near: near, limit: Self.foundMax) ?? []
        let named = map.search(words, near: near.map { (latitude: $0.latitude, longitude: $0.longitude) }, limit: Self.foundMax)
        let others = named.filter { name in
            !towns.contains { town in
                name.kind == .place && MapName.words(of: name.name) == MapName.words(of: town.name)
                    && name.metres(from: town.latitude, town.longitude) < Self.sameMetres
            }
        }
        let shown = towns.prefix(max(Self.townsMax, Self.foundMax - others.count))
        let found = Ground.file.map { file in shown.map { Place($0, in: file) } } ?? []
        return try .json(Places(places: found + others.prefix(Self.foundMax - found.count).map(Place.init)))
    }

    private static func near(_ latitude: Substring?, _ longitude: Substring?) -> GroundFile.Place? {
        guard let latitude = latitude.flatMap({ Double($0) }), let longitude = longitude.flatMap({ Double($0) }),
            (-90...90).contains(latitude), (-180...180).contains(longitude)
        else { return nil }
        return GroundFile.Place(latitude: latitude, longitude: longitude)
    }

    private struct Places: Encodable { let places: [Place] }

    private struct Place: Encodable {
        let name: String
        /// The region of a town; the town of a street.
        let region: String?
        /// ISO 3166-1 alpha-2: the browser has its name in the reader's language. Extracts do not say it.
        var country: String?
        /// Its kind; nil for a town of the ground.
        var kind: String?
        let lat: Double, lon: Double
        let people: Int

        init(_ town: GroundFile.Town, in file: GroundFile) {
            (name, region) = (town.name, town.region.map { file.regions[$0] })
            country = file.countries[town.country].code
            (lat, lon, people) = (town.latitude, town.longitude, town.population)
        }

        init(_ found: MapName) {
            (name, region, kind) = (found.name, found.town, "\(found.kind)")
            (lat, lon, people) = (found.latitude, found.longitude, found.people)
        }
    }
}
