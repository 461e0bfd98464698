import Foundation
import HubStore
import Seams
import TestSupport
import Testing

/// The folder in which a map import works.
struct MapWorkTests {
    private let directory: TemporaryDirectory
    private let folder: String

    init() throws {
        directory = try TemporaryDirectory()
        folder = directory.url.appendingPathComponent("map").path
    }

    private func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder).sorted() }

    @Test("DATA-16: an import removes what a killed one left, keeps what another one needs, and leaves nothing itself")
    func left() throws {
        let working = try MapWork(in: folder, name: "a")
        // As after a kill: nobody holds it.
        let killed = URL(fileURLWithPath: folder).appendingPathComponent("import-b")
        try FileManager.default.createDirectory(at: killed, withIntermediateDirectories: false)
        try Data("half".utf8).write(to: killed.appendingPathComponent("streets.mbtiles"))
        for other in ["streets.mbtiles", "obstacles.geojsonseq"] {
            try Data("whole".utf8).write(to: URL(fileURLWithPath: folder).appendingPathComponent(other))
        }
        do {
            let second = try MapWork(in: folder, name: "c")
            #expect(try names() == ["import-a", "import-c", "obstacles.geojsonseq", "streets.mbtiles"])
            withExtendedLifetime(second) {}
        }
        #expect(try names() == ["import-a", "obstacles.geojsonseq", "streets.mbtiles"])
        withExtendedLifetime(working) {}
    }

    @Test("DATA-16: where there is no folder of maps nothing is removed")
    func none() { #expect(MapWork.removeLeft(in: folder, files: Machine.system.files) == 0) }
}
