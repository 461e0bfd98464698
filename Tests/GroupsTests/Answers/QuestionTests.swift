import Accounts
import Runs
import Testing
import Vitals

@testable import Groups

@Suite struct QuestionTests {
    private let tree = MadeRegions.tree
    private let band = AgeBand(age: 30)

    @Test("GRP-1: a question needs a constraint, a kind and regions that exist")
    func problems() {
        #expect(throws: GroupQuestion.Problem.unconstrained) { try GroupQuestion(.steps, in: tree) }
        #expect(throws: GroupQuestion.Problem.notGrouped(.ecg)) { try GroupQuestion(.ecg, sexes: [.male], in: tree) }
        #expect(throws: GroupQuestion.Problem.unknownRegion(MadeRegions.code("9"))) {
            try GroupQuestion(.steps, regions: [MadeRegions.code("9")], in: tree)
        }
        for empty in [{ try GroupQuestion(.steps, sexes: [], in: tree) }, { try GroupQuestion(.steps, bands: [], in: tree) }] {
            #expect(throws: GroupQuestion.Problem.empty) { try empty() }
        }
        #expect(throws: GroupQuestion.Problem.empty) { try GroupQuestion(.steps, regions: [], in: tree) }
    }

    @Test("GRP-4: ways to say the same are one question, of the fewest regions")
    func joined() throws {
        func regions(_ codes: RegionCode...) throws -> Set<RegionCode> { try GroupQuestion(.steps, regions: Set(codes), in: tree).regions }
        #expect(try regions(MadeRegions.lakeTown, MadeRegions.lakeCity) == [MadeRegions.lake])
        #expect(try regions(MadeRegions.lakeTown, MadeRegions.lake) == [MadeRegions.lake])
        #expect(try regions(MadeRegions.lakeTown, MadeRegions.lakeCity, MadeRegions.hillTown, MadeRegions.hamlet) == [MadeRegions.north])
        #expect(
            try regions(MadeRegions.lake, MadeRegions.hillTown) == [MadeRegions.lake, MadeRegions.hillTown], "the hamlet is not asked for")
        #expect(try regions(MadeRegions.harbour) == [MadeRegions.south], "a region of one province of one town")
        #expect(try GroupQuestion(.steps, sexes: [.male], in: tree).regions == [MadeRegions.north, MadeRegions.south])
        #expect(tree.path(from: MadeRegions.hamlet).map(\.code) == [MadeRegions.hamlet, MadeRegions.hills, MadeRegions.north])
    }

    private func release(_ level: RegionLevel, _ regions: [RegionCode], variance: UInt64 = 9, each: Int64 = 200) throws -> GroupRelease {
        GroupRelease(
            window: GroupWindow(.week, number: 1), kind: .steps, level: level, variance: try #require(NoiseVariance(variance)),
            cells: Dictionary(uniqueKeysWithValues: regions.map { (GroupCell(.female, band, $0), [Int64](repeating: each, count: 16)) }))
    }

    @Test("GRP-4: an answer comes from the fewest released cells, and says of what nothing was released")
    func cover() throws {
        let releases: [RegionLevel: GroupRelease] = [
            .region: try release(.region, [MadeRegions.north]), .province: try release(.province, [MadeRegions.lake]),
            .municipality: try release(.municipality, [MadeRegions.lakeTown, MadeRegions.lakeCity, MadeRegions.hillTown]),
        ]
        func cover(_ regions: RegionCode..., from: [RegionLevel: GroupRelease]) throws -> (parts: [RegionCode], missing: [RegionCode]) {
            let question = try GroupQuestion(.steps, sexes: [.female], bands: [band], regions: Set(regions), in: tree)
            let cover = GroupCover(question, in: tree, from: from)
            return (cover.parts.map(\.cell.region), cover.missing.map(\.region))
        }
        #expect(try cover(MadeRegions.north, from: releases) == ([MadeRegions.north], []))
        #expect(try cover(MadeRegions.lakeTown, MadeRegions.lakeCity, from: releases) == ([MadeRegions.lake], []))
        #expect(try cover(MadeRegions.lake, MadeRegions.hillTown, from: releases) == ([MadeRegions.lake, MadeRegions.hillTown], []))
        var towns = releases
        towns[.region] = nil
        #expect(try cover(MadeRegions.north, from: towns) == ([MadeRegions.lake, MadeRegions.hillTown], [MadeRegions.hamlet]))
        towns[.province] = nil
        #expect(try cover(MadeRegions.lake, from: towns) == ([MadeRegions.lakeTown, MadeRegions.lakeCity], []))
        #expect(try cover(MadeRegions.south, from: releases) == ([], [MadeRegions.south]), "one cell is missing, not those below it")
        let south = try GroupQuestion(.steps, sexes: [.female], bands: [band], regions: [MadeRegions.south], in: tree)
        #expect(GroupAnswer(GroupCover(south, in: tree, from: releases), of: south, from: releases) == nil, "the refusal")
        let mixed = try GroupQuestion(
            .steps, sexes: [.female, .male], bands: [band], regions: [MadeRegions.lake, MadeRegions.hillTown], in: tree)
        let answer = try #require(GroupAnswer(GroupCover(mixed, in: tree, from: releases), of: mixed, from: releases))
        #expect(answer.counts == [Int64](repeating: 400, count: 16) && answer.variance == 18)
    }

    @Test("GRP-1: a circle and a polygon become regions by their middles")
    func areas() {
        let middles = [
            (MadeRegions.code("a"), 465_000_000, 66_000_000), (MadeRegions.code("b"), 465_500_000, 66_000_000),
            (MadeRegions.code("c"), 470_000_000, 90_000_000),
        ]
        .map { (code: $0.0, middle: CoursePoint(latitude: Int32($0.1), longitude: Int32($0.2))) }
        let centre = CoursePoint(latitude: 465_100_000, longitude: 66_000_000)
        #expect(GroupArea.circle(centre, radius: 1_500).regions(of: middles) == [MadeRegions.code("a")])
        #expect(GroupArea.circle(centre, radius: 5_000).regions(of: middles) == [MadeRegions.code("a"), MadeRegions.code("b")])
        #expect(GroupArea.circle(centre, radius: 500).regions(of: middles).isEmpty)
        func corner(_ latitude: Int32, _ longitude: Int32) -> CoursePoint { CoursePoint(latitude: latitude, longitude: longitude) }
        let box = [
            corner(464_000_000, 65_000_000), corner(464_000_000, 67_000_000), corner(466_000_000, 67_000_000),
            corner(466_000_000, 65_000_000),
        ]
        #expect(GroupArea.polygon(box).regions(of: middles) == [MadeRegions.code("a"), MadeRegions.code("b")])
        #expect(GroupArea.polygon(box.reversed()).regions(of: middles) == [MadeRegions.code("a"), MadeRegions.code("b")])
        // A notch from the north that leaves b out.
        let notched =
            box[...2] + [corner(466_000_000, 66_100_000), corner(465_200_000, 66_000_000), corner(466_000_000, 65_900_000)] + box[3...]
        #expect(GroupArea.polygon(Array(notched)).regions(of: middles) == [MadeRegions.code("a")])
        let world = [
            corner(-900_000_000, -1_800_000_000), corner(-900_000_000, 1_800_000_000), corner(900_000_000, 1_800_000_000),
            corner(900_000_000, -1_800_000_000),
        ]
        #expect(GroupArea.polygon(world).regions(of: middles).count == 3, "the widest one, without overflow")
        #expect(GroupArea.polygon(world).isValid && !GroupArea.polygon(Array(box[...1])).isValid)
        #expect(!GroupArea.circle(centre, radius: 0).isValid && !GroupArea.circle(centre, radius: .infinity).isValid)
        #expect(!GroupArea.circle(centre, radius: .nan).isValid && !GroupArea.polygon(Array(repeating: centre, count: 201)).isValid)
        #expect(!GroupArea.polygon([centre, centre, corner(900_000_001, 0)]).isValid)
    }
}
