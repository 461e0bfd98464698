import CGround
import Exchange
import Hummingbird
import NIOCore

/// The ground of the maps: coasts, borders and towns, which come with the hub and need no network. Parts are fetched by the map's script.
enum Ground {
    /// Read when the first map asks. Nil where the program holds none that can be read: maps have a graticule then.
    static let file = try? GroundFile(
        [UInt8](UnsafeRawBufferPointer(start: trackme_ground_bytes(), count: trackme_ground_count())))

    static func routes(_ router: Router<HubContext>) {
        router.get("/ground/:part") { _, context in
            let name = try context.parameters.require("part")
            guard let part = file?.part(name) else { return Response(status: .notFound) }
            var response = Assets.file(ByteBuffer(bytes: part), "application/octet-stream")
            // The names of all parts but the head hold the version of the file.
            if name != "head" { response.headers[.cacheControl] = "public, max-age=31536000, immutable" }
            return response
        }
    }
}
