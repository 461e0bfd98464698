import TestSupport
import Testing

/// Arbitrary sequences of everything that can happen to consents, over the stores and services of a hub: what is read by a program, by a
/// stream or as a file is looked at sample by sample, and held against what the sequence allows.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct ConsentFlowTests {
    @Test(
        "CONS-4, CONS-5, CONS-6, DATA-10: no sequence of events lets a byte flow without a grant", arguments: Seeds.some(2, of: 1..<9))
    func nothingWithoutGrant(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        var town = try await FlowTown()
        for _ in 0..<150 {
            try await town.step(&random)
            try await town.readAll()
            guard town.violations.isEmpty else { break }
        }
        let told = town.violations.joined(separator: "\n") + "\nafter:\n" + town.log.joined(separator: "\n")
        #expect(town.violations.isEmpty, "seed \(seed): \(told)")
        // Data flows where it may, by each way, or all this proves nothing.
        for way in FlowTown.Way.allCases {
            #expect(town.flowed[way, default: 0] > 1, "seed \(seed): \(way) \(town.flowed)")
            #expect(town.withheld[way, default: 0] > 5, "seed \(seed): \(way) \(town.withheld)")
        }
    }
}
