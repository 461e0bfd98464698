import Foundation
import HubServices
import HubStore
import Processes
import Seams
import Vitals

extension HubCommands {
    /// Files are read whole up to this, in bytes; of larger ones a .osm.pbf can be given.
    private static let geoJSONMax = 512 << 20

    /// Imports hospitals and pharmacies (SOS-14), in the place of those that were imported before. Works beside a running hub.
    /// - Returns: what was found, and what was not usable.
    public static func importPlaces(_ files: [String], _ configuration: HubConfiguration) async throws -> String {
        var reader = PlaceReader()
        for file in files {
            guard access(file, R_OK) == 0 else {
                throw HubConfigurationError("\(file) cannot be read: give a GeoJSON file, or an extract of OpenStreetMap (.osm.pbf).")
            }
            do {
                if [".pbf", ".osm", ".osm.bz2", ".osm.gz"].contains(where: file.hasSuffix) {
                    try await OsmiumTool(machine: machine).read(file, into: &reader)
                } else {
                    try read(file, into: &reader)
                }
            } catch let problem as PlaceReader.Problem { throw HubConfigurationError("\(file): \(problem)") }
        }
        guard !reader.places.isEmpty else {
            throw HubConfigurationError("No hospital and no pharmacy is in it; nothing was changed.\(unused(reader))")
        }
        let store = try PlaceStore(HubDirectory(configuration.directory))
        try store.replaceAll(reader.places, now: now())
        let counts = try store.counts()
        let phones = reader.places.count { $0.phone != nil }
        return "imported \(counts[.hospital] ?? 0) hospitals and \(counts[.pharmacy] ?? 0) pharmacies, \(phones) of them with a telephone"
            + unused(reader)
    }

    private static func read(_ file: String, into reader: inout PlaceReader) throws {
        let size = machine.files.facts(file)?.size ?? 0
        guard size <= geoJSONMax else {
            throw HubConfigurationError(
                "\(file) has \(size >> 20) MB; at most \(geoJSONMax >> 20) MB of GeoJSON are read. Give the .osm.pbf instead.")
        }
        let data = try Data(contentsOf: URL(fileURLWithPath: file))
        if PlaceReader.isSequence(data, named: file) {
            for line in data.split(separator: 0x0A) { try reader.read(line: line) }
        } else {
            try reader.read(collection: data)
        }
    }

    private static func unused(_ reader: PlaceReader) -> String {
        let lines = PlaceReader.Reason.allCases.compactMap { reason in
            reader.unused[reason].map { "\n  not used: \($0), \(reason.rawValue)" }
        }
        return lines.joined()
    }
}

/// Debian's osmium-tool reads OpenStreetMap's own formats: it picks what is wanted, and writes one feature a line.
struct OsmiumTool {
    let machine: Machine
    private static let program = "/usr/bin/osmium"
    private static let wanted = ["nwr/amenity=hospital,pharmacy", "nwr/healthcare=hospital,pharmacy"]

    func read(_ file: String, into reader: inout PlaceReader) async throws {
        guard access(Self.program, X_OK) == 0 else {
            throw HubConfigurationError(
                "\(file) needs osmium-tool: run `apt-get install osmium-tool` and try again, or give the places as GeoJSON.")
        }
        let name = "trackme-places-\(machine.randomness.id(StreamID.self))"
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(name, isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        let (picked, lines) = (folder.appendingPathComponent("places.osm.pbf"), folder.appendingPathComponent("places.geojsonseq"))
        try run(["tags-filter", "--no-progress", "-o", picked.path, file] + Self.wanted)
        try run([
            "export", "--no-progress", "--add-unique-id=type_id", "--geometry-types=point,polygon", "-f", "geojsonseq", "-x",
            "print_record_separator=false", "-o", lines.path, picked.path,
        ])
        for line in try Data(contentsOf: lines).split(separator: 0x0A) { try reader.read(line: line) }
    }

    private func run(_ arguments: [String]) throws {
        let (ending, said) = try machine.programs.finish([Self.program] + arguments, environment: Programs.environment)
        guard ending == .exited(0) else {
            let words = String(decoding: said, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines).prefix(500)
            throw HubConfigurationError("osmium \(arguments[0]) failed (\(ending)): \(words)")
        }
    }
}
