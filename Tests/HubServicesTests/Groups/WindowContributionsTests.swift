import Accounts
import Groups
import HubStore
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// With what people count in a window that closes.
@Suite struct WindowContributionsTests {
    private static let day: Milliseconds = 86_400_000
    private static let milan = RegionCode("IT-015146")

    private struct Scene {
        let own: OwnDataFixture
        let index: AttributeIndex
        let contributions: WindowContributions
        let window: GroupWindow

        var start: Milliseconds { window.start }

        init() throws {
            own = try OwnDataFixture()
            let list = """
                TMREGIONS 1
                =IT\tItaly\tItalia\tITA
                +25\tLombardia
                -MI\tMilano
                015146\tMilano\t\t20121
                """
            let regions = HomeRegions(accounts: own.hub.accounts, list: try RegionList(Array(list.utf8)), now: { 0 })
            index = AttributeIndex(accounts: own.hub.accounts, regions: regions, deletion: own.deletion, logger: own.logger)
            contributions = WindowContributions(series: own.hub.series, index: index)
            window = GroupWindow(.week, at: own.hub.clock.now - 10 * WindowContributionsTests.day)
        }

        /// Somebody with a sample of heart rate on each of the window's days.
        func add(_ name: String, rates: [UInt16], age: Int = 100, provenance: Provenance = .live) async throws -> StoredAccount {
            let fields: [Field: String] = [
                .firstName: name, .email: "\(name)@example.org", .dateOfBirth: "1990-01-01", .gender: "male", .residence: "Milano",
                .taxCountry: "IT",
            ]
            let added = try own.hub.accounts.addConfirmedAccount(
                NewAccount(
                    roles: [.person], details: Dictionary(uniqueKeysWithValues: fields.map { ($0.key.rawValue, $0.value) }),
                    canonicalEmail: "\(name)@example.org", canonicalIdentifier: nil, password: "none", language: "en", accepted: [:]),
                now: own.hub.clock.now - Milliseconds(age) * WindowContributionsTests.day)
            guard case .added(let account) = added else { throw HubStoreError.unknownPerson(name) }
            let box = try await own.hub.enrol([account.id.person]), stream = StreamID.random()
            for (day, rate) in rates.enumerated() {
                let time = start + Milliseconds(day) * WindowContributionsTests.day + 3_600_000
                let segment = own.hub.segment(
                    UInt64(day) + 1, stream: stream, person: account.id.person, rate: rate, provenance: provenance, time: time)
                _ = try await own.hub.send([segment], token: box.token)
            }
            return account
        }

        func settle() throws {
            try own.hub.series.merger.merge(now: own.hub.clock.now)
            while try own.hub.series.rollups.build(before: own.hub.clock.now) > 0 {}
            try index.rebuild()
        }

        func people(_ kinds: [DataKind] = [.heartRate, .weight]) throws -> WindowPeople? {
            try contributions.people(in: window, kinds: kinds, now: own.hub.clock.now)
        }
    }

    @Test("GRP-4: each person who counts contributes the median of their days, and nobody else does")
    func closes() async throws {
        let scene = try Scene()
        let ada = try await scene.add("ada", rates: [60, 61, 62, 63, 64, 65, 200])
        _ = try await scene.add("few", rates: [60, 60, 60])
        _ = try await scene.add("young", rates: [60, 60, 60, 60, 60, 60, 60], age: 20)
        _ = try await scene.add("played", rates: [60, 60, 60, 60, 60, 60, 60], provenance: .replay)
        let objector = try await scene.add("objector", rates: [90, 90, 90, 90, 90, 90, 90])
        try scene.own.hub.accounts.consents.groups.choose(isCounted: false, of: objector.id.person, by: objector.id, now: 1)
        #expect(try scene.people() == nil, "nothing is counted before all profiles were read")
        try scene.settle()

        let milan = try #require(Self.milan)
        var expected = WindowPeople(kinds: [.heartRate, .weight], homes: [milan])
        // Born in 1990, on a day of 2023 at the earliest.
        let age = try #require(scene.index.attributes(of: ada.id.person, on: CalendarDate(utc: scene.start))).band
        #expect(expected.append(.male, age, home: 0, bins: [4, nil]))
        #expect(try scene.people() == expected)
        try scene.own.deletion.deletePerson(ada.id.person, by: nil, now: scene.own.hub.clock.now)
        #expect(try scene.people()?.count == 0)
    }
}
