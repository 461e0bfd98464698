import Accounts
import Runs
import TestSupport
import Testing
import Vitals

@testable import Groups

/// Trackers (Denning and Schlörer) against questions and answers as they are: they need sets that differ by one person, and there are
/// none.
@Suite struct TrackerTests {
    private let tree = MadeRegions.tree
    private let kind = DataKind.heartRate

    /// Releases of all levels, where the target, if there, is a woman of 32 in the lake's town.
    private func releases(isTargetThere: Bool, _ generator: inout SeededGenerator) throws -> [RegionLevel: GroupRelease] {
        let variance = try #require(NoiseVariance(36)), rule = ReleaseRule(variance: variance, chance: 1e-13)
        var bins = [Int64](repeating: 150, count: 16)
        if isTargetThere { bins[6] += 1 }
        let other = [Int64](repeating: 150, count: 16), band = AgeBand(age: 32)
        func cells(_ counts: [(RegionCode, [Int64])]) -> [GroupCell: TrueCounts] {
            Dictionary(uniqueKeysWithValues: counts.map { (GroupCell(.female, band, $0.0), TrueCounts($0.1)) })
        }
        let lake = zip(bins, other).map(+)
        let levels: [(RegionLevel, [GroupCell: TrueCounts])] = [
            (.municipality, cells([(MadeRegions.lakeTown, bins), (MadeRegions.lakeCity, other), (MadeRegions.hillTown, other)])),
            (.province, cells([(MadeRegions.lake, lake), (MadeRegions.hills, other)])),
            (.region, cells([(MadeRegions.north, zip(lake, other).map(+))])),
        ]
        return Dictionary(
            uniqueKeysWithValues: levels.map { level, counts in
                (level, GroupRelease.close(MadeHub.window, kind, at: level, counts: counts, by: rule, using: &generator))
            })
    }

    private func ask(
        _ regions: Set<RegionCode>, ages: (Int?, Int?), _ releases: [RegionLevel: GroupRelease], sexes: Set<CellSex> = [.female]
    ) throws -> Double {
        let question = try GroupQuestion(
            kind, sexes: sexes, bands: AgeBand.nearest(from: ages.0, through: ages.1), regions: regions, in: tree)
        let cover = GroupCover(question, in: tree, from: releases)
        return try Double(#require(GroupAnswer(cover, of: question, from: releases)).counts[6])
    }

    @Test("GRP-4: paraphrases of a question are one question: ages, sexes, parts of a region, drawn areas")
    func paraphrases() throws {
        var generator = SeededGenerator(seed: 2)
        let releases = try releases(isTargetThere: true, &generator)
        let answers = try [
            ask([MadeRegions.lakeTown], ages: (30, 34), releases), ask([MadeRegions.lakeTown], ages: (30, 35), releases),
            ask([MadeRegions.lakeTown], ages: (31, 33), releases), ask([MadeRegions.lakeTown], ages: (28, 36), releases),
            ask([MadeRegions.lakeTown], ages: (nil, nil), releases),
            ask([MadeRegions.lakeTown], ages: (30, 34), releases, sexes: [.female, .male, .other]),
        ]
        #expect(Set(answers).count == 1, "whatever is refused beside it")
        #expect(
            try ask([MadeRegions.lakeTown, MadeRegions.lakeCity], ages: (30, 34), releases)
                == ask([MadeRegions.lake], ages: (30, 34), releases))
        // However a line is drawn around the town, it is the town that is asked for.
        let home = CoursePoint(latitude: 465_000_000, longitude: 66_000_000)
        let middles = [
            (code: MadeRegions.lakeTown, middle: home),
            (code: MadeRegions.lakeCity, middle: CoursePoint(latitude: 470_000_000, longitude: 90_000_000)),
        ]
        func corner(_ north: Int32, _ east: Int32) -> CoursePoint {
            CoursePoint(latitude: home.latitude + north, longitude: home.longitude + east)
        }
        let drawn: [GroupArea] = [
            .circle(corner(0, 0), radius: 1), .circle(corner(9_000, -7_000), radius: 2_000), .circle(corner(-50_000, 0), radius: 9_000),
            .polygon([corner(-10_000, -10_000), corner(-10_000, 10_000), corner(10_000, 0)]),
            .polygon([corner(-90_000, -80_000), corner(-10, 70_000), corner(70_000, 60_000), corner(60_000, -70_000)]),
        ]
        for area in drawn { #expect(try ask(area.regions(of: middles), ages: (30, 34), releases) == answers[0], "\(area)") }
    }

    @Test("GRP-4: individual and general tracker do no better than reading the cells that they use")
    func trackers() throws {
        var generator = SeededGenerator(seed: 3)
        // Read: the town's cell, the province's, the region's, of which each has its own noise.
        var individual = AttackResult(rho: 1 / 72.0), general = AttackResult(rho: 3 / 72.0), best = general
        for _ in 0..<300 {
            for isThere in [true, false] {
                let releases = try releases(isTargetThere: isThere, &generator), ages = (30, 34) as (Int?, Int?)
                let town = try ask([MadeRegions.lakeTown], ages: ages, releases),
                    city = try ask([MadeRegions.lakeCity], ages: ages, releases)
                let both = try ask([MadeRegions.lakeTown, MadeRegions.lakeCity], ages: ages, releases)
                let all = try ask([MadeRegions.north], ages: ages, releases), hills = try ask([MadeRegions.hills], ages: ages, releases)
                // q(A) - q(A and not B): the part that is left is a cell again.
                let scores = (
                    town - 150 - 0.5,
                    // q(A or B) + q(A or not B) - q(all): padding with a known group.
                    (both - city) + (all - both - hills) + city - 150 - 0.5,
                    // All three readings of the target, each with everybody else known.
                    (town - 150.5) + (both - 300.5) + (all - 450.5)
                )
                if isThere {
                    individual.with.append(scores.0)
                    general.with.append(scores.1)
                    best.with.append(scores.2)
                } else {
                    individual.without.append(scores.0)
                    general.without.append(scores.1)
                    best.without.append(scores.2)
                }
            }
        }
        for result in [individual, general, best] { #expect(result.isBounded, "\(result.text)") }
    }
}
