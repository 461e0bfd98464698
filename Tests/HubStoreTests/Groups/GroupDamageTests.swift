import Accounts
import Database
import Foundation
import Groups
import TestSupport
import Testing
import Vitals

@testable import HubStore

/// What of groups does not open, or stands where it does not belong.
@Suite struct GroupDamageTests {
    private let window = GroupWindow(.week, number: 2_900)

    private func question(_ bins: ClosedRange<Int>) throws -> DoorQuestion {
        let tree = RegionTree([GroupRegion(try #require(RegionCode("IT-25")), level: .region)])
        let asked = try GroupQuestion(.heartRate, sexes: [.female], in: tree)
        return try #require(DoorQuestion(asked, in: window, where: [.init(.sleep, bins: bins)]))
    }

    @Test(
        "GRP-4: an answer of the second door that is damaged is told, and passes neither for a refusal nor for nothing",
        arguments: Engine.allCases)
    func door(engine: Engine) throws {
        let fixture = try HubFixture(engine), store = fixture.accounts.consents.groupDoor, clinic = try fixture.account("Clinic")
        let variance = try #require(NoiseVariance(999, over: 16)), one = try question(8...15), other = try question(0...7)
        let given = GroupDoorStore.Given(kind: .heartRate, counts: [Int64](repeating: 3, count: 16), variance: variance)
        for question in [one, other] { #expect(try store.keep(given, to: question, by: clinic.id, now: 1) == given) }
        func set(_ change: String) throws {
            try fixture.accounts.pool.write {
                try $0.execute(sql: "UPDATE group_door_answer SET \(change) WHERE question = ?", arguments: [one.text])
            }
        }
        for change in ["counts = x'FF'", "counts = x''", "numerator = -1", "kind = 250"] {
            try set(change)
            #expect(throws: HubStoreError.self, "\(change)") { try store.given(to: one) }
            #expect(throws: HubStoreError.self, "its year cannot be added up: \(change)") { try store.given(in: window.year) }
            #expect(throws: HubStoreError.self, "nobody draws it a second time: \(change)") {
                try store.keep(given, to: one, by: clinic.id, now: 2)
            }
            #expect(try store.given(to: other) == given)
            try fixture.accounts.pool.write { db in
                try db.execute(sql: "DELETE FROM group_door_answer WHERE question = ?", arguments: [one.text])
            }
            #expect(try store.keep(given, to: one, by: clinic.id, now: 3) == given)
        }
    }

    @Test(
        "DATA-11: contributions open at their place alone: not as another part's, and not as another window's", arguments: Engine.allCases)
    func contributions(engine: Engine) throws {
        let fixture = try HubFixture(engine), windows = fixture.accounts.consents.groupWindows
        func run(_ sql: String) throws { try fixture.accounts.pool.write { try $0.execute(sql: sql) } }
        func kept() throws -> [[UInt8]] { try windows.contributions(to: window) }
        let parts: [[UInt8]] = [[1, 2, 3], [4, 5, 6]]
        #expect(try fixture.accounts.consents.groupReleases.close(window, releases: [], contributions: parts, now: 1) && kept() == parts)
        #expect(try fixture.reopened().accounts.consents.groupWindows.contributions(to: window) == parts)
        try run("UPDATE group_window SET part = 2 WHERE part = 1")
        #expect(throws: (any Error).self) { try kept() }
        try run("UPDATE group_window SET part = 1 WHERE part = 2")
        #expect(try kept() == parts)
        try run("UPDATE group_window SET start = \(window.next.start)")
        #expect(try kept().isEmpty)
        #expect(throws: (any Error).self) { try windows.contributions(to: window.next) }
    }

    @Test("GRP-4: many are charged at once, each within their own year, whatever it holds of others", arguments: Engine.allCases)
    func charges(engine: Engine) throws {
        let fixture = try HubFixture(engine), years = fixture.accounts.consents.groupYears, budget = Rho(trillionths: 100)
        let people = try (0..<20).map { try fixture.account("Person\($0)").id.person }.sorted()
        func cost(_ cost: Int) -> [[GroupCost]] { [[GroupCost(.heartRate, .region, Rho(trillionths: UInt64(cost)))]] }
        let first = try years.charge(people.enumerated().map { .init($1, cost(30 + 10 * $0)) }, window, within: budget)
        let allowed: [UInt32] = (0..<20).map { $0 <= 7 ? 1 : 0 }
        #expect(first == allowed)
        let again = try years.charge(people.map { .init($0, cost(40)) }, window.next, within: budget)
        let allowedAgain: [UInt32] = (0..<20).map { $0 <= 3 || $0 > 7 ? 1 : 0 }
        #expect(again == allowedAgain)
        let spent = try people.map { try years.ledgers(of: $0).first?.spent }
        let expected: [Rho?] = (0..<20).map { Rho(trillionths: $0 <= 3 ? 70 + 10 * $0 : $0 <= 7 ? 30 + 10 * $0 : 40) }
        #expect(spent == expected)
    }
}
