import Accounts
import Foundation
import HubStore
import NIOHTTP1
import Testing
import Vitals

@testable import HubWeb

/// The menu: five tabs at most, and everything else one tap behind them.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct MenuTests {
    /// What a role had in the menu before it had tabs, and still reaches.
    private static let reached: [Role: [String]] = [
        .person: [
            "/home", "/protection", "/health", "/workouts", "/runs", "/followers", "/following", "/services", "/care", "/boxes", "/data",
            "/places", "/notices", "/profile", "/security",
        ],
        .organiser: ["/home", "/runs", "/following", "/care", "/notices", "/profile", "/security"],
        .member: ["/home", "/runs", "/notices", "/profile", "/security"],
        .caregiver: ["/home", "/runs", "/following", "/care", "/notices", "/profile", "/security"],
        .responder: ["/home", "/runs", "/duty/alarms", "/duty", "/places", "/notices", "/profile", "/security"],
        .organisation: [
            "/home", "/runs", "/following", "/requests", "/organisation/people", "/organisation/keys", "/organisation/webhooks",
            "/publish", "/hospital", "/notices", "/profile", "/security",
        ],
        .operator: [
            "/home", "/operator", "/operator/alarms", "/operator/people", "/operator/boxes", "/operator/messages", "/operator/state",
            "/operator/audit", "/operator/runs", "/runs", "/operator/requests", "/operator/services", "/operator/hospitals",
            "/operator/ways",
            "/operator/support", "/operator/maintenance", "/notices", "/profile", "/security",
        ],
    ]

    private func links(_ html: some StringProtocol) -> [String] {
        html.components(separatedBy: "href=\"").dropFirst().map { String($0.prefix { $0 != "\"" }) }
    }

    private func tabs(_ page: String) -> [String] {
        let nav = page.components(separatedBy: "<nav ").dropFirst().first?.components(separatedBy: "</nav>").first ?? ""
        return links(nav).filter { !$0.hasPrefix("/assets/") }
    }

    @Test("ACC-18, DATA-15: each role has five tabs at most, and each page of the menu is two taps away at most", arguments: Role.allCases)
    func twoTaps(role: Role) async throws {
        try await WebFixture.run { web in
            let member = try web.member(role, "one@example.org")
            let home = try await web.send(.GET, "/home", cookie: member.cookie)
            let tabs = tabs(home.body)
            #expect(home.status == 200 && (3...Menu.tabsMax).contains(tabs.count), "\(tabs)")
            #expect(tabs.first == "/home" && tabs.last == "/more")
            var near = Set(tabs)
            for tab in tabs {
                let page = try await web.send(.GET, tab, cookie: member.cookie)
                #expect(page.status == 200 && page.body.contains("href=\"\(tab)\" aria-current=\"page\""), "\(tab)")
                near.formUnion(links(page.body))
            }
            let far = try #require(Self.reached[role]).filter { !near.contains($0) }
            #expect(far.isEmpty, "more than two taps to \(far)")
            let more = try await web.send(.GET, "/more", cookie: member.cookie).body
            #expect(more.contains("action=\"/log-out\""))
            // Nothing leads to a page that refuses.
            for path in Set(links(more)) where path.hasPrefix("/") && !path.hasPrefix("/assets/") {
                let page = try await web.send(.GET, path, cookie: member.cookie)
                #expect(page.status == 200 || path == "/", "\(path): \(page.status)")
            }
        }
    }

    @Test("ACC-14, ACC-18: every page has a way home, its help and the other language, the live page and the spectators' as well")
    func ways() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), id = person.account.id.person
            for (path, help) in [
                ("/home", "home"), ("/health", "health"), ("/more", "home"), ("/people", "home"), ("/help/data", "data"),
                ("/people/\(id)", "live"),
            ] {
                let page = try await web.send(.GET, path, cookie: person.cookie)
                let isHome =
                    page.body.contains("<a class=\"brand\" href=\"/\">")
                    || page.body.contains("<a href=\"/\" aria-label=\"TrackMe\">")
                #expect(page.status == 200 && isHome, "\(path)")
                #expect(page.body.contains("<a href=\"/help/\(help)\" aria-label=\"Help for this page\">"), "\(path)")
                #expect(page.body.contains("name=\"back\" value=\"\(path)\"") && page.body.contains("value=\"it\" lang=\"it\">"), "\(path)")
            }
            let nothing = try await web.send(.GET, "/nothing/here", cookie: person.cookie).body
            #expect(nothing.contains("href=\"/\"") && nothing.contains("href=\"/help/home\""))
            #expect(nothing.contains("value=\"it\" lang=\"it\">"))
            let stranger = try await web.send(.GET, "/").body
            #expect(tabs(stranger) == ["/runs", "/log-in", "/sign-up"] && !stranger.contains("data-member"))
            let begun = try await web.send(.GET, "/help/data", cookie: web.session(of: person.account, strength: .begun)).body
            #expect(tabs(begun).isEmpty && begun.contains("action=\"/log-out\""), "whoever owes a second proof can only leave")
        }
    }

    @Test("a page below a tab marks that tab, and what waits is counted at the tab behind which it is")
    func marks() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), lab = try web.member(.organisation, "lab@example.org")
            let chief = try web.member(.operator, "chief@example.org")
            for (path, tab) in [("/workouts", "/health"), ("/followers", "/people"), ("/boxes", "/more"), ("/runs/mine", "/runs")] {
                let page = try await web.send(.GET, path, cookie: person.cookie).body
                #expect(page.contains("href=\"\(tab)\" aria-current=\"true\""), "\(path)")
                #expect(page.components(separatedBy: "aria-current").count == 2, "\(path)")
                #expect(!page.contains("class=\"badge\" data-level=\"warn\" title"), "nothing waits yet: \(path)")
            }
            let asked = ["whom": "ada@example.org", "requestPurpose": "A study of sleep", "term": "30", "kind1": "1"]
            #expect(try await web.post("/requests", asked, cookie: lab.cookie).status == 303)
            func badge(_ tab: String, _ member: Member) async throws -> String? {
                let page = try await web.send(.GET, "/home", cookie: member.cookie).body
                let link = page.components(separatedBy: "<a href=\"\(tab)\"").dropFirst().first?.components(separatedBy: "</a>").first
                return link?.firstMatch(of: /title="([^"]+)">1</).map { String($0.output.1) }
            }
            #expect(try await badge("/operator/requests", chief) == "1 thing waits for you")
            #expect(try await badge("/people", person) == nil, "the operator comes first")
            let waiting = try await web.send(.GET, "/operator/requests", cookie: chief.cookie).body
            let approve = try #require(waiting.firstMatch(of: /action="([^"]+\/approve)"/).map { String($0.output.1) })
            #expect(try await web.post(approve, [:], cookie: chief.cookie).status == 303)
            #expect(try await badge("/operator/requests", chief) == nil)
            _ = try await web.until("/people", cookie: person.cookie) { $0.contains("title=\"1 thing waits for you\">1<") }
            #expect(try await badge("/people", person) == "1 thing waits for you")
            #expect(try await badge("/more", person) == "1 new notice")
        }
    }

    @Test("somebody with several roles has five tabs, too, and finds the rest behind More")
    func severalRoles() {
        for roles in [[Role.person, .organiser, .operator], [.person, .responder], Role.allCases] {
            let all = Set((Navigation.tabs + Navigation.others).filter { $0.roles.map { !$0.isDisjoint(with: roles) } ?? true }.map(\.href))
            let menu = Menu(roles: Set(roles))
            let behind = [Navigation.people, .more].flatMap { menu.tabs.contains($0) ? menu.groups(on: $0).flatMap(\.entries) : [] }
            #expect(menu.tabs.count == Menu.tabsMax)
            let expected = all.union(["/home", "/more"]).subtracting(menu.tabs.contains(.people) ? [] : ["/people"])
            #expect(Set((menu.tabs + behind).map(\.href)) == expected)
            #expect((menu.tabs + behind).count == Set((menu.tabs + behind).map(\.href)).count, "nothing stands twice")
        }
    }
}
