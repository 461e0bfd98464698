import Accounts
import TestSupport
import Testing
import Vitals

@testable import Groups

@Suite struct ReleaseTests {
    private let window = GroupWindow(.week, number: 2_900)

    private func rule(_ variance: UInt64 = 104, chance: Double = 1e-13) throws -> ReleaseRule {
        ReleaseRule(variance: try #require(NoiseVariance(variance)), chance: chance)
    }

    private func counts(_ total: Int64) -> TrueCounts { TrueCounts([total - 300] + [Int64](repeating: 20, count: 15)) }

    @Test("GRP-4: people count once at each level, in their cell and class")
    func people() throws {
        let tree = MadeRegions.tree, homes = [MadeRegions.lakeTown, MadeRegions.hamlet, MadeRegions.harbour, MadeRegions.code("gone")]
        var people = WindowPeople(kinds: [.heartRate, .steps], homes: homes)
        let band = AgeBand(age: 31)
        let added = [
            people.append(.female, band, home: 0, bins: [3, nil]), people.append(.female, band, home: 0, bins: [3, 9]),
            people.append(.male, AgeBand(age: 100), home: 1, bins: [15, 0]),
            people.append(.other, AgeBand(age: 0), home: 2, bins: [nil, 2]),
            people.append(.female, band, home: 3, bins: [4, 4]),
        ]
        let refused = [
            people.append(.female, band, home: 4, bins: [1, 1]), people.append(.female, band, home: 0, bins: [1]),
            people.append(.female, band, home: 0, bins: [16, 1]), people.append(.female, band, home: 0, bins: [0, -1]),
        ]
        #expect(added.allSatisfy(\.self) && !refused.contains(true))
        #expect(people.count == 5 && people.bytes.count == 5 * 7)
        let rates = people.counts(of: .heartRate, at: .municipality, in: tree)
        #expect(rates.keys.sorted() == [GroupCell(.female, band, MadeRegions.lakeTown)], "the hamlet has no cells")
        #expect(rates.values.first?.bins == [0, 0, 0, 2] + [Int64](repeating: 0, count: 12))
        let provinces = people.counts(of: .heartRate, at: .province, in: tree)
        #expect(
            provinces.keys.sorted().map(\.region) == [MadeRegions.lake, MadeRegions.hills]
                && provinces.values.reduce(0) { $0 + $1.total } == 3)
        #expect(people.counts(of: .heartRate, at: .region, in: tree).values.reduce(0) { $0 + $1.total } == 3)
        #expect(people.counts(of: .steps, at: .region, in: tree).values.reduce(0) { $0 + $1.total } == 3)
        #expect(people.counts(of: .weight, at: .region, in: tree).isEmpty)
        #expect(WindowPeople(kinds: people.kinds, homes: homes, bytes: people.bytes) == people)
        var broken = people.bytes
        broken[6] = 16
        #expect(WindowPeople(kinds: people.kinds, homes: homes, bytes: broken) == nil)
        #expect(WindowPeople(kinds: people.kinds, homes: [], bytes: people.bytes) == nil)
        #expect(WindowPeople(kinds: people.kinds, homes: homes, bytes: people.bytes.dropLast()) == nil)
    }

    @Test("a row has at most 24 bytes, with every kind that may be grouped")
    func size() {
        var people = WindowPeople(kinds: GroupBins.kinds, homes: [MadeRegions.lakeTown])
        let isAdded = people.append(.male, AgeBand(age: 40), home: 0, bins: GroupBins.kinds.map { _ in 3 })
        #expect(isAdded && people.bytes.count == 24)
    }

    @Test("GRP-2: below 1000 nothing is released, whatever the noise, and a lower setting is not taken")
    func small() throws {
        var generator = SeededGenerator(seed: 2)
        let wild = ReleaseRule(minimum: 3, variance: try #require(NoiseVariance(100_000)), chance: 0.9)
        #expect(wild.minimum == 1_000 && wild.margin < 1_000)
        for _ in 0..<200 { #expect(wild.release(counts(999), using: &generator) == nil) }
        var released = 0
        for _ in 0..<200 where wild.release(counts(1_000), using: &generator) != nil { released += 1 }
        #expect(released > 20, "the true count alone would have failed")
    }

    @Test("GRP-2: the noisy count decides: above what is certain all is released, below the margin nothing")
    func margin() throws {
        let rule = try rule()
        #expect(rule.margin == 316 && rule.certain == 1_632)
        var generator = SeededGenerator(seed: 4), between = 0
        for _ in 0..<300 {
            #expect(rule.release(counts(1_000), using: &generator) == nil)
            #expect(rule.release(counts(Int64(rule.certain)), using: &generator) != nil)
            if rule.release(counts(1_316), using: &generator) != nil { between += 1 }
        }
        #expect((100...200).contains(between), "at the edge half is")
    }

    @Test("GRP-4: the margin keeps its chance, as far as one can count")
    func chance() throws {
        let rule = try rule(25, chance: 0.01), noise = DiscreteGaussian(rule.variance)
        var generator = SeededGenerator(seed: 6), above = 0
        for _ in 0..<10_000 where (0..<16).reduce(0, { sum, _ in sum + noise.sample(using: &generator) }) >= Int64(rule.margin) {
            above += 1
        }
        #expect(above <= 100 && above > 0)
        let budget = GroupBudget()
        #expect(budget.chanceOfMargin * Double(budget.countsPerYear) <= GroupBudget.deltaOfMargin * 1.000_001)
        #expect(budget.countsPerYear == 4 * 3 * 53 + 24)
    }

    @Test("GRP-4: a window is closed once: what it holds is what anybody reads, and a refused cell is one that does not exist")
    func closing() throws {
        let band = AgeBand(age: 30), cells = [MadeRegions.lakeTown, MadeRegions.lakeCity].map { GroupCell(.female, band, $0) }
        var generator = SeededGenerator(seed: 8)
        let release = GroupRelease.close(
            window, .heartRate, at: .municipality, counts: [cells[0]: counts(4_000), cells[1]: counts(900)], by: try rule(),
            using: &generator)
        #expect(Set(release.cells.keys) == [cells[0]])
        let noisy = try #require(release.cells[cells[0]])
        #expect(noisy.count == 16 && noisy != counts(4_000).bins && abs(noisy.reduce(0, +) - 4_000) < 250)
        var same = SeededGenerator(seed: 8)
        let again = GroupRelease.close(
            window, .heartRate, at: .municipality, counts: [cells[1]: counts(2), cells[0]: counts(4_000)], by: try rule(), using: &same)
        #expect(again == release, "how small a refused cell is makes no difference at all")
    }
}
