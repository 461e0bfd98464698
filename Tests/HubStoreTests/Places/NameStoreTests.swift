import Database
import Foundation
import TestSupport
import Testing

@testable import HubStore

/// The names of a map. All are made up.
@Suite(.timeLimit(.minutes(1)))
struct NameStoreTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.url.appendingPathComponent("names.sqlite").path }

    init() throws { directory = try TemporaryDirectory() }

    private func street(_ name: String, _ town: String?, _ latitude: Double, _ longitude: Double) -> MapName {
        MapName(kind: .street, name: name, town: town, latitude: latitude, longitude: longitude)
    }

    @Test("DATA-16: streets are found by the beginnings of their words, without accents, with their town, the nearest first")
    func streets() throws {
        let near = street("Via Città Finta", "Cittafinta", 45.1, 9.1), far = street("Via Città Finta", "Lontano", 47.9, 12.4)
        let other = street("Viale dell'Orso", "Cittafinta", 45.11, 9.12)
        let hospital = MapName(kind: .hospital, name: "Ospedale Finto", town: "Cittafinta", latitude: 45.2, longitude: 9.2)
        try NameStore.make([far, other, hospital, near], at: path)
        let store = try NameStore(path: path), here = (latitude: 45.0, longitude: 9.0)
        #expect(try store.search("via citta", near: here, limit: 8) == [near, far])
        #expect(try store.search("VIA CITTÀ", near: (48, 12.4), limit: 8) == [far, near])
        #expect(try store.search("via citta", near: here, limit: 1) == [near])
        #expect(try store.search("via finta lontano", near: here, limit: 8) == [far])
        #expect(try store.search("orso", limit: 8) == [other] && store.search("vial orso", limit: 8) == [other])
        #expect(try store.search("osp", near: here, limit: 8) == [hospital])
        // A town's word alone finds what is named so, and not all of its streets.
        #expect(try store.search("cittafinta", near: here, limit: 8).isEmpty)
        for none in ["", "  ", "'", "%", "orsi", "via nulla"] { #expect(try store.search(none, near: here, limit: 8).isEmpty, "\(none)") }
        #expect(try store.search("via", limit: 0).isEmpty)
    }

    @Test("DATA-16: a name that is the question comes before nearer ones that only begin so")
    func whole() throws {
        let begins = street("Via Roma Antica", "Cittafinta", 45.0, 9.0), isWhole = street("Via Roma", "Cittafinta", 45.2, 9.2)
        try NameStore.make([begins, isWhole], at: path)
        #expect(try NameStore(path: path).search("via roma", near: (45, 9), limit: 8) == [isWhole, begins])
    }

    @Test("DATA-16: a search for what everything is called ends, and has the nearest")
    func bounded() throws {
        let names = (0..<NameStore.rowsMax + 5000).map { number in
            street("Via \(number)", nil, 45 + Double(number % 1000) / 500, 9 + Double(number / 1000) / 20)
        }
        try NameStore.make(names, at: path)
        let found = try NameStore(path: path).search("via", near: (45, 9), limit: 8)
        #expect(found.count == 8 && found.allSatisfy { $0.metres(from: 45, 9) < 10_000 }, "\(found)")
    }

    @Test("DATA-16: places at the edges of the world are found; what is no file of names is refused, and none is made")
    func edges() throws {
        let edges: [(Double, Double)] = [(90, 180), (-90, -180), (0, 180), (12, -179.99)]
        try NameStore.make(edges.enumerated().map { street("Polo \($0)", nil, $1.0, $1.1) }, at: path)
        #expect(try NameStore(path: path).search("polo", near: (12, 179.9), limit: 8).first?.name == "Polo 3")
        #expect(try NameStore(path: path).search("polo", limit: 8).count == 4)
        let other = directory.url.appendingPathComponent("other").path
        #expect(throws: (any Error).self) { try NameStore(path: other) }
        #expect(!FileManager.default.fileExists(atPath: other))
        try MadeUpTiles.make(other)
        #expect(throws: (any Error).self) { try NameStore(path: other) }
    }

    @Test("DATA-16: of a file with a damaged page the other cells are found, and the damage is told; a search always ends")
    func damaged() throws {
        // So many that those of each cell fill pages of their own.
        let here = (0..<400).map { street("Via di Qua \($0)", "Cittafinta", 45.05, 9.05) }
        let there = (0..<400).map { street("Via di Là \($0)", "Lontano", 47.9, 12.4) }
        try NameStore.make(here + there, at: path)
        try damage("Via di Qua 200")
        var told = 0
        let found = try NameStore(path: path).search("via", near: (45, 9), limit: 8) { _ in told += 1 }
        #expect(found.count == 8 && found.allSatisfy { $0.town == "Lontano" } && told == 1, "\(found)")
        try damage("Via di Là 200")
        let none = try NameStore(path: path).search("via", near: (45, 9), limit: 8) { _ in told += 1 }
        #expect(none.isEmpty && told == 3)
    }

    /// Overwrites the page in which a name stands.
    private func damage(_ name: String) throws {
        var file = try Data(contentsOf: URL(fileURLWithPath: path))
        let size = Int(file[16]) << 8 | Int(file[17]), page = try #require(file.range(of: Data(name.utf8))).lowerBound / size
        file.replaceSubrange(page * size..<(page + 1) * size, with: Data(repeating: 0xFF, count: size))
        try file.write(to: URL(fileURLWithPath: path))
    }
}
