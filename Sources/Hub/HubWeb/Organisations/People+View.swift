import Accounts
import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Privacy
import Vitals

/// The people who consented to an organisation, and for each the last and live values of the granted kinds (CONS-15).
struct PeoplePages: Sendable {
    let services: ServiceStore
    let consents: ConsentService
    let strictRights: SOSStrictRights
    let service: AccountService
    let templates: Templates
    let map: HubConfiguration.Map
    let now: @Sendable () -> Milliseconds

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/organisation/people") { request, context in try list(request, context) }
        router.get("/organisation/people/:consent") { request, context in try page(request, context) }
        router.get("/organisation/people/:consent/ecg") { request, context in try strips(request, context) }
        router.get("/organisation/people/:consent/ecg/:strip") { request, context in try strip(request, context) }
        router.post("/organisation/people/:consent/strict") { request, context in try await setStrict(request, context) }
        router.get("/organisation/people/:consent/recent") { request, context in try forScript { try recent(request, context) } }
        router.get("/organisation/people/:consent/live") { request, context in try forScript { try live(request, context) } }
    }

    /// A script is told that there is nothing (any more), and not where to log in.
    private func forScript(_ body: () throws -> Response) throws -> Response {
        do { return try body() } catch is PageRefusal { return Response(status: .forbidden) }
    }

    private func list(_ request: Request, _ context: HubContext) throws -> Response {
        let frame = Frame(request, context), reader = try reader(frame), texts = frame.texts
        let before = request.uri.queryParameters["before"].flatMap { Int64($0) }
        let page = try consents.people(of: reader, before: before)
        let people = try page.items.map { asked in
            PeoplePage.Person(
                id: asked.id.description, name: texts.person(asked), kinds: texts.kinds(asked.scope.kinds),
                service: try asked.scope.service.flatMap { try services.service($0) }.map { $0.shown?.name ?? "–" },
                purpose: asked.scope.purpose, state: texts.shown(asked.shown), isOnce: asked.scope.term == .once)
        }
        let shown = PeoplePage(isEmpty: people.isEmpty && before == nil, people: people, next: page.next.map { String($0) })
        return templates.page(shown, frame, title: texts["people.title"], help: "people")
    }

    private func reader(_ frame: Frame) throws -> Reader {
        .organisation(OrganisationID(try frame.session(as: .organisation).account.id))
    }

    func running(_ frame: Frame, _ context: HubContext) throws -> (asked: AskedConsent, reader: Reader) {
        let reader = try reader(frame)
        guard let id = ConsentID(try context.parameters.require("consent")), let asked = try consents.running(id, of: reader) else {
            throw PageRefusal.notAllowed
        }
        return (asked, reader)
    }

    // MARK: One person

    private struct PageConfiguration: Encodable {
        var lang: String
        var tiles: String?
        var attribution: String?
        var t: [String: String]
        var kinds: [LiveKind]
        var units: LiveUnits
    }

    /// How quickly help is called, where the person lets the organisation choose.
    private func setStrict(_ request: Request, _ context: HubContext) async throws -> Response {
        let (asked, reader) = try running(Frame(request, context), context), sent = try await SentForm(request)
        do {
            try await strictRights.set(ProtectionPages.strict(sent), by: asked.id, of: reader)
        } catch SOSSettingProblem.strictNotChosen {
            return try page(request, context, strictError: "protection.strictNotChosen")
        } catch is SOSSettingProblem { throw PageRefusal.notAllowed }
        return .redirect(to: "/organisation/people/\(asked.id)?saved=1#strict", type: .normal)
    }

    private func strict(_ asked: AskedConsent, _ reader: Reader, _ frame: Frame, isSaved: Bool, error: String?) throws -> PersonPage.Strict?
    {
        guard let choice = try strictRights.choice(by: asked.id, of: reader) else { return nil }
        let texts = frame.texts
        let part = StrictPart(
            ask: texts["people.strictAsk"], both: texts["people.strictBoth"], error: error.map { texts[$0] },
            ways: texts.strictWays(chosen: choice.strict ? "yes" : "no"))
        return .init(
            choice: Inline(part), isSaved: isSaved, waits: choice.waitsLonger ? texts["protection.weak_waitsLonger"] : nil)
    }

    private func page(_ request: Request, _ context: HubContext, strictError: String? = nil) throws -> Response {
        let frame = Frame(request, context), (asked, reader) = try running(frame, context), texts = frame.texts, kinds = asked.scope.kinds
        var page = PersonPage(
            id: asked.id.description, kinds: texts.kinds(kinds), purpose: asked.scope.purpose, state: texts.shown(asked.shown),
            health: HealthPages.link("/organisation/people/\(asked.id)", kinds, texts),
            ecg: kinds.contains(.ecg) ? Link(href: "/organisation/people/\(asked.id)/ecg", text: texts["ecg.title"]) : nil,
            tracks: TracksPages.link("/organisation/people/\(asked.id)", [kinds], texts))
        // What was given once is downloaded: looking at it live would be more than that.
        if asked.scope.term != .once {
            guard let (reading, scalars) = try consents.latest(LiveQuery.recentMax, asked.id, as: reader, for: asked.scope.service) else {
                throw PageRefusal.notAllowed
            }
            let values = LastValues(reading, scalars: scalars, texts: texts).rows(kinds)
            page.values = .init(isEmpty: values.isEmpty, rows: values)
            let configuration = PageConfiguration(
                lang: texts.lang, tiles: map.tiles, attribution: map.attribution, t: texts.sections["live"] ?? [:],
                kinds: LiveKind.all(kinds, texts), units: LiveUnits(texts.measures))
            page.board = .init(
                hasHeart: kinds.contains(.heartRate), hasPlace: kinds.contains(.position), hasEvents: kinds.contains(.event),
                hasScalars: kinds.contains(where: \.isScalar), lengthUnit: texts.measures.lengthUnit, paceUnit: texts.measures.paceUnit,
                speedUnit: texts.measures.speedUnit, heightUnit: texts.measures.heightUnit, config: try ScriptJSON.text(configuration))
        }
        let isSaved = request.uri.queryParameters["saved"] != nil
        page.strict = try strict(asked, reader, frame, isSaved: isSaved, error: strictError)
        let status: HTTPResponse.Status = strictError == nil ? .ok : .unprocessableContent
        return templates.page(page, frame, title: texts.person(asked), help: "people", status: status)
    }

    private func recent(_ request: Request, _ context: HubContext) throws -> Response {
        let (asked, reader) = try running(Frame(request, context), context)
        guard asked.scope.term != .once,
            let latest = try consents.latest(LiveQuery.recentMax, asked.id, as: reader, for: asked.scope.service)
        else { throw PageRefusal.notAllowed }
        var reading = latest.reading
        // When something of any kind last came would say more than was granted. A live sample's own time says how old it is.
        if [nil, .live, .manual].contains(reading.provenance) { reading.received = nil }
        let model = LiveModel(reading, scalars: latest.scalars, utc: now())
        return .json(bytes: Array(model.json(received: .some(reading.received), LiveForm(request)).utf8))
    }

    /// The stream ends within a second of the consent, and with the session that opened it.
    private func live(_ request: Request, _ context: HubContext) throws -> Response {
        let (asked, reader) = try running(Frame(request, context), context)
        guard let secret = request.cookies[Sessions.cookie]?.value, let updates = try consents.updates(asked.id, as: reader) else {
            throw PageRefusal.notAllowed
        }
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: .init { writer in
                try await writer.write(LiveEvent.watching)
                var ticks = 0
                signals: for try await signal in updates {
                    guard isOpen(secret, for: reader) else {
                        try await writer.write(LiveEvent.end)
                        break
                    }
                    switch signal {
                    case .update(let update):
                        try await writer.write(LiveEvent.samples(LiveModel(update, kinds: asked.scope.kinds)))
                    case .missed: try await writer.write(LiveEvent.missed)
                    case .tick:
                        ticks += 1
                        if ticks.isMultiple(of: LivePage.heartbeatTicks) { try await writer.write(LiveEvent.beat(now())) }
                    case .ended:
                        try await writer.write(LiveEvent.end)
                        break signals
                    }
                }
                try await writer.finish(nil)
            })
    }

    /// Whether the session that opened a stream still does. What cannot be looked up does not.
    private func isOpen(_ secret: String, for reader: Reader) -> Bool {
        guard let session = try? service.session(secret), session.strength == .full else { return false }
        return reader == .organisation(OrganisationID((session.membership?.organisation ?? session.account).id))
    }
}
