import Runs
import TestSupport
import Testing
import Vitals

@testable import HubStore

/// Areas of courses on both sides of 180° (RUN-2, RUN-3, RUN-12).
@Suite struct RunAreaTests {
    /// Along the equator, 1e-7 degrees east.
    private static func course(_ longitudes: Int32...) -> [CoursePoint] {
        longitudes.map { CoursePoint(latitude: 0, longitude: $0) }
    }

    /// Some 2 km: from 179.99° east to 179.99° west.
    private static let across = course(1_799_900_000, 1_799_950_000, -1_799_950_000, -1_799_900_000)
    private static let west = course(1_799_700_000, 1_799_800_000), east = course(-1_799_800_000, -1_799_700_000)

    private static func area(west: Int32, east: Int32) -> RunArea { RunArea(south: 0, west: west, north: 0, east: east) }

    @Test("RUN-3: a course that crosses 180° has an area as wide as itself, whichever way it is run")
    func wide() {
        let area = Self.area(west: 1_799_900_000, east: -1_799_900_000)
        let back: [CoursePoint] = Self.across.reversed()
        for points in [Self.across, back, Self.across + back, Array(Self.across.dropFirst(2)) + Self.across] {
            #expect(RunArea(points) == area)
        }
        // 180° is the same place as -180°.
        #expect(RunArea(Self.course(1_799_900_000, -1_800_000_000)) == Self.area(west: 1_799_900_000, east: 1_800_000_000))
        #expect(RunArea(Self.west) == Self.area(west: 1_799_700_000, east: 1_799_800_000))
        // Around a pole it is everywhere.
        let circle = RunArea(Self.course(0, 1_000_000_000, -1_600_000_000, -600_000_000, 0))
        #expect(circle == Self.area(west: -1_800_000_000, east: 1_800_000_000))
        #expect(RunArea([]) == nil)
    }

    @Test("RUN-3: with a margin an area goes on across 180°, and around a pole")
    func wider() {
        // 11.1 km are 0.1° at the equator.
        let margin = RunArea(south: -1_000_000, west: 1_798_900_000, north: 1_000_000, east: -1_798_900_000)
        let wider = RunArea(south: 0, west: 1_799_900_000, north: 0, east: -1_799_900_000).wider(metres: 11_100)
        #expect(wider.south == margin.south && wider.north == margin.north)
        #expect(abs(wider.west - margin.west) < 100 && abs(wider.east - margin.east) < 100)
        let east = Self.area(west: 1_799_800_000, east: 1_799_900_000).wider(metres: 11_100)
        #expect(east.west < 1_798_900_000 && east.east < -1_799_000_000 && east.meets(wider) && wider.meets(east))
        #expect(east.meets(Self.area(west: -1_799_200_000, east: -1_799_100_001)))
        #expect(!east.meets(Self.area(west: 0, east: 100)) && !wider.meets(Self.area(west: 0, east: 100)))
        let pole = RunArea(south: 895_000_000, west: 0, north: 896_000_000, east: 1).wider(metres: 100_000)
        #expect(pole == RunArea(south: 885_990_990, west: -1_800_000_000, north: 900_000_000, east: 1_800_000_000))
    }

    @Test("RUN-2, RUN-3: a run is found in each area that its course comes into, also across 180°", arguments: Engine.allCases)
    func found(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, plan = RunFixture.plan()
        for (code, points) in [("W", Self.west), ("X", Self.across), ("E", Self.east), ("Z", Self.course(0, 10_000))] {
            let added = try store.add(
                plan, course: CoursePlan(points: points), area: try #require(RunArea(points)), search: "", code: code, by: runs.organiser,
                now: 0)
            guard case .added(let draft) = added else { throw HubFixture.Taken() }
            let run = try #require(try store.publish(draft.id, now: 0))
            #expect(run.area == RunArea(points))
        }
        func found(west: Int32, east: Int32) throws -> String {
            let area = Self.area(west: west, east: east)
            let near = try store.runs(in: area, from: 0).map(\.code).sorted().joined()
            let conflicts = try store.conflicts(with: area, from: plan.starts, to: plan.ends, but: nil).map(\.code).sorted().joined()
            #expect(near == conflicts)
            return near
        }
        #expect(try found(west: 1_799_600_000, east: 1_800_000_000) == "WX")
        #expect(try found(west: -1_800_000_000, east: -1_799_600_000) == "EX")
        #expect(try found(west: 1_799_600_000, east: -1_799_600_000) == "EWX")
        #expect(try found(west: 1_799_850_000, east: -1_799_600_000) == "EX")
        #expect(try found(west: 1_799_990_000, east: -1_799_990_000) == "X")
        #expect(try found(west: 1_799_600_000, east: 1_799_690_000) == "" && found(west: -1_799_690_000, east: -1_799_600_000) == "")
        #expect(try found(west: -100_000, east: 100_000) == "Z")
        #expect(try found(west: -1_800_000_000, east: 1_800_000_000) == "EWXZ")
    }

    @Test("RUN-12: a wish reaches a course across 180° by the way between them, and none on the other side of the world")
    func reaches() throws {
        func reaches(_ longitude: Int32, _ radius: Int, _ points: [CoursePoint]) throws -> Bool {
            let wish = NearbyWish(place: CoursePoint(latitude: 0, longitude: longitude), radius: radius)
            return wish.reaches(try #require(RunArea(points)))
        }
        // 0.021° to its nearer side are 2.3 km, 0.031° to the other one 3.5 km.
        #expect(try reaches(1_799_990_000, 2500, Self.east) && !reaches(1_799_990_000, 2300, Self.east))
        #expect(try reaches(-1_799_990_000, 2500, Self.west) && !reaches(-1_799_990_000, 2300, Self.west))
        for place in [1_799_900_000, 1_800_000_000, -1_800_000_000, -1_799_900_000] as [Int32] {
            #expect(try reaches(place, 1, Self.across))
        }
        #expect(try reaches(1_799_800_000, 1200, Self.across) && !reaches(1_799_800_000, 1100, Self.across))
        #expect(try !reaches(0, 100_000, Self.across) && !reaches(900_000_000, 100_000, Self.across))
    }
}
