import Database
import Foundation
import HubServices
import HubStore
import NIOHTTP1
import Seams
import TestSupport
import Testing

@testable import HubWeb

/// The tiles that a hub serves out of what an import left.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct StreetsWebTests {
    private func makeTiles(_ web: WebFixture, _ bytes: [UInt8]) throws {
        let folder = web.directory.url.appendingPathComponent(StreetMap.folder)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let draft = folder.appendingPathComponent("draft").path
        let schema = Migration(
            name: "1",
            sql: """
                CREATE TABLE metadata(name TEXT UNIQUE, value TEXT);
                CREATE TABLE tiles(zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_data BLOB);
                """)
        let pool = try DatabasePool(path: draft, migrations: [schema])
        try pool.write { db in
            for (name, value) in ["format": "pbf", "minzoom": "7", "maxzoom": "14", "bounds": "9.0,45.0,9.2,45.1"] {
                try db.execute(sql: "INSERT INTO metadata VALUES(?, ?)", arguments: [name, value])
            }
            try db.execute(sql: "INSERT INTO tiles VALUES(7, 67, 81, ?)", arguments: [Data(bytes)])
        }
        // Without a log beside it, as tilemaker leaves it.
        _ = try? pool.writeWithoutTransaction { try $0.fetchAll(sql: "PRAGMA journal_mode = DELETE") }
        try pool.close()
        guard rename(draft, folder.appendingPathComponent(StreetMap.tiles).path) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    private struct Facts: Decodable, Equatable {
        let version: String
        let minzoom: Int, maxzoom: Int
        let bounds: [Double]
        let credit: String
    }

    private func facts(_ web: WebFixture) async throws -> Facts {
        try JSONDecoder().decode(Facts.self, from: Data(try await web.send(.GET, "/tiles").body.utf8))
    }

    @Test("DATA-16: tiles go out as they are stored, to everybody, and stay with the browser; a new import is another version at once")
    func tiles() async throws {
        try await WebFixture.run { web in
            #expect(try await web.send(.GET, "/tiles").body == "{}")
            #expect(try await web.send(.GET, "/tiles/7/67/46.pbf").status == 404)
            // `abc`, compressed by gzip.
            let packed: [UInt8] = [31, 139, 8, 0, 0, 0, 0, 0, 0, 3, 75, 76, 74, 6, 0, 194, 65, 36, 53, 3, 0, 0, 0]
            try makeTiles(web, packed)
            let first = try await facts(web)
            #expect(
                first.minzoom == 7 && first.maxzoom == 14 && first.bounds == [9, 45, 9.2, 45.1] && first.credit.contains("OpenStreetMap"))
            let gzip = [("accept-encoding", "gzip, br")], address = "/tiles/7/67/46.pbf?v=\(first.version)"
            let tile = try await web.send(.GET, address, headers: gzip)
            #expect(tile.status == 200 && tile.header("content-encoding") == "gzip" && tile.header("content-length") == "\(packed.count)")
            #expect(tile.header("cache-control")?.contains("immutable") == true && tile.header("vary") == "Accept-Encoding")
            #expect(try await web.send(.GET, "/tiles/7/67/46.pbf", headers: gzip).header("cache-control") == "public, max-age=300")
            #expect(try await web.send(.GET, address).status == 406)
            #expect(try await web.send(.GET, "/tiles/7/68/46.pbf?v=\(first.version)", headers: gzip).status == 204)
            for wrong in ["7/67/46", "7/67/x.pbf", "x/67/46.pbf", "7/67/46.png", "7/67/.pbf"] {
                #expect(try await web.send(.GET, "/tiles/\(wrong)", headers: gzip).status == 404, "\(wrong)")
            }
            for far in ["7/-1/46", "99/0/0", "7/67/99999999999"] {
                #expect(try await web.send(.GET, "/tiles/\(far).pbf", headers: gzip).status == 204, "\(far)")
            }
            try makeTiles(web, [1, 2, 3])
            let second = try await facts(web)
            #expect(second.version != first.version)
            let plain = try await web.send(.GET, "/tiles/7/67/46.pbf?v=\(first.version)")
            #expect(
                plain.status == 200 && plain.header("content-encoding") == nil && plain.header("cache-control") == "public, max-age=300")
        }
    }

    @Test("DATA-16: what an import found by name is found beside the towns of the ground, a town once; a new import is searched at once")
    func names() async throws {
        struct Found: Decodable {
            struct Place: Decodable {
                let name: String, region: String?, country: String?, kind: String?
                let lat: Double
            }
            let places: [Place]
        }
        try await WebFixture.run { web in
            func found(_ words: String) async throws -> [Found.Place] {
                let body = Data(try await web.send(.GET, "/map/places?q=\(words)&lat=45.7&lon=9.7").body.utf8)
                let found = try JSONDecoder().decode(Found.self, from: body)
                return found.places
            }
            func put(_ names: [MapName]) throws {
                let folder = web.directory.url.appendingPathComponent(StreetMap.folder)
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                let draft = folder.appendingPathComponent("draft").path
                try NameStore.make(names, at: draft)
                guard rename(draft, folder.appendingPathComponent(StreetMap.names).path) == 0 else { throw CocoaError(.fileWriteUnknown) }
            }
            #expect(try await found("via%20finta").isEmpty)
            let street = MapName(kind: .street, name: "Via Finta", town: "Bergamo", latitude: 45.69, longitude: 9.67)
            let town = MapName(kind: .place, name: "Bergamo", latitude: 45.7, longitude: 9.67, people: 120_000)
            let other = MapName(kind: .street, name: "Via Bergamo", town: "Dalmine", latitude: 45.65, longitude: 9.6)
            try put([street, town, other])
            let first = try #require(try await found("via%20finta").first)
            #expect(first.name == "Via Finta" && first.region == "Bergamo" && first.kind == "street" && first.country == nil)
            let both = try await found("bergamo")
            #expect(both.map(\.name).filter { $0 == "Bergamo" }.count == 1 && both.contains { $0.name == "Via Bergamo" })
            #expect(both.first?.country == "IT" && both.count <= 8)
            try put([other])
            #expect(try await found("via%20finta").isEmpty)
        }
    }

    @Test("DATA-16: a damaged file of tiles or names is no map, and the hub works on without")
    func damaged() async throws {
        try await WebFixture.run { web in
            let folder = web.directory.url.appendingPathComponent(StreetMap.folder)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for name in [StreetMap.tiles, StreetMap.names] {
                try Data("not a database".utf8).write(to: folder.appendingPathComponent(name))
            }
            #expect(try await web.send(.GET, "/tiles").body == "{}")
            #expect(try await web.send(.GET, "/tiles/7/67/46.pbf").status == 404)
            #expect(try await web.send(.GET, "/map/places?q=bergamo").status == 200)
        }
    }

    @Test("DATA-16: what a killed import left goes when the hub starts; the folder of one that works stays")
    func killed() async throws {
        let directory = try TemporaryDirectory(), folder = directory.url.appendingPathComponent(StreetMap.folder)
        let working = try MapWork(in: folder.path, name: "2"), left = folder.appendingPathComponent("import-1")
        try FileManager.default.createDirectory(at: left, withIntermediateDirectories: true)
        try Data("half".utf8).write(to: left.appendingPathComponent(StreetMap.tiles))
        try await WebFixture.run(in: directory) { _ in
            let kept = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(kept == ["import-2"])
        }
        withExtendedLifetime(working) {}
    }

    @Test("RUN-2: what an import found is what courses are held against, unless the operator names another map")
    func obstacles() throws {
        let directory = try TemporaryDirectory()
        var configuration = HubConfiguration(directory: directory.url)
        #expect(configuration.mapInUse(HubCommands.machine.files).obstacles == nil)
        let folder = directory.url.appendingPathComponent(StreetMap.folder), file = folder.appendingPathComponent(StreetMap.obstacles)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data().write(to: file)
        #expect(configuration.mapInUse(HubCommands.machine.files).obstacles == file.path)
        configuration.map.obstacles = "/own.geojson"
        #expect(configuration.mapInUse(HubCommands.machine.files).obstacles == "/own.geojson")
    }
}
