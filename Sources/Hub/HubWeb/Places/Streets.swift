import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import NIOCore

/// Streets for the maps, as vector tiles: of the extract that the operator imported, and of none without one. Like the ground they are everybody's.
struct Streets: Sendable {
    let map: StreetMap

    func routes(_ router: Router<HubContext>) {
        router.get("/tiles") { _, _ in try facts() }
        router.get("/tiles/:z/:x/:y") { request, context in try tile(request, context) }
    }

    private struct Facts: Encodable {
        let version: String
        let minzoom: Int, maxzoom: Int
        /// West, south, east, north, in degrees.
        let bounds: [Double]
        let credit: String
    }

    /// An object without members where there are none: a page asks once, and that is no error.
    private func facts() throws -> Response {
        guard let opened = map.opened else { return .json(bytes: Array("{}".utf8)) }
        let facts = opened.store.facts
        return try .json(
            Facts(
                version: opened.version, minzoom: facts.zooms.lowerBound, maxzoom: facts.zooms.upperBound,
                bounds: [facts.west, facts.south, facts.east, facts.north], credit: StreetMap.credit))
    }

    private static let type = "application/vnd.mapbox-vector-tile"
    private static let ending = ".pbf"

    /// `?v=` with the version of ``facts()`` makes it one that never changes.
    private func tile(_ request: Request, _ context: HubContext) throws -> Response {
        let row = try context.parameters.require("y")
        guard row.hasSuffix(Self.ending), let y = Int(row.dropLast(Self.ending.count)),
            let zoom = Int(try context.parameters.require("z")), let x = Int(try context.parameters.require("x")), let opened = map.opened
        else { return Response(status: .notFound) }
        let isNamed = request.uri.queryParameters["v"].map(String.init) == opened.version
        var headers: HTTPFields = [
            .contentType: Self.type, .cacheControl: isNamed ? "public, max-age=31536000, immutable" : "public, max-age=300",
        ]
        guard let tile = try opened.store.tile(zoom: zoom, x: x, y: y) else {
            headers[.contentType] = nil
            return Response(status: .noContent, headers: headers)
        }
        if tile.starts(with: [0x1F, 0x8B]) {
            // As it is stored: a hub on a small machine packs nothing while somebody looks.
            headers[.vary] = "Accept-Encoding"
            guard request.takesGzip else {
                return Response(status: .notAcceptable, headers: headers)
            }
            headers[.contentEncoding] = "gzip"
        }
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: tile)))
    }
}
