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

        /// The classes of who counts; nil while the index is not whole.
        func classes(_ kinds: [DataKind] = [.heartRate, .weight]) throws -> [PersonID: [Int?]]? {
            try contributions.begin(window, kinds)
            while try contributions.prepare(2) {}
            return try contributions.rows().map { rows in
                Dictionary(uniqueKeysWithValues: rows.rows.map { row in (row.person, kinds.indices.map { row.value.bin($0) }) })
            }
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
        #expect(try scene.classes() == nil, "nothing is counted before all profiles were read")
        try scene.settle()
        #expect(try scene.classes() == [ada.id.person: [4, nil]])
        let row = try #require(try scene.contributions.rows()?.rows.first)
        #expect(row.sex == .male && row.band == scene.index.attributes(of: ada.id.person, on: CalendarDate(utc: scene.start))?.band)
        let milan = try #require(Self.milan)
        #expect(try scene.contributions.rows()?.homes == [milan])
        try scene.own.deletion.deletePerson(ada.id.person, by: nil, now: scene.own.hub.clock.now)
        #expect(try scene.classes() == [:])
    }

    @Test("GRP-5: in a window of an hour its own value counts alone")
    func hour() async throws {
        let scene = try Scene(), ada = try await scene.add("ada", rates: [60, 61, 62, 63, 64, 65, 100], age: 400)
        try scene.settle()
        #expect(try scene.classes([.heartRate])?[ada.id.person] == [4])
        // The last day's hour.
        let hour = GroupWindow(.hour, at: scene.start + 6 * Self.day + 3_600_000)
        try scene.contributions.begin(hour, [.heartRate])
        while try scene.contributions.prepare(9) {}
        #expect(try scene.contributions.rows()?.rows.map { $0.value.bin(0) } == [12])
        try scene.contributions.begin(hour.next, [.heartRate])
        while try scene.contributions.prepare(9) {}
        #expect(try scene.contributions.rows()?.rows.isEmpty == true)
    }
}
