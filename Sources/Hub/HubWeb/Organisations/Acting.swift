import HTTPTypes
import HubStore
import Hummingbird

/// Lets a user of an organisation act for it, where their rights reach: there pages know the organisation's account, and the ledger is told who reads
/// (ACC-20). Everywhere else users are themselves, and the pages of organisations refuse them. Behind ``StepUpGuard``: a proof is the user's own.
struct Acting: RouterMiddleware {
    func handle(
        _ request: Request, context: HubContext, next: (Request, HubContext) async throws -> Response
    ) async throws -> Response {
        guard let session = context.session, session.strength == .full, let membership = session.membership,
            Self.allows(request.method, request.uri.path, membership.rights), let acting = session.acting()
        else { return try await next(request, context) }
        var changed = context
        changed.session = acting
        let context = changed
        return try await ReadingUser.$current.withValue(ReadingUser(session.account)) { try await next(request, context) }
    }

    /// What users may ask for in their organisation's name. What is not listed is its own account's: users, keys, webhooks, services, ambulances,
    /// rights over a person's AutomatedSOS.
    static func allows(_ method: HTTPRequest.Method, _ path: String, _ rights: Membership.Rights) -> Bool {
        let parts = path.split(separator: "/").map(String.init), asks = rights == .asks
        switch (method == .head ? .get : method, parts.first, parts.count) {
        case (.get, "organisation", 2...): return parts[1] == "people"
        case (.get, "requests", 1), (.get, "groups", 1): return true
        case (.get, "groups", 2): return asks || parts[1] != "ask"
        case (.get, "requests", 3), (.get, "groups", 3): return parts[2] == "download"
        case (.get, "requests", 4), (.get, "groups", 4): return parts[2] == "mailed"
        case (.post, "requests", 1), (.post, "groups", 1): return asks
        case (.post, "groups", 2): return asks && parts[1] == "ask"
        case (.post, "requests", 3), (.post, "groups", 3): return parts[2] == "mail" || asks && ["end", "deleted"].contains(parts[2])
        default: return false
        }
    }
}

extension Frame {
    /// Whether the reader may ask for the organisation, where they act for one.
    var mayAsk: Bool { session?.membership.map { $0.rights == .asks } ?? true }
}
