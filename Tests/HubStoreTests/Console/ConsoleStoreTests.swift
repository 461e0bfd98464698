import Accounts
import Database
import Foundation
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct ConsoleStoreTests {
    @Test("OPS-1: accounts are listed by pages, and found by parts of names and addresses, accents or not", arguments: Engine.allCases)
    func people(engine: Engine) throws {
        let fixture = try HubFixture(engine), store = ConsoleStore(fixture.accounts)
        for number in 0..<ConsoleStore.pageMax + 3 { try fixture.account("P\(number)") }
        let first = try store.people(), next = try #require(first.next), second = try store.people(after: next)
        #expect(first.items.count == ConsoleStore.pageMax && second.items.count == 3 && second.next == nil)
        #expect(Set((first.items + second.items).map(\.id)).count == ConsoleStore.pageMax + 3)
        try fixture.account("Zoë")
        #expect(try store.people(with: ["zoe"]).items.map(\.name) == ["Zoë Invented"])
        #expect(try store.people(with: ["invented", "p7@"]).items.map(\.email) == ["p7@example.org"])
        #expect(try store.people(with: ["nobody"]).items.isEmpty)
    }

    @Test("OPS-1: an account that does not open leaves the others in the list", arguments: Engine.allCases)
    func damaged(engine: Engine) throws {
        let fixture = try HubFixture(engine), store = ConsoleStore(fixture.accounts)
        let ada = try fixture.account("Ada")
        try fixture.account("Bea")
        try fixture.damage("account", "details", where: "id = \(ada.row)")
        #expect(try store.people().items.map(\.name) == ["Bea Invented"] && fixture.unreadable == [.account])
    }

    @Test("OPS-1: boxes are listed by pages and found by their names", arguments: Engine.allCases)
    func boxes(engine: Engine) throws {
        let fixture = try HubFixture(engine), store = ConsoleStore(fixture.accounts), ada = try fixture.account("Ada")
        for number in 0..<ConsoleStore.pageMax + 1 {
            let hash = [UInt8(number)]
            try fixture.accounts.agents.addEnrolmentCode(hash: hash, people: [ada.id.person], expires: 100)
            #expect(try fixture.accounts.agents.enrol(codeHash: hash, publicKey: [4], name: "Gateway \(number)", now: 1) != nil)
        }
        let first = try store.boxes(), next = try #require(first.next), second = try store.boxes(after: next)
        #expect(first.items.count == ConsoleStore.pageMax && second.items.count == 1 && second.next == nil)
        let found = try store.boxes(with: ["gateway", "17"]).items
        #expect(found.map(\.name) == ["Gateway 17"] && found.first?.agent.people.keys.contains(ada.id.person) == true)
        let id = try #require(found.first).agent.id
        #expect(try fixture.accounts.agents.listed(id)?.name == "Gateway 17")
        #expect(try fixture.accounts.agents.listed(AgentID(high: 1, low: 2)) == nil)
    }

    @Test(
        "OPS-1: a mail that was given up is kept for operators, who send it again or put it aside; one with a link is not sent again",
        arguments: Engine.allCases)
    func mails(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts, store = FailedMailStore(accounts)
        let ada = try fixture.account("Ada"), boss = try fixture.account("Boss", [.operator]).id
        let audit = try AuditLog(fixture.hub, accounts: accounts, environment: [:])
        try accounts.notices.addMail("run.message", ["run": "City run", "text": "Bring water"], to: ada, now: 1)
        try accounts.notices.addMail("account.reset", ["link": "https://hub.example/reset/x"], to: ada, now: 2)
        for mail in try accounts.notices.dueMails(9, lease: 0, now: 3) { try store.giveUp(mail, reason: "the mailbox is full", now: 4) }
        #expect(try accounts.notices.dueMails(9, lease: 0, now: 5).isEmpty)
        let found = try store.mails(count: 9), byKind = Dictionary(uniqueKeysWithValues: found.map { ($0.kind, $0) })
        let message = try #require(byKind["run.message"]), reset = try #require(byKind["account.reset"])
        #expect(found.count == 2 && message.reason == "the mailbox is full" && message.tries == 1 && message.failed == 4)
        #expect(!message.hasLink && reset.hasLink && message.account.id == ada.id)
        #expect(try store.count(since: 4) == 2 && store.count(since: 5) == 0)
        #expect(try store.sendAgain(reset.row, by: boss, audit: audit, now: 6) == nil)
        #expect(try store.sendAgain(message.row, by: boss, audit: audit, now: 6) == ada.id)
        #expect(try store.sendAgain(message.row, by: boss, audit: audit, now: 6) == nil, "once")
        let again = try #require(try accounts.notices.dueMails(9, lease: 0, now: 7).first)
        #expect(again.kind == "run.message" && again.arguments["text"] == "Bring water" && again.tries == 1)
        #expect(try store.putAside(reset.row, by: boss, audit: audit, now: 8) && !store.putAside(reset.row, by: boss, audit: audit, now: 8))
        #expect(try store.mails(count: 9).isEmpty)
        #expect(try AuditSearch(audit).lines().map(\.action) == ["mail.put-aside", "mail.sent-again"])
    }

    @Test("OPS-1: mails that were given up are forgotten after 30 days", arguments: Engine.allCases)
    func forgotten(engine: Engine) throws {
        let fixture = try HubFixture(engine), store = FailedMailStore(fixture.accounts), ada = try fixture.account("Ada")
        for time in [day, 2 * day] {
            try fixture.accounts.notices.addMail("run.message", [:], to: ada, now: time)
            for mail in try fixture.accounts.notices.dueMails(9, lease: 0, now: time) { try store.giveUp(mail, reason: "no", now: time) }
        }
        try store.forget(now: day + FailedMailStore.lifetime + 1)
        #expect(try store.mails(count: 9).map(\.failed) == [2 * day])
    }

    @Test("OPS-1: the audit log is searched by act, by account and by time, and read by pages", arguments: Engine.allCases)
    func audit(engine: Engine) throws {
        let fixture = try HubFixture(engine), audit = try AuditLog(fixture.hub, accounts: fixture.accounts, environment: [:])
        let ada = try fixture.account("Ada").id, boss = try fixture.account("Boss", [.operator]).id
        for time in [1, 2, 3, 4] as [Milliseconds] { try audit.append(.exported, by: ada, on: ada, now: time) }
        try audit.append(.accountLocked, by: boss, on: ada, now: 5)
        try audit.append(.maintenancePlanned, by: boss, on: nil, now: 6)
        var search = AuditSearch(audit)
        #expect(try search.lines().map(\.number) == [6, 5, 4, 3, 2, 1])
        #expect(try search.lines(count: 2).map(\.number) == [6, 5] && search.lines(before: 5, count: 2).map(\.number) == [4, 3])
        search.until = 4
        #expect(try search.lines().map(\.number) == [3, 2, 1])
        search.until = 1
        #expect(try search.lines().isEmpty)
        search.until = nil
        search.account = ada
        #expect(try search.lines().map(\.number) == [5, 4, 3, 2, 1], "what somebody did to themselves is one row")
        search.account = boss
        #expect(try search.lines().map(\.action) == ["maintenance.planned", "account.locked"])
        search.action = AuditLog.Action.accountLocked.rawValue
        #expect(try search.lines().map(\.subject) == [ada])
        search.account = nil
        search.action = AuditLog.Action.exported.rawValue
        #expect(try search.lines(before: 3).map(\.number) == [2, 1])
    }

    @Test(
        "OPS-1: an operator's look at an emergency stands in the ledger with its reason, in notices and in the log",
        arguments: Engine.allCases)
    func look(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts, ada = try fixture.account("Ada")
        let boss = try fixture.account("Boss", [.operator]), audit = try AuditLog(fixture.hub, accounts: accounts, environment: [:])
        for time in [7, 8] as [Milliseconds] {
            try EmergencyLookStore(accounts).record(
                of: [ada.id.person], reason: "Nobody answers", by: boss, audit: audit, now: time)
        }
        let lines = try accounts.ledger.ledger(of: ada.id.person).entries
        #expect(lines.map(\.what) == [.readByOperator(boss.id), .readByOperator(boss.id)], "each look has a line")
        #expect(lines.allSatisfy { $0.purpose == "Nobody answers" && $0.name == "Boss Invented" })
        #expect(try accounts.notices.notices(of: ada).map(\.name) == ["operator.looked", "operator.looked"])
        let mails = try accounts.notices.dueMails(9, lease: 0, now: 9).filter { $0.account.id == ada.id }
        #expect(mails.map { $0.arguments["why"] } == ["Nobody answers", "Nobody answers"])
        #expect(try AuditSearch(audit).lines().map(\.subject) == [ada.id, ada.id])
    }
}
