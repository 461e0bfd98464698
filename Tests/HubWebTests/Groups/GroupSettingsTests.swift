import Foundation
import Groups
import HubServices
import HubStore
import Testing
import Vitals

@testable import HubWeb

@Suite(.timeLimit(.minutes(5))) struct GroupSettingsTests {
    private func groups(_ change: (inout HubConfiguration.Groups) -> Void) -> HubConfiguration {
        var configuration = HubConfiguration(directory: URL(fileURLWithPath: "/nowhere"))
        change(&configuration.groups)
        return configuration
    }

    @Test("GRP-4: groups are off as installed, and have the budget of a year at most")
    func installed() throws {
        let installed = groups { _ in }, settings = try installed.groups.settings()
        #expect(!installed.groups.isEnabled && settings.budget.epsilon == 4.5 && settings.minimum == 1_000)
        #expect(settings.kinds.map(\.name) == ["heart_rate", "steps", "weight", "sleep"] && settings.closingDelay == 72 * 3_600_000)
        let other = try groups {
            $0.wanted = .init(kinds: ["sleep=1"], epsilon: 1, window: "hour", minimum: 2_000)
            $0.minimumOfDoor = 9_000
        }.groups.settings()
        #expect(other.kinds.map(\.name) == ["sleep"] && other.closingDelay == 2 * 3_600_000 && other.minimum == 2_000)
        #expect(other.budget.perYear < settings.budget.perYear && other.minimumOfDoor == 9_000)
        #expect(try groups { $0.closing = 100 }.groups.settings().closingDelay == 360_000_000)
    }

    @Test("GRP-5: a hub with groups turned on closes the windows of the past year")
    func running() async throws {
        func change(_ configuration: inout HubConfiguration) { configuration.groups.isEnabled = true }
        try await WebFixture.run(change: change) { web in
            let releases = web.hub.accounts.consents.groupReleases
            while try releases.closed(.week, from: .min, to: .max, limit: 100).count < 50 { try await Task.sleep(for: .milliseconds(50)) }
        }
    }

    @Test(
        "GRP-2, GRP-4: the least size can only be raised, epsilon only lowered, and the start says what is wrong",
        arguments: [
            ("999", "hub.groups: The least size of a group is 999: use 1000 or more."),
            ("4.6", "hub.groups: The budget's epsilon is 4.6: use more than 0, and 4.5 at most."),
            ("ecg=1", "hub.groups: ecg cannot be grouped."), ("position=1", "hub.groups: position cannot be grouped."),
            ("door", "hub.groups.minimumOfSecondDoor is 4999: use 5000 or more."),
            ("closing", "hub.groups.closing is 0: use 1 to 720 hours after a window's end."),
        ])
    func wrong(what: String, told: String) throws {
        let configuration = groups {
            switch what {
            case "999": $0.wanted.minimum = 999
            case "4.6": $0.wanted.epsilon = 4.6
            case "door": $0.minimumOfDoor = 4_999
            case "closing": $0.closing = 0
            default: $0.wanted.kinds = [what]
            }
        }
        let error = #expect(throws: HubConfigurationError.self) { try configuration.check() }
        #expect(error?.description.hasPrefix(told) == true, "\(error?.description ?? "")")
    }
}
