import Database
import Foundation
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct DeviceTests {
    @Test("DATA-13: a phone is known by its secret until its owner revokes it", arguments: Engine.allCases)
    func lifecycle(engine: Engine) throws {
        let fixture = try HubFixture(engine), devices = fixture.accounts.devices
        let ada = try fixture.accounts.addPerson(name: "Ada", now: 0).id, bob = try fixture.accounts.addPerson(name: "Bob", now: 0).id
        let phone = try #require(try devices.addDevice("Phone", .ownTracks, of: ada, hash: [1], now: 5))
        #expect(phone.name == "Phone" && phone.kind == .ownTracks && phone.created == 5 && phone.seen == nil && phone.revoked == nil)
        #expect(try devices.device(hash: [1]) == phone && devices.device(hash: [2]) == nil)
        try devices.noteDevice(phone.row, seen: 60)
        try devices.noteDevice(phone.row, problem: "no time", now: 70)
        let seen = try #require(try devices.device(hash: [1]))
        #expect(seen.seen == 60 && seen.problem == "no time" && seen.problemTime == 70)
        #expect(try !devices.revokeDevice(phone.row, of: bob, now: 80), "somebody else's")
        #expect(try devices.revokeDevice(phone.row, of: ada, now: 80) && !devices.revokeDevice(phone.row, of: ada, now: 81))
        #expect(try devices.device(hash: [1]) == nil && devices.devices(of: ada).map(\.revoked) == [80])
        #expect(throws: HubStoreError.self) { try devices.addDevice("X", .osmAnd, of: .random(), hash: [3], now: 0) }
    }

    @Test("DATA-13: fifty devices of a person, revoked ones included, and no more", arguments: Engine.allCases)
    func most(engine: Engine) throws {
        let fixture = try HubFixture(engine), devices = fixture.accounts.devices,
            ada = try fixture.accounts.addPerson(name: "Ada", now: 0).id
        _ = try devices.manualDevice(of: ada, now: 0)
        for number in 0..<UInt8(DeviceStore.devicesMax) {
            let made = try #require(try devices.addDevice("\(number)", .osmAnd, of: ada, hash: [number], now: 0))
            if number == 0 { _ = try devices.revokeDevice(made.row, of: ada, now: 1) }
        }
        #expect(try devices.addDevice("one more", .osmAnd, of: ada, hash: [200], now: 2) == nil)
        #expect(try devices.devices(of: ada).map(\.name) == (0..<50).map { "\($0)" })
    }

    @Test("DATA-2: what a person types has a device of its own, one, on no list and without a secret", arguments: Engine.allCases)
    func manual(engine: Engine) throws {
        let fixture = try HubFixture(engine), devices = fixture.accounts.devices,
            ada = try fixture.accounts.addPerson(name: "Ada", now: 0).id
        let made = try devices.manualDevice(of: ada, now: 1)
        #expect(try devices.manualDevice(of: ada, now: 2) == made && made.kind == .manual && made.provenance == .manual)
        #expect(try devices.devices(of: ada).isEmpty && !devices.revokeDevice(made.row, of: ada, now: 3))
        #expect(made.agent.row == -made.row && made.agent.people == [ada: made.personRow] && !made.agent.revoked)
        #expect(!StoredDevice.Kind.offered.contains(.manual) && StoredDevice.Kind.offered.count == 3)
        #expect(throws: HubStoreError.self) { try devices.manualDevice(of: .random(), now: 0) }
    }

    @Test("DATA-13: what a device sends is taken also where its name is damaged, which is told", arguments: Engine.allCases)
    func damaged(engine: Engine) throws {
        let fixture = try HubFixture(engine), devices = fixture.accounts.devices,
            ada = try fixture.accounts.addPerson(name: "Ada", now: 0).id
        let phone = try #require(try devices.addDevice("Phone", .ownTracks, of: ada, hash: [1], now: 5))
        _ = try devices.addDevice("Watch", .detector, of: ada, hash: [2], now: 5)
        try fixture.damage("device", "name", where: "id = \(phone.row)")
        #expect(try devices.device(hash: [1])?.name == "" && devices.devices(of: ada).map(\.name) == ["", "Watch"])
        #expect(fixture.keys.unreadable.rows == [UnreadableRow(.device, phone.row)])
    }

    @Test("DATA-10: the devices of a deleted person are none", arguments: Engine.allCases)
    func deleted(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts, ada = try accounts.addPerson(name: "Ada", now: 0).id
        _ = try accounts.devices.addDevice("Phone", .ownTracks, of: ada, hash: [1], now: 5)
        try accounts.deletePerson(ada, now: 6)
        #expect(try accounts.devices.device(hash: [1]) == nil && accounts.devices.devices(of: ada).isEmpty)
        try accounts.eraseRows(of: ada)
        #expect(try fixture.count("device") == 0)
    }

    @Test(
        "DATA-13: a phone that sends again what it got no answer for is told apart, waiting, merged and after a restart",
        arguments: Engine.allCases)
    func content(engine: Engine) throws {
        var store = try StoreFixture(databases: engine)
        let phone = try #require(try store.accounts.devices.addDevice("Phone", .ownTracks, of: store.person, hash: [1], now: 0))
        let track = positions(from: noon, count: 5), now = noon + day
        #expect(try store.series.devices.content(of: phone, kinds: [.position], at: [noon], now: now).next == 0)
        _ = try store.known(phone.stream)
        try store.append(SampleSet(positions: track), sequence: 0, clock: .wall, stream: phone.stream)
        for step in 0..<3 {
            let content = try store.series.devices.content(of: phone, kinds: [.position, .heartRate], at: [noon + 2000], now: now)
            #expect(content.next == 1 && content.samples.positions.contains(track[2]), "step \(step)")
            #expect(try store.series.devices.content(of: phone, kinds: [.position], at: [noon + day], now: now).samples.positions.isEmpty)
            if step == 0 { try store.series.merger.merge(now: now) } else { store = try store.reopened() }
        }
    }
}
