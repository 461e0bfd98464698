import HubServices
import HubStore
import Hummingbird
import Logging
import NIOHTTP1
import Vitals

/// Turns what a page threw into a page that helps.
struct ErrorPages: RouterMiddleware {
    let templates: Templates
    let logger: Logger

    func handle(
        _ request: Request, context: HubContext, next: (Request, HubContext) async throws -> Response
    ) async throws -> Response {
        do { return try await next(request, context) } catch let error as HTTPError where error.status == .notFound {
            return templates.problem("notFound", Texts.preferred(request), status: .notFound)
        } catch let refusal as PageRefusal where refusal != .notAllowed {
            var response = refusal == .logIn ? Response.toLogIn : .redirect(to: "/log-in/second", type: .normal)
            if let kept = ReturnPath.kept(request) { response.setCookie(kept) }
            return response
        } catch PageRefusal.notAllowed {
            return templates.problem("noAccess", Texts.preferred(request), status: .forbidden)
        } catch RunProblem.state(.cancelled) {
            return templates.problem("calledOff", Texts.preferred(request), status: .gone)
        } catch is ReadPoolBusy {
            var response = templates.problem("crowded", Texts.preferred(request), status: .serviceUnavailable)
            response.headers[.retryAfter] = "5"
            return response
        } catch is HTTPParserError {
            return templates.problem("badRequest", Texts.preferred(request), status: .badRequest)
        } catch let error as HTTPError where error.status == .badRequest {
            return templates.problem("badRequest", Texts.preferred(request), status: .badRequest)
        } catch let error as HTTPError where error.status == .contentTooLarge {
            return templates.problem("tooLarge", Texts.preferred(request), status: .contentTooLarge)
        } catch {
            logger.error("a page failed", metadata: ["error": "\(error)"])
            return templates.problem("serverError", Texts.preferred(request), status: .internalServerError)
        }
    }
}
