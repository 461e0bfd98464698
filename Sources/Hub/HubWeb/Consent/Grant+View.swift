import Accounts
import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Privacy
import Vitals

/// Letting a doctor or a relative read who did not ask (CONS-16). The page says the same whether or not somebody has an account with the
/// address.
struct GrantPages: Sendable {
    let consents: ConsentService
    let factors: FactorService
    let templates: Templates

    private static let path = "/followers/grant"
    private static let day: Milliseconds = 86_400_000

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/followers/grant") { request, context -> Response in
            let frame = Frame(request, context), session = try frame.session(as: .person)
            if let ask = StepUp.required(session, back: Self.path, factors) { return ask }
            return form(frame)
        }
        router.post("/followers/grant") { request, context in try await grant(request, context) }
        router.post("/followers/offers/:id/withdraw") { request, context -> Response in
            let account = try Frame(request, context).session(as: .person).account
            guard let id = ConsentID(try context.parameters.require("id")) else { throw HTTPError(.notFound) }
            do { try consents.withdrawOffer(id, of: account.id.person, by: account.id) } catch is ConsentProblem {
                throw PageRefusal.notAllowed
            }
            return .redirect(to: "/followers", type: .normal)
        }
    }

    private func form(
        _ frame: Frame, values: [String: String] = [:], problems: [(field: String, mistake: FieldError)] = [], problem: String? = nil,
        status: HTTPResponse.Status = .ok
    ) -> Response {
        let texts = frame.texts
        let kinds = FormField.kinds(texts)
        let form = FormModel(
            action: Self.path, button: texts["grant.button"],
            fields: [FormField(name: "readerEmail", kind: .email, hint: texts["grant.emailHint"])] + kinds + [
                FormField(name: "until", kind: .date, isRequired: false, hint: texts["grant.untilHint"]),
                FormField(name: "grantPurpose", kind: .text, hint: texts["grant.purposeHint"]),
            ], values: values, problems: problems, problem: problem)
        return templates.page(
            FormPage(
                intro: texts["grant.text"], form: form.model(texts), links: [Link(href: "/followers", text: texts["followers.title"])]),
            frame, title: texts["grant.title"], help: "followers", status: status)
    }

    private func grant(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), session = try frame.session(as: .person), texts = frame.texts
        if let ask = StepUp.required(session, back: Self.path, factors) { return ask }
        let sent = try await SentForm(request), account = session.account
        var problems: [(field: String, mistake: FieldError)] = [], email: EmailAddress?, term = ConsentTerm.untilRevoked
        do { email = try EmailAddress(sent["readerEmail"]) } catch { problems.append(("readerEmail", error)) }
        if !sent["until"].isEmpty {
            if let end = Self.end(of: sent["until"]) { term = .until(end) } else { problems.append(("until", FieldError(.formDate))) }
        }
        if sent["grantPurpose"].allSatisfy(\.isWhitespace) { problems.append(("grantPurpose", FieldError(.missing))) }
        guard let email, problems.isEmpty else {
            return form(frame, values: sent.fields, problems: problems, status: .unprocessableContent)
        }
        let kinds = Set(Texts.kindsOffered.filter { !sent["kind\($0.rawValue)"].isEmpty })
        do {
            try consents.offer(to: email, kinds: kinds, purpose: sent["grantPurpose"], term: term, of: account.id.person, by: account.id)
        } catch let problem as ConsentProblem {
            return form(frame, values: sent.fields, problem: texts.offerProblem(problem), status: .unprocessableContent)
        }
        return templates.notice("grant.sent", frame, help: "followers")
    }

    /// When a day ends, in UTC.
    private static func end(of text: String) -> Milliseconds? { CalendarDate(text).map { $0.utc + day } }
}

extension Texts {
    fileprivate func offerProblem(_ problem: ConsentProblem) -> String {
        switch problem {
        case .alreadyAsked: self["grant.alreadyOffered"]
        case .tooManyOpen: filled("grant.tooMany", ["limit": String(OfferStore.offersDailyMax)])
        case .notYours: self["grant.yourself"]
        case .termOutOfRange: self["grant.past"]
        default: self.problem(problem)
        }
    }
}
