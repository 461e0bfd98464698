import Accounts
import Foundation
import Groups
import HubServices
import HubStore
import NIOHTTP1
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// My Health beside what was released about groups, on the pages of a real hub.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct HealthPeersWebTests {
    private static var now: Milliseconds { Date().milliseconds }

    private func enter(_ weight: String, _ web: WebFixture, _ member: Member) async throws {
        let fields = ["entryValue": weight, "entryTime": RunTime.field(Self.now - 60_000, "Europe/Rome")]
        let answer = try await web.post("/data/entry?kind=weight", fields, cookie: "\(member.cookie); \(Texts.zoneCookie)=Europe/Rome")
        #expect(answer.status == 200)
    }

    /// A hundred in each class of weight, of women of 30 to 34 in Lombardy.
    private func release(_ web: WebFixture) throws {
        let window = GroupWindow(.week, number: GroupWindow(.week, at: Self.now).number - 2), region = try #require(RegionCode("IT-25"))
        let born = try #require(CalendarDate("1993-04-02"))
        let age = try DateOfBirth("\(born)", today: CalendarDate(utc: Self.now)).age(on: CalendarDate(utc: Self.now))
        let cells = [GroupCell(.female, AgeBand(age: age), region): [Int64](repeating: 100, count: 16)]
        let released = GroupRelease(
            window: window, kind: .weight, level: .region, variance: try #require(NoiseVariance(400)), cells: cells)
        _ = try web.hub.accounts.consents.groupReleases.close(window, releases: [released], now: window.closes())
    }

    @Test("DATA-4: a value stands beside what is usual among people like the person, with its interval and where that is from")
    func peers() async throws {
        try await WebFixture.run { web in
            let ada = try web.member(.person, "ada@example.org")
            let details = [Field.dateOfBirth: "1993-04-02", .gender: "female", .residence: "Milano", .taxCountry: "IT"]
            try web.hub.accounts.setDetails(
                ada.account.details.merging(details.map { ($0.key.rawValue, $0.value) }) { $1 }, of: ada.account, now: Self.now)
            func page() async throws -> String { try await web.send(.GET, "/health", cookie: ada.cookie).body }
            try await enter("70", web, ada)
            #expect(try await !page().contains("among people like you here"), "nothing was released")
            try release(web)
            let usual = try await page()
            #expect(
                usual.contains("among people like you here, 8 of 10 have 22 kg to 118 kg; the mean is 70 kg, with 95 % certainty"),
                "\(usual)")
            #expect(usual.contains("Like others") && usual.contains("statistics of this hub,") && usual.contains("about 1,600 of them"))
            try await enter("125", web, ada)
            #expect(try await page().contains("<span class=\"badge\">Above</span>"))
            _ = try await web.post("/language", ["language": "it", "back": "/health"], cookie: ada.cookie)
            #expect(try await page().contains("fra persone come te qui"))
        }
    }
}
