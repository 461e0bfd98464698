import Accounts
import HubServices
import HubStore
import NIOHTTP1
import TestSupport
import Testing
import Vitals

@testable import HubWeb

@Suite(.serialized, .timeLimit(.minutes(2)))
struct ZoneTests {
    /// The midnight of 21 November 2026, UTC.
    private static let midnight: Milliseconds = 1_795_219_200_000

    private func get(_ web: WebFixture, _ path: String, _ member: Member, zone: String) async throws -> String {
        try await web.send(.GET, path, cookie: "\(member.cookie); \(Texts.zoneCookie)=\(zone)").body
    }

    @Test("ACC-10, ACC-15: times in mails are those of the account's browser, whichever zone the hub is in")
    func mails() async throws {
        try await WebFixture.run { web in
            let ada = try web.member(.person, "ada@example.org"), notices = web.hub.accounts.notices
            #expect(try notices.zone(of: ada.account) == nil)
            #expect(try await get(web, "/notices", ada, zone: "Asia/Tokyo").contains("Times in mails are those of Asia/Tokyo"))
            #expect(try notices.zone(of: ada.account) == "Asia/Tokyo")
            #expect(try ProfileExport(ada.account, accounts: web.hub.accounts, now: Cast.now).timeZone == "Asia/Tokyo")
            // What is no zone changes nothing.
            _ = try await get(web, "/notices", ada, zone: "Nowhere/Land")
            #expect(try notices.zone(of: ada.account) == "Asia/Tokyo")
            let span = ["begin": String(Self.midnight), "end": String(Self.midnight + 3_600_000)]
            try notices.addNotice(.maintenancePlanned, span, to: ada.account, now: Cast.now)
            let mail = try await MailCatcher(directory: web.directory.url).mail(to: "ada@example.org", with: "21 November 2026, 09:00")
            #expect(mail.contains("21 November 2026, 10:00"))
            _ = try await get(web, "/notices", ada, zone: "America/New_York")
            #expect(try notices.zone(of: ada.account) == "America/New_York")
        }
    }

    @Test("RUN-1: a new run has the time zone of the organiser's browser")
    func runs() async throws {
        try await WebFixture.run { web in
            let club = try web.member(.organiser, "club@example.org")
            let form = try await get(web, "/runs/new", club, zone: "Asia/Tokyo")
            #expect(form.contains("<option value=\"Asia/Tokyo\" selected"))
        }
    }
}
