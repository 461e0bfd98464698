import Accounts
import Foundation
import HTTPTypes
import HubStore
import Hummingbird
import Mustache
import NIOCore
import Vitals

/// Renders the embedded templates.
struct Templates: Sendable {
    private let library: MustacheLibrary

    /// The templates by their names.
    static let sources: [String: [UInt8]] = [
        "layout": PackageResources.layout_mustache, "field": PackageResources.field_mustache, "form": PackageResources.form_mustache,
        "live": PackageResources.live_mustache, "link": PackageResources.link_mustache, "problem": PackageResources.problem_mustache,
        "welcome": PackageResources.welcome_mustache, "home": PackageResources.home_mustache, "notice": PackageResources.notice_mustache,
        "followers": PackageResources.followers_mustache, "ledger": PackageResources.ledger_mustache,
        "health": PackageResources.health_mustache, "ecg": PackageResources.ecg_mustache, "ecgStrip": PackageResources.ecgStrip_mustache,
        "import": PackageResources.import_mustache, "importResult": PackageResources.importResult_mustache,
        "mydata": PackageResources.mydata_mustache, "boxes": PackageResources.boxes_mustache,
        "boxSetUp": PackageResources.boxSetUp_mustache,
        "requests": PackageResources.requests_mustache, "waiting": PackageResources.waiting_mustache,
        "button": PackageResources.button_mustache, "article": PackageResources.article_mustache,
        "security": PackageResources.security_mustache, "second": PackageResources.second_mustache,
        "passkeys": PackageResources.passkeys_mustache, "passkeyButton": PackageResources.passkeyButton_mustache,
        "keys": PackageResources.keys_mustache, "keyhelp": PackageResources.keyhelp_mustache,
        "hooks": PackageResources.hooks_mustache, "hook": PackageResources.hook_mustache,
        "people": PackageResources.people_mustache, "person": PackageResources.person_mustache,
        "download": PackageResources.download_mustache, "downloads": PackageResources.downloads_mustache,
        "services": PackageResources.services_mustache, "service": PackageResources.service_mustache,
        "publish": PackageResources.publish_mustache, "servicesToCheck": PackageResources.servicesToCheck_mustache,
        "following": PackageResources.following_mustache, "followed": PackageResources.followed_mustache,
        "policy": PackageResources.policy_mustache, "plot": PackageResources.plot_mustache,
        "oneTime": PackageResources.oneTime_mustache, "codes": PackageResources.codes_mustache, "export": PackageResources.export_mustache,
        "notices": PackageResources.notices_mustache, "protection": PackageResources.protection_mustache,
        "homePin": PackageResources.homePin_mustache,
        "emergencies": PackageResources.emergencies_mustache, "turnOn": PackageResources.turnOn_mustache,
        "strictWays": PackageResources.strictWays_mustache,
        "sosLost": PackageResources.sosLost_mustache,
        "dutyTexts": PackageResources.dutyTexts_mustache,
        "placesMap": PackageResources.placesMap_mustache, "placesHead": PackageResources.placesHead_mustache,
        "places": PackageResources.places_mustache, "windows": PackageResources.windows_mustache, "ways": PackageResources.ways_mustache,
        "alarms": PackageResources.alarms_mustache, "sosContact": PackageResources.sosContact_mustache,
        "care": PackageResources.care_mustache, "carePerson": PackageResources.carePerson_mustache,
        "sheet": PackageResources.sheet_mustache, "hospital": PackageResources.hospital_mustache,
        "hospitals": PackageResources.hospitals_mustache, "duty": PackageResources.duty_mustache, "phone": PackageResources.phone_mustache,
        "watch": PackageResources.watch_mustache, "results": PackageResources.results_mustache,
        "result": PackageResources.result_mustache,
        "runs": PackageResources.runs_mustache, "runCard": PackageResources.runCard_mustache, "run": PackageResources.run_mustache,
        "runCourse": PackageResources.runCourse_mustache, "runHead": PackageResources.runHead_mustache,
        "runEnrol": PackageResources.runEnrol_mustache, "runCheckIn": PackageResources.runCheckIn_mustache,
        "runMine": PackageResources.runMine_mustache, "runsMine": PackageResources.runsMine_mustache,
        "runFriends": PackageResources.runFriends_mustache, "runForm": PackageResources.runForm_mustache,
        "runPeople": PackageResources.runPeople_mustache, "runNearby": PackageResources.runNearby_mustache,
        "workout": PackageResources.workout_mustache, "workoutLive": PackageResources.workoutLive_mustache,
        "workoutFriend": PackageResources.workoutFriend_mustache, "workoutDone": PackageResources.workoutDone_mustache,
        "workouts": PackageResources.workouts_mustache, "workoutRecord": PackageResources.workoutRecord_mustache,
        "workoutsTrends": PackageResources.workoutsTrends_mustache,
    ]

    /// A template names another one that is not there. Mustache itself would leave it out in silence.
    struct MissingPartial: Error, CustomStringConvertible {
        let description: String
    }

    init() throws {
        let sources = Self.sources.mapValues { String(decoding: $0, as: UTF8.self) }
        for (name, source) in sources {
            for partial in source.matches(of: /{{[<>]([A-Za-z]+)/) where sources[String(partial.1)] == nil {
                throw MissingPartial(description: "the template \(name) names \(partial.1), which is not there")
            }
        }
        library = MustacheLibrary(templates: try sources.mapValues { try MustacheTemplate(string: $0) })
    }

    /// A page with the site around it.
    /// - Parameter help: the topic that this page's help link opens.
    func page<Page: FramedPage>(
        _ page: Page, _ frame: Frame, title: String, help: String, status: HTTPResponse.Status = .ok
    ) -> Response {
        render(TemplateAdapter.values(of: page, in: frame.model(title: title, help: help)), Page.template, status)
    }

    func page<Page: BarePage>(_ page: Page, status: HTTPResponse.Status = .ok) -> Response {
        render(TemplateAdapter.values(of: page), Page.template, status)
    }

    private func render(_ values: Any, _ template: String, _ status: HTTPResponse.Status) -> Response {
        guard let html = library.render(values, withTemplate: template) else { return Response(status: .internalServerError) }
        return Response(
            status: status, headers: [.contentType: "text/html; charset=utf-8", .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(string: html)))
    }

    /// A page that says what went wrong and what to do: texts `problem.NAMETitle` and `problem.NAMEText`.
    func problem(_ name: String, _ texts: Texts, status: HTTPResponse.Status) -> Response {
        page(
            ProblemPage(
                lang: texts.lang, title: texts["problem.\(name)Title"], text: texts["problem.\(name)Text"], home: texts["site.toHome"]),
            status: status)
    }
}

/// What every page of the site has around it: head, navigation, language, help.
struct Frame {
    let texts: Texts
    let session: StoredSession?
    let path: String
    /// Notices that were not opened yet.
    let newNotices: Int
    /// Told on each page until it is over (SOS-15).
    let maintenance: MaintenanceWindow?
    /// What concerns the reader now.
    let emergencies: @Sendable () throws -> [EmergencyBar]
    /// The hub's time, as cases have it.
    let now: Milliseconds
    /// Ways out of the hub that fail, for whoever runs it.
    let failingWays: [String]

    init(texts: Texts, session: StoredSession?, path: String) {
        (self.texts, self.session, self.path, newNotices, maintenance) = (texts, session, path, 0, nil)
        (emergencies, now, failingWays) = ({ [] }, 0, [])
    }

    init(_ request: Request, _ context: HubContext) {
        (session, newNotices, maintenance) = (context.session, context.newNotices, context.maintenance)
        (emergencies, now, failingWays) = (context.emergencies, context.now, context.failingWays)
        // Who is logged in has chosen, on whichever device (ACC-10, ACC-12).
        var texts = session.map { Texts.of($0.account.language) } ?? Texts.preferred(request)
        texts.zone = request.cookies[Texts.zoneCookie].flatMap { TimeZone(identifier: $0.value) }
        self.texts = texts
        path = request.uri.path
    }

    /// What the layout needs.
    /// - Parameter help: the topic that this page's help link opens.
    func model(title: String, help: String) -> FrameModel {
        FrameModel(
            lang: texts.lang, title: title, t: texts.sections, path: path, help: help,
            languages: languages,
            maintenanceBanner: maintenance.map { window in
                let values = ["from": texts.instant(window.begin), "to": texts.instant(window.end)]
                return texts.filled("maintenance.banner", values)
            },
            waysBanner: failingWays.isEmpty
                ? nil : texts.filled("ways.banner", ["ways": failingWays.map(texts.way).joined(separator: ", ")]),
            emergencies: bars,
            isLoggedIn: session != nil,
            navigation: session.map { Navigation.entries($0).map(entry) },
            unreadableBanner: unreadable(UnreadableTally.current?.count ?? 0))
    }

    /// That the page leaves out so many entries; nil where it leaves out none.
    private func unreadable(_ count: Int) -> String? {
        guard count > 0 else { return nil }
        let isOperator = session?.account.roles.contains(.operator) ?? false
        return texts.counted(isOperator ? "site.unreadableOperator" : "site.unreadable", count)
    }

    /// The languages that a page offers.
    var languages: [FrameModel.Language] {
        Texts.all.map { .init(code: $0.lang, name: $0["language.name"], isChosen: $0.lang == texts.lang) }
    }

    /// Where the emergency itself is shown, nobody needs the way to it. A page that can be made without the bar is made: it looks again by itself.
    private var bars: [EmergencyBar.Model] { (try? allBars().filter { $0.href != path }) ?? [] }

    /// - Throws: what kept it from being read, which is not the same as that there is none.
    func allBars() throws -> [EmergencyBar.Model] { try emergencies().map { $0.model(texts, now: now) } }

    private func entry(_ entry: Navigation) -> FrameModel.Entry {
        let hasNews = entry.href == "/notices" && newNotices > 0
        return .init(
            href: entry.href, text: texts["site.\(entry.name)"], isHere: entry.href == path,
            news: hasNews ? .init(count: texts.number(newNotices), text: texts.counted("notices.count", newNotices)) : nil)
    }
}

/// What `layout.mustache` shows around a page.
struct FrameModel: TemplateModel {
    struct Language: TemplateModel {
        let code: String, name: String
        let isChosen: Bool
    }

    struct Entry: TemplateModel {
        struct News: TemplateModel {
            let count: String, text: String
        }

        let href: String, text: String
        let isHere: Bool
        var news: News?
    }

    let lang: String
    let title: String
    let t: [String: [String: String]]
    let path: String
    let help: String
    let languages: [Language]
    var maintenanceBanner: String?
    var waysBanner: String?
    var emergencies: [EmergencyBar.Model] = []
    var isLoggedIn = false
    var navigation: [Entry]?
    /// That entries are left out because they do not open.
    var unreadableBanner: String?
}

struct ProblemPage: BarePage {
    static let template = "problem"

    let lang: String, title: String, text: String
    /// The words of the link to the site.
    let home: String
}

/// The entries of the main menu. What a role may not do is not shown, and refused where it is asked for all the same.
struct Navigation {
    let href: String
    let name: String
    /// nil for everybody who is logged in.
    let roles: Set<Role>?

    static let all: [Navigation] = [
        Navigation(href: "/home", name: "home", roles: nil),
        Navigation(href: "/protection", name: "protection", roles: [.person]),
        Navigation(href: "/health", name: "health", roles: [.person]),
        Navigation(href: "/workouts", name: "workouts", roles: [.person]),
        Navigation(href: "/runs", name: "runs", roles: nil),
        Navigation(href: "/followers", name: "followers", roles: [.person]),
        Navigation(href: "/following", name: "following", roles: followers),
        Navigation(href: "/services", name: "services", roles: [.person]),
        Navigation(href: "/care", name: "care", roles: [.person, .organiser, .caregiver]),
        Navigation(href: "/duty/alarms", name: "alarms", roles: [.responder]),
        Navigation(href: "/duty", name: "duty", roles: [.responder]),
        Navigation(href: "/boxes", name: "boxes", roles: [.person]),
        Navigation(href: "/data", name: "data", roles: [.person]),
        Navigation(href: "/requests", name: "requests", roles: [.organisation]),
        Navigation(href: "/organisation/people", name: "people", roles: [.organisation]),
        Navigation(href: "/publish", name: "publish", roles: [.organisation]),
        Navigation(href: "/places", name: "places", roles: [.person, .responder]),
        Navigation(href: "/operator/requests", name: "waiting", roles: [.operator]),
        Navigation(href: "/operator/services", name: "servicesToCheck", roles: [.operator]),
        Navigation(href: "/notices", name: "notices", roles: nil),
        Navigation(href: "/hospital", name: "hospital", roles: [.organisation]),
        Navigation(href: "/operator/hospitals", name: "hospitals", roles: [.operator]),
        Navigation(href: "/operator/ways", name: "ways", roles: [.operator]),
        Navigation(href: "/operator/maintenance", name: "maintenance", roles: [.operator]),
        Navigation(href: "/profile", name: "profile", roles: nil),
        Navigation(href: "/security", name: "security", roles: nil),
    ]

    /// Who can be let read by a person: not those who run the hub, unless they are somebody beside that.
    private static let followers: Set<Role> = [.person, .organisation, .organiser, .caregiver]

    static func mayFollow(_ account: StoredAccount) -> Bool { !followers.isDisjoint(with: account.roles) }

    static func entries(_ session: StoredSession) -> [Navigation] {
        guard session.strength == .full else { return [] }
        return all.filter { $0.roles.map { !$0.isDisjoint(with: session.account.roles) } ?? true }
    }
}
