import HTTPTypes
import HubStore
import Hummingbird

/// Counts the rows that do not open while a page is read. Lists leave such a row out; the page around them says how many there were.
///
/// Only where somebody looks (GET): what an act meets on its way is no entry of a page, and may be of somebody else (CONS-9).
struct UnreadableCount: RouterMiddleware {
    func handle(
        _ request: Request, context: HubContext, next: (Request, HubContext) async throws -> Response
    ) async throws -> Response {
        guard request.method == .get || request.method == .head else { return try await next(request, context) }
        return try await UnreadableTally.$current.withValue(UnreadableTally()) { try await next(request, context) }
    }
}
