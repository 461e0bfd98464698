import Foundation
import HubServices
import Logging
import Runs
import TestSupport
import Testing

@testable import HubWeb

/// Courses held against the operator's map (RUN-2). The map is made up.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct RunObstacleTests {
    private static func feature(_ tags: String, _ type: String, _ coordinates: String) -> String {
        #"{"type":"Feature","properties":{\#(tags)},"geometry":{"type":"\#(type)","coordinates":\#(coordinates)}}"#
    }

    private static func ring(_ west: Double, _ south: Double, _ east: Double, _ north: Double) -> String {
        "[[\(west),\(south)],[\(east),\(south)],[\(east),\(north)],[\(west),\(north)],[\(west),\(south)]]"
    }

    /// A course goes from 9° east 1 km to the north, to the east along it, and back. At each tenth of a degree lies another obstacle.
    private static let features = [
        feature(#""highway":"motorway","lanes":3,"ref":null"#, "LineString", "[[9.001,45.40903],[9.008,45.40903]]"),
        feature(#""natural":"water""#, "Polygon", "[\(ring(8.999, 45.503, 9.001, 45.506))]"),
        feature(#""natural":"water""#, "MultiPolygon", "[[\(ring(8.999, 45.603, 9.001, 45.606))]]"),
        feature(#""highway":"footway","bridge":"yes""#, "LineString", "[[9.0,45.6025],[9.0,45.6065]]"),
        feature(#""highway":"motorway","bridge":"viaduct""#, "LineString", "[[9.004,45.608],[9.004,45.610]]"),
        feature(#""highway":"trunk""#, "LineString", "[[9.004,45.708],[9.004,45.710]]"),
        feature(#""natural":"water""#, "LineString", ring(8.999, 45.703, 9.001, 45.706)),
        feature(#""highway":"trunk_link","motorroad":"yes""#, "LineString", "[[9.004,45.808],[9.004,45.810]]"),
        // A lake with an island.
        feature(#""natural":"water""#, "Polygon", "[\(ring(8.97, 45.95, 9.04, 46.05)),\(ring(8.98, 45.98, 9.03, 46.02))]"),
        feature(#""kind":"forbidden""#, "Polygon", "[\(ring(8.999, 46.103, 9.001, 46.106))]"),
        feature(#""highway":"motorway""#, "LineString", "[[9,95],[9,96]]"), "7",
    ]

    private static let unused: [ObstacleMap.Reason: Int] = [.otherKind: 1, .passable: 1, .noPlace: 2, .broken: 1]

    private static func collection(_ features: [String]) -> String {
        #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#
    }

    private func write(_ text: String, _ name: String, _ directory: TemporaryDirectory) throws -> String {
        let file = directory.url.appendingPathComponent(name)
        try Data(text.utf8).write(to: file)
        return file.path
    }

    @Test(
        "RUN-2: along a motorway and through water is refused with the reason; over a bridge, below a viaduct and on an island is not")
    func courses() async throws {
        let directory = try TemporaryDirectory(), file = try write(Self.collection(Self.features), "map.geojson", directory)
        let change: (inout HubConfiguration) -> Void = { $0.map.obstacles = file }
        try await RunsScene.run(change: change) { scene in
            func answer(_ latitude: Int32) async throws -> WebFixture.Answer {
                let drawn = DrawnLine.text(RunFiles.points(latitude: latitude))
                return try await scene.upload("/runs/new", scene.fields(changing: ["drawn": drawn]), scene.organiser.cookie)
            }
            let motorway = "It goes across or along a motorway", water = "It goes through water"
            for (latitude, reason) in [
                (454_000_000, motorway), (455_000_000, water), (458_000_000, motorway), (459_600_000, water),
                (461_000_000, "It goes where nobody may run"),
            ] as [(Int32, String)] {
                let page = try await answer(latitude)
                #expect(page.status == 422 && page.body.contains("From ") && page.body.contains(reason), "\(latitude)")
            }
            #expect(try scene.web.hub.runs.organising.runs(organisedBy: scene.organiser.account).isEmpty)
            for latitude: Int32 in [456_000_000, 457_000_000, 460_000_000, 463_000_000] {
                let page = try await answer(latitude)
                #expect(page.status == 303, "\(latitude): \(page.body.prefix(3000))")
            }
        }
    }

    @Test("RUN-2: where the hub has no map the organiser is told that nobody looked; 20 km around what it has nothing is said")
    func notHeld() async throws {
        let directory = try TemporaryDirectory(), file = try write(Self.collection(Self.features), "map.geojson", directory)
        let said = "The hub has no map of this place"
        func isSaid(_ latitude: Int32, _ change: @escaping (inout HubConfiguration) -> Void) async throws -> Bool {
            var isSaid = false
            try await RunsScene.run(change: change) { scene in
                let drawn = DrawnLine.text(RunFiles.points(latitude: latitude))
                let made = try await scene.upload("/runs/new", scene.fields(changing: ["drawn": drawn]), scene.organiser.cookie)
                let page = try await scene.get(try #require(made.header("location")), scene.organiser.cookie)
                #expect(page.status == 200)
                isSaid = page.body.contains(said)
            }
            return isSaid
        }
        #expect(try await !isSaid(456_000_000) { $0.map.obstacles = file })
        #expect(try await isSaid(463_000_000) { $0.map.obstacles = file })
        #expect(try await isSaid(456_000_000) { _ in })
    }

    @Test("RUN-2: a map is read as a collection and a feature a line, and says what of it was not usable")
    func reads() throws {
        let directory = try TemporaryDirectory()
        let lines = Self.features.map { "\u{1E}\($0)\n" }.joined()
        for (name, text) in [("map.geojson", Self.collection(Self.features)), ("map.geojsonseq", lines), ("map.json", lines)] {
            let map = try ObstacleMap(file: write(text, name, directory))
            #expect(map.counts == [.motorway: 2, .water: 3, .forbidden: 1] && map.waysAcrossCount == 1, "\(name)")
            #expect(map.unused == Self.unused && map.unusedText.contains("Not used: 2, no usable geometry."), "\(name)")
            #expect(map.near(CoursePlan(points: RunFiles.points(latitude: 463_000_000))).isEmpty)
            #expect(map.near(CoursePlan(points: RunFiles.points(latitude: 456_000_000))).map(\.openings.isEmpty) == [false])
        }
    }

    @Test("RUN-2: a map that is missing, cut off, something else or empty is refused, and the message says where and what to do")
    func broken() throws {
        let directory = try TemporaryDirectory(), good = Self.features[0]
        func said(_ file: String) throws -> String {
            var map = HubConfiguration.Map()
            map.obstacles = file
            do { _ = try map.obstacleFinder() } catch let error as HubConfigurationError {
                #expect(error.description.hasPrefix("hub.map.obstacles: \(file)"), "\(error)")
                let log = LogLines(), near = map.obstaclesOrNone(Logger(label: "test") { _ in log })
                let course = CoursePlan(points: RunFiles.points())
                #expect(near.near(course).isEmpty && !near.covers(course))
                #expect(log.all.contains("not held against a map") && log.all.contains(error.description), "told at each start")
                return error.description
            }
            return "it was read"
        }
        #expect(try said(directory.url.appendingPathComponent("none.geojson").path).contains("cannot be read"))
        #expect(try said(write(String(Self.collection([good]).dropLast(9)), "cut.geojson", directory)).contains("Make it again"))
        let lines = try said(write("\(good)\n\(good.dropLast(9))\n", "cut.geojsonseq", directory))
        #expect(lines.contains("feature 2 is no whole JSON") && lines.contains("Make it again"))
        #expect(try said(write(#"{"type":"Topology"}"#, "other.json", directory)).contains("no FeatureCollection"))
        let empty = try said(write(Self.collection([Self.features[5], "7"]), "empty.geojson", directory))
        #expect(empty.contains("no motorway and no water") && empty.contains("Not used: 1, not a feature of GeoJSON."))
    }

    @Test("RUN-2: a hub whose map is broken starts, alarms and all, and takes courses as without a map; no rehearsal is staged by it")
    func starts() async throws {
        let directory = try TemporaryDirectory(), cut = String(Self.collection(Self.features).dropLast(9))
        let file = try write(cut, "map.geojson", directory)
        let change: (inout HubConfiguration) -> Void = { $0.map.obstacles = file }
        try await RunsScene.run(change: change) { scene in
            let drawn = DrawnLine.text(RunFiles.points(latitude: 455_000_000))
            let page = try await scene.upload("/runs/new", scene.fields(changing: ["drawn": drawn]), scene.organiser.cookie)
            #expect(page.status == 303)
        }
        var configuration = HubConfiguration(directory: directory.url.appendingPathComponent("hub", isDirectory: true))
        configuration.map.obstacles = file
        let course = try write(RunFiles.gpx(RunFiles.points()), "Square.gpx", directory)
        let state = directory.url.appendingPathComponent("fleet.json").path
        await #expect(throws: HubConfigurationError.self) {
            try await HubCommands.rehearse(
                .init(course: course, laps: 1, runners: 1, startsIn: 20, state: state, isSure: false), configuration)
        }
    }

    @Test("RUN-2: no rehearsal is staged along a motorway either")
    func rehearsal() async throws {
        let directory = try TemporaryDirectory()
        var configuration = HubConfiguration(directory: directory.url.appendingPathComponent("hub", isDirectory: true))
        configuration.map.obstacles = try write(Self.collection(Self.features), "map.geojson", directory)
        let course = try write(RunFiles.gpx(RunFiles.points()), "Square.gpx", directory)
        let state = directory.url.appendingPathComponent("fleet.json").path
        do {
            _ = try await HubCommands.rehearse(
                .init(course: course, laps: 1, runners: 1, startsIn: 20, state: state, isSure: false), configuration)
            Issue.record("it was staged")
        } catch let problem as Rehearsal.Problem { #expect(problem.description.contains("cannot be run: motorway")) }
    }
}
