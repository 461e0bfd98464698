import Accounts
import Exchange
import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Logging
import Privacy
import Vitals

/// My health, that of a minor child, and that of whoever lets the reader see it: latest values, plots and statistics (DATA-4, DATA-5,
/// DATA-6). They work without script.
struct HealthPages: Sendable {
    static let own = "/health", ofCared = "/care/person/:id/health"

    let accounts: AccountStore
    let consents: ConsentService
    let history: HistoryService
    let export: Export
    let templates: Templates
    /// A month of readings takes its time.
    let reads: ReadPool<AccountID>
    /// What AutomatedSOS says of somebody; nil for nobody.
    let protection: @Sendable (PersonID) throws -> SOSView?
    /// What is usual among people like somebody, on a day (DATA-4).
    let peers: @Sendable (StoredAccount, CalendarDate) throws -> [DataKind: GroupComparison]
    let logger: Logger
    let now: @Sendable () -> Milliseconds

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("\(Self.own)") { request, context in
            try await page(request, Frame(request, context)) { frame, _ in try decided(frame, context) }
        }
        let others: [(path: String, source: @Sendable (Frame, HubContext, DataKind?) throws -> HealthSource)] = [
            (Self.ofCared, { frame, context, kind in try cared(frame, context, kind: kind) }),
            (Self.ofFollowed, { frame, context, _ in try followed(frame, context) }),
            (Self.ofConsent, { frame, context, _ in try consented(frame, context) }),
        ]
        for (path, source) in others {
            router.get("\(path)") { request, context in
                try await page(request, Frame(request, context)) { frame, kind in try source(frame, context, kind) }
            }
            router.get("\(path)/download") { request, context in
                let frame = Frame(request, context)
                return try download(request, frame, try source(frame, context, HealthQuery.named(request)))
            }
        }
    }

    /// Where the page of somebody is.
    static func path(_ subject: DataSubject) -> String { subject.isOwn ? own : "/care/person/\(subject.person)/health" }

    /// - Throws: `ReadPoolBusy` where so many wait for the same: ``ErrorPages`` says so.
    private func page(
        _ request: Request, _ frame: Frame, _ source: (Frame, DataKind?) throws -> HealthSource
    ) async throws -> Response {
        let source = try source(frame, HealthQuery.named(request)), time = now(), texts = frame.texts
        let query = try HealthQuery(request, now: min(time, source.until ?? time), in: texts.zone ?? .gmt)
        let asked = HealthReading.Asked(
            source: source, zones: query.zones(of: source.account),
            protection: try source.ways.protection.flatMap { _ in try protection(source.grant.person) },
            measures: Measures(request, texts), now: time)
        let history = source.until.map(self.history.ending) ?? self.history
        let found = try await reads.run(for: source.reader) {
            var asked = asked
            asked.peers = try source.account.map { try peers($0, CalendarDate(utc: time)) } ?? [:]
            return try HealthReading(query, history, asked)
        }
        guard let reading = found else { throw PageRefusal.notAllowed }
        let units = Measures.chosen(request)
        let model = HealthModel(query: query, reading: reading, source: source, units: units, texts: texts, now: time)
        let title = source.name.map { texts.filled("health.titleOf", ["name": $0]) } ?? texts["health.title"]
        var response = templates.page(
            model.page(), frame, title: title, help: source.help, status: query.problem == nil ? .ok : .unprocessableContent)
        if request.uri.queryParameters["units"] != nil {
            response.setCookie(Sessions.cookie(Measures.cookie, units.rawValue, maxAge: 31_536_000))
        }
        return response
    }

    /// The days of a page as a file, of the kinds that were granted. A parent downloads on the child's pages of data, after a proof.
    private func download(_ request: Request, _ frame: Frame, _ source: HealthSource) throws -> Response {
        guard source.isShared else { throw PageRefusal.notAllowed }
        let time = now(), query = try HealthQuery(request, now: min(time, source.until ?? time), in: frame.texts.zone ?? .gmt)
        let format = request.uri.queryParameters["format"], first = max(0, query.span.from)
        let last = min(query.span.to - 1, source.until ?? time)
        guard format == "csv" || format == "json", query.problem == nil else { throw HTTPError(.badRequest) }
        guard first <= last else { throw PageRefusal.notAllowed }
        try accounts.ledger.recordRead(source.grant, now: time)
        let name = "trackme-\(query.span.length == .all ? "all" : "\(query.span.firstDay)")"
        return format == "csv"
            ? export.response(try export.csv(source.grant, in: first...last), source.grant, first...last, name: name, logger: logger)
            : export.response(JSONWriter(created: time), source.grant, first...last, name: name, logger: logger)
    }
}
