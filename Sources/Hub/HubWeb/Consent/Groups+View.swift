import Accounts
import HubServices
import HubStore
import Hummingbird
import Privacy
import Vitals

/// Whether somebody counts in statistics about groups: said on the page of the policy, and on that of a child for its parents.
struct GroupChoicePages: Sendable {
    let consents: ConsentService

    func routes(_ router: some RouterMethods<HubContext>) {
        router.post("/followers/groups") { request, context -> Response in
            let account = try Frame(request, context).session(as: .person).account
            return try await choose(request, of: account.id.person, by: account.id, back: "/followers/policy")
        }
        router.post("/care/person/:id/groups") { request, context -> Response in
            let account = try Frame(request, context).session().account
            guard let person = PersonID(try context.parameters.require("id")) else { throw HTTPError(.notFound) }
            return try await choose(request, of: person, by: account.id, back: "/care/person/\(person)")
        }
    }

    private func choose(_ request: Request, of person: PersonID, by account: AccountID, back: String) async throws -> Response {
        let isCounted = try await SentForm(request)["counted"] == "1"
        do { try consents.setCounted(isCounted, of: person, by: account) } catch ConsentProblem.notYours {
            throw PageRefusal.notAllowed
        }
        return .redirect(to: back, type: .normal)
    }
}

/// The part of a page that says it, and the button that changes it.
struct GroupChoiceModel: TemplateModel {
    /// Where the button sends to, and where the page of what was used is.
    let action: String
    let state: String
    /// The link to that page.
    let seen: String
    /// Sent by the button.
    let value: String
    let button: String
    let isDanger: Bool

    /// - Parameter isWard: whether a parent reads it.
    init(_ standing: GroupStanding, action: String, isWard: Bool, _ texts: Texts) {
        let whose = isWard ? "Ward" : "", isCounted = standing.isCounted
        self.action = action
        let out = standing.needsYes && standing.choice == nil ? "groups.noYet" : "groups.out"
        state = texts["\(isCounted ? "groups.in" : out)\(whose)"]
        seen = texts["groups.seen\(whose)"]
        value = isCounted ? "0" : "1"
        button = texts[isCounted ? "groups.object\(whose)" : "groups.join\(whose)"]
        isDanger = isCounted
    }
}
