import Accounts
import Database
import Foundation
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct MailTests {
    @Test("ACC-5: a mail waits until somebody says what became of it, and comes again behind its lease", arguments: Engine.allCases)
    func outbox(engine: Engine) throws {
        let fixture = try HubFixture(engine), notices = fixture.accounts.notices, ada = try fixture.account("Ada")
        for number in 1...3 as ClosedRange<Milliseconds> { try notices.addMail("x", ["n": "\(number)"], to: ada, now: number) }
        #expect(try notices.dueMails(9, lease: 100, now: 0).isEmpty)
        let first = try notices.dueMails(2, lease: 100, now: 10)
        #expect(first.map { $0.arguments["n"] } == ["1", "2"] && first.map(\.tries) == [1, 1] && first[0].account.id == ada.id)
        #expect(try notices.dueMails(9, lease: 100, now: 10).map { $0.arguments["n"] } == ["3"])
        try notices.removeMail(first[0].row)
        try notices.putOffMail(first[1].row, until: 500)
        #expect(try notices.dueMails(9, lease: 100, now: 110).map { $0.arguments["n"] } == ["3"])
        let late = try #require(try notices.dueMails(9, lease: 100, now: 500).first { $0.arguments["n"] == "2" })
        #expect(late.tries == 2 && late.created == 2)
        #expect(try fixture.reopened().accounts.notices.dueMails(9, lease: 0, now: 600).count == 2)
    }

    @Test("ACC-10: a mail has the time zone of its account, as the browser said last", arguments: Engine.allCases)
    func zone(engine: Engine) throws {
        let fixture = try HubFixture(engine), notices = fixture.accounts.notices, ada = try fixture.account("Ada")
        try notices.addMail("x", to: ada, now: 1)
        #expect(try notices.zone(of: ada) == nil && notices.dueMails(9, lease: 0, now: 2).map(\.zone) == [nil])
        for zone in ["Europe/Rome", "Asia/Tokyo"] {
            try notices.setZone(zone, of: ada)
            #expect(try notices.zone(of: ada) == zone && notices.dueMails(9, lease: 0, now: 2).map(\.zone) == [zone])
        }
    }

    @Test("SOS-20: mails about somebody in distress leave before all others, and one that nobody tried is seen", arguments: Engine.allCases)
    func urgent(engine: Engine) throws {
        let fixture = try HubFixture(engine), notices = fixture.accounts.notices, ada = try fixture.account("Ada")
        try notices.addMail("care.invited", to: ada, now: 1)
        #expect(try notices.oldestUntriedMail() == nil)
        try notices.addMail("sos.raised", to: ada, now: 7)
        try notices.addMail("sos.over", to: ada, now: 8)
        #expect(try notices.oldestUntriedMail() == 7)
        #expect(try notices.dueMails(1, isUrgent: true, lease: 100, now: 9).map(\.kind) == ["sos.raised"])
        #expect(try notices.oldestUntriedMail() == 8)
        #expect(try notices.dueMails(9, isUrgent: false, lease: 100, now: 9).map(\.kind) == ["care.invited"])
        #expect(try notices.dueMails(9, lease: 100, now: 9).map(\.kind) == ["sos.over"] && notices.oldestUntriedMail() == nil)
    }

    @Test("SOS-20: an alarm's mail leaves before tests and what is said of protection, however many wait", arguments: Engine.allCases)
    func alarmsFirst(engine: Engine) throws {
        let fixture = try HubFixture(engine), notices = fixture.accounts.notices, ada = try fixture.account("Ada")
        for time in 1...20 as ClosedRange<Milliseconds> { try notices.addMail("sos.unprotected", to: ada, now: time) }
        // As the version before stored an alarm: its place is among those.
        try fixture.accounts.pool.write { try $0.execute(sql: "UPDATE mail SET kind = 'sos.raised' WHERE id = 20") }
        try notices.addMail("sos.test", to: ada, now: 21)
        #expect(try notices.oldestUntriedMail() == 1)
        try notices.addMail("sos.raised", to: ada, now: 22)
        try notices.addMail("sos.over", to: ada, now: 23)
        #expect(
            try notices.dueMails(3, isUrgent: true, lease: 100, now: 24).map(\.kind) == ["sos.raised", "sos.over", "sos.unprotected"])
        let rest = try notices.dueMails(99, isUrgent: true, lease: 100, now: 24).map(\.kind)
        #expect(rest == Array(repeating: "sos.unprotected", count: 18) + ["sos.raised", "sos.test"])
        try notices.addMail("sos.raised", to: ada, now: 25)
        #expect(try notices.oldestUntriedMail() == 25)
    }

    @Test("SOS-20: a damaged mail is told and put off by an hour; those behind it leave", arguments: Engine.allCases)
    func damaged(engine: Engine) throws {
        let fixture = try HubFixture(engine), notices = fixture.accounts.notices, ada = try fixture.account("Ada"),
            bob = try fixture.account("Bob")
        for number in 1...3 as ClosedRange<Milliseconds> { try notices.addMail("sos.raised", ["n": "\(number)"], to: ada, now: number) }
        try notices.addMail("sos.raised", ["n": "bob"], to: bob, now: 0)
        try fixture.damage("mail", "arguments", where: "id = 1")
        try fixture.damage("account", "details", where: "id = \(bob.row)")
        #expect(try notices.dueMails(2, lease: 100, now: 10).isEmpty, "both stood first")
        #expect(try notices.dueMails(2, lease: 100, now: 10).map { $0.arguments["n"] } == ["2", "3"])
        #expect(fixture.unreadable == [.mail, .mail] && UnreadableRow.Kind.mail.concernsAlarms)
        #expect(try fixture.count("mail") == 4 && notices.dueMails(9, lease: 100, now: hour).count == 2)
        // Once the backup has put it right it leaves.
        try fixture.accounts.pool.write { db in
            try db.execute(sql: "UPDATE mail SET arguments = (SELECT arguments FROM mail WHERE id = 2) WHERE id = 1")
        }
        #expect(try notices.dueMails(9, lease: 100, now: 2 * hour + 10).contains { $0.row == 1 })
    }

    @Test("DATA-10: a deleted person's mails do not leave", arguments: Engine.allCases)
    func deleted(engine: Engine) throws {
        let fixture = try HubFixture(engine), notices = fixture.accounts.notices, ada = try fixture.account("Ada")
        try notices.addMail("x", to: ada, now: 1)
        try fixture.accounts.deletePerson(ada.id.person, now: 2)
        #expect(try notices.dueMails(9, lease: 1, now: 3).isEmpty)
        try notices.addMail("x", to: ada, now: 4)
        try fixture.accounts.eraseRows(of: ada.id.person)
        #expect(try fixture.count("mail") == 0 && fixture.unreadable.isEmpty)
    }
}
