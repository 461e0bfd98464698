import Accounts
import AsyncHTTPClient
import Foundation
import HubStore
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubServices
@testable import WebPush

/// Who is told what, and the outbox of push messages, with a clock of the test's own.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct NoticeTests {
    private func kinds(_ hub: FeedFixture, _ account: StoredAccount) throws -> [String] {
        try hub.run.accounts.notices.notices(of: account).reversed().map { notice in
            [notice.kind?.rawValue, notice.arguments["ending"] ?? notice.arguments["state"]].compactMap { $0 }.joined(separator: " ")
        }
    }

    private func asked(_ hub: FeedFixture, purpose: String = "A study") async throws -> ConsentID {
        let id = try hub.run.consents.ask(
            ConsentAddress("ada@example.org"), by: hub.hospital, kinds: [.position], purpose: purpose, term: .lasting(86_400_000)
        ).id
        try? hub.run.consents.approve(id, by: hub.checker)
        try await hub.run.timers.fire()
        return id
    }

    @Test("CONS-2, CONS-3, CONS-10: asked, accepted, revoked, denied, expired and blocked: the person and who asked are told of each")
    func told() async throws {
        let hub = try await FeedFixture()
        let first = try await asked(hub)
        try hub.run.consents.answer(first, .accept, by: hub.ada.id)
        try hub.run.consents.answer(first, .revoke, by: hub.ada.id)
        #expect(try kinds(hub, hub.ada) == ["consent.asked"])
        #expect(try kinds(hub, hub.hospital) == ["consent.answered accepted", "consent.answered revoked"])
        #expect(try kinds(hub, hub.checker) == ["consent.check"])
        let second = try await asked(hub, purpose: "Another")
        hub.clock.advance(73 * 3_600_000)
        try await hub.run.timers.fire()
        #expect(try kinds(hub, hub.ada) == ["consent.asked", "consent.asked", "consent.over unanswered"])
        #expect(try kinds(hub, hub.hospital).last == "consent.answered unanswered")
        _ = second
        // A question without an answer counts as denied.
        for turn in 1...2 {
            let id = try await asked(hub, purpose: "Again \(turn)")
            try hub.run.consents.answer(id, .deny, by: hub.ada.id)
        }
        #expect(try kinds(hub, hub.ada).last == "consent.blocked")
        let told = try kinds(hub, hub.hospital)
        #expect(Array(told.suffix(2)) == Array(repeating: "consent.answered denied", count: 2))
        let (new, all) = (try hub.run.accounts.notices.newNotices(of: hub.ada.row), try hub.run.accounts.notices.notices(of: hub.ada).count)
        #expect(new == all)
        try await hub.server.close()
    }

    @Test("CONS-2: notices are sealed, bounded, and forgotten after 90 days")
    func bounds() async throws {
        let hub = try await FeedFixture(), accounts = hub.run.accounts
        for _ in 0..<NoticeStore.noticesMax + 5 {
            try accounts.notices.addNotice(.blocked, ["asker": "Findable"], to: hub.ada, now: hub.clock.now)
        }
        #expect(try accounts.notices.notices(of: hub.ada, count: 1000).count == NoticeStore.noticesMax)
        for file in try FileManager.default.contentsOfDirectory(at: hub.directory.url, includingPropertiesForKeys: nil) {
            #expect(try Data(contentsOf: file).range(of: Data("Findable".utf8)) == nil)
        }
        try accounts.notices.forgetNotices(now: hub.clock.now + NoticeStore.noticesLifetime)
        #expect(try !accounts.notices.notices(of: hub.ada).isEmpty)
        try accounts.notices.forgetNotices(now: hub.clock.now + NoticeStore.noticesLifetime + 1)
        #expect(try accounts.notices.notices(of: hub.ada).isEmpty)
        try await hub.server.close()
    }

    /// A browser at the fixture's server, and the service that sends to it.
    private func sender(_ hub: FeedFixture) throws -> PushSender {
        var browser = TestBrowser()
        browser.endpoint = "https://127.0.0.1:\(hub.server.port)/send"
        let addresses = EgressPolicy(allowed: ["127.0.0.1"].compactMap { IPNetwork($0) }), clock = hub.clock
        try PushDevices(store: hub.run.accounts.pushes, addresses: addresses).add(
            String(decoding: browser.json(), as: UTF8.self), name: "Phone", to: hub.ada, now: clock.now)
        return PushSender(
            store: hub.run.accounts.pushes,
            client: try EgressClient(addresses: addresses, configuration: .init(tlsConfiguration: hub.server.trust)),
            key: try ServerKey(of: hub.run.accounts), contact: "mailto:hub@example.org", logger: hub.run.logger, now: { clock.now },
            write: { _ in .init(title: "x", text: "y", url: "/notices", tag: "z", lang: "en") })
    }

    @Test(
        "ACC-15: what a push service does not take now is sent again, after the time that it names, and later each time; after a day no more"
    )
    func retried() async throws {
        let hub = try await FeedFixture(), sender = try sender(hub), accounts = hub.run.accounts
        hub.server.answer(.later(seconds: 300))
        try accounts.notices.addNotice(.over, to: hub.ada, now: hub.clock.now)
        #expect(try await sender.sendDue() == 1)
        hub.clock.advance(299_999)
        #expect(try await sender.sendDue() == 0)
        hub.server.answer(.status(503))
        hub.clock.advance(1)
        #expect(try await sender.sendDue() == 1)
        hub.clock.advance(19_999)
        #expect(try await sender.sendDue() == 0)
        hub.clock.advance(1)
        hub.server.answer(.status(201))
        #expect(try await sender.sendDue() == 1)
        #expect(hub.server.got.count == 3)
        let topics = hub.server.got.compactMap { $0.header("topic") }
        #expect(topics.count == 3)
        #expect(Set(topics).count == 1)
        var device = try #require(try accounts.pushes.pushDevices(of: hub.ada).first)
        #expect(device.used == hub.clock.now && device.problem == nil)
        hub.server.answer(.status(500))
        try accounts.notices.addNotice(.over, to: hub.ada, now: hub.clock.now)
        #expect(try await sender.sendDue() == 1)
        hub.clock.advance(86_400_000)
        #expect(try await sender.sendDue() == 1)
        hub.clock.advance(86_400_000)
        #expect(try await sender.sendDue() == 0)
        device = try #require(try accounts.pushes.pushDevices(of: hub.ada).first)
        #expect(device.problem != nil)
        try await hub.server.close()
    }

    @Test("ACC-15: a hub that is killed while it sends sends again; what was read on the page meanwhile is not pushed")
    func killed() async throws {
        var hub = try await FeedFixture()
        _ = try sender(hub)
        try hub.run.accounts.notices.addNotice(.over, to: hub.ada, now: hub.clock.now)
        #expect(try hub.run.accounts.pushes.duePushes(9, lease: 60_000, now: hub.clock.now).count == 1)
        try hub.restart()
        hub.clock.advance(60_000)
        let due = try hub.run.accounts.pushes.duePushes(9, lease: 60_000, now: hub.clock.now)
        #expect(due.map(\.tries) == [2])
        try hub.run.accounts.notices.noticesSeen(of: hub.ada, now: hub.clock.now)
        hub.clock.advance(60_000)
        #expect(try hub.run.accounts.pushes.duePushes(9, lease: 60_000, now: hub.clock.now).isEmpty)
        try await hub.server.close()
    }

    @Test("ACC-15: the hub's key for push services is the same after a start, and a browser that changes its account goes with it")
    func keyAndAccount() async throws {
        var hub = try await FeedFixture()
        let key = try ServerKey(of: hub.run.accounts).publicText
        try hub.restart()
        #expect(try ServerKey(of: hub.run.accounts).publicText == key)
        let address = PushAddress(endpoint: "https://push.example.net/a", publicKey: [], secret: [], name: "x")
        try hub.run.accounts.pushes.addPushDevice(address, to: hub.ada, now: 1)
        try hub.run.accounts.pushes.addPushDevice(address, to: hub.hospital, now: 2)
        #expect(try hub.run.accounts.pushes.pushDevices(of: hub.ada).isEmpty)
        #expect(try hub.run.accounts.pushes.pushDevices(of: hub.hospital).count == 1)
        for number in 0..<12 {
            var other = address
            other.endpoint += "\(number)"
            try hub.run.accounts.pushes.addPushDevice(other, to: hub.ada, now: 3)
        }
        #expect(try hub.run.accounts.pushes.pushDevices(of: hub.ada).count == PushStore.pushDevicesMax)
        try await hub.server.close()
    }

    @Test("CONS-2: a box learns how many questions wait for its people who want to be told there, a minute later at most")
    func box() async throws {
        let hub = try await FeedFixture(), accounts = hub.run.accounts
        let agent = try #require(try hub.run.devices.device(secret: hub.secret)).agent
        let waiting = WaitingQuestions(notices: accounts.notices)
        #expect(try waiting.count(for: agent, now: hub.clock.now) == nil)
        _ = try await asked(hub)
        #expect(try waiting.count(for: agent, now: hub.clock.now) == nil)
        hub.clock.advance(WaitingQuestions.lifetime)
        #expect(try waiting.count(for: agent, now: hub.clock.now) == 1)
        try accounts.notices.setNoticeWays([.asked: .mail], of: hub.ada)
        #expect(try accounts.notices.questionsForBox(of: [hub.ada.id.person]) == 0)
        try await hub.server.close()
    }
}
