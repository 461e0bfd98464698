import Accounts
import Database
import Foundation
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite("Questions to whoever runs the hub")
struct SupportStoreTests {
    @Test("OPS-1: a question of an account waits for operators, who are told, and its answer tells the account", arguments: Engine.allCases)
    func account(engine: Engine) throws {
        let fixture = try HubFixture(engine), ada = try fixture.account("Ada"), boss = try fixture.account("Boss", [.operator])
        let store = SupportStore(fixture.accounts), notices = fixture.accounts.notices
        #expect(try store.ask("My box is red.", topic: "boxes", by: ada, now: 10))
        #expect(try notices.notices(of: boss).map(\.kind) == [.supportAsked] && notices.notices(of: ada).isEmpty)
        let waiting = try store.waiting()
        #expect(waiting.map(\.text) == ["My box is red."] && waiting[0].account?.id == ada.id && waiting[0].topic == "boxes")
        #expect(try store.countWaiting() == 1 && store.answered().isEmpty && waiting[0].address == nil)
        #expect(try store.answer(waiting[0].row, "Charge it.", by: boss, now: 20))
        #expect(try !store.answer(waiting[0].row, "Again.", by: boss, now: 21), "it was answered")
        let own = try store.questions(of: ada)
        #expect(own.map(\.answer) == ["Charge it."] && own[0].answered == 20 && own[0].asked == 10)
        #expect(try notices.notices(of: ada).map(\.kind) == [.supportAnswered])
        #expect(try store.questions(of: boss).isEmpty && store.waiting().isEmpty && store.answered().count == 1)
    }

    @Test("OPS-1: the answer to somebody without an account goes to the address, in the language of the form", arguments: Engine.allCases)
    func stranger(engine: Engine) throws {
        let fixture = try HubFixture(engine), boss = try fixture.account("Boss", [.operator]), store = SupportStore(fixture.accounts)
        #expect(try store.ask("Come mi iscrivo?", topic: "", from: "eva@example.org", language: "it", now: 10))
        let waiting = try #require(try store.waiting().first)
        #expect(waiting.account == nil && waiting.address == "eva@example.org")
        #expect(try store.answer(waiting.row, "Dalla prima pagina.", by: boss, now: 20))
        let mails = try fixture.accounts.notices.dueMails(9, lease: 0, now: 30).filter { $0.kind == "support.answer" }
        let arguments = try #require(mails.first?.arguments)
        #expect(mails.count == 1 && arguments[NoticeStore.deliverTo] == "eva@example.org" && arguments[NoticeStore.language] == "it")
        #expect(arguments["question"] == "Come mi iscrivo?" && arguments["answer"] == "Dalla prima pagina.")
        #expect(try store.answered().map(\.answer) == ["Dalla prima pagina."])
    }

    @Test(
        "OPS-1: what waits is bounded for each account and for all who have none; what was answered makes room", arguments: Engine.allCases)
    func bounds(engine: Engine) throws {
        let fixture = try HubFixture(engine), ada = try fixture.account("Ada"), bea = try fixture.account("Bea")
        let store = SupportStore(fixture.accounts)
        for number in 1...SupportStore.waitingMax { #expect(try store.ask("\(number)", topic: "", by: ada, now: 1)) }
        #expect(try !store.ask("one more", topic: "", by: ada, now: 1))
        #expect(try store.ask("another's", topic: "", by: bea, now: 1))
        let first = try #require(try store.waiting().first)
        #expect(try store.answer(first.row, "yes", by: bea, now: 2) && store.ask("one more", topic: "", by: ada, now: 3))
        for _ in 1...SupportStore.waitingOfStrangersMax {
            #expect(try store.ask("?", topic: "", from: "eva@example.org", language: "en", now: 1))
        }
        #expect(try !store.ask("?", topic: "", from: "other@example.org", language: "en", now: 1))
        #expect(try store.countWaiting() == SupportStore.waitingMax + 1 + SupportStore.waitingOfStrangersMax)
        #expect(try store.waiting().count == SupportStore.shownMax)
    }

    @Test("OPS-1: questions go with their account, by an operator's word, and by age", arguments: Engine.allCases)
    func ends(engine: Engine) throws {
        let fixture = try HubFixture(engine), ada = try fixture.account("Ada"), bea = try fixture.account("Bea")
        let store = SupportStore(fixture.accounts)
        #expect(try store.ask("of Ada", topic: "", by: ada, now: 1) && store.ask("of Bea", topic: "", by: bea, now: 2))
        #expect(try store.ask("of Eva", topic: "", from: "eva@example.org", language: "en", now: 3))
        try fixture.accounts.pool.write { try $0.execute(sql: "DELETE FROM account WHERE id = ?", arguments: [ada.row]) }
        #expect(try store.waiting().map(\.text) == ["of Bea", "of Eva"])
        let rows = try store.waiting().map(\.row)
        #expect(try store.drop(rows[1]) && !store.drop(rows[1]))
        #expect(try store.answer(rows[0], "done", by: bea, now: 10))
        #expect(try store.ask("unanswered", topic: "", by: bea, now: 10))
        try store.forget(now: 9 + SupportStore.lifetime)
        #expect(try store.questions(of: bea).count == 2)
        try store.forget(now: 10 + SupportStore.lifetime)
        #expect(try store.questions(of: bea).map(\.text) == ["unanswered"])
        try store.forget(now: 10 + SupportStore.lifetimeUnanswered)
        #expect(try store.questions(of: bea).isEmpty)
    }

    @Test("OPS-1: questions, answers and addresses do not stand in the open on the disk")
    func sealed() throws {
        let fixture = try HubFixture(.files), ada = try fixture.account("Ada"), boss = try fixture.account("Boss", [.operator])
        let store = SupportStore(fixture.accounts)
        #expect(try store.ask("Zwiebelkuchen", topic: "boxes", by: ada, now: 1))
        #expect(try store.ask("Pflaumenmus", topic: "", from: "wegwarte@example.org", language: "en", now: 1))
        for question in try store.waiting() { #expect(try store.answer(question.row, "Kartoffelsalat", by: boss, now: 2)) }
        let names = try FileManager.default.contentsOfDirectory(atPath: fixture.directory.url.path).filter { $0.hasPrefix("accounts") }
        let bytes = try names.map { try Data(contentsOf: fixture.directory.url.appending(path: $0)) }
        #expect(bytes.contains { $0.range(of: Data("support_question".utf8)) != nil })
        for word in ["Zwiebelkuchen", "Pflaumenmus", "wegwarte", "Kartoffelsalat"] {
            #expect(bytes.allSatisfy { $0.range(of: Data(word.utf8)) == nil }, "\(word)")
        }
    }

    @Test("OPS-1: a question that does not open is left out and told, and the others are shown", arguments: Engine.allCases)
    func damaged(engine: Engine) throws {
        let fixture = try HubFixture(engine), ada = try fixture.account("Ada"), store = SupportStore(fixture.accounts)
        #expect(try store.ask("first", topic: "", by: ada, now: 1) && store.ask("second", topic: "", by: ada, now: 2))
        #expect(try store.ask("third", topic: "", from: "eva@example.org", language: "en", now: 3))
        // Moved to another row: the envelope is bound to its own.
        try fixture.accounts.pool.write { db in
            try db.execute(
                sql: "UPDATE support_question SET envelope = (SELECT envelope FROM support_question WHERE asked = 2) WHERE asked = 1")
        }
        #expect(try store.waiting().map(\.text) == ["second", "third"])
        #expect(fixture.keys.unreadable.count == 1)
    }
}
