import Accounts
import Database
import Foundation
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct NoticeTests {
    private func browser(_ name: String) -> PushAddress {
        PushAddress(endpoint: "https://push.example/\(name)", publicKey: [4, 1], secret: [2], name: name)
    }

    @Test("ACC-15: a notice stands on the page, and goes by the ways that its reader chose", arguments: Engine.allCases)
    func ways(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts, notices = accounts.notices, ada = try fixture.account("Ada")
        try accounts.pushes.addPushDevice(browser("one"), to: ada, now: 0)
        try notices.addNotice(.asked, ["asker": "A"], to: ada, now: 1)
        try notices.setNoticeWays([.asked: [.push], .quota: [.mail, .box]], of: ada)
        try notices.addNotice(.asked, ["asker": "B"], to: ada, now: 2)
        try notices.setNoticeWays([.asked: []], of: ada)
        try notices.addNotice(.asked, ["asker": "C"], to: ada, now: 3)
        #expect(try notices.notices(of: ada).map { $0.arguments["asker"] } == ["C", "B", "A"])
        #expect(try notices.dueMails(9, lease: 9, now: 9).map { $0.arguments["asker"] } == ["A"])
        #expect(try accounts.pushes.duePushes(9, lease: 9, now: 9).map { $0.notice.arguments["asker"] } == ["A", "B"])
        #expect(try notices.noticeWays(of: ada)[.quota] == [.mail], "a way that a kind does not have is not chosen")
        #expect(try notices.noticeWays(of: ada)[.over] == NoticeKind.over.ways && notices.outWays(.asked, to: ada).isEmpty)
        #expect(try notices.goesOut(.over, to: ada) && notices.outWays(.over, to: ada) == [.mail, .push])
        #expect(try !notices.goesOut(.asked, to: ada))
    }

    @Test("SOS-22: a test and a question go by the ways that were chosen for the alarm", arguments: Engine.allCases)
    func chosenWith(engine: Engine) throws {
        let fixture = try HubFixture(engine), notices = fixture.accounts.notices, ada = try fixture.account("Ada")
        try notices.setNoticeWays([.sosRaised: [.mail]], of: ada)
        for kind in [NoticeKind.sosRaised, .sosTest, .sosAsked] { #expect(try notices.outWays(kind, to: ada) == [.mail]) }
        #expect(NoticeKind.sosActive.chosenWith == .sosInactive && NoticeKind.sosSettingsDecided.chosenWith == .sosSettingsDiffer)
        for kind in NoticeKind.allCases {
            #expect(kind.ways.isSuperset(of: []) && !kind.ways.isEmpty && kind.chosenWith.chosenWith == kind.chosenWith)
            #expect((NoticeUrgency(kind.rawValue) == .ordinary) != kind.rawValue.hasPrefix("sos."))
        }
        #expect(
            [NoticeKind.asked, .over, .blocked].map(\.ofWard) == [.askedWard, .overWard, .blockedWard] && NoticeKind.quota.ofWard == .quota)
    }

    @Test("ACC-15: who has no mailbox and no browser is told on the page alone", arguments: Engine.allCases)
    func withoutMailbox(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts, notices = accounts.notices
        var new = HubFixture.new("Nan")
        (new.details[Field.email.rawValue], new.canonicalEmail) = ("nan-1", "nan-1")
        guard case .added(let nan) = try accounts.addConfirmedAccount(new, now: 0) else { throw HubFixture.Taken() }
        #expect(try !notices.goesOut(.over, to: nan))
        try notices.addNotice(.over, ["ending": "revoked"], to: nan, now: 1)
        try notices.addMail("reset", ["link": "L"], to: nan, now: 2)
        #expect(try notices.dueMails(9, lease: 0, now: 9).isEmpty && notices.notices(of: nan).map(\.name) == ["reset", "consent.over"])
        #expect(try notices.notices(of: nan).map(\.kind) == [nil, .over])
        try accounts.pushes.addPushDevice(browser("one"), to: nan, now: 3)
        #expect(try notices.outWays(.over, to: nan) == [.push])
        try notices.addMail("reset", ["link": "M"], to: nan, now: 4)
        #expect(try accounts.pushes.duePushes(9, lease: 9, now: 9).map(\.notice.name) == ["reset"])
    }

    @Test("ACC-15: two hundred notices are kept, for ninety days; what was opened counts as seen", arguments: Engine.allCases)
    func kept(engine: Engine) throws {
        let fixture = try HubFixture(engine), notices = fixture.accounts.notices, ada = try fixture.account("Ada"),
            bob = try fixture.account("Bob")
        try notices.setNoticeWays([.quota: [], .over: []], of: ada)
        for number in 0..<NoticeStore.noticesMax + 3 {
            try notices.addNotice(.quota, ["n": "\(number)"], to: ada, now: Milliseconds(number))
        }
        let list = try notices.notices(of: ada)
        #expect(list.count == NoticeStore.noticesMax && list.first?.arguments["n"] == "202" && list.last?.arguments["n"] == "3")
        #expect(try notices.newNotices(of: ada.row) == 200 && notices.newNotices(of: bob.row) == 0)
        try notices.noticesSeen(list[0].row, of: bob, now: 500)
        #expect(try notices.notice(list[0].row, of: bob) == nil && notices.notice(list[0].row, of: ada)?.seen == nil)
        try notices.noticesSeen(list[0].row, of: ada, now: 500)
        #expect(try notices.notice(list[0].row, of: ada)?.seen == 500 && notices.newNotices(of: ada.row) == 199)
        try notices.addNotice(.over, to: ada, now: 600)
        try notices.noticesSeen(.quota, of: ada, now: 601)
        #expect(try notices.newNotices(of: ada.row) == 1)
        try notices.noticesSeen(of: ada, now: 602)
        #expect(try notices.newNotices(of: ada.row) == 0 && notices.notices(of: ada, count: 2).map(\.seen) == [602, 500])
        try notices.forgetNotices(now: 600 + NoticeStore.noticesLifetime)
        #expect(try notices.notices(of: ada).map(\.kind) == [.over])
    }

    @Test("ACC-15: a notice to several is told with one commit; a deleted account gets none", arguments: Engine.allCases)
    func several(engine: Engine) throws {
        let fixture = try HubFixture(engine), notices = fixture.accounts.notices
        let all = try ["Ada", "Bob", "Eve"].map { try fixture.account($0) }
        try fixture.accounts.deletePerson(all[1].id.person, now: 1)
        try notices.addNotice(.maintenancePlanned, ["begin": "1"], to: all, now: 2)
        #expect(try fixture.count("notice") == 2 && fixture.count("mail") == 2)
        #expect(try notices.notices(of: all[1]).isEmpty && notices.notices(of: all[2]).count == 1)
    }

    @Test(
        "ACC-15, SOS-20: a damaged notice is told and counted; the page shows the others, and others are added", arguments: Engine.allCases)
    func damaged(engine: Engine) throws {
        let fixture = try HubFixture(engine), notices = fixture.accounts.notices, ada = try fixture.account("Ada", [.operator])
        for number in 1...3 as ClosedRange<Milliseconds> {
            try notices.addNotice(.serviceCheck, ["service": "\(number)"], to: ada, now: number)
        }
        let told = Told<UnreadableRow>()
        fixture.keys.unreadable.listen { told.tell($0) }
        try fixture.damage("notice", "arguments", where: "id = 2")
        for _ in 0..<3 { #expect(try notices.notices(of: ada).map { $0.arguments["service"] } == ["3", "1"]) }
        #expect(told.all == [UnreadableRow(.notice, 2)] && fixture.keys.unreadable.count == 1)
        #expect(throws: HubStoreError.self) { try notices.notice(2, of: ada) }
        // What looks among them goes on as well.
        let clinic = try fixture.organisation()
        #expect(try fixture.accounts.services.publishService(.made(), by: clinic, now: 9) != nil)
        try fixture.accounts.runConsents.tellNearby(["run": "R"], code: "AB", people: [ada.id.person], now: 9)
    }

    @Test("EDGE-12: a question counts on the box unless the person wants to be told elsewhere", arguments: Engine.allCases)
    func questions(engine: Engine) throws {
        let asking = try AskingFixture(engine), notices = asking.accounts.notices
        #expect(try notices.questionsForBox(of: [asking.person]) == 0)
        _ = try (asking.ask(asking.scope()), asking.ask(asking.scope([.position])), asking.give(asking.scope([.event])))
        #expect(try notices.questionsForBox(of: [asking.person, asking.boss.id.person]) == 2)
        try notices.setNoticeWays([.asked: [.mail]], of: asking.ada)
        #expect(try notices.questionsForBox(of: [asking.person]) == 0)
        try notices.setNoticeWays([.asked: [.box]], of: asking.ada)
        #expect(try notices.questionsForBox(of: [asking.person]) == 2)
    }
}
