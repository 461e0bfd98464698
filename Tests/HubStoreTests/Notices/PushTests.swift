import Accounts
import Database
import Foundation
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct PushTests {
    private func browser(_ name: String) -> PushAddress {
        PushAddress(endpoint: "https://push.example/\(name)", publicKey: [4, 1], secret: [2], name: name)
    }

    @Test("ACC-15: a browser belongs to who has it in hand; an account has ten", arguments: Engine.allCases)
    func devices(engine: Engine) throws {
        let fixture = try HubFixture(engine), pushes = fixture.accounts.pushes, ada = try fixture.account("Ada"),
            bob = try fixture.account("Bob")
        try pushes.addPushDevice(browser("one"), to: ada, now: 1)
        let row = try #require(try pushes.pushDevices(of: ada).first).row
        #expect(try !pushes.removePushDevice(row, of: bob))
        try pushes.addPushDevice(browser("one"), to: bob, now: 2)
        #expect(try pushes.pushDevices(of: ada).isEmpty && pushes.pushDevices(of: bob).map(\.address) == [browser("one")])
        for number in 0..<PushStore.pushDevicesMax + 2 { try pushes.addPushDevice(browser("\(number)"), to: ada, now: 3) }
        #expect(try pushes.pushDevices(of: ada).map(\.address.name) == (2..<12).map { "\($0)" })
        #expect(try pushes.newestPushAddresses(2) == ["https://push.example/11", "https://push.example/10"])
        let last = try #require(try pushes.pushDevices(of: ada).last)
        #expect(try pushes.removePushDevice(last.row, of: ada) && !pushes.removePushDevice(last.row, of: ada))
        // Where a browser gets its messages stands nowhere in the clear.
        let sealed = try fixture.accounts.pool.read { try $0.fetchAll(Data.self, sql: "SELECT details FROM push_device") }
        #expect(sealed.allSatisfy { $0.range(of: Data("push.example".utf8)) == nil })
    }

    @Test(
        "ACC-15: each browser gets a notice until its push service took it; what was opened meanwhile goes to none",
        arguments: Engine.allCases)
    func messages(engine: Engine) throws {
        let fixture = try HubFixture(engine), pushes = fixture.accounts.pushes, notices = fixture.accounts.notices,
            ada = try fixture.account("Ada")
        for name in ["one", "two"] { try pushes.addPushDevice(browser(name), to: ada, now: 0) }
        try notices.addNotice(.quota, to: ada, now: 5)
        let due = try pushes.duePushes(9, lease: 100, now: 5)
        #expect(due.map(\.device.address.name) == ["one", "two"] && due.map(\.tries) == [1, 1] && due[0].notice.kind == .quota)
        #expect(try pushes.duePushes(9, lease: 100, now: 6).isEmpty)
        try pushes.pushed(due[0], now: 7)
        try pushes.pushFailed(due[1], "busy", due: 50)
        #expect(try pushes.pushDevices(of: ada).map(\.used) == [7, nil] && pushes.pushDevices(of: ada).map(\.problem) == [nil, "busy"])
        let again = try #require(try pushes.duePushes(9, lease: 100, now: 50).first)
        #expect(again.device.address.name == "two" && again.tries == 2)
        try pushes.pushFailed(again, "gone", due: nil)
        #expect(try fixture.count("push_message") == 0)
        try notices.addNotice(.quota, to: ada, now: 60)
        try notices.noticesSeen(of: ada, now: 61)
        #expect(try pushes.duePushes(9, lease: 100, now: 62).isEmpty && fixture.count("push_message") == 0)
    }

    @Test("SOS-20: what is about somebody in distress is pushed first, and one that nobody tried is seen", arguments: Engine.allCases)
    func urgent(engine: Engine) throws {
        let fixture = try HubFixture(engine), pushes = fixture.accounts.pushes, notices = fixture.accounts.notices,
            ada = try fixture.account("Ada")
        try pushes.addPushDevice(browser("one"), to: ada, now: 0)
        for time in 1...3 as ClosedRange<Milliseconds> { try notices.addNotice(.quota, to: ada, now: time) }
        #expect(try pushes.oldestUntriedPush() == nil)
        try notices.addNotice(.sosRaised, to: ada, now: 4)
        #expect(try pushes.oldestUntriedPush() == 4)
        #expect(
            try pushes.duePushes(2, lease: 100, now: 5).map(\.notice.kind) == [.sosRaised, .quota] && pushes.oldestUntriedPush() == nil)
    }

    @Test("SOS-20: an alarm's push leaves before tests and what is said of protection", arguments: Engine.allCases)
    func alarmsFirst(engine: Engine) throws {
        let fixture = try HubFixture(engine), pushes = fixture.accounts.pushes, notices = fixture.accounts.notices,
            ada = try fixture.account("Ada")
        try pushes.addPushDevice(browser("one"), to: ada, now: 0)
        let kinds: [NoticeKind] = [.quota, .sosUnprotected, .sosTest, .wayFailed, .sosOffer, .sosPause]
        for (time, kind) in kinds.enumerated() { try notices.addNotice(kind, to: ada, now: Milliseconds(time)) }
        #expect(
            try pushes.duePushes(9, lease: 100, now: 9).map(\.notice.kind) == [
                .sosOffer, .sosPause, .sosUnprotected, .sosTest, .wayFailed, .quota,
            ])
        try notices.addNotice(.sosRaised, to: ada, now: 10)
        #expect(try pushes.oldestUntriedPush() == 10)
    }

    @Test("ACC-15: a browser that takes no messages any more is removed, once, and its owner is told", arguments: Engine.allCases)
    func gone(engine: Engine) throws {
        let fixture = try HubFixture(engine), pushes = fixture.accounts.pushes, notices = fixture.accounts.notices,
            ada = try fixture.account("Ada")
        try pushes.addPushDevice(browser("one"), to: ada, now: 0)
        try notices.addNotice(.quota, to: ada, now: 1)
        let push = try #require(try pushes.duePushes(9, lease: 1, now: 1).first)
        for _ in 0..<2 { try pushes.pushDeviceGone(push, now: 2) }
        #expect(try pushes.pushDevices(of: ada).isEmpty && notices.notices(of: ada).map(\.kind) == [.deviceGone, .quota])
        #expect(try notices.notices(of: ada)[0].arguments == ["device": "one"])
    }

    @Test("SOS-20: a damaged browser or notice is told and put off; other messages leave", arguments: Engine.allCases)
    func damaged(engine: Engine) throws {
        let fixture = try HubFixture(engine), pushes = fixture.accounts.pushes, notices = fixture.accounts.notices
        let ada = try fixture.account("Ada"), bob = try fixture.account("Bob")
        for (name, account) in [("one", ada), ("two", ada), ("three", bob)] { try pushes.addPushDevice(browser(name), to: account, now: 0) }
        try notices.addNotice(.sosRaised, to: [ada, bob], now: 1)
        try fixture.damage("push_device", "details", where: "id = 1")
        try fixture.damage("notice", "arguments", where: "account = \(bob.row)")
        #expect(try pushes.duePushes(9, lease: 10, now: 2).map(\.device.address.name) == ["two"])
        #expect(try pushes.pushDevices(of: ada).map(\.address.name) == ["two"])
        #expect(try pushes.newestPushAddresses(9) == ["https://push.example/three", "https://push.example/two"])
        #expect(try fixture.unreadable == [.pushDevice, .pushMessage, .pushMessage] && fixture.count("push_message") == 3)
        #expect(try pushes.duePushes(9, lease: 10, now: 20).count == 1 && pushes.duePushes(9, lease: hour, now: 2 + hour).count <= 1)
    }
}
