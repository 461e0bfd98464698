import Database
import Foundation

/// Vector tiles of streets: an MBTiles file (version 1.3), which an import makes and replaces as a whole. It holds nothing about anybody.
public final class TileStore: Sendable {
    /// Where the tiles are.
    public struct Facts: Sendable, Hashable {
        /// 0 to 22; the greatest is the one from which closer looks are drawn.
        public let zooms: ClosedRange<Int>
        /// Degrees, WGS 84.
        public let west: Double, south: Double, east: Double, north: Double
    }

    /// Why a file is of no use.
    public struct Problem: Error, Sendable, Hashable, CustomStringConvertible {
        public let description: String
    }

    /// Bytes; a greater tile is none of ours.
    static let tileMax = 4 << 20
    private static let zoomMax = 22

    public let facts: Facts
    private let pool: DatabasePool

    /// - Throws: ``Problem``.
    public init(path: String) throws(Problem) {
        do {
            let pool = try DatabasePool(reading: path)
            (facts, self.pool) = (try pool.read { try Self.facts($0, path) }, pool)
        } catch let problem as Problem { throw problem } catch {
            throw Problem(description: "\(path) is no MBTiles file: \(error)")
        }
    }

    private static func facts(_ db: Connection, _ path: String) throws -> Facts {
        func entry(_ name: String) throws -> String? {
            let row = try db.fetchOne(sql: "SELECT value FROM metadata WHERE name = ?", arguments: [name])
            return if case .text(let text)? = row?.values.first { text } else { nil }
        }
        guard try entry("format") == "pbf" else { throw Problem(description: "\(path) holds no vector tiles: import an extract again.") }
        let sides = (try entry("bounds") ?? "").split(separator: ",").compactMap { Double($0) }
        guard let least = try entry("minzoom").flatMap({ Int($0) }), let most = try entry("maxzoom").flatMap({ Int($0) }),
            (0...zoomMax).contains(least), (least...zoomMax).contains(most), sides.count == 4, (-180...180).contains(sides[0]),
            (-90...90).contains(sides[1]), (sides[0]...180).contains(sides[2]), (sides[1]...90).contains(sides[3])
        else { throw Problem(description: "\(path) does not say where its tiles are: import an extract again.") }
        return Facts(zooms: least...most, west: sides[0], south: sides[1], east: sides[2], north: sides[3])
    }

    /// Whether it has any tile.
    public func hasTiles() throws -> Bool {
        try pool.read { try $0.fetchOne(sql: "SELECT zoom_level FROM tiles WHERE zoom_level >= 0 LIMIT 1") != nil }
    }

    /// A tile as it is stored, compressed by gzip or not; nil where there is none.
    /// - Parameters: as in addresses of tiles, where y counts from the north.
    public func tile(zoom: Int, x: Int, y: Int) throws -> [UInt8]? {
        guard facts.zooms.contains(zoom), (0..<1 << zoom).contains(x), (0..<1 << zoom).contains(y) else { return nil }
        return try pool.read { db in
            // In the file rows count from the south.
            let row = try db.fetchOne(
                sql: "SELECT tile_data FROM tiles WHERE zoom_level = ? AND tile_column = ? AND tile_row = ?",
                arguments: [zoom, x, (1 << zoom) - 1 - y])
            guard case .bytes(let data)? = row?.values.first, !data.isEmpty, data.count <= Self.tileMax else { return nil }
            return Array(data)
        }
    }
}
