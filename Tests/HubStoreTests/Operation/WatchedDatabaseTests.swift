import Accounts
import Database
import Foundation
import Seams
import TestSupport
import Testing
import Vitals

@testable import HubStore

/// What the store says to whoever watches the hub.
struct WatchedDatabaseTests {
    @Test("OPS-3: a look at a database changes nothing, and says when nothing can be written", arguments: Engine.allCases)
    func looks(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts
        let series = try SeriesStore(fixture.hub, accounts: accounts, keys: fixture.keys)
        let all = WatchedDatabase.all(accounts: accounts, series: series, sos: try fixture.sos(), runs: try fixture.runs())
        #expect(all.map(\.name) == ["accounts", "keys", "journal", "series", "sos", "runs"])
        try accounts.pool.write { try $0.execute(sql: "PRAGMA user_version = 17") }
        for database in all { try database.tryWriting() }
        #expect(try accounts.pool.read { try $0.fetchOne(Int.self, sql: "PRAGMA user_version") } == 17)
        #expect(all.allSatisfy { $0.paths.isEmpty == (engine == .inMemory) })
        let path = fixture.directory.url.appending(path: "read-only.sqlite").path
        try DatabasePool(path: path, migrations: [Migration(name: "1 a", sql: "CREATE TABLE a(b INTEGER);")]).closeAsOneFile()
        #expect(throws: DatabaseError.self) { try DatabasePool(reading: path).tryWriting() }
    }

    @Test("OPS-3: how many mails and deliveries wait, and since when", arguments: Engine.allCases)
    func backlogs(engine: Engine) throws {
        let fixture = try HubFixture(engine), backlogs = BacklogStore(fixture.accounts)
        #expect(try backlogs.mails() == (0, nil) && backlogs.webhooks() == (0, nil))
        let ada = try fixture.account("ada"), notices = fixture.accounts.notices
        for time in [5000, 6000] as [Milliseconds] { try notices.addMail("asked", to: ada, now: time) }
        #expect(try backlogs.mails() == (2, 5000))
        let first = try #require(try notices.dueMails(1, lease: 1000, now: 7000).first)
        #expect(try backlogs.mails() == (2, 5000), "one that is tried waits still")
        try notices.removeMail(first.row)
        #expect(try backlogs.mails() == (1, 6000))
    }

    @Test("OPS-3: a timer keeps the name of the work that set it, and gets that of the work that sets it anew", arguments: Engine.allCases)
    func traces(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts, subject = [UInt8](repeating: 1, count: 16)
        func set(_ trace: LogTrace?, due: Milliseconds) throws {
            try LogTrace.$current.withValue(trace) {
                try accounts.pool.write { try accounts.timers.setTimer(.majority, subject, due: due, $0) }
            }
        }
        func traces(_ now: Milliseconds) throws -> [LogTrace?] { try accounts.timers.dueTimers(9, lease: 0, now: now).map(\.trace) }
        try set(LogTrace(.max), due: 10)
        #expect(try traces(10) == [LogTrace(.max)])
        try set(nil, due: 20)
        #expect(try traces(20) == [nil])
        try set(LogTrace(7), due: 30)
        #expect(try traces(30) == [LogTrace(7)])
        #expect(try fixture.reopened().accounts.timers.dueTimers(9, lease: 0, now: 40).map(\.trace) == [LogTrace(7)])
    }
}
