import Accounts
import HubStore
import Hummingbird

/// An entry of the menu. What a role may not do is not shown, and refused where it is asked for all the same.
struct Navigation: Hashable {
    /// The parts of the pages that list what is in no tab.
    enum Group: String, CaseIterable {
        case mine, people, duty, organisation, hub, account
    }

    let href: String
    let name: String
    /// nil for everybody who is logged in.
    let roles: Set<Role>?
    let group: Group
    /// The entry that is marked while the page is shown; nil for itself.
    var parent: String?

    static let home = Navigation(href: "/home", name: "home", roles: nil, group: .account)
    /// Who reads me, whom I follow and whom I look after.
    static let people = Navigation(href: "/people", name: "myPeople", roles: [.person, .organiser, .caregiver], group: .people)
    /// Everything that is in no tab.
    static let more = Navigation(href: "/more", name: "more", roles: nil, group: .account)

    /// Who can be let read by a person: not those who run the hub, unless they are somebody beside that.
    private static let followers: Set<Role> = [.person, .organisation, .organiser, .caregiver]

    static func mayFollow(_ account: StoredAccount) -> Bool { !followers.isDisjoint(with: account.roles) }

    /// What can stand between home and more, the most urgent first: three of them do.
    static let tabs: [Navigation] = [
        Navigation(href: "/duty/alarms", name: "alarms", roles: [.responder], group: .duty),
        Navigation(href: "/health", name: "health", roles: [.person], group: .mine),
        Navigation(href: "/runs", name: "runs", roles: [.person, .organiser, .caregiver, .member], group: .mine),
        people,
        Navigation(href: "/duty", name: "duty", roles: [.responder], group: .duty),
        Navigation(href: "/places", name: "places", roles: [.person, .responder], group: .duty),
        Navigation(href: "/organisation/people", name: "people", roles: [.organisation], group: .organisation),
        Navigation(href: "/requests", name: "requests", roles: [.organisation], group: .organisation),
        Navigation(href: "/publish", name: "publish", roles: [.organisation], group: .organisation),
        Navigation(href: ConsolePages.path, name: "console", roles: [.operator], group: .hub),
        Navigation(href: "/operator/requests", name: "waiting", roles: [.operator], group: .hub),
        Navigation(href: "/operator/services", name: "servicesToCheck", roles: [.operator], group: .hub),
        Navigation(href: "/operator/ways", name: "ways", roles: [.operator], group: .hub),
    ]

    /// What stands on the pages of people and of more.
    static let others: [Navigation] = [
        Navigation(href: "/protection", name: "protection", roles: [.person], group: .mine),
        Navigation(href: "/workouts", name: "workouts", roles: [.person], group: .mine, parent: "/health"),
        Navigation(href: "/boxes", name: "boxes", roles: [.person], group: .mine),
        Navigation(href: "/data", name: "data", roles: [.person], group: .mine),
        Navigation(href: "/services", name: "services", roles: [.person], group: .mine),
        Navigation(href: "/runs", name: "runs", roles: [.organisation, .responder, .operator], group: .account),
        Navigation(href: "/care", name: "care", roles: [.person, .organiser, .caregiver], group: .people),
        Navigation(href: "/followers", name: "followers", roles: [.person], group: .people),
        Navigation(href: "/following", name: "following", roles: followers, group: .people),
        Navigation(href: "/hospital", name: "hospital", roles: [.organisation], group: .organisation),
        Navigation(href: "/groups", name: "groups", roles: [.organisation], group: .organisation, parent: "/requests"),
        Navigation(href: UsersPages.path, name: "users", roles: [.organisation], group: .organisation),
        Navigation(href: "/organisation/keys", name: "keys", roles: [.organisation], group: .organisation),
        Navigation(href: "/organisation/webhooks", name: "webhooks", roles: [.organisation], group: .organisation),
        Navigation(href: "/operator/groups", name: "groupsToCheck", roles: [.operator], group: .hub, parent: "/operator/requests"),
        Navigation(href: "/operator/hospitals", name: "hospitals", roles: [.operator], group: .hub),
        Navigation(href: AddressPages.path, name: "addresses", roles: [.operator], group: .hub),
        Navigation(href: SupportPages.operatorPath, name: "support", roles: [.operator], group: .hub),
        Navigation(href: "/operator/maintenance", name: "maintenance", roles: [.operator], group: .hub),
        Navigation(href: "/notices", name: "notices", roles: nil, group: .account),
        Navigation(href: "/profile", name: "profile", roles: nil, group: .account),
        Navigation(href: "/security", name: "security", roles: nil, group: .account),
        Navigation(href: "/home?steps=show", name: "firstSteps", roles: nil, group: .account),
    ]

    /// For whoever is not logged in.
    static let strangers: [Navigation] = [
        Navigation(href: "/runs", name: "runs", roles: nil, group: .account),
        Navigation(href: "/log-in", name: "logIn", roles: nil, group: .account),
        Navigation(href: "/sign-up", name: "signUp", roles: nil, group: .account),
    ]
}

/// The menu of one reader: at most five tabs. Everything else is one tap behind one of them.
struct Menu {
    static let tabsMax = 5

    let tabs: [Navigation]
    /// What is in no tab, in the order of the pages that list it.
    private let others: [Navigation]

    /// Whoever owes a second proof has none.
    init(_ session: StoredSession?) {
        guard let session else {
            self.init(tabs: Navigation.strangers, others: [])
            return
        }
        guard session.strength == .full else {
            self.init(tabs: [], others: [])
            return
        }
        self.init(roles: session.user.roles, also: session.membership == nil ? [] : Self.ofUsers)
    }

    /// What users of an organisation see of it.
    private static let ofUsers: Set = ["/organisation/people", "/requests", "/groups"]

    private init(tabs: [Navigation], others: [Navigation]) { (self.tabs, self.others) = (tabs, others) }

    /// - Parameter also: entries that are shown whatever their roles, by their addresses.
    init(roles: Set<Role>, also: Set<String> = []) {
        func mine(_ entries: [Navigation]) -> [Navigation] {
            entries.filter { entry in also.contains(entry.href) || (entry.roles.map { !$0.isDisjoint(with: roles) } ?? true) }
        }
        let wanted = mine(Navigation.tabs), shown = wanted.prefix(Self.tabsMax - 2)
        tabs = [Navigation.home] + shown + [Navigation.more]
        var known = Set((shown + [Navigation.people]).map(\.href))
        // Somebody with several roles has an address twice.
        others = (wanted.dropFirst(shown.count) + mine(Navigation.others)).filter { known.insert($0.href).inserted }
    }

    private var hasPeople: Bool { tabs.contains(.people) }

    /// What a page lists: that of people its own, that of everything else the rest.
    func groups(on page: Navigation) -> [(group: Navigation.Group, entries: [Navigation])] {
        Navigation.Group.allCases.compactMap { group in
            guard (page == .people) == (group == .people && hasPeople) else { return nil }
            let entries = others.filter { $0.group == group }
            return entries.isEmpty ? nil : (group, entries)
        }
    }

    /// The tab that is marked at a path, and whether the path is its own.
    private func current(_ path: String) -> (href: String, isItself: Bool)? {
        let known = (tabs + others).filter { path == $0.href || path.hasPrefix($0.href + "/") }
        guard let entry = known.max(by: { $0.href.count < $1.href.count }) else { return nil }
        if tabs.contains(entry) { return (entry.href, path == entry.href) }
        if let parent = entry.parent, tabs.contains(where: { $0.href == parent }) { return (parent, false) }
        return ((entry.group == .people && hasPeople ? Navigation.people : .more).href, false)
    }

    /// - Parameter waiting: how much waits for the reader, by the address where it waits.
    func tabs(at path: String, waiting: [String: Int], _ texts: Texts) -> [FrameModel.Tab] {
        let current = current(path)
        return tabs.map { tab in
            let behind = tab == .people || tab == .more ? groups(on: tab).flatMap(\.entries) : []
            var shown = FrameModel.Tab(href: tab.href, icon: tab.name, text: texts["site.\(tab.name)"])
            if let current, current.href == tab.href { shown.current = current.isItself ? "page" : "true" }
            shown.news = Self.news(([tab] + behind).map(\.href), waiting, texts)
            return shown
        }
    }

    /// nil where nothing waits.
    static func news(_ addresses: [String], _ waiting: [String: Int], _ texts: Texts) -> FrameModel.News? {
        let found = addresses.compactMap { address in waiting[address].map { (address, $0) } }.filter { $0.1 > 0 }
        let count = found.reduce(0) { $0 + $1.1 }
        guard count > 0 else { return nil }
        let key = found.allSatisfy { $0.0 == "/notices" } ? "notices.count" : "site.waits"
        return .init(count: texts.number(count), text: texts.counted(key, count))
    }
}

/// The pages behind the tabs of people and of everything else.
struct MenuPages: Sendable {
    let templates: Templates

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/people") { request, context in try page(.people, Frame(request, context)) }
        router.get("/more") { request, context in try page(.more, Frame(request, context)) }
    }

    private func page(_ page: Navigation, _ frame: Frame) throws -> Response {
        let session = try frame.session(), texts = frame.texts
        if let roles = page.roles, roles.isDisjoint(with: session.account.roles) { throw PageRefusal.notAllowed }
        let groups = Menu(session).groups(on: page).map { group, entries in
            MenuPage.Group(
                title: texts["site.group_\(group.rawValue)"],
                entries: entries.map { entry in
                    .init(
                        href: entry.href, text: texts["site.\(entry.name)"], about: texts.find("site.about_\(entry.name)") ?? "",
                        news: Menu.news([entry.href], frame.waiting, texts))
                })
        }
        return templates.page(
            MenuPage(groups: groups, isMore: page == .more), frame, title: texts["site.\(page.name)"], help: "home")
    }
}

struct MenuPage: FramedPage {
    static let template = "menu"

    struct Entry: TemplateModel {
        let href: String, text: String
        /// What is there; empty where the name says it.
        let about: String
        var news: FrameModel.News?
    }

    struct Group: TemplateModel {
        let title: String
        let entries: [Entry]
    }

    let groups: [Group]
    /// It also has what belongs to the whole site.
    let isMore: Bool
}
