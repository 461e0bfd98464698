import Accounts
import Exchange
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Logging
import Privacy
import Vitals

/// What a consent lets an organisation download, again and again while it holds, a "once" for some time behind its end too, and links to that by mail (CONS-9).
struct DownloadsPages: Sendable {
    let notices: NoticeStore
    let consents: ConsentService
    let links: DownloadLinks
    let export: Export
    let templates: Templates
    let requests: RequestLimit
    let logger: Logger
    let now: @Sendable () -> Milliseconds

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/requests/:id/download") { request, context in try download(request, context) }
        router.post("/requests/:id/mail") { request, context in try mail(request, context) }
        router.get("/requests/:id/mailed/:token") { request, context in try mailed(request, context) }
    }

    /// A consent of this organisation's of which something can be downloaded.
    private func granted(_ frame: Frame, _ context: HubContext) throws -> (asked: AskedConsent, account: StoredAccount, reader: Reader) {
        let account = try frame.session(as: .organisation).account, reader = Reader.organisation(OrganisationID(account.id))
        guard let id = ConsentID(try context.parameters.require("id")), let asked = try consents.downloadable(id, of: reader) else {
            throw PageRefusal.notAllowed
        }
        return (asked, account, reader)
    }

    private func download(_ request: Request, _ context: HubContext) throws -> Response {
        let (asked, _, reader) = try granted(Frame(request, context), context), format = request.uri.queryParameters["format"]
        guard format == "csv" || format == "json" else { throw HTTPError(.badRequest) }
        guard let (grant, span) = try consents.download(asked.id, as: reader) else { throw PageRefusal.notAllowed }
        let name = "trackme-\(asked.id.description.prefix(8))"
        return format == "csv"
            ? export.response(try export.csv(grant, in: span), grant, span, name: name, logger: logger)
            : export.response(JSONWriter(created: now()), grant, span, name: name, logger: logger)
    }

    private func mail(_ request: Request, _ context: HubContext) throws -> Response {
        let frame = Frame(request, context), (asked, account, _) = try granted(frame, context)
        guard requests.take("mail \(account.id)") else {
            var response = templates.notice("downloads.many", frame, help: "requests", status: .tooManyRequests)
            response.headers[.retryAfter] = "60"
            return response
        }
        let token = links.token(asked.id, of: account.id, now: now())
        try notices.addMail(
            "organisation.download", ["consent": asked.id.description, "token": token], to: frame.session?.user ?? account, now: now())
        return templates.notice("downloads.sent", frame, help: "requests")
    }

    private func mailed(_ request: Request, _ context: HubContext) throws -> Response {
        let frame = Frame(request, context), account = try frame.session(as: .organisation).account, texts = frame.texts
        guard let id = ConsentID(try context.parameters.require("id")),
            links.isGood(try context.parameters.require("token"), id, of: account.id, now: now())
        else { return templates.notice("downloads.over", frame, help: "requests", status: .gone) }
        let (asked, _, _) = try granted(frame, context)
        return templates.page(
            DownloadPage(id: asked.id.description, name: texts.person(asked), kinds: texts.kinds(asked.scope.kinds)), frame,
            title: texts["downloads.title"], help: "requests")
    }
}

extension Texts {
    /// How an organisation knows somebody who consented: by what it typed, or by a pseudonym when it typed nothing.
    func person(_ asked: AskedConsent) -> String {
        asked.label.isEmpty ? filled("people.pseudonym", ["id": String(asked.id.description.prefix(8))]) : asked.label
    }
}

struct DownloadPage: FramedPage {
    static let template = "download"

    let id: String, name: String, kinds: String
}
