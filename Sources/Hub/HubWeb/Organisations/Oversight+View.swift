import Accounts
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Vitals

/// Organisations for the operator: suspended, let go on, approvals taken back (ACC-20).
struct OversightPages: Sendable {
    let oversight: OrganisationOversight
    let templates: Templates

    private static let path = "/operator/organisations"

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/operator/organisations") { request, context in
            try list(Frame(request, context), after: request.uri.queryParameters["after"].flatMap { Int64($0) } ?? 0)
        }
        router.post("/operator/organisations/:id/:act") { request, context -> Response in
            let account = try Frame(request, context).session(as: .operator).account, sent = try await SentForm(request)
            guard let id = AccountID(try context.parameters.require("id")),
                let act = OrganisationOversight.Act(rawValue: try context.parameters.require("act"))
            else { throw HTTPError(.notFound) }
            try oversight.act(act, on: id, seen: sent["seen"], by: account)
            return .redirect(to: Self.path, type: .normal)
        }
    }

    private func list(_ frame: Frame, after row: Int64) throws -> Response {
        let account = try frame.session(as: .operator).account, texts = frame.texts
        let found = try oversight.organisations(after: row, for: account)
        let items = found.map { item in
            OversightPage.Item(
                id: item.account.id.description, name: item.account.name, email: item.account.email,
                kind: texts.find("organisationKind.\(item.account[.organisationKind])") ?? "–",
                about: item.account[.purpose].isEmpty ? "–" : item.account[.purpose], since: texts.instant(item.account.created),
                suspended: item.suspended.map { texts.filled("oversight.suspended", ["time": texts.instant($0)]) },
                approvals: texts.counted("oversight.approvals", item.approvals), hasApprovals: item.approvals > 0,
                rename: item.account.waitingName.map { name in
                    .init(id: item.account.id.description, seen: name, text: texts.filled("oversight.rename", ["name": name]))
                })
        }
        let last = found.count == OrganisationStore.overseenMax ? found.last : nil
        let page = OversightPage(
            items: items, isEmpty: items.isEmpty, more: last.map { "\(Self.path)?after=\($0.account.row)" })
        return templates.page(page, frame, title: texts["oversight.title"], help: "requests")
    }
}

struct OversightPage: FramedPage {
    static let template = "oversight"

    struct Item: TemplateModel {
        let id: String, name: String, email: String, kind: String, about: String, since: String
        /// Since when, in words; nil for one that is not.
        var suspended: String?
        let approvals: String
        let hasApprovals: Bool
        /// Another name that it wants.
        var rename: Rename?
    }

    struct Rename: TemplateModel {
        let id: String, seen: String, text: String
    }

    let items: [Item]
    let isEmpty: Bool
    /// The address of the next page.
    var more: String?
}
