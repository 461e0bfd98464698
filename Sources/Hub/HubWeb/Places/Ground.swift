import CGround
import Exchange
import Hummingbird
import NIOCore
import Synchronization

/// The ground of the maps: coasts, borders and towns, which come with the hub and need no network. Parts are fetched by the map's script.
enum Ground {
    /// Read when the first map asks. Nil where the program holds none that can be read: maps have a graticule then.
    static let file = try? GroundFile(
        [UInt8](UnsafeRawBufferPointer(start: trackme_ground_bytes(), count: trackme_ground_count())))

    private static let packed = PackedParts()

    static func routes(_ router: Router<HubContext>) {
        router.get("/ground/:part") { request, context in
            let name = try context.parameters.require("part")
            guard let part = file?.part(name) else { return Response(status: .notFound) }
            var response = Assets.response(
                with: ByteBuffer(bytes: part), packed: request.takesGzip ? packed.of(name, part) : nil, "application/octet-stream")
            // The names of all parts but the index hold the version of the file.
            if name != "index" { response.headers[.cacheControl] = "public, max-age=31536000, immutable" }
            return response
        }
        router.get("/map/places") { request, _ in try places(request) }
    }

    /// Each part is packed once. There are so many names as the file has parts.
    private final class PackedParts: Sendable {
        private let known = Mutex<[String: ByteBuffer]>([:])

        /// Nil without memory for it.
        func of(_ name: String, _ part: ArraySlice<UInt8>) -> ByteBuffer? {
            if let packed = known.withLock({ $0[name] }) { return packed }
            guard let packed = Gzip.packed(Array(part)).map({ ByteBuffer(bytes: $0) }) else { return nil }
            known.withLock { $0[name] = packed }
            return packed
        }
    }

    // MARK: The search of places

    private static let foundMax = 8

    /// Towns whose names begin with `q`, first those that are large or near `lat`, `lon`.
    private static func places(_ request: Request) throws -> Response {
        let query = request.uri.queryParameters, words = query["q"].map(String.init) ?? ""
        let found = file.map { file in
            file.search(words, near: near(query["lat"], query["lon"]), limit: foundMax).map { Place($0, in: file) }
        }
        return try .json(Places(places: found ?? []))
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
        let region: String?
        /// ISO 3166-1 alpha-2: the browser has its name in the reader's language.
        let country: String
        let lat: Double, lon: Double
        let people: Int

        init(_ town: GroundFile.Town, in file: GroundFile) {
            (name, region) = (town.name, town.region.map { file.regions[$0] })
            country = file.countries[town.country].code
            (lat, lon, people) = (town.latitude, town.longitude, town.population)
        }
    }
}
