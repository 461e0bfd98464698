import Accounts
import Database
import Foundation
import Groups
import TestSupport
import Testing
import Vitals

@testable import HubStore

/// What groups have cost a person.
@Suite struct GroupYearTests {
    private let window = GroupWindow(.week, number: 2_900)
    private let budget = Rho(trillionths: 100)

    private func cost(_ kind: DataKind, _ level: RegionLevel, _ cost: UInt64) -> GroupCost {
        GroupCost(kind, level, Rho(trillionths: cost))
    }

    private func charge(
        _ fixture: HubFixture, _ person: PersonID, _ window: GroupWindow, _ kinds: [[GroupCost]], within budget: Rho? = nil
    ) throws -> UInt32 {
        let years = fixture.accounts.consents.groupYears
        return try #require(try years.charge([.init(person, kinds)], window, within: budget ?? self.budget).first)
    }

    @Test("GRP-4: a year is charged up to the budget and no further, and the person sees on what", arguments: Engine.allCases)
    func charged(engine: Engine) throws {
        let fixture = try HubFixture(engine), ada = try fixture.account("Ada").id.person
        let years = fixture.accounts.consents.groupYears
        #expect(try years.ledgers(of: ada).isEmpty)
        let rate = [cost(.heartRate, .region, 30), cost(.heartRate, .province, 10)], sleep = [cost(.sleep, .region, 20)]
        #expect(try charge(fixture, ada, window, [rate, []]) == 0b01)
        #expect(try charge(fixture, ada, window.next, [rate, []]) == 0b01)
        // 80 are spent: 40 more would be too much, 20 are not, and what comes after them is.
        let third = window.next.next
        #expect(try charge(fixture, ada, third, [rate, sleep]) == 0b10)
        #expect(try charge(fixture, ada, third.next, [[cost(.steps, .region, 1)], []]) == 0)
        let ledger = try #require(try years.ledgers(of: ada).first)
        #expect(ledger.year == 2025 && ledger.spent == Rho(trillionths: 100) && ledger.epsilon > 0)
        #expect(
            ledger.lines == [
                .init(purpose: .cube(.heartRate, .region), releases: 2, cost: Rho(trillionths: 60)),
                .init(purpose: .cube(.heartRate, .province), releases: 2, cost: Rho(trillionths: 20)),
                .init(purpose: .cube(.sleep, .region), releases: 1, cost: Rho(trillionths: 20)),
            ])
        // Another year begins anew.
        let later = GroupWindow(.week, number: 2_960)
        #expect(try charge(fixture, ada, later, [rate]) == 0b01)
        #expect(try years.ledgers(of: ada).map(\.year) == [2025, 2026])
    }

    @Test("GRP-4: a window that is charged again, because the hub died before it was closed, costs once", arguments: Engine.allCases)
    func again(engine: Engine) throws {
        let fixture = try HubFixture(engine), ada = try fixture.account("Ada").id.person
        let rate = [cost(.heartRate, .region, 30)], sleep = [cost(.sleep, .region, 30)]
        func spent() throws -> Rho? { try fixture.accounts.consents.groupYears.ledgers(of: ada).first?.spent }
        #expect(try charge(fixture, ada, window, [rate, []]) == 0b01)
        #expect(try charge(fixture, ada, window, [rate, sleep]) == 0b11, "data came in between")
        #expect(try charge(fixture, ada, window, [rate, sleep]) == 0b11)
        #expect(try spent() == Rho(trillionths: 60))
        #expect(try charge(fixture, ada, window.next, [rate, sleep]) == 0b01)
        #expect(try charge(fixture, ada, window.next, [rate, sleep]) == 0b01)
        #expect(try spent() == Rho(trillionths: 90))
    }

    @Test("DATA-10, DATA-11: a year is sealed, tells nothing by its length, and goes with the person")
    func sealed() throws {
        let fixture = try HubFixture(.files), years = fixture.accounts.consents.groupYears
        let people = try [fixture.account("Ada"), fixture.account("Bob")].map(\.id.person).sorted()
        let kinds = [DataKind.heartRate, .steps, .sleep, .weight]
        let many = kinds.map { kind in [RegionLevel.region, .province, .municipality].map { cost(kind, $0, 1) } }
        let asked = [GroupYearStore.Charge(people[0], many), .init(people[1], [[], [], [], [cost(.weight, .region, 1)]])]
        #expect(try years.charge(asked, window, within: budget) == [0b1111, 0b1000])
        func rows() throws -> [Data] {
            try fixture.accounts.pool.read { try $0.fetchAll(Data.self, sql: "SELECT envelope FROM group_year") }
        }
        #expect(try rows().map(\.count) == [160, 160])
        try fixture.accounts.deletePerson(people[0], now: 1)
        #expect(try years.ledgers(of: people[0]).isEmpty && years.charge(asked, window, within: budget) == [0, 0b1000])
        try fixture.accounts.eraseRows(of: people[0])
        #expect(try rows().count == 1 && years.ledgers(of: people[1]).count == 1)
        // Whose row does not open is in nothing: what they spent is not known.
        try fixture.damage("group_year")
        #expect(try years.charge(asked, window.next, within: budget) == [0, 0] && fixture.unreadable == [.ledgerLine])
    }

    @Test("GRP-4: a year survives its bytes, and bytes that are none are told")
    func bytes() throws {
        var year = ChargedYear()
        let kinds = [[cost(.activity, .municipality, 1 << 40)], [cost(.heartRate, .country, 3)]], all = Rho(trillionths: .max)
        #expect(year.charge(GroupWindow(.hour, number: 500_000), kinds, within: all).isChanged)
        let again = year.charge(GroupWindow(.hour, number: 500_000), kinds, within: all)
        #expect(again.allowed == 0b11 && !again.isChanged)
        #expect(ChargedYear(decoding: year.encoded()) == year && ChargedYear(decoding: ChargedYear().encoded())?.lines.isEmpty == true)
        // A version, length of windows and count of lines that there is not; then a kind and a level that there is not.
        let head: [UInt8] = [1, 0, 0, 0, 0, 0], line = [UInt8](repeating: 1, count: 10)
        #expect(ChargedYear(decoding: head + [1] + line) != nil)
        let wrong: [[UInt8]] = [
            [], [2, 0, 0, 0, 0, 0, 0], [1, 3, 0, 0, 0, 0, 0], head + [1], head + [2] + line, head + [1, 255] + line.dropFirst(),
            head + [1, 1, 9] + line.dropFirst(2),
        ]
        for bytes in wrong { #expect(ChargedYear(decoding: bytes) == nil, "\(bytes)") }
    }
}
