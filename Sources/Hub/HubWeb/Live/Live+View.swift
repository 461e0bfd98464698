import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import NIOCore
import Privacy
import Seams
import Vitals

/// One person's live map, plot and last values, behind a one-time link.
struct LivePage: Sendable {
    let query: LiveQuery
    let bus: LiveBus
    let templates: Templates
    let map: HubConfiguration.Map

    /// The session cookie. `__Host-` binds it to this host and to TLS; without TLS (loopback behind a proxy) browsers would refuse that.
    static let cookie = "__Host-trackme"
    /// A comment is sent after so many seconds, so that a dead connection shows.
    static let heartbeatTicks = 10

    func routes(_ router: Router<HubContext>) {
        router.get("/l/:secret") { request, context in try link(request, context) }
        router.post("/l/:secret") { request, context in try redeem(request, context) }
        router.get("/people/:id") { request, context in try page(request, context) }
        router.get("/people/:id/recent") { request, context in
            guard let (_, grant) = try access(request, context), let json = try query.recent(grant, LiveForm(request)) else {
                return Response(status: .forbidden)
            }
            return .json(bytes: Array(json.utf8))
        }
        router.get("/people/:id/live") { request, context in
            guard let (person, grant) = try access(request, context) else { return Response(status: .forbidden) }
            return try events(of: person, grant, request)
        }
    }

    private func access(_ request: Request, _ context: HubContext) throws -> (PersonID, Grant)? {
        guard let person = PersonID(try context.parameters.require("id")), let grant = try query.grant(request, for: person) else {
            return nil
        }
        return (person, grant)
    }

    // MARK: The link

    private func link(_ request: Request, _ context: HubContext) throws -> Response {
        let texts = Texts.preferred(request), secret = try context.parameters.require("secret")
        guard let id = try query.accounts.links.personOfLink(secret, now: query.now()), let person = try query.accounts.person(id) else {
            return templates.problem("usedLink", texts, status: .gone)
        }
        return templates.page(
            LinkPage(
                lang: texts.lang, t: texts.sections["live"] ?? [:], person: person.name, action: "/l/" + secret,
                tools: ToolsPart(texts, topic: "live", back: "/l/" + secret)))
    }

    private func redeem(_ request: Request, _ context: HubContext) throws -> Response {
        let texts = Texts.preferred(request)
        // A form of another site must not redeem (Fetch Metadata); browsers that do not send the header are let through.
        if let name = HTTPField.Name("Sec-Fetch-Site"), let site = request.headers[name], !["same-origin", "none"].contains(site) {
            return templates.problem("noAccess", texts, status: .forbidden)
        }
        guard let (person, session) = try query.accounts.links.redeemLink(try context.parameters.require("secret"), now: query.now()) else {
            return templates.problem("usedLink", texts, status: .gone)
        }
        var response = Response.redirect(to: "/people/\(person)", type: .normal)
        response.setCookie(
            Cookie(
                name: Self.cookie, value: session, maxAge: Int(LinkSession.sessionLifetime / 1000), path: "/", secure: true,
                httpOnly: true, sameSite: .lax))
        return response
    }

    // MARK: The page

    private struct PageConfiguration: Encodable {
        var person: String
        var lang: String
        var tiles: String?
        var attribution: String?
        var t: [String: String]
        var kinds: [LiveKind]
        var units: LiveUnits
    }

    private func page(_ request: Request, _ context: HubContext) throws -> Response {
        var texts = Texts.preferred(request)
        texts.measures = Measures(request, texts)
        guard let (id, grant) = try access(request, context), let person = try query.accounts.person(id) else {
            return templates.problem("noAccess", texts, status: .forbidden)
        }
        return try show(id, person.name, grant, texts, path: "/people/\(id)")
    }

    /// The page itself; its scripts ask for `recent` and `live` below its own address.
    func show(_ id: PersonID, _ name: String, _ grant: Grant, _ texts: Texts, path: String) throws -> Response {
        let configuration = PageConfiguration(
            person: id.description, lang: texts.lang, tiles: map.tiles, attribution: map.attribution, t: texts.sections["live"] ?? [:],
            kinds: LiveKind.all(grant.kinds, texts), units: LiveUnits(texts.measures))
        let missing = Set(Texts.kindsLive).subtracting(grant.kinds)
        return templates.page(
            LiveBoardPage(
                lang: texts.lang, t: texts.sections["live"] ?? [:], person: name,
                tools: ToolsPart(texts, topic: "live", back: path),
                notShared: missing.isEmpty ? [] : [texts.filled("care.notShared", ["kinds": texts.kinds(missing)])],
                lengthUnit: texts.measures.lengthUnit, paceUnit: texts.measures.paceUnit, speedUnit: texts.measures.speedUnit,
                heightUnit: texts.measures.heightUnit, config: try ScriptJSON.text(configuration)))
    }

    // MARK: The stream

    /// What arrives, of the granted kinds, as long as the grant holds, and whoever opened it is logged in; a link needs no log-in.
    func events(of person: PersonID, _ grant: Grant, _ request: Request) throws -> Response {
        let watch = bus.watch(person), isByLink = if case .link = grant.ground { true } else { false }
        let reader = try query.reader(request), machine = query.accounts.machine
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: .init { writer in
                let ticking = machine.start {
                    while !Task.isCancelled {
                        try? await machine.sleep(for: .seconds(1))
                        watch.tick()
                    }
                }
                defer { ticking.cancel() }
                try await writer.write(LiveEvent.watching)
                var ticks = 0
                for await signal in watch.signals {
                    guard try query.holds(grant), try isByLink || (reader != nil && query.reader(request) == reader) else {
                        try await writer.write(LiveEvent.end)
                        break
                    }
                    switch signal {
                    case .update(let update):
                        let model = LiveModel(update, kinds: grant.kinds)
                        guard !model.isEmpty else { continue }
                        try query.accounts.ledger.recordRead(grant, now: query.now())
                        try await writer.write(LiveEvent.samples(model))
                    case .missed: try await writer.write(LiveEvent.missed)
                    case .tick:
                        ticks += 1
                        if ticks.isMultiple(of: Self.heartbeatTicks) { try await writer.write(LiveEvent.beat(query.now())) }
                    }
                }
                try await writer.finish(nil)
            })
    }
}

/// What a one-time link opens: a button.
struct LinkPage: BarePage {
    static let template = "link"

    let lang: String
    /// The texts of the section `live` alone.
    let t: [String: String]
    let person: String, action: String
    let tools: ToolsPart
}

struct LiveBoardPage: BarePage {
    static let template = "live"

    let lang: String
    /// The texts of the section `live` alone.
    let t: [String: String]
    let person: String
    let tools: ToolsPart
    let notShared: [String]
    let lengthUnit: String, paceUnit: String, speedUnit: String, heightUnit: String
    /// JSON.
    let config: String
}
