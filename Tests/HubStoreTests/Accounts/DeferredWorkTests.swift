import Accounts
import Database
import Foundation
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct DeferredWorkTests {
    @Test("ACC-7: what follows an answer waits in order until it was done, over a restart too", arguments: Engine.allCases)
    func answers(engine: Engine) throws {
        let fixture = try HubFixture(engine), work = fixture.accounts.deferredWork
        #expect(try work.lastAnswer() == nil && work.answers(after: 0, upTo: .max, 9).isEmpty)
        for number in 1...5 as ClosedRange<UInt8> { try work.addAnswer([number]) }
        let last = try #require(try work.lastAnswer())
        #expect(try work.answers(after: 0, upTo: last, 2).map(\.bytes) == [[1], [2]])
        let second = try #require(try work.answers(after: 0, upTo: last, 2).last?.row)
        #expect(try work.answers(after: second, upTo: last, 9).map(\.bytes) == [[3], [4], [5]])
        #expect(try work.answers(after: second, upTo: last - 1, 9).map(\.bytes) == [[3], [4]])
        try work.removeAnswer(second)
        let again = try fixture.reopened().accounts.deferredWork
        #expect(try again.answers(after: 0, upTo: .max, 9).map(\.bytes) == [[1], [3], [4], [5]])
    }

    @Test("ACC-7: damaged work is handed out as such, and holds up none behind it", arguments: Engine.allCases)
    func damaged(engine: Engine) throws {
        let fixture = try HubFixture(engine), work = fixture.accounts.deferredWork
        for number in 1...3 as ClosedRange<UInt8> { try work.addAnswer([number]) }
        try fixture.damage("answer", where: "id = 2")
        #expect(try work.answers(after: 0, upTo: .max, 9).map(\.bytes) == [[1], nil, [3]])
        // Nothing of it says for whom it is.
        let sealed = try fixture.accounts.pool.read { try $0.fetchAll(Data.self, sql: "SELECT envelope FROM answer") }
        #expect(Set(sealed).count == 3)
    }

    @Test("ACC-11: an account opens so many others within a day", arguments: Engine.allCases)
    func openings(engine: Engine) throws {
        let fixture = try HubFixture(engine), work = fixture.accounts.deferredWork
        let ada = try fixture.account("Ada"), bob = try fixture.account("Bob")
        for time in [1, 2] as [Milliseconds] { #expect(try work.countOpening(by: ada, most: 2, now: time)) }
        #expect(try !work.countOpening(by: ada, most: 2, now: 3) && work.countOpening(by: bob, most: 2, now: 3))
        #expect(try !work.countOpening(by: ada, most: 2, now: day))
        #expect(try work.countOpening(by: ada, most: 2, now: day + 1) && !work.countOpening(by: ada, most: 2, now: day + 1))
    }

    @Test("RUN-11: who wants no letters gets none, by a mark that names no address", arguments: Engine.allCases)
    func unwanted(engine: Engine) throws {
        let fixture = try HubFixture(engine), work = fixture.accounts.deferredWork, mark = work.addressMark("eve@example.org")
        #expect(try !work.refusesLetters(mark))
        for _ in 0..<2 { try work.refuseLetters(mark) }
        #expect(try work.refusesLetters(mark) && !work.refusesLetters(work.addressMark("bob@example.org")))
        #expect(try fixture.count("unwanted") == 1 && Data(mark).range(of: Data("eve".utf8)) == nil)
        #expect(try fixture.reopened().accounts.deferredWork.addressMark("eve@example.org") == mark)
    }
}
