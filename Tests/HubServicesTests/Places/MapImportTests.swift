import Database
import Foundation
import HubStore
import Processes
import Runs
import Seams
import Synchronization
import TestSupport
import Testing

@testable import HubServices

/// What an import said on its way.
private final class SaidLines: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func add(_ line: String) { lines.withLock { $0.append(line) } }
}

/// `trackme-hub map import`, with made-up programs in the places of tilemaker and osmium. The real ones run in Tests/map/run.
@Suite(.timeLimit(.minutes(1)))
struct MapImportTests {
    private let directory: TemporaryDirectory
    private let hub: HubDirectory
    private let extract: String, work: String

    init() throws {
        directory = try TemporaryDirectory()
        hub = try HubDirectory(directory.url.appendingPathComponent("hub", isDirectory: true))
        work = hub.path("map/import-1")
        try FileManager.default.createDirectory(atPath: work, withIntermediateDirectories: true)
        extract = directory.url.appendingPathComponent("town.osm.pbf").path
        try Data(repeating: 7, count: 1000).write(to: URL(fileURLWithPath: extract))
    }

    private static func argument(_ name: String, _ command: [String]) -> String {
        command.firstIndex(of: name).map { command[$0 + 1] } ?? ""
    }

    private static let metadata = ["format": "pbf", "minzoom": "7", "maxzoom": "14", "bounds": "9.0,45.0,9.2,45.1"]

    private static func makeTiles(_ path: String, _ content: UInt8) {
        let schema = Migration(
            name: "1",
            sql: """
                CREATE TABLE metadata(name TEXT UNIQUE, value TEXT);
                CREATE TABLE tiles(zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_data BLOB);
                """)
        guard let pool = try? DatabasePool(path: path, migrations: [schema]) else { return }
        try? pool.write { db in
            for (name, value) in metadata { try db.execute(sql: "INSERT INTO metadata VALUES(?, ?)", arguments: [name, value]) }
            try db.execute(sql: "INSERT INTO tiles VALUES(7, 67, 81, ?)", arguments: [Data([content])])
        }
        // Without a log beside it, as tilemaker leaves it.
        _ = try? pool.writeWithoutTransaction { try $0.fetchAll(sql: "PRAGMA journal_mode = DELETE") }
        try? pool.close()
    }

    private static let street =
        #"{"type":"Feature","properties":{"highway":"path","name":"Via Finta"},"#
        + #""geometry":{"type":"LineString","coordinates":[[9,45],[9,46]]}}"#
    private static let motorway =
        #"{"type":"Feature","properties":{"highway":"motorway"},"geometry":{"type":"LineString","coordinates":[[9.1,45.01],[9.1,45.02]]}}"#

    /// What osmium does with each of its commands.
    private static func osmium(_ command: [String]) -> MadeUpPrograms.Script {
        switch command[1] {
        case "fileinfo": return .exits(0, says: "(9.0,45.0,9.2,45.1)\n")
        case "export" where argument("-o", command).hasSuffix("named.geojsonseq"):
            try? Data((street + "\n").utf8).write(to: URL(fileURLWithPath: argument("-o", command)))
        case "export": try? Data((motorway + "\n").utf8).write(to: URL(fileURLWithPath: argument("-o", command)))
        case "cat" where argument("-o", command).hasSuffix(".opl"):
            let text = "n1 v1 T x9 y45\nn2 v1 T x9.1 y45\nw1 v1 Thighway=path Nn1,n2,n3\nw2 v1 Thighway=path Nn1,n9\n"
            try? Data(text.utf8).write(to: URL(fileURLWithPath: argument("-o", command)))
        case "cat": try? FileManager.default.copyItem(atPath: command.last ?? "", toPath: argument("-o", command))
        default: break
        }
        return .exits(0)
    }

    private func importer(
        _ said: SaidLines = SaidLines(), meminfo: String = "MemAvailable: 8000000 kB\n",
        tilemaker: @escaping @Sendable ([String]) -> MadeUpPrograms.Script
    ) throws -> (import: MapImport, programs: MadeUpPrograms) {
        let programs = MadeUpPrograms { $0[0].hasSuffix("tilemaker") ? tilemaker($0) : Self.osmium($0) }
        var machine = Machine.system
        machine.programs = programs.programs
        let rules = MapImport.Rules(configuration: Array("{}".utf8), process: Array("-- none".utf8))
        var made = MapImport(hub, work: work, rules: rules, machine: machine) { said.add($0) }
        for name in ["tilemaker", "osmium", "meminfo"] {
            let url = directory.url.appendingPathComponent(name)
            try Data(meminfo.utf8).write(to: url)
        }
        made.tilemaker = directory.url.appendingPathComponent("tilemaker").path
        made.osmium = directory.url.appendingPathComponent("osmium").path
        made.meminfo = directory.url.appendingPathComponent("meminfo").path
        return (made, programs)
    }

    private func refusal(_ made: MapImport, _ file: String? = nil, isOnDisk: Bool = false) -> String {
        let problem = #expect(throws: MapImport.Problem.self) { _ = try made.run(file ?? extract, isOnDisk: isOnDisk) }
        return problem?.description ?? ""
    }

    private var tile: [UInt8]? { try? TileStore(path: hub.path("map/streets.mbtiles")).tile(zoom: 7, x: 67, y: 46) }

    @Test("DATA-16: an import leaves tiles and obstacles in the hub's directory, says how far it is, and takes the place of the one before")
    func imports() throws {
        let said = SaidLines()
        for content: UInt8 in [1, 2] {
            let (made, programs) = try importer(said) { command in
                Self.makeTiles(Self.argument("--output", command), content)
                let tiles = [6, 12].map { "Zoom level 14, writing tile \($0) of 12    \r" }.joined()
                return .exits(0, says: "Block 1/4 ways 0\rBlock 4/4 ways 2\r\(tiles)")
            }
            let report = try made.run(extract)
            #expect(report.contains("from 9.0° east, 45.0° north to 9.2° east, 45.1° north"), "\(report)")
            #expect(report.contains("1 motorways and 0 waters") && report.contains("finds 1 streets and places"), "\(report)")
            let command = try #require(programs.starts.first { $0.command[0].hasSuffix("tilemaker") }).command
            #expect(Self.argument("--bbox", command) == "9.0,45.0,9.2,45.1" && !command.contains("--store"))
            #expect(tile == [content])
            try FileManager.default.removeItem(atPath: work)
            try FileManager.default.createDirectory(atPath: work, withIntermediateDirectories: true)
        }
        #expect(said.all.contains("reading: 20 %") && said.all.contains("writing tiles: 100 %"), "\(said.all)")
        #expect(try ObstacleMap(file: hub.path("map/obstacles.geojsonseq")).counts == [.motorway: 1])
        #expect(try NameStore(path: hub.path("map/names.sqlite")).search("via", limit: 8).map(\.name) == ["Via Finta"])
    }

    @Test("DATA-16: an import that fails, is killed or makes nothing leaves the map as it was, and says why")
    func failures() throws {
        Self.makeTiles(hub.path("map/streets.mbtiles"), 1)
        let failed = refusal(try importer { _ in .exits(1, complains: "Unknown layer in Lua\n") }.import)
        for words in ["tilemaker failed", "Unknown layer in Lua", "Nothing was changed"] { #expect(failed.contains(words), "\(failed)") }
        for (name, script) in [
            ("killed", .dies(signal: 9)), ("bad_alloc", .exits(134, complains: "terminate called after throwing 'std::bad_alloc'\n")),
        ] as [(String, MadeUpPrograms.Script)] {
            let text = refusal(try importer { _ in script }.import)
            for words in ["does not fit into memory", "400 MB", "osmium extract"] { #expect(text.contains(words), "\(name): \(text)") }
            // With 8 GB free it was a limit of the program.
            #expect(!text.contains("are free") && text.contains("it could not have it"), "\(name): \(text)")
        }
        #expect(refusal(try importer { _ in .exits(0) }.import).contains("made no map"))
        #expect(tile == [1])
    }

    @Test("DATA-16: what does not fit into memory is not begun and ends with what it would need; on the disk it is begun")
    func memory() throws {
        let (made, programs) = try importer(meminfo: "MemTotal: 9 kB\nMemAvailable:   100000 kB\n") { command in
            Self.makeTiles(Self.argument("--output", command), 3)
            return .exits(0)
        }
        let text = refusal(made)
        #expect(text.contains("about 400 MB") && text.contains("102 MB are free") && programs.starts.isEmpty, "\(text)")
        _ = try made.run(extract, isOnDisk: true)
        let command = try #require(programs.starts.first { $0.command[0].hasSuffix("tilemaker") }).command
        #expect(Self.argument("--store", command) == work && tile == [3])
    }

    @Test("DATA-16: an extract of which roads lead out is mended, and what is no extract is refused")
    func mended() throws {
        let said = SaidLines(), work = work
        let (made, programs) = try importer(said) { command in
            guard Self.argument("--input", command).hasPrefix(work) else {
                return .exits(134, complains: "terminate called\n  what():  Could not find node with id 3\n")
            }
            Self.makeTiles(Self.argument("--output", command), 4)
            return .exits(0)
        }
        _ = try made.run(extract)
        #expect(tile == [4] && said.all.contains("1 roads end at its edge, 1 are left out"), "\(said.all)")
        #expect(programs.starts.count { $0.command[0].hasSuffix("tilemaker") } == 2)
        #expect(refusal(made, "/none.osm.pbf").contains("cannot be read"))
        #expect(refusal(made, directory.url.appendingPathComponent("osmium").path).contains("give an extract"))
        var without = made
        without.tilemaker = "/none/tilemaker"
        #expect(refusal(without).contains("apt-get install tilemaker osmium-tool"))
    }

    @Test("DATA-16: of a line that leads out of the extract the nodes that are there stay, whatever is written")
    func mender() {
        let text = "n1 v1\nn22x9.1y45.2\n\nw1 v1 Tname=A%20%N Nn1,n3,n22\nw2 v1 T Nn1\nw3 v1 T Nn1,n22\nw4 v1\nw5\nr1 v1 Mw1@outer"
        let made = ExtractMender(Array(text.utf8))
        let mended = String(decoding: made.mended, as: UTF8.self)
        #expect(mended == "n1 v1\nn22x9.1y45.2\nw1 v1 Tname=A%20%N Nn1,n22\nw3 v1 T Nn1,n22\nr1 v1 Mw1@outer\n")
        #expect(made.shortened == 1 && made.dropped == 1)
    }

    @Test("DATA-16: the memory that an extract takes follows from its size; what Linux says is free is read, and nonsense is not")
    func estimate() {
        func free(_ text: String?) -> Int? { MapMemory(extract: 0, meminfo: text.map { Array($0.utf8) }).free }
        #expect(free("MemTotal: 5 kB\nMemAvailable:    1000 kB\n") == 1_024_000 && free("MemFree: 1 kB") == nil && free(nil) == nil)
        #expect(free("MemAvailable: 99999999999999999999 kB") == nil && free("MemAvailable: 9223372036854775807 kB") == nil)
        #expect(MapMemory(extract: 1_000_000_000, meminfo: nil).needed == 8_400_000_000)
        #expect(MapMemory(extract: .max, meminfo: nil).needed == .max && MapMemory(extract: 0, meminfo: nil).fits)
        #expect(MapMemory.text(8_400_000_000) == "8.4 GB" && MapMemory.text(400_000_000) == "400 MB")
    }

    @Test("DATA-16: of what tilemaker says each tenth is told once, whatever the pieces in which it comes, and the end of the rest is kept")
    func progress() {
        let text =
            "Layer road (z7-14)\nBlock 0/40 ways 0\rBlock 1/40 ways 9\rBlock 39/40 ways 9\r"
            + "Zoom level 9, writing tile 2 of 3\rBlock x/4\nwhat(): no"
        for size in [1, 3, 1000] {
            var progress = TilemakerProgress(), told: [String] = []
            let bytes = Array(text.utf8)
            for from in stride(from: 0, to: bytes.count, by: size) { told += progress.take(bytes[from..<min(from + size, bytes.count)]) }
            #expect(told == ["reading: 0 %", "reading: 90 %", "writing tiles: 60 %"], "\(size): \(told)")
            #expect(progress.ending == "Layer road (z7-14) Block x/4 what(): no", "\(progress.ending)")
        }
    }
}
