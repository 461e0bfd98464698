import Credentials
import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Logging

/// The requests of passkey.js: options for the browser's authenticator, and its answer.
struct SecondPasskeys: Sendable {
    let factors: FactorService
    let logger: Logger

    /// Names a browser that is not logged in, for as long as it answers.
    static let cookie = "__Host-trackme-passkey"

    func routes(_ router: some RouterMethods<HubContext>) {
        let router = router.group().add(middleware: PasskeysImpossible())
        router.post("/log-in/passkey/options") { _, _ -> Response in
            let token = SecretToken.random(using: factors.randomness)
            var response = Response.json(bytes: Array(try factors.logInOptions(browser: token).utf8))
            response.setCookie(Sessions.cookie(Self.cookie, token.text, maxAge: 300))
            return response
        }
        router.post("/log-in/passkey") { request, context -> Response in
            let sent = try await SentForm(request)
            guard let token = SecretToken(request.cookies[Self.cookie]?.value ?? "") else { return refusal(request) }
            let outcome = try factors.logIn(json: Array(sent["credential"].utf8), token: token, .init(request, context))
            if case .session(let secret, _) = outcome, let old = request.cookies[Sessions.cookie]?.value {
                try factors.replaceSession(old, by: secret)
            }
            var response = answer(request, outcome, to: "/home")
            response.setCookie(Sessions.cookie(Self.cookie, "", maxAge: 0))
            return response
        }
        for path in [SecondStep.page, StepUp.page] {
            router.post("\(path)/options") { request, context -> Response in
                guard let session = context.session else { return refusal(request) }
                return .json(bytes: Array(try factors.proofOptions(session).utf8))
            }
            router.post("\(path)/passkey") { request, context -> Response in
                guard let session = context.session else { return refusal(request) }
                let sent = try await SentForm(request)
                let outcome = try factors.prove(session, json: Array(sent["credential"].utf8), .init(request, context))
                return answer(request, outcome, to: path == StepUp.page ? HomePages.local(sent["back"]) : "/home")
            }
        }
        router.post("/security/passkeys/options") { request, context -> Response in
            guard let session = context.session, try factors.mayAdd(session) else { return refusal(request) }
            return .json(bytes: Array(try factors.registrationOptions(session).utf8))
        }
        router.post("/security/passkeys") { request, context -> Response in
            guard let session = context.session, try factors.mayAdd(session) else { return refusal(request) }
            let sent = try await SentForm(request)
            let browser = FactorService.Browser(request, context)
            let name = sent["name"].isEmpty ? FactorDevice.name(browser.name) : sent["name"]
            let outcome = try factors.register(session, json: Array(sent["credential"].utf8), name: name, browser)
            // Without recovery codes a lost device locks its owner out.
            let hasCodes = try !factors.factors(of: session.account).recovery.isEmpty
            return answer(request, outcome, to: hasCodes ? "/security" : "/security/recovery")
        }
    }

    private func answer(_ request: Request, _ outcome: FactorService.PasskeyOutcome, to location: String) -> Response {
        switch outcome {
        case .session(let secret, let device):
            var response = Response.json(bytes: Self.json(["location": location]))
            response.begin(secret, device: device)
            return response
        case .unknown: return refusal(request)
        case .refused(let refusal):
            logger.notice("a passkey was refused", metadata: ["why": "\(refusal)"])
            return self.refusal(request)
        }
    }

    /// Which of the reasons it is, stands in the log.
    private func refusal(_ request: Request) -> Response { .passkeyRefused(request) }

    private static func json(_ object: [String: String]) -> [UInt8] { (try? JSONEncoder().encode(object)).map(Array.init) ?? [] }
}

/// At an IP address there are no passkeys: the pages show no button there, and who asks all the same is refused.
private struct PasskeysImpossible: RouterMiddleware {
    func handle(
        _ request: Request, context: HubContext, next: (Request, HubContext) async throws -> Response
    ) async throws -> Response {
        do { return try await next(request, context) } catch is RelyingParty.Impossible { return .passkeyRefused(request) }
    }
}

extension FactorService.Browser {
    init(_ request: Request, _ context: HubContext) {
        self.init(
            address: context.address, name: request.headers[.userAgent] ?? "", knownDevice: request.cookies[Sessions.deviceCookie]?.value)
    }
}

extension Response {
    fileprivate static func passkeyRefused(_ request: Request) -> Response {
        let message = ["message": Texts.preferred(request)["second.passkeyRefused"]]
        return .json(bytes: (try? JSONEncoder().encode(message)).map(Array.init) ?? [], status: .unprocessableContent)
    }

    /// Hands the browser its session, and what lets it be known again.
    mutating func begin(_ secret: SecretToken, device: String?) {
        setCookie(Sessions.cookie(Sessions.cookie, secret.text, maxAge: Int(AccountStore.sessionLifetime / 1000)))
        if let device { setCookie(Sessions.cookie(Sessions.deviceCookie, device, maxAge: 31_536_000)) }
    }
}
