import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Vitals

/// What every page shows of the emergencies that concern its reader, before everything else.
struct EmergencyBar: Sendable {
    let emergency: SOSViews.Emergency
    /// The person's name; empty where the reader is not to know it.
    let name: String

    /// Where the reader does something about it.
    var href: String {
        switch emergency.concern {
        case .own: "/protection"
        case .cared: "/care/person/\(emergency.person)/protection"
        case .crew, .offered: "/duty/alarms"
        }
    }

    struct Model: TemplateModel {
        let href: String, text: String, since: String
    }

    func model(_ texts: Texts, now: Milliseconds) -> Model {
        let since = ["time": texts.instant(emergency.opened), "ago": texts.age(max(0, now - emergency.opened))]
        return Model(
            href: href, text: texts.filled("emergency.\(key)", ["name": name, "owner": emergency.ownerName ?? ""]),
            since: texts.filled("emergency.since", since))
    }

    private var key: String {
        switch emergency.concern {
        case .own: emergency.hasOwner ? "ownTaken" : emergency.hasNobody ? "ownNobody" : "own"
        case .cared: emergency.isOwner ? "caredMine" : emergency.hasOwner ? "caredTaken" : "cared"
        case .crew: "crew"
        case .offered: "offered"
        }
    }

    /// A crew's page names nobody, and neither does its bar.
    static func bars(for account: AccountID, _ views: SOSViews, _ accounts: AccountStore) throws -> [EmergencyBar] {
        try views.emergencies(for: account).map { emergency in
            let isNamed = emergency.concern == .own || emergency.concern == .cared
            return EmergencyBar(
                emergency: emergency, name: isNamed ? try accounts.account(AccountID(emergency.person))?.name ?? "" : "")
        }
    }
}

/// The bar alone: a page that stays open asks for it again.
struct EmergencyPages: Sendable {
    let templates: Templates

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/emergencies") { request, context in
            let frame = Frame(request, context)
            _ = try frame.session()
            return templates.page(EmergenciesPage(t: frame.texts.sections, emergencies: try frame.allBars()))
        }
    }
}

struct EmergenciesPage: BarePage {
    static let template = "emergencies"

    let t: [String: [String: String]]
    let emergencies: [EmergencyBar.Model]
}
