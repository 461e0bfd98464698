import HTTPTypes
import HubServices
import HubStore
import Hummingbird

/// Setting factors up and taking them away (ACC-9).
struct FactorPages: Sendable {
    let factors: FactorService
    let templates: Templates

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/security/one-time") { request, context -> Response in
            let frame = Frame(request, context)
            guard let session = frame.session else { return .toLogIn }
            if let elsewhere = try elsewhere(session, back: "/security/one-time") { return elsewhere }
            return try oneTime(frame, session)
        }
        router.post("/security/one-time") { request, context in try await confirmOneTime(request, context) }
        router.post("/security/one-time/remove") { _, context in try remove(.oneTime, context) }
        router.get("/security/recovery") { request, context -> Response in
            let frame = Frame(request, context)
            guard frame.session?.strength == .full else { return .toLogIn }
            return templates.button("recovery", action: "/security/recovery", frame, help: "security")
        }
        router.post("/security/recovery") { request, context -> Response in
            let frame = Frame(request, context)
            guard let session = frame.session else { return .toLogIn }
            if let ask = StepUp.required(session, back: "/security/recovery", factors) { return ask }
            return try codes(frame, session)
        }
        // The page of somebody without passkey.js asks for the proof first.
        router.get("/security/passkeys") { _, context -> Response in
            guard let session = context.session else { return .toLogIn }
            return try elsewhere(session, back: "/security") ?? .redirect(to: "/security", type: .normal)
        }
        router.post("/security/passkeys/:row/remove") { _, context -> Response in
            try remove(.passkey(Int64(try context.parameters.require("row")) ?? -1), context)
        }
        router.post("/security/passkeys/:row/name") { request, context -> Response in
            guard let session = context.session, session.strength == .full else { return .toLogIn }
            let row = Int64(try context.parameters.require("row")) ?? -1
            try factors.rename(row, try await SentForm(request)["name"], of: session)
            return SecurityPages.done("renamed")
        }
    }

    /// Where a session goes that may not add a factor yet.
    private func elsewhere(_ session: StoredSession, back: String) throws -> Response? {
        if try factors.mayAdd(session) { return nil }
        return session.strength < .full
            ? .redirect(to: SecondStep.page, type: .normal) : StepUp.required(session, back: back, factors)
    }

    // MARK: One-time codes

    private func oneTime(
        _ frame: Frame, _ session: StoredSession, problem: String? = nil, status: HTTPResponse.Status = .ok
    ) throws -> Response {
        guard let setUp = try factors.setUpOneTime(session) else { return .redirect(to: "/security", type: .normal) }
        let texts = frame.texts
        let form = FormModel(
            action: "/security/one-time", button: texts["security.oneTimeButton"], fields: [CodeField.field()], problem: problem)
        let page = OneTimePage(
            form: .init(
                form: Inline(form.model(texts)), secret: Self.grouped(setUp.secret), address: setUp.address,
                // An address of more than 134 bytes, with a very long e-mail address in it, has none.
                qr: QRCode(setUp.address)?.path))
        return templates.page(page, frame, title: texts["security.oneTimeTitle"], help: "security", status: status)
    }

    static func grouped(_ secret: String) -> String {
        stride(from: 0, to: secret.count, by: 4).map { String(secret.dropFirst($0).prefix(4)) }.joined(separator: " ")
    }

    private func confirmOneTime(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), sent = try await SentForm(request)
        guard let session = frame.session else { return .toLogIn }
        if let elsewhere = try elsewhere(session, back: "/security/one-time") { return elsewhere }
        let outcome = try factors.confirmOneTime(session, code: sent["code"], .init(request, context))
        guard case .proved(let secret, let device) = outcome else {
            let (problem, status, wait) = Problems.of(outcome, frame.texts, wrong: "security.oneTimeWrong")
            var response = try oneTime(frame, session, problem: problem, status: status)
            if let wait { response.headers[.retryAfter] = wait }
            return response
        }
        let hasCodes = try !factors.factors(of: session.account).recovery.isEmpty
        var response = hasCodes ? SecurityPages.done("added") : try codes(frame, session)
        response.begin(secret, device: device)
        return response
    }

    // MARK: Recovery codes, removal

    private func codes(_ frame: Frame, _ session: StoredSession) throws -> Response {
        let codes = try factors.makeRecoveryCodes(session)
        guard !codes.isEmpty else { return .redirect(to: "/security", type: .normal) }
        return templates.page(CodesPage(codes: codes), frame, title: frame.texts["security.codesTitle"], help: "security")
    }

    private func remove(_ factor: FactorStore.RemovedFactor, _ context: HubContext) throws -> Response {
        guard let session = context.session, session.strength == .full else { return .toLogIn }
        if let ask = StepUp.required(session, back: "/security", factors) { return ask }
        switch try factors.remove(factor, of: session) {
        case .removed: return SecurityPages.done("removed")
        case .unknown: throw HTTPError(.notFound)
        case .needed: return SecurityPages.done("needed")
        }
    }
}

struct OneTimePage: FramedPage {
    static let template = "oneTime"

    struct Form: TemplateModel {
        let form: Inline<FormPart>
        let secret: String, address: String
        /// The path of the picture.
        var qr: String?
    }

    let form: Form
}

struct CodesPage: FramedPage {
    static let template = "codes"

    let codes: [String]
}
