import Accounts
import Database
import Foundation
import Groups
import TestSupport
import Testing
import Vitals

@testable import HubStore

/// What was released about groups, as it is stored.
@Suite struct GroupReleaseTests {
    private let window = GroupWindow(.week, number: 2_900)

    private func variance(_ numerator: UInt64) throws -> NoiseVariance { try #require(NoiseVariance(numerator, over: 16)) }

    private func release(
        _ kind: DataKind, _ level: RegionLevel, in window: GroupWindow? = nil, _ cells: [GroupCell: [Int64]]
    ) throws -> GroupRelease {
        GroupRelease(window: window ?? self.window, kind: kind, level: level, variance: try variance(7_400), cells: cells)
    }

    private func cell(_ sex: CellSex, _ age: Int, _ region: String) throws -> GroupCell {
        GroupCell(sex, AgeBand(age: age), try #require(RegionCode(region)))
    }

    @Test("GRP-4: what a window released is stored once, and stays", arguments: Engine.allCases)
    func releases(engine: Engine) throws {
        let fixture = try HubFixture(engine), store = fixture.accounts.consents.groupReleases
        let wide: [Int64] = [-3, 0, 1, 63, 64, -64, -65, 8_191, 1_000_000, 5, 5, 5, 5, 5, 5, .max]
        let cells = try [
            cell(.female, 30, "IT-25"): wide, cell(.male, 100, "IT-25"): [Int64](repeating: 100, count: 16),
            cell(.other, 0, "CH-VD"): [Int64](repeating: -1, count: 16),
        ]
        let released = try [release(.heartRate, .region, cells), release(.heartRate, .province, [:]), release(.sleep, .region, [:])]
        #expect(try !store.isClosed(window) && store.releases(of: .heartRate, in: window).isEmpty && store.closing(of: window) == nil)
        #expect(try store.close(window, releases: released, now: 77))
        for store in try [store] + (engine == .files ? [fixture.reopened().accounts.consents.groupReleases] : []) {
            #expect(try store.isClosed(window) && store.closing(of: window) == 77)
            let read = try store.releases(of: .heartRate, in: window)
            #expect(read == [.region: released[0], .province: released[1]])
            #expect(try store.releases(of: .steps, in: window).isEmpty)
        }
        // Closed again, with other counts: nothing changes.
        let other = try release(.heartRate, .region, [cell(.female, 30, "IT-25"): [Int64](repeating: 9, count: 16)])
        #expect(try !store.close(window, releases: [other, release(.steps, .region, [:])], contributions: [[1]], now: 99))
        #expect(try store.releases(of: .heartRate, in: window)[.region] == released[0] && store.releases(of: .steps, in: window).isEmpty)
        #expect(try fixture.accounts.consents.groupWindows.contributions(to: window).isEmpty && store.closing(of: window) == 77)

        let cost = Rho(try variance(7_400)) * 3
        #expect(try store.cost(from: window.start, to: window.end) == cost && store.cost(from: window.end, to: .max) == .zero)
    }

    @Test("GRP-5: closed windows of a length are listed in order, the newest of too many", arguments: Engine.allCases)
    func windows(engine: Engine) throws {
        let fixture = try HubFixture(engine), store = fixture.accounts.consents.groupReleases, next = window.next
        for window in [next, window, GroupWindow(.day, at: window.start)] { #expect(try store.close(window, releases: [], now: 1)) }
        #expect(try store.closed(.week, from: .min, to: .max, limit: 9) == [window, next])
        #expect(try store.closed(.week, from: .min, to: .max, limit: 1) == [next])
        #expect(try store.closed(.week, from: window.start, to: next.start, limit: 9) == [window])
        #expect(try store.closed(.week, from: window.start + 1, to: next.start, limit: 9).isEmpty)
        #expect(try store.closed(.day, from: .min, to: .max, limit: 9) == [GroupWindow(.day, at: window.start)])
        #expect(try store.closed(.hour, from: .min, to: .max, limit: 9).isEmpty)
    }

    @Test("DATA-10: contributions are sealed, those of the newest window alone are kept", arguments: Engine.allCases)
    func contributions(engine: Engine) throws {
        let fixture = try HubFixture(engine), store = fixture.accounts.consents.groupReleases
        let windows = fixture.accounts.consents.groupWindows
        let parts = [[UInt8]](repeating: [UInt8](repeating: 77, count: 100), count: 3)
        #expect(try store.close(window, releases: [], contributions: parts, now: 1) && windows.contributions(to: window) == parts)
        let stored = try fixture.accounts.pool.read { try $0.fetchAll(Data.self, sql: "SELECT envelope FROM group_window") }
        #expect(stored.count == 3 && stored.allSatisfy { !$0.contains([UInt8](repeating: 77, count: 4)) })
        #expect(try store.close(window.next, releases: [], contributions: [[1]], now: 2))
        #expect(try windows.contributions(to: window).isEmpty && windows.contributions(to: window.next) == [[1]])
        try windows.forgetAll()
        #expect(try windows.contributions(to: window.next).isEmpty && store.isClosed(window.next))
    }

    @Test("GRP-4: bytes that are no released cells are told")
    func codec() throws {
        let bytes = ReleaseCodec.encoded(try [cell(.female, 30, "IT-25"): [Int64](repeating: 300, count: 16)])
        #expect(bytes.count == 1 + 6 + 1 + 32 && ReleaseCodec.decoded([1])?.isEmpty == true)
        for length in [0] + Array(2..<bytes.count) { #expect(ReleaseCodec.decoded(Array(bytes.prefix(length))) == nil) }
        for wrong in [[2], [1, 0, 5] + [UInt8](repeating: 0, count: 16), [1, 2, 73, 84, 63] + [UInt8](repeating: 0, count: 16)] {
            #expect(ReleaseCodec.decoded(wrong) == nil)
        }
        #expect(ReleaseCodec.decoded(counts: [UInt8](repeating: 0, count: 17)) == nil)
        #expect(ReleaseCodec.decoded(counts: [UInt8](repeating: 0xFF, count: 300)) == nil)
    }

    @Test("GRP-4: a question at the second door is kept once, and counted for who asked it", arguments: Engine.allCases)
    func door(engine: Engine) throws {
        let fixture = try HubFixture(engine), store = fixture.accounts.consents.groupDoor, clinic = try fixture.account("Clinic")
        let tree = RegionTree([GroupRegion(try #require(RegionCode("IT-25")), level: .region)])
        func question(_ bins: ClosedRange<Int>) throws -> DoorQuestion {
            let asked = try GroupQuestion(.heartRate, sexes: [.female], in: tree)
            return try #require(DoorQuestion(asked, in: window, where: [.init(.sleep, bins: bins)]))
        }
        let given = GroupDoorStore.Given(kind: .heartRate, counts: [Int64](repeating: -7, count: 16), variance: try variance(999))
        let refused = GroupDoorStore.Given(kind: .heartRate, counts: nil, variance: try variance(999))
        #expect(try store.given(to: question(8...15)) == nil)
        #expect(try store.keep(given, to: question(8...15), by: clinic.id, now: 1) == given)
        #expect(try store.keep(refused, to: question(8...15), by: clinic.id, now: 2) == given, "what was answered stays")
        #expect(try store.keep(refused, to: question(0...7), by: clinic.id, now: 3) == refused)
        #expect(try store.given(to: question(8...15)) == given && store.given(to: question(0...7)) == refused)
        #expect(try store.given(in: window.year) == [given, refused] && store.given(in: window.year + 1).isEmpty)
        #expect(try store.asked(in: window.year) == [clinic.id: 2])
        try fixture.accounts.deletePerson(clinic.id.person, now: 5)
        try fixture.accounts.eraseRows(of: clinic.id.person)
        #expect(try store.asked(in: window.year).isEmpty && store.given(in: window.year).count == 2)
    }
}
