import Accounts
import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import NIOCore
import Vitals

/// Taking along what is kept of an account that is no person's, and closing it (ACC-19). A person does both on the page of their data.
struct LeavePages: Sendable {
    let accounts: AccountStore
    let runs: RunsStore
    let sos: SOSStore
    let leaving: Leaving
    let audit: AuditLog
    let factors: FactorService
    let templates: Templates
    let now: @Sendable () -> Milliseconds

    static let path = "/account"

    /// Whether this is the word that somebody types to delete an account, in whichever language they read the page.
    static func isConfirmed(_ typed: String) -> Bool {
        let typed = typed.trimmingCharacters(in: .whitespaces).lowercased()
        return Texts.all.contains { $0["data.confirmationWord"].lowercased() == typed }
    }

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("\(Self.path)") { request, context -> Response in
            let frame = Frame(request, context), account = try frame.session().account
            if account.roles.contains(.person) { return .redirect(to: DataSubject.own, type: .normal) }
            return page(frame, account)
        }
        router.get("\(Self.path)/export") { request, context in try export(request, context) }
        router.post("\(Self.path)") { request, context in try await close(request, context) }
    }

    private func page(
        _ frame: Frame, _ account: StoredAccount, unconfirmed: String? = nil, problem: String? = nil, status: HTTPResponse.Status = .ok
    ) -> Response {
        let texts = frame.texts
        let role = [Role.organisation, .responder, .organiser, .operator, .member].first(where: account.roles.contains) ?? .caregiver
        let form = FormModel(
            action: Self.path, button: texts["leave.button"],
            fields: [FormField(name: "confirmation", kind: .text, hint: texts["data.confirmationHint"])],
            said: unconfirmed.map { [("confirmation", $0)] } ?? [], problem: problem)
        let page = LeavePage(export: "\(Self.path)/export", text: texts["leave.\(role.rawValue)"], form: form.model(texts))
        return templates.page(page, frame, title: texts["leave.title"], help: "profile", status: status)
    }

    private func export(_ request: Request, _ context: HubContext) throws -> Response {
        let session = try Frame(request, context).session()
        if let ask = StepUp.required(session, back: Self.path, factors) { return ask }
        try audit.append(.exported, by: session.account.id, on: session.account.id, now: now())
        let profile = try ProfileExport(session.account, accounts: accounts, runs: runs, sos: sos, now: now()).json()
        return Response(
            status: .ok,
            headers: [
                .contentType: "application/json", .cacheControl: "no-store",
                .contentDisposition: "attachment; filename=\"trackme-profile.json\"",
            ], body: .init(byteBuffer: ByteBuffer(bytes: profile)))
    }

    private func close(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), session = try frame.session(), sent = try await SentForm(request)
        if session.account.roles.contains(.person) { return .redirect(to: DataSubject.own, type: .normal) }
        if let ask = StepUp.required(session, back: Self.path, factors) { return ask }
        guard Self.isConfirmed(sent["confirmation"]) else {
            return page(frame, session.account, unconfirmed: frame.texts["data.confirmationHint"], status: .unprocessableContent)
        }
        if let obstacle = try leaving.obstacle(to: session.account) {
            return page(frame, session.account, problem: obstacle.text(frame.texts), status: .conflict)
        }
        try leaving.close(session.account, by: session.account.id)
        var response = templates.notice("leave.gone", Frame(texts: frame.texts, session: nil, path: frame.path), help: "profile")
        response.setCookie(Sessions.cookie(Sessions.cookie, "", maxAge: 0))
        return response
    }
}

/// Taking along comes first: what is closed cannot be read any more.
struct LeavePage: FramedPage {
    static let template = "leave"

    let export: String
    /// What closing does to this kind of account.
    let text: String
    let form: FormPart
}

extension Leaving.Obstacle {
    /// What has to be done first.
    func text(_ texts: Texts) -> String {
        switch self {
        case .onDuty: texts["leave.onDuty"]
        case .crewsOnDuty(let names): texts.filled("leave.crewsOnDuty", ["names": names.joined(separator: ", ")])
        case .soleParent(let names): texts.filled("leave.soleParent", ["names": names.joined(separator: ", ")])
        case .runGoesOn(let name): texts.filled("leave.runGoesOn", ["name": name])
        }
    }
}
