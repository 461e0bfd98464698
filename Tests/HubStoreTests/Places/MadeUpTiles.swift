import Database
import Foundation

/// An MBTiles file as tilemaker writes it. What is in its tiles is made up.
enum MadeUpTiles {
    static let migration = Migration(
        name: "1 tiles",
        sql: """
            CREATE TABLE metadata(name TEXT, value TEXT, UNIQUE(name));
            CREATE TABLE tiles(zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_data BLOB,
                UNIQUE(zoom_level, tile_column, tile_row));
            """)

    static let metadata = ["format": "pbf", "minzoom": "7", "maxzoom": "14", "bounds": "9.0,45.0,9.2,45.1"]

    /// - Parameter tiles: rows as in the file, where they count from the south.
    static func make(
        _ path: String, metadata: [String: String] = metadata, tiles: [(zoom: Int, x: Int, row: Int, bytes: [UInt8])] = []
    ) throws {
        let pool = try DatabasePool(path: path, migrations: [migration])
        try pool.write { db in
            for (name, value) in metadata {
                try db.execute(sql: "INSERT INTO metadata(name, value) VALUES(?, ?)", arguments: [name, value])
            }
            for tile in tiles {
                try db.execute(
                    sql: "INSERT INTO tiles(zoom_level, tile_column, tile_row, tile_data) VALUES(?, ?, ?, ?)",
                    arguments: [tile.zoom, tile.x, tile.row, Data(tile.bytes)])
            }
        }
        // Without a log beside it, as tilemaker leaves it.
        _ = try? pool.writeWithoutTransaction { try $0.fetchAll(sql: "PRAGMA journal_mode = DELETE") }
        try pool.close()
    }
}
