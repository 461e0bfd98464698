import Accounts
import Crypto
import Database
import Foundation
import Groups
import History
import TestSupport
import Testing
import Vitals

@testable import HubServices
@testable import HubStore

/// Thousands of made-up people with rollups of some weeks, written as the stores write them, without going the way of samples.
struct MadeCrowd {
    let groups: MadeGroups
    /// In the order in which they were made.
    private(set) var people: [PersonID] = []

    var accounts: AccountStore { groups.accounts }
    var series: SeriesStore { groups.own.hub.series }

    init(_ list: RegionList? = nil) throws { groups = try MadeGroups(list) }

    /// What one of them has.
    struct One {
        var born = "1995-01-01"
        var residence = "Milano"
        var gender = "female"
        /// By day within each window.
        var rates: [Int64] = [60, 61, 62, 63, 64, 65, 66]
        var sleepMinutes: Int64? = 450
        /// So many hours of each day, from nine on, have rates; and steps, where there are any.
        var hours = 1
        var stepsAnHour: Int64?
        /// In hundredths of a kilogram, on the first day of each window.
        var weight: Int64?
    }

    private static let atOnce = 1_000

    /// - Parameters:
    ///   - windows: in which each has data.
    ///   - one: what the one of a number has.
    mutating func add(
        _ count: Int, in windows: [GroupWindow], created: Milliseconds? = nil, _ one: (Int) -> One = { _ in One() }
    ) throws {
        let first = people.count, created = created ?? (windows.map(\.start).min() ?? 0) - 100 * 86_400_000
        for start in stride(from: first, to: first + count, by: Self.atOnce) {
            let numbers = start..<min(start + Self.atOnce, first + count)
            let new = numbers.map { number in
                (id: PersonID.random(), key: PersonKey(number: 1, key: .init(size: .bits256)), one: one(number - first), number: number)
            }
            try accounts.keys.pool.write { db in
                for made in new {
                    try db.cachedStatement(sql: "INSERT INTO person_key(person, key, wrapped) VALUES(?, 1, ?)").execute(
                        arguments: [Data(made.id.bytes), try accounts.keys.wrap(made.key, of: made.id, with: accounts.keys.master.key)])
                }
            }
            let rows = try accounts.pool.write { db in
                try new.map { made in try insert(made.id, made.key, made.one, made.number, created, db) }
            }
            try series.series.write { db in
                for (made, row) in zip(new, rows) {
                    let owner = RollupOwner(person: made.id, row: row, key: made.key)
                    for window in windows { try insert(made.one, window, owner, db) }
                }
            }
            people += new.map(\.id)
        }
    }

    private func insert(
        _ person: PersonID, _ key: PersonKey, _ one: One, _ number: Int, _ created: Milliseconds, _ db: Connection
    ) throws -> Int64 {
        let details: [Field: String] = [
            .firstName: "Made \(number)", .email: "made\(number)@example.org", .dateOfBirth: one.born, .gender: one.gender,
            .residence: one.residence, .taxCountry: "IT",
        ]
        let plain = Array(try JSONEncoder().encode(Dictionary(uniqueKeysWithValues: details.map { ($0.key.rawValue, $0.value) })))
        try db.cachedStatement(
            sql: """
                INSERT INTO account(account, roles, email_index, details, password, language, created, confirmed)
                VALUES(?, ?, ?, ?, 'none', 'en', ?, ?)
                """
        ).execute(arguments: [
            Data(person.bytes), Set([Role.person]).bits, accounts.index("email", "made\(number)@example.org"),
            Data(try Envelope.seal(plain, with: key, at: .init(person: person, table: .account, row: (0, 0)))), created, created,
        ])
        let name = Data(try Envelope.seal([], with: key, at: .init(person: person, table: .name, row: (0, 0))))
        return try db.insert(
            sql: "INSERT INTO person(person, name, created) VALUES(?, ?, ?) RETURNING id", arguments: [Data(person.bytes), name, created])
    }

    /// A day's rates and steps in hours of it, and sleep in another one.
    private func insert(_ one: One, _ window: GroupWindow, _ owner: RollupOwner, _ db: Connection) throws {
        let hours = 9..<9 + one.hours
        func put(_ value: Rollup, _ kind: DataKind, _ day: Int64, in hours: Range<Int>) throws {
            try insert(Dictionary(uniqueKeysWithValues: hours.map { ($0, value) }), kind, day, owner, db)
        }
        for (number, day) in window.days.enumerated() where number < one.rates.count {
            var rates = Rollup(), steps = Rollup(), sleep = Rollup(), weight = Rollup()
            let rule = try #require(RollupRule(.heartRate))
            for away in -3...3 { rates.take(one.rates[number] + Int64(away), times: 100, by: rule) }
            try put(rates, .heartRate, day, in: hours)
            if let value = one.stepsAnHour {
                steps.take(value, by: try #require(RollupRule(.steps)))
                try put(steps, .steps, day, in: hours)
            }
            if let value = one.weight, number == 0 {
                weight.take(value, by: try #require(RollupRule(.weight)))
                try put(weight, .weight, day, in: 9..<10)
            }
            guard let minutes = one.sleepMinutes else { continue }
            sleep.take(1, times: minutes * 60, by: try #require(RollupRule(.sleep)))
            try put(sleep, .sleep, day, in: 9..<10)
        }
    }

    private func insert(_ slots: [Int: Rollup], _ kind: DataKind, _ day: Int64, _ owner: RollupOwner, _ db: Connection) throws {
        let rule = try #require(RollupRule(kind))
        let sealed = try Envelope.seal(
            RollupRow(slots).encoded(by: rule), with: owner.key, at: RollupStore.place(kind, .hours, day, of: owner.person))
        try db.cachedStatement(
            sql: """
                INSERT INTO rollup(person, kind, level, start, envelope) VALUES(?, ?, 1, ?, ?)
                ON CONFLICT(person, kind, level, start) DO UPDATE SET envelope = excluded.envelope
                """
        ).execute(arguments: [owner.row, kind.rawValue, day, Data(sealed)])
    }

    /// One more value of somebody.
    func put(_ value: Int64, _ kind: DataKind, on day: Int64, of person: PersonID) throws {
        let row = try #require(try accounts.row(of: person)), key = try #require(try accounts.keys.key(of: person))
        var rollup = Rollup()
        rollup.take(value, by: try #require(RollupRule(kind)))
        try series.series.write { try insert([9: rollup], kind, day, RollupOwner(person: person, row: row, key: key), $0) }
    }

    /// Other rates of somebody, as when data came late.
    func change(_ person: PersonID, to one: One, in window: GroupWindow) throws {
        let row = try #require(try accounts.row(of: person)), key = try #require(try accounts.keys.key(of: person))
        try series.series.write { try insert(one, window, RollupOwner(person: person, row: row, key: key), $0) }
    }
}
