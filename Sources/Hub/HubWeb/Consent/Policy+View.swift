import Accounts
import HubServices
import HubStore
import Hummingbird
import Privacy
import Vitals

/// Which kinds may ever be asked for, and by whom, in one place (CONS-13): what anybody may ask for, and for single askers something else.
struct PolicyPages: Sendable {
    let consents: ConsentService
    let templates: Templates

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/followers/policy") { request, context in try page(Frame(request, context)) }
        router.post("/followers/policy") { request, context in try await save(request, context) }
    }

    private func page(_ frame: Frame) throws -> Response {
        let account = try frame.session(as: .person).account, texts = frame.texts
        let policy = try consents.policy(of: account.id.person, for: account.id)
        let readers = try consents.knownAskers(of: account.id.person, for: account.id).map { asker in
            let own = policy.exceptions[asker.reader]
            return PolicyPage.Asker(
                name: asker.name, role: texts["policy.\(asker.reader.formRole)"], shown: "shown-\(asker.reader.formName)",
                own: "own-\(asker.reader.formName)", isOwn: own != nil,
                subjects: Self.kinds(own ?? policy.anybody, "-\(asker.reader.formName)", texts))
        }
        let standing = try consents.groupStanding(of: account.id.person, for: account.id)
        let isOwn = try consents.isDecider(account.id, of: account.id.person)
        return templates.page(
            PolicyPage(
                subjects: Self.kinds(policy.anybody, "", texts), readers: readers,
                groups: isOwn ? GroupChoiceModel(standing, action: "/followers/groups", isWard: false, texts) : nil), frame,
            title: texts["policy.title"], help: "followers")
    }

    private static func kinds(_ chosen: Set<DataKind>, _ suffix: String, _ texts: Texts) -> [PolicyPage.Subject] {
        KindEntry.Subject.allCases.map { subject in
            .init(
                name: texts["kindSubject.\(subject.rawValue)"],
                kinds: subject.kinds.map { kind in
                    .init(name: "kind\(kind.rawValue)\(suffix)", text: texts["kind.\(kind.name)"], isChosen: chosen.contains(kind))
                })
        }
    }

    /// Five fields for each of some hundred askers.
    private static let fieldsMax = 3000

    private func save(_ request: Request, _ context: HubContext) async throws -> Response {
        let account = try Frame(request, context).session(as: .person).account, sent = try await SentForm(request, countMax: Self.fieldsMax)
        func kinds(_ suffix: String) -> Set<DataKind> {
            Set(Texts.kindsOffered.filter { !sent["kind\($0.rawValue)\(suffix)"].isEmpty })
        }
        let before = try consents.policy(of: account.id.person, for: account.id)
        var policy = AccessPolicy(anybody: kinds(""))
        for asker in try consents.knownAskers(of: account.id.person, for: account.id) {
            let reader = asker.reader, chosen = kinds("-\(reader.formName)"), isOwn = !sent["own-\(reader.formName)"].isEmpty
            // Who came after the page was made has no ticks on it.
            guard !sent["shown-\(reader.formName)"].isEmpty else {
                policy.exceptions[reader] = before.exceptions[reader]
                continue
            }
            // Who changes the kinds of one asker means that one, also without the mark above them.
            let isMeant = before.exceptions[reader] == nil && chosen != before.anybody.intersection(Texts.kindsOffered)
            if isOwn || isMeant { policy.exceptions[reader] = chosen }
        }
        try consents.setPolicy(policy, of: account.id.person, by: account.id)
        return .redirect(to: "/followers", type: .normal)
    }
}

extension Reader {
    /// What somebody is to the person, as the texts name it.
    fileprivate var formRole: String {
        switch self {
        case .organisation: "organisation"
        case .organiser: "organiser"
        case .caregiver: "caregiver"
        case .named: "named"
        }
    }

    /// For the names of fields.
    fileprivate var formName: String { "\(formRole)-\(account)" }
}

struct PolicyPage: FramedPage {
    static let template = "policy"

    struct Kind: TemplateModel {
        let name: String, text: String
        let isChosen: Bool
    }

    struct Subject: TemplateModel {
        let name: String
        let kinds: [Kind]
    }

    /// Somebody who asked before.
    struct Asker: TemplateModel {
        let name: String, role: String
        /// Names of fields.
        let shown: String, own: String
        let isOwn: Bool
        let subjects: [Subject]
    }

    let subjects: [Subject]
    let readers: [Asker]
    /// nil for a minor, whose parent decides.
    let groups: GroupChoiceModel?
}
