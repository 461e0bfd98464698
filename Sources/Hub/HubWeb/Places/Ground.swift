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
}
