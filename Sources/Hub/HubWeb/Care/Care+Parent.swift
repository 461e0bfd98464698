import Accounts
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Privacy
import Vitals

/// A minor's other parent, who decides as the first one does (ACC-17).
struct CareParentPages: Sendable {
    let care: CareService
    let templates: Templates
    let requests: RequestLimit

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/care/person/:id/parent") { request, context in
            let frame = Frame(request, context), (person, account) = try ward(frame, context)
            return try page(frame, person, account)
        }
        router.post("/care/person/:id/parent") { request, context in try await invite(request, context) }
        router.post("/care/person/:id/parent/withdraw") { request, context -> Response in
            let (person, account) = try ward(Frame(request, context), context)
            for waiting in try care.invitedParents(of: person.person, by: account) {
                _ = try care.withdraw(waiting.id, of: person.person)
            }
            return .redirect(to: "/care/person/\(person.person)/parent", type: .normal)
        }
    }

    /// - Throws: `PageRefusal.notAllowed`, the same for somebody else's child and for nobody at all.
    private func ward(_ frame: Frame, _ context: HubContext) throws -> (CaredPerson, AccountID) {
        let account = try frame.session().account
        guard let person = PersonID(try context.parameters.require("id")) else { throw HTTPError(.notFound) }
        guard let cared = try care.cared(person, for: account.id), cared.isWard else { throw PageRefusal.notAllowed }
        return (cared, account.id)
    }

    private func page(
        _ frame: Frame, _ person: CaredPerson, _ account: AccountID, values: [String: String] = [:],
        problems: [(field: String, mistake: FieldError)] = [], problem: String? = nil, status: HTTPResponse.Status = .ok
    ) throws -> Response {
        let texts = frame.texts, path = "/care/person/\(person.person)/parent"
        let form = FormModel(
            action: path, button: texts["care.inviteButton"],
            fields: [
                FormField(name: Field.email.rawValue, kind: .email),
                FormField(name: "sure", kind: .tick(value: "1"), label: texts["care.parentSure"]),
            ], values: values, problems: problems, problem: problem)
        let waiting = try care.invitedParents(of: person.person, by: account).map { $0.email }
        let page = CareParentPage(
            intro: texts.filled("care.parentText", ["child": person.name]), form: form.model(texts),
            waiting: waiting.isEmpty ? nil : .init(action: path + "/withdraw", addresses: waiting))
        return templates.page(page, frame, title: texts["care.parentTitle"], help: "care", status: status)
    }

    private func invite(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), (person, account) = try ward(frame, context), sent = try await SentForm(request)
        var mistakes: [(field: String, mistake: FieldError)] = []
        do { _ = try EmailAddress(sent[Field.email.rawValue]) } catch { mistakes.append((Field.email.rawValue, error)) }
        if sent["sure"].isEmpty { mistakes.append(("sure", FieldError(.missing))) }
        guard mistakes.isEmpty else {
            return try page(frame, person, account, values: sent.fields, problems: mistakes, status: .unprocessableContent)
        }
        guard requests.take(context.address) else { return templates.busy(frame, retryAfter: 60, status: .tooManyRequests) }
        do {
            guard try care.inviteParent(email: sent[Field.email.rawValue], of: person.person, by: account) else {
                return try page(
                    frame, person, account, values: sent.fields, problem: frame.texts["care.tooManyInvitations"], status: .conflict)
            }
        } catch ConsentProblem.notYours { throw PageRefusal.notAllowed }
        return .redirect(to: "/care/person/\(person.person)/parent", type: .normal)
    }
}

struct CareParentPage: FramedPage {
    static let template = "careParent"

    /// Invitations that nobody has taken.
    struct Waiting: TemplateModel {
        /// Takes them back.
        let action: String
        let addresses: [String]
    }

    let intro: String
    let form: FormPart
    var waiting: Waiting?
}
