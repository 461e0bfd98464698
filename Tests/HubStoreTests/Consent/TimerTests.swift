import Accounts
import Database
import Foundation
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct TimerTests {
    private func set(_ kind: TimerKind, _ subject: UInt8, due: Milliseconds?, _ accounts: AccountStore) throws {
        try accounts.pool.write { try accounts.timers.setTimer(kind, [UInt8](repeating: subject, count: 16), due: due, $0) }
    }

    @Test("OPS-2: what is due comes in order, again behind its lease, and at once after a restart", arguments: Engine.allCases)
    func leases(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts, timers = accounts.timers
        for (subject, due) in [(1, 30), (2, 10), (3, 20)] as [(UInt8, Milliseconds)] { try set(.majority, subject, due: due, accounts) }
        #expect(try timers.dueTimers(9, lease: 100, now: 9).isEmpty)
        #expect(try timers.dueTimers(2, lease: 100, now: 50).map { $0.subject[0] } == [2, 3])
        #expect(try timers.dueTimers(9, lease: 100, now: 50).map { $0.subject[0] } == [1])
        #expect(try timers.dueTimers(9, lease: 100, now: 149).isEmpty && timers.lateTimers(by: 30, now: 50) == 2)
        #expect(try timers.dueTimers(9, lease: 100, now: 150).map(\.due) == [10, 20, 30])
        let again = try fixture.reopened().accounts.timers
        #expect(try again.dueTimers(9, lease: 1, now: 151).isEmpty)
        try again.releaseTimers()
        #expect(try again.dueTimers(9, lease: 1, now: 151).count == 3)
    }

    @Test("OPS-2: a timer that is set anew loses its lease; one of a newer hub waits for that hub", arguments: Engine.allCases)
    func moved(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts, timers = accounts.timers
        try set(.majority, 1, due: 10, accounts)
        try set(.consentReach, 1, due: 10, accounts)
        #expect(try timers.dueTimers(9, lease: 1000, now: 10).count == 2)
        try set(.majority, 1, due: 11, accounts)
        #expect(try timers.dueTimers(9, lease: 1000, now: 11).map(\.kind) == [.majority])
        try set(.majority, 1, due: nil, accounts)
        try set(.consentReach, 1, due: nil, accounts)
        try accounts.pool.write { try $0.execute(sql: "INSERT INTO timer(kind, subject, due) VALUES(99, x'01', 5)") }
        #expect(try timers.dueTimers(9, lease: 1000, now: 2000).isEmpty && fixture.count("timer") == 1)
        #expect(Set(TimerKind.allCases.map(\.rawValue)).count == TimerKind.allCases.count)
    }
}
