import Accounts
import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Logging
import Vitals

/// Finds the session of a page's browser.
struct Sessions: RouterMiddleware {
    let service: AccountService
    let planned: PlannedMaintenance
    let sos: SOSService
    let accounts: AccountStore
    let zones: ZonesSeen
    let console: ConsoleCounts

    /// `__Host-` binds it to this host and to TLS.
    static let cookie = "__Host-trackme-session"
    /// Remembers that an account was logged in here, so that a stranger's guesses do not lock its owner out.
    static let deviceCookie = "__Host-trackme-device"

    func handle(
        _ request: Request, context: HubContext, next: (Request, HubContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        if let secret = request.cookies[Self.cookie]?.value { context.session = try service.session(secret) }
        if let session = context.session, session.strength == .full, request.method == .get {
            context.waiting = try waiting(for: session.account)
            context.maintenance = planned.next
            if let zone = Texts.zone(request) { zones.note(zone, of: session.account) }
            if session.account.roles.contains(.operator) { context.failingWays = sos.ways.failing.map { "\($0.way)" } }
        }
        if let session = context.session, session.strength == .full {
            // Read when a page is made: a press of "get help" waits for nothing that it does not need.
            let logger = context.logger
            context.emergencies = {
                do { return try EmergencyBar.bars(for: session.account.id, sos.views, accounts) } catch {
                    logger.error("a page could not look for emergencies", metadata: ["error": "\(error)"])
                    throw error
                }
            }
            context.now = sos.now()
        }
        noteLife(request, context.session)
        return try await next(request, context)
    }

    /// What badges of the menu count: notices that were not opened, and questions for the person's data.
    private func waiting(for account: StoredAccount) throws -> [String: Int] {
        var waiting = ["/notices": try service.newNotices(of: account)]
        if account.roles.contains(.person) { waiting["/followers"] = try accounts.consents.openQuestions(of: account.id.person) }
        if account.roles.contains(.operator) {
            waiting[ConsolePages.path] = try console.all()
            waiting["/operator/requests"] = try accounts.consents.countAwaitingOperator()
            waiting[SupportPages.operatorPath] = try SupportStore(accounts).countWaiting()
            waiting["/operator/groups"] = try accounts.consents.groupRequests.countAwaitingOperator()
        }
        return waiting
    }

    /// Somebody touched this page: browsers say so, and not of what a script or a timer fetches.
    private func noteLife(_ request: Request, _ session: StoredSession?) {
        guard let session, session.account.roles.contains(.person), let name = HTTPField.Name("Sec-Fetch-User"),
            request.headers[name] == "?1"
        else { return }
        sos.inactivity.noteLife(of: session.account.id.person)
    }

    static func cookie(_ name: String, _ value: String, maxAge: Int) -> Cookie {
        Cookie(name: name, value: value, maxAge: maxAge, path: "/", secure: true, httpOnly: true, sameSite: .lax)
    }
}

/// Refuses what another site made a browser send: everything but GET and HEAD has to come from our own pages. Browsers say where a request
/// comes from (Fetch Metadata), older ones name the origin; what says neither comes from no browser, which has no cookie to abuse.
struct SameOrigin: RouterMiddleware {
    let templates: Templates

    func handle(
        _ request: Request, context: HubContext, next: (Request, HubContext) async throws -> Response
    ) async throws -> Response {
        guard request.method != .get, request.method != .head, !Self.isOurs(request) else { return try await next(request, context) }
        return templates.problem("noAccess", Texts.preferred(request), status: .forbidden)
    }

    static func isOurs(_ request: Request) -> Bool {
        if let name = HTTPField.Name("Sec-Fetch-Site"), let site = request.headers[name] { return site == "same-origin" || site == "none" }
        guard let origin = request.headers[.origin] else { return true }
        return request.head.authority.map { origin == "https://\($0)" || origin == "http://\($0)" } ?? false
    }
}
