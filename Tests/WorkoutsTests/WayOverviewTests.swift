import Runs
import TestSupport
import Testing
import Workouts

@Suite struct WayOverviewTests {
    private static func place(_ latitude: Double, _ longitude: Double) -> CoursePoint {
        CoursePoint(latitude: Int32((latitude * 1e7).rounded()), longitude: Int32((longitude * 1e7).rounded()))
    }

    /// A way that wanders, about 10 m from one point to the next.
    private static func way(_ seed: UInt64, _ count: Int) -> [CoursePoint] {
        var generator = SeededGenerator(seed: seed), (north, east) = (45.8, 11.6), points: [CoursePoint] = []
        var (up, right) = (0.0001, 0.0)
        for _ in 0..<count {
            up += (Double(generator.next() % 2001) - 1000) * 4e-8
            right += (Double(generator.next() % 2001) - 1000) * 4e-8
            (north, east) = (north + up, east + right)
            points.append(place(north, east))
        }
        return points
    }

    /// From a place to the nearest of the lines of a way, in metres, by dense points.
    private static func distance(_ place: CoursePoint, _ way: [CoursePoint]) -> Double {
        zip(way, way.dropFirst()).flatMap { start, end in
            (0...100).map { step in
                let share = Double(step) / 100
                return CoursePoint(
                    latitude: start.latitude + Int32(Double(end.latitude - start.latitude) * share),
                    longitude: start.longitude + Int32(Double(end.longitude - start.longitude) * share))
            }
        }.map { place.distance(to: $0) }.min() ?? .infinity
    }

    @Test("DATA-7: many ways become few points; no point left out is further off than the tolerance, and ends stay", arguments: 1...4)
    func simplified(seed: UInt64) {
        let way = Self.way(seed, 150)
        let overview = WayOverview([[way]], points: 20)
        let found = overview.ways[0][0]
        #expect((2...20).contains(found.count) && found.first == way.first && found.last == way.last)
        #expect(way.allSatisfy { Self.distance($0, found) <= overview.tolerance * 1.02 + 0.5 })
        let free = WayOverview([[way]], points: 1000)
        #expect(free.tolerance == 4 && free.ways[0][0].count > found.count)
    }

    @Test("DATA-7: pieces stay apart, a straight way is its ends, and an empty one stays in its place")
    func pieces() {
        let straight = (0..<50).map { Self.place(45 + Double($0) * 1e-4, 11) }, other = [Self.place(46, 12), Self.place(46.01, 12)]
        let overview = WayOverview([[straight, other], [], [other]], points: 100)
        #expect(overview.ways == [[[straight[0], straight[49]], other], [], [other]])
    }

    @Test("RUN-15, DATA-7: of a home nothing is in the ways that others see, and a way through it falls in two")
    func homes() {
        let way = (0..<400).map { Self.place(45 + Double($0) * 1e-4, 11) }, home = HomeZone(centre: way[200], radius: 500)
        let overview = WayOverview([[way]], points: 1000, hiding: [home])
        #expect(overview.ways[0].count == 2 && overview.ways[0].allSatisfy { $0.count == 2 })
        #expect(overview.ways.joined().joined().allSatisfy { !home.holds($0) })
        #expect(WayOverview([[Array(way[190...210])]], points: 1000, hiding: [home]).ways == [[]])
    }

    @Test("DATA-7: a way as text is Google's encoded polyline, one for each piece")
    func text() {
        // The example of the format's own page.
        let piece = [Self.place(38.5, -120.2), Self.place(40.7, -120.95), Self.place(43.252, -126.453)]
        #expect(WayOverview.text([piece]) == "_p~iF~ps|U_ulLnnqC_mqNvxq`@")
        #expect(WayOverview.text([piece, [Self.place(0, 0), Self.place(-0.00001, 180)]]) == "_p~iF~ps|U_ulLnnqC_mqNvxq`@ ??@_gsia@")
        #expect(WayOverview.text([]).isEmpty)
    }
}
