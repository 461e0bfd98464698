import Accounts
import Foundation
import Groups
import HubServices
import HubStore
import Hummingbird
import Privacy
import Vitals

extension GroupsFeature {
    /// What people see of themselves.
    func routes(_ pages: some RouterMethods<HubContext>, _ consents: ConsentService, _ core: HubCore) {
        let footprints = GroupFootprints(consents: consents, regions: regions(core), trees: { Regions.tree }, budget: settings.budget)
        GroupFootprintPages(footprints: footprints, templates: core.templates).routes(pages)
    }

    /// What is usual among people like somebody.
    func comparisons(_ core: HubCore) -> GroupComparisons { GroupComparisons(answers: answers, regions: regions(core)) }

    private func regions(_ core: HubCore) -> HomeRegions { HomeRegions(accounts: core.accounts, lists: { Regions.list }, now: core.now) }
}

/// What statistics about groups have used of somebody: for the person, and for the parents of a minor.
struct GroupFootprintPages: Sendable {
    let footprints: GroupFootprints
    let templates: Templates

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/followers/groups") { request, context -> Response in
            let frame = Frame(request, context), account = try frame.session(as: .person).account
            return try page(frame, of: account.id.person, for: account.id, back: "/followers/policy")
        }
        router.get("/care/person/:id/groups") { request, context -> Response in
            let frame = Frame(request, context), account = try frame.session().account
            guard let person = PersonID(try context.parameters.require("id")), person != account.id.person else {
                throw PageRefusal.notAllowed
            }
            return try page(frame, of: person, for: account.id, back: "/care/person/\(person)")
        }
    }

    private func page(_ frame: Frame, of person: PersonID, for account: AccountID, back: String) throws -> Response {
        let found: GroupFootprint
        do { found = try footprints.footprint(of: person, for: account) } catch ConsentProblem.notYours { throw PageRefusal.notAllowed }
        let isWard = person != account.person, texts = frame.texts
        let model = GroupFootprintModel(footprint: found, isWard: isWard, list: Regions.list, texts: texts)
        return templates.page(
            model.page(back: back), frame, title: texts[isWard ? "footprint.titleWard" : "footprint.title"],
            help: isWard ? "care" : "followers")
    }
}

/// The page in words.
struct GroupFootprintModel {
    let footprint: GroupFootprint
    let isWard: Bool
    let list: RegionList
    let texts: Texts

    func page(back: String) -> GroupFootprintPage {
        GroupFootprintPage(
            intro: said("intro"), counted: said("counted"), none: said("none"), askedText: said("askedText"), objecting: said("objecting"),
            objectingText: said("objectingText"), deletingText: said("deletingText"),
            state: GroupChoiceModel(footprint.standing, action: "", isWard: isWard, texts).state, cell: cell,
            place: isWard ? nil : Link(href: "/profile/region", text: texts["region.title"]), isEmpty: footprint.years.isEmpty,
            years: footprint.years.map(year), isAsked: !footprint.asked.isEmpty, asked: footprint.asked.map(asked), askedNote: askedNote,
            back: Link(href: back, text: texts["footprint.back"]))
    }

    /// For the person, or about a child.
    private func said(_ key: String) -> String { texts["footprint.\(key)\(isWard ? "Ward" : "")"] }

    /// Sex, age and place, by which the person is counted now.
    private var cell: String {
        guard footprint.standing.isCounted else { return said("noCell") }
        guard let attributes = footprint.attributes, let region = attributes.region else { return texts["footprint.noPlace"] }
        return texts.filled(
            "footprint.cell\(isWard ? "Ward" : "")",
            [
                "sex": texts["gender.\((attributes.gender ?? .other).rawValue)"].lowercased(), "ages": texts.ages(attributes.band),
                "place": texts.place(region, in: list),
            ])
    }

    private func year(_ year: GroupFootprint.Year) -> GroupFootprintPage.Year {
        let ledger = year.ledger, used = share(ledger.spent)
        let budget = [
            "share": percent(used), "epsilon": texts.decimal(ledger.epsilon, 2), "most": texts.decimal(footprint.budget.epsilon, 2),
        ]
        return .init(
            title: "\(ledger.year)", windows: windows(year), lines: ledger.lines.map(line),
            percent: Int(min(100, (used * 100).rounded(.up))),
            used: texts.filled("footprint.used", budget),
            guess: texts.filled("footprint.guess\(isWard ? "Ward" : "")", ["n": "\(Int((ledger.spent.guess * 100).rounded(.up)))"]))
    }

    private func windows(_ year: GroupFootprint.Year) -> String {
        guard let first = year.first, let last = year.last else { return texts["footprint.noWindows"] }
        return texts.filled(
            year.windows == 1 ? "footprint.window" : "footprint.windows",
            ["n": texts.number(year.windows), "from": day(first.start), "through": day(last.end - 1)])
    }

    /// Windows are in UTC, whatever zone the reader is in.
    private func day(_ time: Milliseconds) -> String { texts.day(CalendarDate(utc: time)) }

    private func line(_ line: PersonLedger.Line) -> GroupFootprintPage.Line {
        let (kind, what) =
            switch line.purpose {
            case .cube(let kind, let level): (kind, texts["footprint.level_\(level)"])
            case .secondDoor(let kind): (kind, texts["footprint.door"])
            }
        return .init(
            kind: texts["field.kind\(kind.rawValue)"], what: what, times: texts.number(line.releases), share: percent(share(line.cost)))
    }

    /// Of what a year may cost.
    private func share(_ cost: Rho) -> Double { footprint.budget.perYear.value > 0 ? cost.value / footprint.budget.perYear.value : 0 }

    private func percent(_ share: Double) -> String { "\(texts.decimal((share * 1_000).rounded(.up) / 10, 1)) %" }

    /// How far back requests were looked at, where that is not all of them; nobody, where there are none.
    private var askedNote: String? {
        if let time = footprint.askedBackTo {
            let values = ["n": texts.number(GroupFootprints.askedMax), "time": texts.instant(time)]
            return texts.filled("footprint.askedBack", values)
        }
        return footprint.asked.isEmpty ? texts["footprint.nobodyAsked"] : nil
    }

    private func asked(_ asked: AskedGroup) -> GroupFootprintPage.Asked {
        .init(
            name: asked.name.isEmpty ? texts["footprint.unknownAsker"] : asked.name, purpose: asked.request.purpose,
            kinds: asked.request.ask.kinds.map { texts["field.kind\($0.rawValue)"] }.joined(separator: ", "),
            time: texts.instant(asked.request.created))
    }
}

struct GroupFootprintPage: FramedPage {
    static let template = "groupFootprint"

    /// What one kind at one level has cost.
    struct Line: TemplateModel {
        let kind: String, what: String, times: String, share: String
    }

    struct Year: TemplateModel {
        let title: String, windows: String
        let lines: [Line]
        /// Of the budget, 0 to 100.
        let percent: Int
        let used: String, guess: String
    }

    struct Asked: TemplateModel {
        let name: String, purpose: String, kinds: String, time: String
    }

    let intro: String, counted: String, none: String, askedText: String, objecting: String, objectingText: String, deletingText: String
    let state: String, cell: String
    let place: Link?
    let isEmpty: Bool
    let years: [Year]
    let isAsked: Bool
    let asked: [Asked]
    let askedNote: String?
    let back: Link
}
