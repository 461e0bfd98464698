public import HubStore
import Processes
import Runs
public import Seams

/// Makes the streets of the maps out of an extract of OpenStreetMap: tilemaker writes the tiles, osmium picks what no course may go along or through.
/// The old map stays until the new one is whole.
public struct MapImport: Sendable {
    /// Tilemaker's instructions: its configuration (JSON) and its rules (Lua).
    public struct Rules: Sendable {
        let configuration: [UInt8], process: [UInt8]
        public init(configuration: [UInt8], process: [UInt8]) { (self.configuration, self.process) = (configuration, process) }
    }

    /// Why nothing was imported, and what to do.
    public struct Problem: Error, Sendable, Hashable, CustomStringConvertible {
        public let description: String
        public init(_ description: String) { self.description = description }
    }

    /// Where Debian has the programs, and Linux what memory is free.
    var tilemaker = "/usr/bin/tilemaker", osmium = "/usr/bin/osmium", meminfo = "/proc/meminfo"
    /// Bytes of an extract that is mended; of larger ones it is said how they are cut.
    static let mendedMax = 20_000_000
    private static let isNotWhole = "Could not find node"

    let folder: String, work: String
    let rules: Rules
    let machine: Machine
    let say: @Sendable (String) -> Void

    /// - Parameters:
    ///   - work: an empty folder of the same file system, which is the caller's to make and remove.
    ///   - say: told how far it is, a line at a time.
    public init(_ directory: HubDirectory, work: String, rules: Rules, machine: Machine, say: @escaping @Sendable (String) -> Void) {
        (folder, self.work) = (directory.path(StreetMap.folder), work)
        (self.rules, self.machine, self.say) = (rules, machine, say)
    }

    /// - Parameters:
    ///   - extract: a file `.osm.pbf`.
    ///   - isOnDisk: whether tilemaker keeps what it works on in files, which takes less memory and more time.
    /// - Returns: what was made, in a sentence.
    /// - Throws: ``Problem``.
    public func run(_ extract: String, isOnDisk: Bool = false) throws -> String {
        let memory = try check(extract, isOnDisk)
        let draft = work + "/" + StreetMap.tiles
        try makeTiles(extract, draft, isOnDisk, memory)
        let counts: TileStore.Facts
        do {
            let store = try TileStore(path: draft)
            guard try store.hasTiles() else { throw Problem("\(extract) has nothing that a map shows; nothing was changed.") }
            counts = store.facts
        } catch let problem as TileStore.Problem { throw Problem("tilemaker made no map: \(problem)") }
        let size = machine.files.facts(draft)?.size ?? 0
        try put(draft, StreetMap.tiles)
        let sides = [counts.west, counts.south, counts.east, counts.north].map { "\(Double(Int($0 * 1000)) / 1000)" }
        let area = "from \(sides[0])° east, \(sides[1])° north to \(sides[2])° east, \(sides[3])° north"
        return "imported \(MapMemory.text(size)) of streets, \(area). \(obstacles(extract)) \(names(extract))"
    }

    // MARK: Before it begins

    private func check(_ extract: String, _ isOnDisk: Bool) throws -> MapMemory {
        guard extract.hasSuffix(".pbf"), let size = machine.files.facts(extract)?.size, size > 0 else {
            throw Problem("\(extract) cannot be read: give an extract of OpenStreetMap (.osm.pbf), for example from download.geofabrik.de.")
        }
        for program in [tilemaker, osmium] where !machine.files.exists(program) {
            throw Problem("\(program) is not there: run `apt-get install tilemaker osmium-tool` and try again.")
        }
        let meminfo = (try? machine.files.read(self.meminfo)).flatMap(\.self)
        let memory = MapMemory(extract: size, meminfo: meminfo)
        guard isOnDisk || memory.fits else { throw Problem(Self.tooLarge(extract, memory)) }
        return memory
    }

    /// - Parameter isTried: tilemaker was begun, and ended for want of memory: what the machine has free says nothing then.
    static func tooLarge(_ extract: String, _ memory: MapMemory, isTried: Bool = false) -> String {
        let free = isTried ? ", or more; it could not have it" : memory.free.map { ", and \(MapMemory.text($0)) are free" } ?? ""
        let cut = "osmium extract -b WEST,SOUTH,EAST,NORTH -o smaller.osm.pbf FILE"
        return "\(extract) does not fit into memory: tilemaker needs about \(MapMemory.text(memory.needed)) for it\(free). "
            + "Give the machine more, or the container or service that the import runs in, say --on-disk, which takes longer and space on the "
            + "disk, or cut out a smaller region: \(cut). "
            + "Nothing was changed."
    }

    // MARK: Tiles

    private func makeTiles(_ extract: String, _ draft: String, _ isOnDisk: Bool, _ memory: MapMemory) throws {
        let (configuration, process) = (work + "/streets.json", work + "/streets.lua")
        do throws(FileProblem) {
            try machine.files.write(rules.configuration, to: configuration, mode: 0o600)
            try machine.files.write(rules.process, to: process, mode: 0o600)
        } catch { throw Problem("\(error): the hub's directory must take files.") }
        let box = try box(of: extract), store = isOnDisk ? ["--store", work] : []
        func make(_ input: String) throws -> (RunningProgram.Ending, String) {
            var progress = TilemakerProgress()
            let command = [
                tilemaker, "--input", input, "--output", draft, "--config", configuration, "--process", process, "--bbox", box,
            ]
            let ending = try machine.programs.listen(to: command + store, environment: Programs.environment) { bytes in
                for line in progress.take(bytes) { say(line) }
            }
            return (ending, progress.ending)
        }
        var (ending, said) = try make(extract)
        if ending != .exited(0), said.contains(Self.isNotWhole) {
            try? machine.files.remove(draft)
            (ending, said) = try make(mend(extract))
        }
        switch ending {
        case .exited(0): return
        case .killed(signal: 9): throw Problem(Self.tooLarge(extract, memory, isTried: true))
        case _ where said.contains("bad_alloc"): throw Problem(Self.tooLarge(extract, memory, isTried: true))
        default: throw Problem("tilemaker failed (\(ending)): \(said). Nothing was changed.")
        }
    }

    /// The area, as `WEST,SOUTH,EAST,NORTH`: as its head says, otherwise as far as its nodes go.
    private func box(of extract: String) throws -> String {
        for arguments in [["-g", "header.boxes"], ["--no-progress", "-e", "-g", "data.bbox"]] {
            let said = try runOsmium(["fileinfo"] + arguments + [extract])
            let box = said.prefix { $0 != ")" }.drop { $0 == "(" || $0.isWhitespace }
            if box.split(separator: ",").compactMap({ Double($0) }).count == 4 { return String(box) }
        }
        throw Problem("\(extract) does not say what it covers, and has no nodes; nothing was changed.")
    }

    private func mend(_ extract: String) throws -> String {
        guard let size = machine.files.facts(extract)?.size, size <= Self.mendedMax else {
            throw Problem(
                "\(extract) has roads with nodes that are not in it. Cut it out again with osmium extract, which keeps them, or take one that is "
                    + "whole, for example from download.geofabrik.de. Nothing was changed.")
        }
        say("the extract has roads with nodes that are not in it: it is mended")
        let (text, better, file) = (work + "/extract.opl", work + "/mended.opl", work + "/mended.osm.pbf")
        _ = try runOsmium(["cat", "--no-progress", "-o", text, extract])
        do throws(FileProblem) {
            let mender = ExtractMender(try machine.files.read(text) ?? [])
            say("\(mender.shortened) roads end at its edge, \(mender.dropped) are left out")
            try machine.files.write(mender.mended, to: better, mode: 0o600)
        } catch { throw Problem("\(error): the hub's directory must take files.") }
        _ = try runOsmium(["cat", "--no-progress", "-o", file, better])
        return file
    }

    // MARK: What no course may go along or through

    private static let kept = [
        "w/highway=motorway,motorway_link,trunk,trunk_link", "wr/natural=water", "w/bridge", "w/tunnel", "nw/ford",
    ]

    /// A map has its streets with or without them.
    private func obstacles(_ extract: String) -> String {
        let (picked, draft) = (work + "/picked.osm.pbf", work + "/" + StreetMap.obstacles)
        do {
            _ = try runOsmium(["tags-filter", "--no-progress", "-o", picked, extract] + Self.kept)
            _ = try runOsmium([
                "export", "--no-progress", "--geometry-types=point,linestring,polygon", "-f", "geojsonseq", "-x",
                "print_record_separator=false", "-o", draft, picked,
            ])
            let counts = try ObstacleMap(file: draft).counts
            try put(draft, StreetMap.obstacles)
            let held = "\(counts[.motorway] ?? 0) motorways and \(counts[.water] ?? 0) waters"
            return "Courses are held against \(held) once the hub starts again."
        } catch {
            // Those of another region would say that somebody looked.
            try? machine.files.remove(folder + "/" + StreetMap.obstacles)
            return "Courses are not held against this map: \(error)"
        }
    }

    // MARK: What has a name

    private static let named = [
        "n/place", "w/highway", "nwr/amenity=hospital,pharmacy", "nwr/healthcare=hospital,pharmacy", "n/railway=station", "n/natural=peak",
        "wr/natural=water", "wr/leisure=park,stadium",
    ]
    private static let namedTags = ["name", "place", "population", "highway", "amenity", "healthcare", "railway", "natural", "leisure"]

    /// A map has its streets with or without their names in the search.
    private func names(_ extract: String) -> String {
        let (picked, named, lines) = (work + "/wanted.osm.pbf", work + "/named.osm.pbf", work + "/named.geojsonseq")
        let (configuration, draft) = (work + "/export.json", work + "/" + StreetMap.names)
        do {
            say("reading names")
            _ = try runOsmium(["tags-filter", "--no-progress", "-o", picked, extract] + Self.named)
            _ = try runOsmium(["tags-filter", "--no-progress", "-o", named, picked, "nwr/name"])
            let tags = Self.namedTags.map { "\"\($0)\"" }.joined(separator: ",")
            try machine.files.write(Array("{\"include_tags\":[\(tags)]}".utf8), to: configuration, mode: 0o600)
            _ = try runOsmium([
                "export", "--no-progress", "-c", configuration, "--geometry-types=point,linestring,polygon", "-f", "geojsonseq", "-x",
                "print_record_separator=false", "-o", lines, named,
            ])
            let found = try NameReader(file: lines).names
            try NameStore.make(found, at: draft)
            try put(draft, StreetMap.names)
            return "The search finds \(found.count) streets and places."
        } catch {
            // Those of another region would lead astray.
            try? machine.files.remove(folder + "/" + StreetMap.names)
            return "The search finds no streets: \(error)"
        }
    }

    // MARK: Parts

    /// - Returns: what it said on its output.
    private func runOsmium(_ arguments: [String]) throws -> String {
        var said: [UInt8] = []
        let ending = try machine.programs.listen(to: [osmium] + arguments, environment: Programs.environment) {
            said += $0.prefix(max(0, 4096 - said.count))
        }
        let text = String(decoding: said, as: UTF8.self)
        guard ending == .exited(0) else {
            throw Problem("osmium \(arguments[0]) failed (\(ending)): \(text.prefix(500)). Nothing was changed.")
        }
        return text
    }

    /// In the place of the old one, whole or not at all.
    private func put(_ draft: String, _ name: String) throws {
        do throws(FileProblem) {
            try machine.files.sync(draft)
            try machine.files.move(draft, to: folder + "/" + name)
        } catch { throw Problem("\(error). Nothing was changed.") }
    }
}
