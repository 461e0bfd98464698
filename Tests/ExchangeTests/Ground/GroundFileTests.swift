import Foundation
import Testing

@testable import Exchange

/// A made-up ground: a head, one level of cells of 90 degrees with lines and towns, and one of 30 degrees with towns alone.
private struct GroundBuilder {
    static func number(_ value: Int) -> [UInt8] { value < 128 ? [UInt8(value)] : [UInt8(value & 127) | 128] + number(value >> 7) }
    static func text(_ value: String) -> [UInt8] { number(value.utf8.count) + Array(value.utf8) }

    /// `size`: eighths of an octave above 500.
    static func town(_ east: Double, _ north: Double, _ size: Int, _ names: String..., region: Int = 0, isCapital: Bool = false) -> [UInt8]
    {
        let place = [east, north].flatMap { number(Int(($0 * 2000).rounded())) }, others = names.dropFirst()
        let head = place + [UInt8(size << 1 | (isCapital ? 1 : 0)), 0, UInt8(region)] + text(names[0])
        return head + number(others.count) + others.flatMap(text)
    }

    static func file(_ first: [[UInt8]], _ second: [[UInt8]]) -> [UInt8] {
        // A triangle of land, and no borders.
        let lines: [UInt8] = [1, 3, 0, 0, 20, 0, 0, 20, 0, 0]
        let coarse = Array([lines, number(first.count)].joined()) + first.joined()
        let fine = number(second.count) + second.joined()
        // Cells of 180° to 270° and 90° to 180° from the south-west corner of the world, and of 0° to 30° and 30° to 60° from Greenwich.
        let levels = [[0, 90, 1, 0, 1, 6, coarse.count], [9, 30, 0, 0, 1, 54, fine.count]].joined().flatMap(number)
        let names: [[UInt8]] = [
            [1], text("Made-up data."), [1], text("XX"), text("Nowhere"), [0], [1, 0], text("Far Side"), [0], [2],
        ]
        let body = Array(names.joined()) + levels, head = 24 + body.count + coarse.count
        let words = [1, head, head + fine.count, 0x00ab_cdef].flatMap { word in (0..<4).map { UInt8(word >> (8 * $0) & 255) } }
        return Array("TMGROUND".utf8) + words + body + coarse + fine
    }

    static let small = file(
        [town(10, 45, 64, "Sassoforte", isCapital: true), town(80, 10, 40, "Sasso")],
        [town(10.5, 15, 8, "Forlimbò", "Forlimbo", region: 1), town(11, 15, 100, "Monte Sasso"), town(9, 14, 24, "L'Aguglia")])
}

struct GroundFileTests {
    private let ground: GroundFile

    init() throws { ground = try GroundFile(GroundBuilder.small) }

    @Test("DATA-16: the towns of all levels are read, with place, people, country and region")
    func towns() throws {
        #expect(ground.towns.map(\.name) == ["Sassoforte", "Sasso", "Forlimbò", "Monte Sasso", "L'Aguglia"])
        let town = ground.towns[2]
        #expect(town.latitude == 45 && town.longitude == 10.5 && town.population == 1000 && !town.isCapital)
        #expect(
            ground.countries[town.country] == .init(code: "XX", name: "Nowhere") && town.region.map { ground.regions[$0] } == "Far Side")
        #expect(ground.towns[0].isCapital && ground.towns[0].population == 128_000 && ground.towns[0].region == nil)
        #expect(ground.credits == ["Made-up data."])
    }

    @Test(
        "DATA-16: a place is found by how it begins, by a word in it, with and without accents and capitals",
        arguments: [
            ("sasso", ["Sasso", "Sassoforte", "Monte Sasso"]), ("FORLIMBÒ", ["Forlimbò"]), ("forlimbo", ["Forlimbò"]),
            ("  monte   s", ["Monte Sasso"]), ("aguglia", ["L'Aguglia"]), ("forte", []), ("", []), (" ", []), ("sassofortez", []),
        ] as [(String, [String])])
    func search(prefix: String, found: [String]) {
        #expect(ground.search(prefix).map(\.name) == found)
    }

    @Test("DATA-16: of two places with such a name the near one comes first, and no more than asked for come")
    func searchNear() {
        let file = GroundBuilder.file([], [GroundBuilder.town(1, 1, 40, "Borgo"), GroundBuilder.town(20, 20, 32, "Borgo")])
        let ground = try? GroundFile(file)
        #expect(ground?.search("borgo").map(\.longitude) == [1, 20])
        #expect(ground?.search("borgo", near: .init(latitude: 50, longitude: 20)).map(\.longitude) == [20, 1])
        #expect(ground?.search("borgo", limit: 1).count == 1 && ground?.search("borgo", limit: 0).isEmpty == true)
    }

    @Test("DATA-16: the nearest town is named with its distance, also across 180 degrees")
    func nearest() throws {
        let near = try #require(ground.nearestTown(to: .init(latitude: 45, longitude: 10.4)))
        #expect(near.town.name == "Forlimbò" && abs(near.metres - 7_862) < 10)
        let across = try #require(ground.nearestTown(to: .init(latitude: 10, longitude: -179)))
        #expect(across.town.name == "Sasso")
        #expect(ground.nearestTown(to: .init(latitude: .nan, longitude: 0)) == nil)
    }

    @Test("DATA-16: the browser gets the index, the coarsest level at once, and each cell, and nothing of another file")
    func parts() throws {
        let index = try #require(ground.part("index")), world = try #require(ground.part("00abcdef-world"))
        #expect(index.count + world.count + (ground.part("00abcdef-1")?.count ?? 0) == GroundBuilder.small.count)
        #expect(ground.part("00abcdef-0") == world, "the small one has one cell in its coarsest level")
        let others = ["", "head", "world", "00abcdef-2", "00abcdef--1", "00abcdef", "ffffffff-world", "index-0", "00abcdef-0-0"]
        for name in others {
            #expect(ground.part(name) == nil)
        }
    }

    @Test("DATA-16: what is no ground is refused with the reason")
    func refusals() {
        let good = GroundBuilder.small
        func problem(_ bytes: [UInt8]) -> GroundFile.Problem? {
            do throws(GroundFile.Problem) {
                _ = try GroundFile(bytes)
                return nil
            } catch { return error }
        }
        #expect(problem([]) == .noGround && problem(Array("PK".utf8) + good) == .noGround)
        var newer = good
        newer[8] = 2
        #expect(problem(newer) == .version(2))
        #expect(problem(good + [0]) == .length(said: good.count, found: good.count + 1))
        #expect(problem(good.dropLast()) == .length(said: good.count, found: good.count - 1))
    }

    @Test("DATA-16: 20,000 damaged grounds are read or refused, and none ends the program")
    func damaged() {
        var state: UInt64 = 0x5eed
        func random(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(bound))
        }
        var read = 0, refused = 0
        for _ in 0..<20_000 {
            var bytes = GroundBuilder.small
            for _ in 0...random(4) { bytes[24 + random(bytes.count - 24)] = UInt8(random(256)) }
            if let ground = try? GroundFile(bytes) {
                read += 1
                // What a town names is there.
                #expect(ground.towns.allSatisfy { ground.countries.indices.contains($0.country) })
                #expect(ground.towns.allSatisfy { $0.region.map(ground.regions.indices.contains) ?? true })
                _ = ground.search("sasso", near: .init(latitude: 45, longitude: 10))
                _ = ground.nearestTown(to: .init(latitude: 45, longitude: 10))
            } else {
                refused += 1
            }
        }
        #expect(read > 1000 && refused > 1000)
    }
}
