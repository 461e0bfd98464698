import HTTPTypes
import HubStore
import Hummingbird

/// Who has given the password and owes a second factor gets nothing but the pages that ask for it, whatever other pages check themselves.
struct SecondStep: RouterMiddleware {
    /// What such a session may ask for. It reads no data, or checks by itself (`FactorService.mayAdd`).
    private static let open = [
        "/log-in", "/log-out", "/language", "/help", "/tour", "/sign-up", "/confirm", "/forgotten", "/reset", "/claim",
        "/security/one-time", "/security/passkeys", "/hand-over", "/sw.js", StatusPages.path,
    ]
    static let page = "/log-in/second"

    func handle(
        _ request: Request, context: HubContext, next: (Request, HubContext) async throws -> Response
    ) async throws -> Response {
        guard let session = context.session, session.strength < .full, !Self.isOpen(request.uri.path) else {
            return try await next(request, context)
        }
        throw PageRefusal.secondFactor
    }

    private static func isOpen(_ path: String) -> Bool { open.contains { path == $0 || path.hasPrefix($0 + "/") } }
}
