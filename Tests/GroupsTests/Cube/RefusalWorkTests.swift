import Accounts
import TestSupport
import Testing
import Vitals

@testable import Groups

/// Counts the random words that are drawn.
private struct CountedGenerator: RandomNumberGenerator {
    private var generator: SeededGenerator
    private(set) var words = 0

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func next() -> UInt64 {
        words += 1
        return generator.next()
    }
}

/// How long a refusal takes tells nothing of its reason: what is worked is counted, because time depends on the machine.
@Suite struct RefusalWorkTests {
    /// Nobody, few, one too few, enough for the least size alone, at the margin, many.
    private static let sizes: [Int64] = [0, 3, 999, 1_000, 1_186, 9_000]

    private func words(_ size: Int64, seed: UInt64, _ rule: ReleaseRule, _ fault: Fault?) -> Int {
        var generator = CountedGenerator(seed: seed), counts = [Int64](repeating: size / 16, count: 16)
        counts[3] += size % 16
        // The fault: what is too small is refused at once.
        if fault == .earlyRefusal && size < Int64(rule.minimum) { return generator.words }
        _ = rule.release(TrueCounts(counts), using: &generator)
        return generator.words
    }

    @Test("GRP-4: a refusal draws the same noise as an answer, whatever its reason", arguments: [nil, Fault.earlyRefusal])
    func noise(fault: Fault?) throws {
        let rule = ReleaseRule(variance: try #require(NoiseVariance(36)), chance: 1e-13)
        for seed in 1...20 as ClosedRange<UInt64> {
            let worked = Set(Self.sizes.map { words($0, seed: seed, rule, fault) })
            #expect((worked.count == 1) == (fault == nil), "seed \(seed): \(worked)")
        }
    }

    @Test("GRP-4: the second door works the same for a group of nobody and of many")
    func secondDoor() throws {
        let tree = MadeRegions.tree, question = try GroupQuestion(.heartRate, sexes: [.female], in: tree)
        let asked = try #require(DoorQuestion(question, in: MadeHub.window, where: [.init(.sleep, bins: 10...12)]))
        var worked: Set<Int> = [], outcomes: Set<Bool> = []
        for matching in [0, 1, 4_999, 7_000] {
            var people = WindowPeople(kinds: [.heartRate, .sleep], homes: [MadeRegions.lakeTown])
            for number in 0..<7_000 { _ = people.append(.female, AgeBand(age: 30), home: 0, bins: [5, number < matching ? 11 : 2]) }
            var door = try #require(SecondDoor<Int>(year: 2026, budget: GroupBudget())), generator = CountedGenerator(seed: 5)
            outcomes.insert(door.ask(asked, by: 1, of: people, in: tree, using: &generator) == .refused)
            worked.insert(generator.words)
            #expect(door.spent == door.cost, "a refusal costs what an answer costs")
        }
        #expect(worked.count == 1 && outcomes.count == 2, "\(worked)")
    }
}
