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
    private typealias Release = ChargedYear.Release
    private let window = GroupWindow(.week, number: 2_900)
    private let budget = Rho(trillionths: 100)

    private func costs(_ releases: [(DataKind, RegionLevel, UInt64)]) -> [ChargedYear.Release: Rho] {
        Dictionary(uniqueKeysWithValues: releases.map { (Release($0.0, $0.1), Rho(trillionths: $0.2)) })
    }

    @Test("GRP-4: a year is charged up to the budget and no further, and the person sees on what", arguments: Engine.allCases)
    func charged(engine: Engine) throws {
        let fixture = try HubFixture(engine), years = fixture.accounts.consents.groupYears, ada = try fixture.account("Ada").id.person
        #expect(try years.ledgers(of: ada).isEmpty)
        let weekly = costs([(.heartRate, .region, 30), (.heartRate, .province, 10)])
        #expect(try years.charge(ada, window, weekly, within: budget) == [Release(.heartRate, .region), Release(.heartRate, .province)])
        #expect(try years.charge(ada, window.next, weekly, within: budget).count == 2)
        // 80 are spent: 30 more would be too much, 10 are not.
        let third = window.next.next
        #expect(try years.charge(ada, third, weekly, within: budget) == [Release(.heartRate, .province)])
        #expect(try years.charge(ada, third.next, costs([(.sleep, .region, 11)]), within: budget).isEmpty)
        let ledger = try #require(try years.ledgers(of: ada).first)
        #expect(ledger.year == 2025 && ledger.spent == Rho(trillionths: 90))
        #expect(
            ledger.lines == [
                .init(purpose: .cube(.heartRate, .region), releases: 2, cost: Rho(trillionths: 60)),
                .init(purpose: .cube(.heartRate, .province), releases: 3, cost: Rho(trillionths: 30)),
            ])
        // Another year begins anew.
        let later = GroupWindow(.week, number: 2_960)
        #expect(try years.charge(ada, later, weekly, within: budget).count == 2)
        #expect(try years.ledgers(of: ada).map(\.year) == [2025, later.year] && later.year == 2026)
    }

    @Test("GRP-4: a window that is charged again, because the hub died before it was closed, costs once", arguments: Engine.allCases)
    func again(engine: Engine) throws {
        let fixture = try HubFixture(engine), years = fixture.accounts.consents.groupYears, ada = try fixture.account("Ada").id.person
        let first = costs([(.heartRate, .region, 30)]), both = costs([(.heartRate, .region, 30), (.sleep, .region, 30)])
        #expect(try years.charge(ada, window, first, within: budget).count == 1)
        #expect(try years.charge(ada, window, both, within: budget).count == 2, "data came in between")
        #expect(try years.charge(ada, window, both, within: budget).count == 2)
        #expect(try years.ledgers(of: ada).first?.spent == Rho(trillionths: 60))
        #expect(try years.charge(ada, window.next, both, within: budget) == [Release(.heartRate, .region)])
        #expect(try years.charge(ada, window.next, both, within: budget) == [Release(.heartRate, .region)])
        #expect(try years.ledgers(of: ada).first?.spent == Rho(trillionths: 90))
    }

    @Test("DATA-10, DATA-11: a year is sealed, tells nothing by its length, and goes with the person")
    func sealed() throws {
        let fixture = try HubFixture(.files), years = fixture.accounts.consents.groupYears
        let ada = try fixture.account("Ada").id.person, bob = try fixture.account("Bob").id.person
        let many = costs(
            [DataKind.heartRate, .steps, .sleep, .weight].flatMap { kind in
                [RegionLevel.region, .province, .municipality].map { (kind, $0, 1) }
            })
        #expect(try years.charge(ada, window, many, within: budget).count == 12)
        #expect(try years.charge(bob, window, costs([(.weight, .region, 1)]), within: budget).count == 1)
        func rows() throws -> [Data] { try fixture.accounts.pool.read { try $0.fetchAll(Data.self, sql: "SELECT envelope FROM group_year") } }
        let lengths = try rows().map(\.count)
        #expect(lengths == [160, 160])
        try fixture.accounts.deletePerson(ada, now: 1)
        #expect(try years.ledgers(of: ada).isEmpty && years.charge(ada, window, many, within: budget).isEmpty)
        try fixture.accounts.eraseRows(of: ada)
        #expect(try rows().count == 1 && years.ledgers(of: bob).count == 1)
    }

    @Test("GRP-4: a year survives its bytes, and bytes that are none are told")
    func bytes() throws {
        var year = ChargedYear()
        let costs = costs([(.activity, .municipality, 1 << 40), (.heartRate, .country, 3)])
        #expect(year.charge(GroupWindow(.hour, number: 500_000), costs, within: Rho(trillionths: .max)).isChanged)
        #expect(!year.charge(GroupWindow(.hour, number: 500_000), costs, within: Rho(trillionths: .max)).isChanged)
        #expect(ChargedYear(decoding: year.encoded()) == year && ChargedYear(decoding: ChargedYear().encoded())?.lines.isEmpty == true)
        for wrong in [[], [2, 0, 0, 0, 0, 0, 0], [1, 3, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0, 1], [UInt8](repeating: 1, count: 17)] {
            #expect(ChargedYear(decoding: wrong) == nil)
        }
    }
}
