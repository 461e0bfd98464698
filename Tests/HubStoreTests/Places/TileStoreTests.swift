import Database
import Foundation
import TestSupport
import Testing

@testable import HubStore

@Suite(.timeLimit(.minutes(1)))
struct TileStoreTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.url.appendingPathComponent("streets.mbtiles").path }

    init() throws { directory = try TemporaryDirectory() }

    @Test("DATA-16: a tile is found by its address, whose rows count from the north; beside the map there is none")
    func tiles() throws {
        try MadeUpTiles.make(path, tiles: [(7, 67, 127 - 46, [1, 2, 3]), (14, 8601, (1 << 14) - 1 - 5893, [0x1F, 0x8B, 9])])
        let store = try TileStore(path: path)
        #expect(store.facts.zooms == 7...14 && store.facts.west == 9 && store.facts.north == 45.1)
        #expect(try store.tile(zoom: 7, x: 67, y: 46) == [1, 2, 3] && store.tile(zoom: 14, x: 8601, y: 5893) == [0x1F, 0x8B, 9])
        for (zoom, x, y) in [(7, 67, 81), (7, -1, 46), (7, 128, 46), (6, 33, 23), (15, 17202, 11786), (7, 67, 128), (.max, 0, 0)] {
            #expect(try store.tile(zoom: zoom, x: x, y: y) == nil, "\(zoom)/\(x)/\(y)")
        }
        #expect(try store.hasTiles())
        let other = directory.url.appendingPathComponent("empty.mbtiles").path
        try MadeUpTiles.make(other)
        #expect(try !TileStore(path: other).hasTiles())
    }

    @Test(
        "DATA-16: a file that does not say what is in it, or where, is refused, and the reason names it",
        arguments: [
            ("format", "png"), ("format", nil), ("minzoom", "x"), ("minzoom", "15"), ("maxzoom", "23"), ("maxzoom", nil),
            ("bounds", "9,45,9.2"),
            ("bounds", "nan,45,9.2,45.1"), ("bounds", "9.2,45,9,45.1"), ("bounds", "9,45,9.2,95"), ("bounds", nil),
        ] as [(String, String?)])
    func refusals(name: String, value: String?) throws {
        var metadata = MadeUpTiles.metadata
        metadata[name] = value
        try MadeUpTiles.make(path, metadata: metadata)
        let problem = #expect(throws: TileStore.Problem.self) { try TileStore(path: path) }
        #expect(problem?.description.hasPrefix(path) == true && problem?.description.contains("import an extract again") == true)
    }

    @Test("DATA-16: no file and a file of something else are refused, and none is made")
    func none() throws {
        #expect(throws: TileStore.Problem.self) { try TileStore(path: path) }
        #expect(!FileManager.default.fileExists(atPath: path))
        try Data("not a database, but long enough to be looked at as if it were one".utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: TileStore.Problem.self) { try TileStore(path: path) }
    }

    @Test("DATA-16: a tile that is a text, nothing or empty is none; 300 damaged files are read or refused, and none ends the program")
    func damaged() throws {
        try MadeUpTiles.make(path, tiles: [(7, 67, 81, [1, 2, 3]), (8, 134, 163, [])])
        do {
            let pool = try DatabasePool(path: path)
            for (zoom, value) in [(9, "'text'"), (10, "NULL"), (11, "7")] {
                try pool.write { try $0.execute(sql: "INSERT INTO tiles VALUES(\(zoom), 0, 0, \(value))") }
            }
            // Without a log beside it, as tilemaker leaves it.
            _ = try? pool.writeWithoutTransaction { try $0.fetchAll(sql: "PRAGMA journal_mode = DELETE") }
            try pool.close()
        }
        let store = try TileStore(path: path)
        for zoom in 8...11 {
            #expect(try store.tile(zoom: zoom, x: zoom == 8 ? 134 : 0, y: zoom == 8 ? 92 : (1 << zoom) - 1) == nil, "\(zoom)")
        }

        let good = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        let other = directory.url.appendingPathComponent("damaged.mbtiles")
        var random = SeededGenerator(seed: 0x5eed), read = 0, refused = 0
        for _ in 0..<300 {
            var bytes = good
            // Behind the first 100 bytes, SQLite's header, or few would be looked into.
            for _ in 0..<40 { bytes[Int.random(in: 100..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random) }
            try Data(bytes).write(to: other)
            do {
                let store = try TileStore(path: other.path)
                _ = try store.hasTiles()
                _ = try store.tile(zoom: 7, x: 67, y: 46)
                read += 1
            } catch { refused += 1 }
        }
        #expect(read > 0 && refused > 0, "\(read) read, \(refused) refused")
    }
}
