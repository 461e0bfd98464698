import Foundation
import HubStore
import Runs
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// Runs beside 180° and across it: found, told and warned of on both sides, and nowhere else (RUN-2, RUN-3, RUN-12).
@Suite struct RunDateLineTests {
    /// 4 km around a square at 45.4° north, 0.7 km wide: 0.009°.
    private static func course(west: Int64) -> CoursePlan {
        let points = RunTown.course(longitude: 0).points.map { point in
            let longitude = west + Int64(point.longitude)
            return CoursePoint(
                latitude: point.latitude, longitude: Int32(longitude > 1_800_000_000 ? longitude - 3_600_000_000 : longitude))
        }
        return CoursePlan(points: points)
    }

    /// From 179.995° east to 179.996° west.
    private static let across = course(west: 1_799_950_000)

    private static func place(_ longitude: Int32) -> CoursePoint { CoursePoint(latitude: 454_045_000, longitude: longitude) }

    @Test("RUN-3: runs near a place are found across 180°, with the distance of the shorter way")
    func nearby() throws {
        let town = try RunTown(), run = try town.published(course: Self.across)
        let east = try town.published(town.plan("East", in: 3 * day), course: Self.course(west: -1_799_900_000))
        func found(_ longitude: Int32, within metres: Int) throws -> [RunID] {
            try town.finder.nearby(Self.place(longitude), within: metres).map(\.run.id)
        }
        // 0.01° are 782 m.
        #expect(try found(1_799_900_000, within: 5000) == [run.id, east.id] && found(-1_799_700_000, within: 5000) == [east.id, run.id])
        #expect(try found(1_799_900_000, within: 1000) == [run.id] && found(1_799_000_000, within: 5000).isEmpty)
        let metres = try town.finder.nearby(Self.place(1_799_900_000), within: 5000).map(\.metres)
        #expect(metres.count == 2 && (380...400).contains(metres[0]) && (1550...1580).contains(metres[1]), "\(metres)")
        for longitude in [1_799_990_000, 1_800_000_000, -1_800_000_000, -1_799_990_000] as [Int32] {
            #expect(try town.finder.nearby(Self.place(longitude), within: 10).map(\.metres) == [0], "\(longitude)")
        }
        #expect(try found(0, within: .max).isEmpty && found(90_000_000, within: .max).isEmpty)
    }

    @Test("RUN-2: a run across 180° is a conflict on both sides of it, and not for a run far from it")
    func conflicts() throws {
        let town = try RunTown()
        _ = try town.published(course: Self.across)
        func warnings(west: Int64) throws -> Int {
            try town.organising.warnings(town.plan("Mine"), course: Self.course(west: west), but: nil).count
        }
        // 0.005° are 390 m, 0.016° are 1250 m.
        #expect(try warnings(west: -1_799_910_000) == 1 && warnings(west: 1_799_810_000) == 1 && warnings(west: 1_799_990_000) == 1)
        #expect(try warnings(west: -1_799_800_000) == 0 && warnings(west: 1_799_700_000) == 0)
        #expect(try warnings(west: 0) == 0 && warnings(west: 90_000_000) == 0)
    }

    @Test("RUN-12: who lives on the other side of 180° is told of a run near them, and who lives far from it is not")
    func told() async throws {
        let town = try RunTown(), bob = try town.runner("Bob"), eve = try town.runner("Eve")
        for (account, longitude) in [(town.ada, 1_799_700_000), (bob, -1_799_700_000), (eve, 90_000_000)] as [(StoredAccount, Int32)] {
            try town.finder.askNearby(
                NearbyWish(place: Self.place(longitude), radius: 5000), of: account.id.person, by: account)
        }
        _ = try town.published(course: Self.across)
        try await town.settle()
        #expect(try [town.ada, bob, eve].map { try town.told($0).count { $0 == .runNearby } } == [1, 1, 0])
    }

    @Test("RUN-12: the calendar has the middle of a course across 180°")
    func middle() throws {
        let town = try RunTown()
        func place(_ course: CoursePlan) throws -> String? {
            let file = town.enrolments.calendarFile(of: try town.published(course: course))
            return String(decoding: file, as: UTF8.self).components(separatedBy: "\r\n").first { $0.hasPrefix("GEO:") }
        }
        #expect(try place(Self.across) == "GEO:45.4045000;179.9995000")
        #expect(try place(Self.course(west: 1_799_960_000)) == "GEO:45.4045000;-179.9995000")
    }

    @Test("RUN-2: a course is held against what lies near it on both sides of 180°, and not against the rest of the world")
    func obstacles() throws {
        let directory = try TemporaryDirectory(), file = directory.url.appendingPathComponent("map.geojson")
        func motorway(_ west: Double) -> String {
            """
            {"type":"Feature","properties":{"highway":"motorway"},"geometry":{"type":"LineString",
            "coordinates":[[\(west),45.401],[\(west),45.408]]}}
            """
        }
        let roads = [-179.999, 179.9988, 9.0].map(motorway).joined(separator: ",")
        try Data(#"{"type":"FeatureCollection","features":[\#(roads)]}"#.utf8).write(to: file)
        let map = try ObstacleMap(file: file.path)
        func near(west: Int64) -> Int { map.near(Self.course(west: west)).count }
        // 0.001° are 78 m; what lies within 200 m is held against it.
        #expect(near(west: 1_799_950_000) == 2, "across it")
        #expect(near(west: 1_799_900_000) == 2, "up to 179.999°: the one beyond is 157 m away")
        #expect(near(west: -1_799_990_000) == 2 && near(west: -1_799_970_000) == 1 && near(west: 1_799_850_000) == 0)
        #expect(near(west: 89_990_000) == 1)
    }
}
