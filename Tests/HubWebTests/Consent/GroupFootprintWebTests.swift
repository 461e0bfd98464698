import Accounts
import Groups
import NIOHTTP1
import TestSupport
import Testing
import Vitals

@testable import HubServices
@testable import HubStore
@testable import HubWeb

/// What groups have used of somebody, on the pages of a real hub.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct GroupFootprintWebTests {
    private static let path = "/followers/groups"

    /// A person in Milan counts in the region's cell of a week that is closed.
    private func count(_ person: StoredAccount, _ web: WebFixture) throws {
        let accounts = web.hub.accounts, window = GroupWindow(.week, number: GroupWindow(.week, at: Cast.now).number - 2)
        let details = [Field.dateOfBirth: "1993-04-02", .gender: "female", .residence: "Milano", .taxCountry: "IT"]
        try accounts.setDetails(person.details.merging(details.map { ($0.key.rawValue, $0.value) }) { $1 }, of: person, now: Cast.now)
        let cost = Rho(try #require(GroupBudget().variance(of: .heartRate, at: .region)))
        let charge = GroupYearStore.Charge(person.id.person, [[GroupCost(.heartRate, .region, cost)]])
        #expect(try accounts.consents.groupYears.charge([charge], window, within: GroupBudget().perYear) == [1])
        _ = try accounts.consents.groupReleases.close(window, releases: [], now: window.closes())
    }

    private func ask(_ web: WebFixture, by lab: StoredAccount, _ purpose: String, sexes: Set<CellSex>) throws {
        let ask = try GroupAsk(kinds: [.heartRate], sexes: sexes, in: Regions.tree), requests = web.hub.accounts.consents.groupRequests
        let request = try GroupRequest(ask: ask, purpose: purpose, term: .once, past: 1, mails: false, created: Cast.now)
        try requests.approve(try requests.ask(request, by: lab, now: Cast.now).id, now: Cast.now)
    }

    @Test("GRP-4: a person sees what was used of them, how much of the year's budget, who asked, and what objecting and deleting mean")
    func person() async throws {
        try await WebFixture.run { web in
            let ada = try web.member(.person, "ada@example.org"), lab = try web.member(.organisation, "lab@example.org")
            func page() async throws -> String { try await web.send(.GET, Self.path, cookie: ada.cookie).body }
            #expect(try await web.send(.GET, "/followers/policy", cookie: ada.cookie).body.contains("href=\"\(Self.path)\""))
            let before = try await page()
            #expect(before.contains("no figure that was published has counted you") && before.contains("Nobody so far."))
            #expect(before.contains("Date of birth or place is missing") && !before.contains("<table"))
            try count(ada.account, web)
            try ask(web, by: lab.account, "Hearts of <women>", sexes: [.female])
            try ask(web, by: lab.account, "Hearts of men", sexes: [.male])
            let after = try await page()
            #expect(
                after.contains("female, 30 to 34, Milano, Lombardy, Italy") || after.contains("female, 30 to 34, Milano, Lombardia, Italy"))
            #expect(after.contains("<td>Region</td><td>1</td><td>0.5 %</td>") && after.contains("One period of the year is closed"))
            #expect(after.contains("0.5 % of this year&#39;s budget are used") || after.contains("0.5 % of this year's budget are used"))
            #expect(after.contains("right at most 51 times in 100"))
            #expect(after.contains("Lab of Bergamo") && after.contains("Hearts of &lt;women&gt;") && !after.contains("Hearts of men"))
            #expect(
                after.contains("no figure of a period that closes from then on counts you") && after.contains("If you delete your account"))
            _ = try await web.post(Self.path, ["counted": "0"], cookie: ada.cookie)
            let objected = try await page()
            #expect(objected.contains("No new figure counts you.") && objected.contains("<td>0.5 %</td>"))
        }
    }

    @Test("GRP-4: a page that does not look at all requests says how far back it looks, not that nobody asked", arguments: ["en", "it"])
    func more(lang: String) throws {
        let texts = Texts.of(lang)
        func note(_ time: Milliseconds?) -> String? {
            let footprint = GroupFootprint(
                standing: GroupStanding(choice: nil, needsYes: false), attributes: nil, years: [], budget: GroupBudget(), asked: [],
                askedBackTo: time)
            return GroupFootprintModel(footprint: footprint, isWard: false, list: Regions.list, texts: texts).page(back: "/").askedNote
        }
        #expect(note(nil) == texts["footprint.nobodyAsked"])
        let told = try #require(note(Cast.now))
        #expect(told.contains("500") && told.contains(texts.instant(Cast.now)) && !told.contains("{"))
    }

    @Test("ACC-17, GRP-4: a parent sees it of a child, in the parent's language, and nobody else does")
    func others() async throws {
        try await WebFixture.run { web in
            let parent = try web.member(.person, "parent@example.org"), eve = try web.member(.person, "eve@example.org")
            let lab = try web.member(.organisation, "lab@example.org"), kid = try web.child(of: parent.account)
            let path = "/care/person/\(kid.id.person)/groups"
            _ = try await web.post("/language", ["language": "it", "back": "/care"], cookie: parent.cookie)
            let page = try await web.send(.GET, path, cookie: parent.cookie)
            #expect(page.status == 200 && page.body.contains("La parte di tuo figlio nelle statistiche"))
            #expect(page.body.contains("prima deve dire di sì un genitore") && !page.body.contains("/profile/region"))
            #expect(try await web.send(.GET, path, cookie: eve.cookie).status == 403)
            #expect(try await web.send(.GET, path, cookie: lab.cookie).status == 403)
            #expect(try await web.send(.GET, Self.path, cookie: lab.cookie).status == 403)
            #expect(try await web.send(.GET, "/care/person/\(kid.id.person)", cookie: parent.cookie).body.contains("href=\"\(path)\""))
        }
    }
}
