import Accounts
import Credentials
import Foundation
import HubServices
import HubStore
import NIOHTTP1
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// Planned maintenance (SOS-15), with a clock that the test sets forward.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct SOSMaintenanceTests {
    private static let hour: Milliseconds = 3_600_000

    /// As a browser's field has it, in the zone of this machine.
    private func field(_ time: Milliseconds) -> String {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.dateFormat = "yyyy-MM-dd'T'HH:mm"
        return format.string(from: Date(timeIntervalSince1970: Double(time) / 1000))
    }

    private func told(_ web: WebFixture, _ member: Member, _ kind: NoticeKind) throws -> Int {
        try web.hub.accounts.notices.notices(of: member.account).count { $0.kind == kind }
    }

    private func waits(_ web: WebFixture, _ member: Member, _ kind: NoticeKind, _ count: Int) async throws {
        for _ in 0..<400 {
            if try told(web, member, kind) >= count { break }
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(try told(web, member, kind) == count)
    }

    @Test(
        "SOS-15, PERF-4: everybody with an account is told with the planning, 48 h and 1 h ahead, pages say so, and a cancelled one is told too"
    )
    func announced() async throws {
        let shift = ManualClock(0)
        let clock: @Sendable () -> Milliseconds = { Milliseconds(Date().timeIntervalSince1970 * 1000) + shift.now }
        try await WebFixture.run(now: clock) { web in
            let cast = try await SOSCast(web), person = try await cast.person(), other = try web.member(.person, "eve@example.org")
            let begin = (clock() + 72 * Self.hour) / 60_000 * 60_000
            let fields = ["windowBegin": field(begin), "windowMinutes": "90"]
            #expect(try await web.post("/operator/maintenance", fields, cookie: person.cookie).status == 403)
            for wrong in [
                ["windowBegin": "soon"], ["windowBegin": field(clock() - Self.hour)], ["windowMinutes": "0"], ["windowMinutes": "x"],
            ] {
                let answer = try await web.post("/operator/maintenance", fields.merging(wrong) { $1 }, cookie: cast.chief.cookie)
                #expect(answer.status == 422, "\(wrong)")
            }
            #expect(try await web.post("/operator/maintenance", fields, cookie: cast.chief.cookie).status == 303)
            #expect(
                try await web.post("/operator/maintenance", fields, cookie: cast.chief.cookie).status == 422, "there is one at that time")
            try await waits(web, person, .maintenancePlanned, 1)
            try await waits(web, other, .maintenancePlanned, 1)
            var page = try await web.send(.GET, "/protection", cookie: person.cookie).body
            #expect(page.contains("Planned maintenance:") && page.contains("A box goes on watching"))
            let mails = MailCatcher(directory: web.directory.url)
            let mail = try await mails.mail(to: "ada@example.org", with: "goes on watching")
            #expect(mail.contains(Texts.of("en").instant(begin)) && mail.contains(Texts.of("en").instant(begin + 90 * 60_000)))
            shift.advance(24 * Self.hour + 1000)
            try await waits(web, person, .maintenancePlanned, 2)
            shift.advance(47 * Self.hour)
            try await waits(web, person, .maintenancePlanned, 3)
            // An operator's session ends after hours.
            let token = SecretToken.random(), chief = "\(Sessions.cookie)=\(token.text)"
            try web.hub.accounts.addSession(token.hash, of: cast.chief.account.row, strength: .full, device: "test", now: clock())
            page = try await web.send(.GET, "/operator/maintenance", cookie: chief).body
            #expect(page.contains(" people were told"), "\(page)")
            #expect(try await web.post("/operator/maintenance/1/cancel", [:], cookie: chief).status == 303)
            try await waits(web, person, .maintenanceCancelled, 1)
            #expect(try await web.post("/operator/maintenance/1/cancel", [:], cookie: chief).status == 403)
            #expect(try await web.send(.GET, "/protection", cookie: person.cookie).body.contains("Planned maintenance:") == false)
        }
    }

    @Test("SOS-15: announcements go out in slices, each person once, also when a hub stops in the middle")
    func slices() throws {
        let directory = try TemporaryDirectory(), hub = try HubDirectory(directory.url),
            accounts = try AccountStore(hub, keys: KeyStore(hub))
        let id = try #require(try accounts.maintenance.planMaintenance(begin: 100_000_000, end: 101_000_000, now: 1))
        let due = try accounts.timers.dueTimers(10, lease: 30_000, now: 1)
        #expect(due.map(\.kind) == [.maintenance])
        let found = try #require(try accounts.maintenance.maintenance(of: due[0].subject))
        #expect(found.window.id == id && found.step == .planned)
        // Nobody is known: nothing to tell, and the timer is gone.
        #expect(try !accounts.maintenance.announceMaintenance(found.window, found.step, now: 1))
        #expect(try accounts.timers.dueTimers(10, lease: 30_000, now: 40_000).isEmpty)
        #expect(try accounts.maintenance.planMaintenance(begin: 100_500_000, end: 102_000_000, now: 1) == nil)
        // The first of the announcements that were planned: the hour ahead, for 48 hours are not left.
        #expect(try accounts.timers.dueTimers(10, lease: 30_000, now: 96_400_000).count == 1)
        #expect(
            try accounts.maintenance.cancelMaintenance(id, now: 99_000_000) && !accounts.maintenance.cancelMaintenance(id, now: 99_000_000))
        #expect(try accounts.timers.dueTimers(10, lease: 30_000, now: 99_000_000).count == 1)
    }
}
