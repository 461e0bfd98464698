import Database
import Foundation
import Synchronization
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct RunNoticeTests {
    @Test("RUN-11: messages go to who is enrolled, so many a day; a damaged one is told, and hides no other", arguments: Engine.allCases)
    func messages(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, run = try runs.run(), ada = PersonID.random()
        _ = try runs.enrol(ada, in: run)
        for number in 1...3 as ClosedRange<Milliseconds> {
            #expect(try store.notices.addMessage("M\(number)", to: run, daily: 3, now: number))
        }
        #expect(
            try !store.notices.addMessage("M4", to: run, daily: 3, now: day)
                && store.notices.addMessage("M5", to: run, daily: 3, now: day + 1))
        #expect(
            try store.notices.messages(to: run).map(\.text) == ["M5", "M3", "M2", "M1"]
                && store.notices.messages(to: run, count: 1).map(\.time) == [day + 1])
        let told = try runs.tell(now: 2 * day)
        #expect(told.count == 4 && told.allSatisfy { $0.kind == .runMessage && $0.people == [ada] && !$0.organiser })
        try runs.damage("message", where: "id = 2")
        #expect(try store.notices.messages(to: run).map(\.text) == ["M5", "M3", "M1"] && runs.fixture.unreadable == [.runMessage])
    }

    @Test(
        "design rule 9: a telling goes out in parts, each once; a part that nobody confirmed comes again behind its lease",
        arguments: Engine.allCases)
    func parts(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, run = try runs.run(), people = (0..<5).map { _ in PersonID.random() }
        for person in people { _ = try runs.enrol(person, in: run) }
        _ = try store.move(run.id, to: .cancelled, ["reason": "storm"], now: 10)
        var told: [PersonID] = [], organiser = 0, time: Milliseconds = 10
        // Who enrolled behind it is not concerned.
        while let part = try store.notices.dueTelling(2, lease: 100, now: time) {
            #expect(part.kind == .runCancelled && part.arguments == ["reason": "storm"])
            #expect(try store.notices.dueTelling(2, lease: 100, now: time) == nil)
            time += 100
            #expect(try store.notices.dueTelling(2, lease: 100, now: time) == part)
            told += part.people
            organiser += part.isForOrganiser ? 1 : 0
            try store.notices.told(part, now: time)
        }
        #expect(told == people && organiser == 1)
    }

    @Test(
        "design rule 9: all that is to be told of a run that does not open is moved at once, however much it is",
        arguments: Engine.allCases)
    func damaged(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, bad = try runs.run(), good = try runs.run(code: "GHJKMN")
        try store.pool.write { db in
            for count in 0..<200 { try store.notices.tell(.runMessage, ["text": "\(count)"], .onList, about: bad, now: 1, db) }
            try store.notices.tell(.runMessage, ["text": "sound"], .onList, about: good, now: 1, db)
            try db.execute(sql: "UPDATE run SET envelope = zeroblob(60) WHERE id = ?", arguments: [bad.row])
        }
        let moves = Mutex(0)
        try store.pool.write { db in
            db.trace { statement in
                if statement.hasPrefix("UPDATE telling") { moves.withLock { $0 += 1 } }
            }
        }
        #expect(try store.notices.dueTelling(2, lease: 100, now: 1)?.arguments == ["text": "sound"])
        try store.pool.write { $0.trace(nil) }
        let moved = moves.withLock { $0 }
        #expect(moved == 2, "one of the bad run, one of the sound one")
        let due = try store.pool.read { try $0.fetchOne(Int.self, sql: "SELECT count(*) FROM telling WHERE due = 101") }
        #expect(due == 201)
    }
}
