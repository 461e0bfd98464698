import Accounts
import HTTPTypes
import HubServices
import HubStore
import Hummingbird

/// In which place of the list of regions a person is counted: what their residence says, and another choice.
struct RegionPages: Sendable {
    let regions: HomeRegions
    let templates: Templates

    /// Places of one answer to a search; there are more towns of no name.
    private static let foundMax = 30

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/profile/region") { request, context in
            try page(Frame(request, context), typed: request.uri.queryParameters["place"].map(String.init) ?? "")
        }
        router.post("/profile/region") { request, context -> Response in
            let frame = Frame(request, context), account = try frame.session(as: .person).account
            let choice = try await SentForm(request)["region"]
            guard try regions.choose(choice, by: account) else {
                return try page(frame, typed: "", problem: frame.texts["region.unknown"], status: .unprocessableContent)
            }
            return .redirect(to: "/profile/region", type: .normal)
        }
    }

    private func page(
        _ frame: Frame, typed: String, problem: String? = nil, status: HTTPResponse.Status = .ok
    ) throws -> Response {
        let account = try frame.session(as: .person).account, texts = frame.texts, home = regions.home(of: account)
        let found = typed.isEmpty ? [] : regions.list.search(typed, limit: Self.foundMax).map(\.code)
        var offered = found
        if typed.isEmpty, case .unclear(let codes) = home { offered = codes }
        let current = home.code?.text ?? (home == .leftOut ? HomeRegions.none : nil)
        var choices = offered.map { code in
            RegionPage.Choice(value: code.text, text: texts.place(code, in: regions.list), isChosen: code.text == current)
        }
        if let code = home.code, !offered.contains(code) {
            choices.insert(.init(value: code.text, text: texts.place(code, in: regions.list), isChosen: true), at: 0)
        }
        if case .chosen = home { choices.append(.init(value: "", text: texts["region.again"], isChosen: false)) }
        choices.append(.init(value: HomeRegions.none, text: texts["region.none"], isChosen: current == HomeRegions.none))
        let page = RegionPage(
            state: Self.state(home, texts, regions.list), residence: account[.residence], isUnclear: current == nil, typed: typed,
            problem: problem ?? (!typed.isEmpty && found.isEmpty ? texts.filled("region.notFound", ["place": typed]) : nil),
            choices: choices, credits: regions.list.credits)
        return templates.page(page, frame, title: texts["region.title"], help: "profile", status: status)
    }

    /// One sentence: where somebody is counted, and why.
    static func state(_ home: HomeRegions.Home, _ texts: Texts, _ list: RegionList) -> String {
        switch home {
        case .found(let code): texts.filled("region.found", ["place": texts.place(code, in: list)])
        case .chosen(let code): texts.filled("region.chosen", ["place": texts.place(code, in: list)])
        case .leftOut: texts["region.leftOut"]
        case .unclear: texts["region.unclear"]
        }
    }
}

struct RegionPage: FramedPage {
    static let template = "region"

    struct Choice: TemplateModel {
        let value: String, text: String
        let isChosen: Bool
    }

    let state: String
    /// As it stands in the profile.
    let residence: String
    let isUnclear: Bool
    /// What was searched for.
    let typed: String
    let problem: String?
    let choices: [Choice]
    /// Whose data the list is made of.
    let credits: [String]
}
