import Foundation
import TestSupport
import Testing

@testable import HubWeb

/// `groups attack` on a small hub.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct GroupAttackTests {
    private func attack(_ change: (inout GroupAttacking) -> Void = { _ in }) async throws -> (text: String, isHeld: Bool) {
        let directory = try TemporaryDirectory()
        var wanted = GroupAttacking(towns: 2, windows: 3)
        change(&wanted)
        return try await GroupAttacking.attackGroups(wanted, HubConfiguration(directory: directory.url))
    }

    @Test(
        "GRP-4: no attack over HTTP does better than the budget that it read, no refusal tells anything, and no question is answered beyond it"
    )
    func held() async throws {
        let (text, isHeld) = try await attack()
        #expect(isHeld && text.contains("126 targets") && !text.contains("BROKEN"), "\(text)")
        for name in [
            "likelihood ratio, all windows", "one question in five ways", "tracker", "refusals by their length", "data after the close",
            "members made up for the question", "people who objected", "people who leave between two windows", "was charged",
            "data of accounts after the close",
        ] {
            #expect(text.contains(name), "\(text)")
        }
        #expect(text.contains("0 answers differ") && text.contains("0 released") && text.contains("12 answered, 12 at most"), "\(text)")
    }

    @Test("GRP-4: with a twentieth of the noise that is accounted for, the attacks over HTTP see it")
    func planted() async throws {
        let (text, isHeld) = try await attack { $0.divisor = 400 }
        #expect(!isHeld && text.contains("BROKEN"), "\(text)")
    }

    @Test("GRP-4: with accounts that are old enough, members made up for a question are seen over HTTP")
    func members() async throws {
        let (text, isHeld) = try await attack {
            $0.windows = 1
            $0.newAge = 40 * 86_400_000
        }
        let lines = text.split(separator: "\n").filter { $0.contains("BROKEN") }
        try #require(!isHeld && lines.count == 2, "\(text)")
        #expect(lines[0].hasPrefix("members made up") && lines[1].contains("was charged"), "\(text)")
    }

    @Test("attacks need a directory in which nobody is, and sizes that make sense")
    func refused() async throws {
        let directory = try TemporaryDirectory(), configuration = HubConfiguration(directory: directory.url)
        for (towns, windows) in [(1, 3), (201, 3), (2, 0), (2, 54)] {
            await #expect(throws: HubConfigurationError.self) {
                try await GroupAttacking.attackGroups(.init(towns: towns, windows: windows), configuration)
            }
        }
        #expect(GroupAttacking.towns(for: 10_000) == 159 && GroupAttacking.towns(for: 126) == 2)
        _ = try HubCommands.addPeople(names: ["Ada"], configuration)
        let error = await #expect(throws: HubConfigurationError.self) {
            try await GroupAttacking.attackGroups(.init(towns: 2, windows: 1), configuration)
        }
        #expect(error?.description.contains("--directory") == true)
    }
}
