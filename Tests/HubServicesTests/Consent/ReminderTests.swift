import Database
import Foundation
import HubStore
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubServices

struct ReminderTests {
    private func told(_ hub: ConsentFixture) throws -> [StoredNotice] {
        try hub.accounts.notices.notices(of: hub.ada).filter { $0.kind == .reminded }
    }

    @Test("CONS-7: what runs without an end is told again each year, as long as it runs")
    func yearly() async throws {
        let hub = try ConsentFixture(), id = try await hub.accepted(term: .untilRevoked), since = hub.clock.now
        hub.clock.advance(364 * day)
        #expect(try await hub.timers.fire() == 0)
        for years in 1...2 {
            hub.clock.advance((years == 1 ? 2 : 366) * day)
            #expect(try await hub.timers.fire() == 1)
            #expect(try await hub.timers.fire() == 0)
            #expect(try told(hub).map { $0.arguments["begin"] } == Array(repeating: String(since), count: years))
        }
        try hub.consents.answer(id, .revoke, by: hub.ada.id)
        #expect(try hub.count("SELECT count(*) FROM timer WHERE kind = 62") == 0)
    }

    @Test("CONS-7: a consent that was accepted before there were reminders gets one, once, and what has an end gets none")
    func before() async throws {
        let hub = try ConsentFixture()
        _ = try await hub.accepted()
        #expect(try hub.count("SELECT count(*) FROM timer WHERE kind = 62") == 0)
        let endless = try await hub.accepted(kinds: [.position], term: .untilRevoked)
        let file = hub.hub.directory.url.appendingPathComponent("accounts.sqlite").path
        try DatabasePool(path: file).write { try $0.execute(sql: "DELETE FROM timer WHERE kind = 62") }
        for _ in 0..<2 { try hub.accounts.consents.reminders.setMissing(now: hub.clock.now) }
        #expect(try hub.count("SELECT count(*) FROM timer WHERE kind = 62") == 1)
        hub.clock.advance(366 * day)
        try await hub.timers.fire()
        #expect(try told(hub).map { $0.arguments["consent"] } == [endless.description])
    }
}
