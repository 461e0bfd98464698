import Accounts
import Groups
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Vitals

/// The first request about a group of each kind, as an operator looks at it before it leaves (CONS-11).
extension GroupPages {
    func waiting(_ frame: Frame, problem: String? = nil, status: HTTPResponse.Status = .ok) throws -> Response {
        let account = try frame.session(as: .operator).account, texts = frame.texts, words = words(frame)
        let items = try requests.waiting(for: account).map { item in
            func of(_ field: Field) -> String { item.asker.map { $0[field] }.flatMap { $0.isEmpty ? nil : $0 } ?? "–" }
            let kind = item.asker.flatMap { texts.find("organisationKind.\($0[.organisationKind])") } ?? "–"
            let request = item.stored.request
            return GroupCheckPage.Item(
                id: item.stored.id.description, name: item.asker?.name ?? "–", kind: kind,
                vat: of(.vatNumber) == "–" ? "–" : "\(of(.vatCountry)) \(of(.vatNumber))", email: of(.email), proof: of(.proof),
                about: of(.purpose), lines: words.lines(request.ask), term: words.term(request), purpose: request.purpose,
                created: texts.instant(request.created), seen: item.asker?.checkMark ?? "")
        }
        let held = try requests.heldUpTo(for: account).map { texts.filled("groupAsk.held", ["time": texts.instant($0)]) }
        return templates.page(
            GroupCheckPage(problem: problem, held: held, isEmpty: items.isEmpty, items: items), frame, title: texts["groupAsk.checkTitle"],
            help: Self.help, status: status)
    }

    func decide(_ request: Request, _ frame: Frame, _ context: HubContext) async throws -> Response {
        let account = try frame.session(as: .operator).account, sent = try await SentForm(request)
        guard let id = GroupRequestID(try context.parameters.require("id")) else { throw HTTPError(.notFound) }
        switch try context.parameters.require("decision") {
        case "approve":
            // The answer of whoever asked is put together with it.
            do {
                try await reads.run(for: OrganisationID(account.id)) { try requests.approve(id, seen: sent.fields["seen"], by: account) }
            } catch is AskerChanged {
                return try waiting(frame, problem: frame.texts["waiting.changed"], status: .conflict)
            }
        case "refuse": try requests.refuse(id, by: account)
        default: throw HTTPError(.notFound)
        }
        return .redirect(to: "/operator/groups", type: .normal)
    }
}

/// Requests about groups for the operator to look at.
struct GroupCheckPage: FramedPage {
    static let template = "groupCheck"

    struct Item: TemplateModel {
        let id: String, name: String, kind: String, vat: String, email: String, proof: String, about: String
        let lines: [GroupWords.Line]
        let term: String, purpose: String, created: String, seen: String
    }

    var problem: String?
    /// That windows are held, and what to do.
    var held: String?
    let isEmpty: Bool
    let items: [Item]
}
