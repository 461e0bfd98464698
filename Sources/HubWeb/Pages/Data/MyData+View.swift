import Accounts
import Exchange
import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Logging
import NIOCore
import Privacy
import Vitals

/// A person's own data: downloading it, deleting it in part or with the account (DATA-9, DATA-10).
struct MyDataPages: Sendable {
    let accounts: AccountStore
    let consents: ConsentService
    let export: Export
    let deletion: Deletion
    let factors: FactorService
    let templates: Templates
    /// How browsers reach the hub: the base of identifiers in FHIR.
    let url: @Sendable () -> String
    let logger: Logger
    let now: @Sendable () -> Milliseconds

    private static let formats = ["csv", "json", "gpx", "fhir"]
    /// What a person types to delete the account, in any language.
    private static let confirmation = "DELETE"
    private static let day: Milliseconds = 86_400_000

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/data") { request, context in try page(Frame(request, context)) }
        router.get("/data/export") { request, context in try download(request, context) }
        router.post("/data/delete") { request, context in try await deletePart(request, context) }
        router.post("/data/account") { request, context in try await deleteAccount(request, context) }
    }

    private func page(
        _ frame: Frame, values: [String: String] = [:], problem: String? = nil, good: String? = nil, status: HTTPResponse.Status = .ok
    ) throws -> Response {
        let account = try frame.session(as: .person).account, texts = frame.texts
        let kinds = Texts.kindsOffered.map { FormField(name: "kind\($0.rawValue)", kind: .tick(value: "1"), isRequired: false) }
        let dates = ["from", "to"].map { FormField(name: $0, kind: .date, isRequired: false) }
        func choices(_ names: [String], _ section: String) -> FormField.Kind { .choice(names.map { ($0, texts["\(section).\($0)"]) }) }
        let part = FormModel(
            action: "/data/delete", button: texts["data.deletePart"], fields: kinds + dates, values: values, problem: problem)
        let account1 = FormModel(
            action: "/data/account", button: texts["data.deleteAccount"],
            fields: [FormField(name: "confirmation", kind: .text, hint: texts["data.confirmationHint"])])
        let exports = FormModel(
            action: "/data/export", button: texts["data.download"],
            fields: [
                FormField(name: "format", kind: choices(Self.formats, "format")),
                FormField(name: "days", kind: choices(["0", "7", "30", "365"], "days")),
            ])
        let deletions = try accounts.deletedParts(of: account.id.person).map { part in
            [
                "kinds": texts.kinds(part.kinds), "from": texts.instant(max(0, part.span.lowerBound)),
                "to": texts.instant(min(now(), part.span.upperBound)),
            ]
        }
        var model: [String: Any] = [
            "export": exports.model(texts), "part": part.model(texts), "whole": account1.model(texts), "deletions": deletions,
            "hasDeletions": !deletions.isEmpty,
        ]
        if let good { model["good"] = good }
        return templates.page("mydata", frame.model(title: texts["data.title"], help: "data", model), status: status)
    }

    // MARK: Download

    private func download(_ request: Request, _ context: HubContext) throws -> Response {
        let frame = Frame(request, context), session = try frame.session(as: .person), account = session.account
        let asked = request.uri.queryParameters["format"].map(String.init) ?? ""
        guard Self.formats.contains(asked), let days = request.uri.queryParameters["days"].flatMap({ Milliseconds($0) }), days >= 0 else {
            throw HTTPError(.badRequest)
        }
        if let ask = StepUp.required(session, back: "/data", factors) { return ask }
        guard let grant = try accounts.authority(over: account.id.person).grant(to: account.id, at: now()) else {
            throw PageRefusal.notAllowed
        }
        let time = now(), span = (days == 0 ? 0 : max(0, time - min(days, 100_000) * Self.day))...max(time, 0)
        switch asked {
        case "csv": return file(CSVWriter(), grant, span)
        case "json": return file(JSONWriter(created: time), grant, span)
        case "gpx": return file(GPXWriter(name: "TrackMe", created: time), grant, span)
        default:
            let writer = FHIRBundleWriter(
                .collection, base: url() + "/fhir", patient: FHIRID(account.id), detail: .minutes, created: time)
            return file(writer, grant, span)
        }
    }

    /// Streams: a file of years takes no memory. When the right to read ends on the way the connection is cut, so that the file does not look
    /// whole.
    private func file<Writer: SampleWriter>(_ writer: Writer, _ grant: Grant, _ span: ClosedRange<Milliseconds>) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: Writer.mediaType, .cacheControl: "no-store",
                .contentDisposition: "attachment; filename=\"trackme.\(Writer.fileExtension)\"",
            ],
            body: .init { body in
                var body = body
                do {
                    try await export.write(writer, grant, in: span) { try await body.write(ByteBuffer(bytes: $0)) }
                } catch {
                    logger.error("a download ended before its end", metadata: ["error": "\(error)"])
                    throw error
                }
                try await body.finish(nil)
            })
    }

    // MARK: Deletion

    private func deletePart(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), session = try frame.session(as: .person), sent = try await SentForm(request)
        if let ask = StepUp.required(session, back: "/data", factors) { return ask }
        var kinds = Set(Texts.kindsOffered.filter { !sent["kind\($0.rawValue)"].isEmpty })
        guard !kinds.isEmpty else {
            return try page(frame, values: sent.fields, problem: frame.texts["consentProblem.noKinds"], status: .unprocessableContent)
        }
        // Holes in what is deleted say nothing to anybody any more.
        if kinds.isSuperset(of: Texts.kindsOffered) { kinds.insert(.gap) }
        let from = Self.start(of: sent["from"]), to = Self.start(of: sent["to"])
        let lower = from ?? 0, upper = to.map { $0 + Self.day - 1 } ?? now()
        guard sent["from"].isEmpty || from != nil, sent["to"].isEmpty || to != nil, lower <= upper else {
            return try page(frame, values: sent.fields, problem: frame.texts["data.wrongSpan"], status: .unprocessableContent)
        }
        _ = try deletion.deletePart(of: session.account.id.person, kinds: kinds, span: lower...upper, by: session.account.id, now: now())
        return try page(frame, good: frame.texts["data.partDeleted"])
    }

    /// The UTC midnight at which a day begins.
    private static func start(of text: String) -> Milliseconds? {
        guard let date = CalendarDate(text) else { return nil }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (Int32(date.year - 1900), Int32(date.month - 1), Int32(date.day))
        return Milliseconds(timegm(&parts)) * 1000
    }

    private func deleteAccount(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), session = try frame.session(as: .person), sent = try await SentForm(request)
        if let ask = StepUp.required(session, back: "/data", factors) { return ask }
        guard sent["confirmation"] == Self.confirmation else {
            return try page(frame, problem: frame.texts["data.confirmationHint"], status: .unprocessableContent)
        }
        // Readers are told, and their streams close, before there is nobody left to ask.
        try consents.endAll(of: session.account.id.person, by: session.account.id)
        try deletion.deletePerson(session.account.id.person, by: session.account.id, now: now())
        var response = templates.notice("data.gone", Frame(texts: frame.texts, session: nil, path: frame.path), help: "data")
        response.setCookie(Sessions.cookie(Sessions.cookie, "", maxAge: 0))
        return response
    }
}
