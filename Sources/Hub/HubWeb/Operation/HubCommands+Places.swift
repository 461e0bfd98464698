import Foundation
import HubServices
import HubStore
import Vitals

extension HubCommands {
    /// Files are read whole up to this, in bytes; of larger ones a .osm.pbf can be given.
    private static let geoJSONMax = 512 << 20

    /// Imports hospitals and pharmacies (SOS-14), in the place of those that were imported before. Works beside a running hub.
    /// - Returns: what was found, and what was not usable.
    public static func importPlaces(_ files: [String], _ configuration: HubConfiguration) async throws -> String {
        var reader = PlaceReader()
        for file in files {
            guard FileManager.default.isReadableFile(atPath: file) else {
                throw HubConfigurationError("\(file) cannot be read: give a GeoJSON file, or an extract of OpenStreetMap (.osm.pbf).")
            }
            do {
                if [".pbf", ".osm", ".osm.bz2", ".osm.gz"].contains(where: file.hasSuffix) {
                    try await OsmiumTool().read(file, into: &reader)
                } else {
                    try read(file, into: &reader)
                }
            } catch let problem as PlaceReader.Problem { throw HubConfigurationError("\(file): \(problem)") }
        }
        guard !reader.places.isEmpty else {
            throw HubConfigurationError("No hospital and no pharmacy is in it; nothing was changed.\(unused(reader))")
        }
        let store = try PlaceStore(HubDirectory(configuration.directory))
        try store.replaceAll(reader.places, now: Milliseconds(Date().timeIntervalSince1970 * 1000))
        let counts = try store.counts()
        let phones = reader.places.count { $0.phone != nil }
        return "imported \(counts[.hospital] ?? 0) hospitals and \(counts[.pharmacy] ?? 0) pharmacies, \(phones) of them with a telephone"
            + unused(reader)
    }

    private static func read(_ file: String, into reader: inout PlaceReader) throws {
        let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int ?? 0
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
    private static let program = "/usr/bin/osmium"
    private static let wanted = ["nwr/amenity=hospital,pharmacy", "nwr/healthcare=hospital,pharmacy"]

    func read(_ file: String, into reader: inout PlaceReader) async throws {
        guard FileManager.default.isExecutableFile(atPath: Self.program) else {
            throw HubConfigurationError(
                "\(file) needs osmium-tool: run `apt-get install osmium-tool` and try again, or give the places as GeoJSON.")
        }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("trackme-places-\(UUID())", isDirectory: true)
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
        let process = Process(), complaints = Pipe()
        process.executableURL = URL(fileURLWithPath: Self.program)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardError = complaints
        try process.run()
        let said = String(decoding: complaints.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw HubConfigurationError(
                "osmium \(arguments[0]) failed (\(process.terminationStatus)): \(said.trimmingCharacters(in: .whitespacesAndNewlines).prefix(500))"
            )
        }
    }
}
