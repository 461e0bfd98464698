import Accounts
import Groups
import HubStore
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// Who counts in statistics about groups, as it is kept in memory.
@Suite struct AttributeIndexTests {
    private static let list = """
        TMREGIONS 1
        =IT\tItaly\tItalia\tITA
        +25\tLombardia
        -MI\tMilano
        015146\tMilano\t\t20121
        """

    private struct Scene {
        let own: OwnDataFixture
        let index: AttributeIndex
        let day: CalendarDate

        var accounts: AccountStore { own.hub.accounts }

        init() throws {
            own = try OwnDataFixture()
            let regions = HomeRegions(accounts: own.hub.accounts, list: try RegionList(Array(AttributeIndexTests.list.utf8)), now: { 0 })
            index = AttributeIndex(accounts: own.hub.accounts, regions: regions, deletion: own.deletion, logger: own.logger)
            day = try #require(CalendarDate("2026-06-15"))
        }

        func add(_ name: String, _ details: [Field: String] = [:], roles: Set<Role> = [.person]) throws -> StoredAccount {
            var all: [Field: String] = [
                .firstName: name, .email: "\(name)@example.org", .dateOfBirth: "1990-06-15", .gender: "female", .residence: "Milano",
                .taxCountry: "IT",
            ]
            all.merge(details) { $1 }
            let added = try accounts.addConfirmedAccount(
                NewAccount(
                    roles: roles, details: Dictionary(uniqueKeysWithValues: all.map { ($0.key.rawValue, $0.value) }),
                    canonicalEmail: "\(name)@example.org", canonicalIdentifier: nil, password: "none", language: "en", accepted: [:]),
                now: 7)
            guard case .added(let account) = added else { throw HubStoreError.unknownPerson(name) }
            return account
        }

        func set(_ field: Field, _ value: String, of account: StoredAccount) throws {
            let now = try #require(try accounts.account(account.id))
            try accounts.setDetails(now.details.merging([field.rawValue: value]) { $1 }, of: now, now: 0)
        }

        func attributes(_ account: StoredAccount) -> GroupAttributes? { index.attributes(of: account.id.person, on: day) }
    }

    @Test("GRP-1: the index knows sex, five years of age and place of everybody who counts, after a start")
    func rebuilt() throws {
        let scene = try Scene(), milan = RegionCode("IT-015146")
        let ada = try scene.add("ada"), bob = try scene.add("bob", [.gender: "male", .dateOfBirth: "1990-06-16", .residence: "Atlantis"])
        let old = try scene.add("old", [.dateOfBirth: "1901-01-01", .gender: ""]), lab = try scene.add("lab", roles: [.organisation])
        #expect(!scene.index.isWhole && scene.index.count == 0)
        try scene.index.rebuild()
        #expect(scene.index.isWhole && scene.index.count == 3 && scene.attributes(lab) == nil)
        // Birthday: 36 today. The other one is 35 for one more day.
        #expect(scene.attributes(ada) == GroupAttributes(gender: .female, band: AgeBand(age: 35), region: milan))
        #expect(scene.attributes(bob) == GroupAttributes(gender: .male, band: AgeBand(age: 35), region: nil))
        for (day, band) in [("2030-06-14", 35), ("2030-06-15", 40)] {
            #expect(scene.index.attributes(of: ada.id.person, on: try #require(CalendarDate(day)))?.band.from == band)
        }
        #expect(scene.attributes(old) == GroupAttributes(gender: nil, band: AgeBand(age: 100), region: milan))
        let people = scene.index.people()
        #expect(people.count == 3 && people.map(\.person) == people.map(\.person).sorted() && people.allSatisfy { $0.created == 7 })
    }

    @Test("GRP-1: a change of profile, residence, choice, objection or deletion is in the index at once")
    func current() throws {
        let scene = try Scene(), ada = try scene.add("ada"), groups = scene.accounts.consents.groups
        try scene.index.rebuild()
        try scene.set(.gender, "other", of: ada)
        #expect(scene.attributes(ada)?.gender == .other)
        try scene.set(.residence, "Atlantis", of: ada)
        #expect(scene.attributes(ada)?.region == nil)
        let regions = HomeRegions(accounts: scene.accounts, list: try RegionList(Array(Self.list.utf8)), now: { 0 })
        #expect(try regions.choose("IT-25", by: ada) && scene.attributes(ada)?.region == RegionCode("IT-25"))
        try scene.set(.dateOfBirth, "never", of: ada)
        #expect(scene.attributes(ada) == nil)
        try scene.set(.dateOfBirth, "1950-01-01", of: ada)
        #expect(scene.attributes(ada)?.band.from == 75)

        try groups.choose(isCounted: false, of: ada.id.person, by: ada.id, now: 1)
        #expect(scene.attributes(ada) == nil)
        try groups.choose(isCounted: true, of: ada.id.person, by: ada.id, now: 2)
        #expect(scene.attributes(ada) != nil)
        try scene.own.deletion.deletePerson(ada.id.person, by: nil, now: 3)
        #expect(scene.attributes(ada) == nil)
        try scene.index.rebuild()
        #expect(scene.index.count == 0)
    }

    @Test("ACC-17: a minor is in the index with a parent's yes alone")
    func minors() throws {
        let scene = try Scene(), parent = try scene.add("parent"), kid = try scene.add("kid", [.dateOfBirth: "2016-01-01"])
        try scene.accounts.consents.setGuardians([parent.id], of: kid.id.person, adultFrom: 1_000_000)
        try scene.index.rebuild()
        #expect(scene.attributes(kid) == nil && scene.attributes(parent) != nil)
        try scene.accounts.consents.groups.choose(isCounted: true, of: kid.id.person, by: parent.id, now: 5)
        #expect(scene.attributes(kid)?.band.from == 10)
        try scene.index.rebuild()
        #expect(scene.attributes(kid)?.band.from == 10)
    }

    @Test("GRP-4, ACC-17: somebody below 18 counts in no window without a parent's yes, though they opened their account themselves")
    func young() throws {
        let scene = try Scene(), parent = try scene.add("parent"), kid = try scene.add("kid", [.dateOfBirth: "2016-01-01"])
        let own = try scene.add("own", [.dateOfBirth: "2010-07-01"])
        try scene.accounts.consents.setGuardians([parent.id], of: kid.id.person, adultFrom: 1_000_000)
        try scene.accounts.consents.groups.choose(isCounted: true, of: kid.id.person, by: parent.id, now: 5)
        // Their own word is no parent's.
        try scene.accounts.consents.groups.choose(isCounted: false, of: own.id.person, by: own.id, now: 5)
        try scene.accounts.consents.groups.choose(isCounted: true, of: own.id.person, by: own.id, now: 6)
        try scene.index.rebuild()
        func members(_ seconds: Milliseconds) -> [PersonID: Int] {
            var found: [PersonID: Int] = [:]
            scene.index.eachMember(in: GroupWindow(.week, at: seconds * 1_000)) { found[$0] = $1.band.from }
            return found
        }
        // 2026-06-15, and 2028-07-10: of age since some days.
        #expect(members(1_781_481_600) == [parent.id.person: 35, kid.id.person: 10])
        #expect(members(1_846_800_000) == [parent.id.person: 35, kid.id.person: 10, own.id.person: 15])
        #expect(members(0).isEmpty, "accounts of seven milliseconds")
    }
}
