import Accounts
import Groups
import History
import HubStore
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// How people compare with what was released about people like them.
@Suite struct GroupComparisonsTests {
    private struct Scene {
        let made: MadeGroups
        let comparisons: GroupComparisons
        let today = CalendarDate(utc: 1_793_836_800_000)

        init() throws {
            made = try MadeGroups()
            comparisons = GroupComparisons(
                answers: made.answers(), regions: HomeRegions(accounts: made.accounts, list: try MadeGroups.regions(), now: { 0 }))
        }

        func person(_ details: [Field: String]) throws -> StoredAccount {
            let all = [Field.dateOfBirth: "1993-04-02", .gender: "female", .residence: "Milano", .taxCountry: "IT"].merging(details) { $1 }
            let account = try made.own.addAccount(email: "\(PersonID.random())@example.org")
            try made.accounts.setDetails(Dictionary(uniqueKeysWithValues: all.map { ($0.key.rawValue, $0.value) }), of: account, now: 0)
            return try #require(try made.accounts.account(account.id))
        }

        func found(_ details: [Field: String] = [:], _ kinds: [DataKind] = [.heartRate, .sleep]) throws -> [DataKind: GroupComparison] {
            try comparisons.comparisons(of: person(details), kinds, on: today)
        }
    }

    @Test("DATA-4: a person is compared with the released cell of their sex and age, in the smallest region around them that has one")
    func smallest() throws {
        let scene = try Scene(), made = scene.made
        let region = try MadeGroups.cell(.female, 33, "IT-25"), town = try MadeGroups.cell(.female, 33, "IT-015146")
        #expect(try scene.found().isEmpty, "no window is closed")
        try made.close(made.window, [.region: [region]])
        let found = try scene.found(), heart = try #require(found[.heartRate])
        #expect(found.count == 1 && heart.cell == region && heart.window == made.window)
        // A hundred in each class of 40 to 120 a minute.
        #expect(heart.count.value == 1_600 && heart.mean.low < 79.5 && heart.mean.high > 79.5 && heart.mean.low < heart.mean.high)
        #expect(abs(heart.low - 47.5) < 0.1 && abs(heart.high - 111.5) < 0.1)
        #expect(heart.place(of: 47) == .below && heart.place(of: 80) == .within && heart.place(of: 112) == .above)
        try made.close(made.window.next, [.region: [region], .municipality: [town]])
        #expect(try scene.found()[.heartRate]?.cell == town)
    }

    @Test("DATA-4: without a released cell, an age or a place there is nothing to compare with")
    func nothing() throws {
        let scene = try Scene(), made = scene.made
        try made.close(made.window, [.region: [try MadeGroups.cell(.female, 33, "IT-25")]])
        for details in [
            [.gender: "male"], [.gender: ""], [.dateOfBirth: "1960-01-01"], [.dateOfBirth: ""], [.residence: "Torino"],
            [.residence: "Atlantis"],
        ] as [[Field: String]] {
            #expect(try scene.found(details).isEmpty, "\(details)")
        }
        // Every part of a group counts: two halves are no cell.
        try made.close(
            made.window.next, [.municipality: [try MadeGroups.cell(.female, 33, "IT-097042")]])
        #expect(try scene.found().isEmpty)
    }
}
