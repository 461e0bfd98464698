import Accounts
import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Privacy
import Runs
import Vitals

/// Notice of public runs near one's place (RUN-12): off until it is asked for, and off again with one tap.
struct NearbyPages: Sendable {
    let site: RunSite

    /// Metres.
    static let radii = [5_000, 10_000, 25_000, 50_000, 100_000]

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/runs/nearby") { request, context in
            let frame = Frame(request, context), account = try frame.session().account
            return try page(frame, try runner(request.uri.queryParameters["person"].map(String.init) ?? "", account), account)
        }
        router.post("/runs/nearby") { request, context in try await ask(request, context) }
        router.post("/runs/nearby/end") { request, context in
            let frame = Frame(request, context), account = try frame.session().account, sent = try await SentForm(request)
            let runner = try runner(sent["person"], account)
            try site.finder.endNearby(of: runner.person, by: account)
            return Response.redirect(to: "/runs/nearby\(runner.query)", type: .normal)
        }
    }

    private func runner(_ who: String, _ account: StoredAccount) throws -> RunSite.Runner {
        guard let runner = try site.runner(who, of: account),
            try site.accounts.consents.authority(over: runner.person).mayAnswer(account.id, at: site.now)
        else { throw PageRefusal.notAllowed }
        return runner
    }

    private func page(
        _ frame: Frame, _ runner: RunSite.Runner, _ account: StoredAccount, values: [String: String]? = nil,
        said: [(field: String, text: String)] = [], status: HTTPResponse.Status = .ok
    ) throws -> Response {
        let texts = frame.texts, wish = try site.finder.nearbyWish(of: runner.person, for: account)
        let fields = [
            FormField(
                name: "homePlace", kind: .text, isRequired: wish == nil, hint: texts[wish == nil ? "nearby.placeHint" : "nearby.placeKept"],
                label: texts["nearby.place"]),
            FormField(
                name: "radius", kind: .choice(Self.radii.map { (String($0), texts.kilometres(Double($0))) }), label: texts["nearby.radius"]),
        ]
        let form = FormModel(
            action: "/runs/nearby\(runner.query)", button: texts[wish == nil ? "nearby.turnOn" : "nearby.change"], fields: fields,
            values: values ?? ["radius": String(wish?.radius ?? 25_000)], said: said)
        var page = RunNearbyPage(
            runner: runner.isOwn ? nil : runner.name, form: form.model(texts), who: runner.isOwn ? "" : runner.person.description)
        if let wish {
            let place = DrawnLine.text(wish.place)
            let parts = place.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            page.on = Link(
                href: "/runs?lat=\(parts.first ?? "")&lon=\(parts.last ?? "")&km=\(wish.radius / 1000)",
                text: texts.filled("nearby.isOn", ["km": texts.kilometres(Double(wish.radius)), "place": place]))
        }
        return site.page(page, frame, title: texts["nearby.title"], status: status)
    }

    private func ask(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), texts = frame.texts, account = try frame.session().account
        let sent = try await SentForm(request)
        let runner = try runner(request.uri.queryParameters["person"].map(String.init) ?? "", account)
        func refused(_ field: String, _ key: String) throws -> Response {
            try page(frame, runner, account, values: sent.fields, said: [(field, texts[key])], status: .unprocessableContent)
        }
        let typed = sent["homePlace"].trimmingCharacters(in: .whitespaces)
        let known = try site.finder.nearbyWish(of: runner.person, for: account)
        guard let place = typed.isEmpty ? known?.place : DrawnLine.place(typed) else {
            return try refused("homePlace", typed.isEmpty ? "nearby.placeMissing" : "runs.homePlaceWrong")
        }
        guard let radius = Int(sent["radius"]) else { return try refused("radius", "nearby.radiusMissing") }
        do {
            try site.finder.askNearby(NearbyWish(place: place, radius: radius), of: runner.person, by: account)
        } catch let refusal as RunFinder.NearbyRefusal {
            switch refusal {
            case .notYours: throw PageRefusal.notAllowed
            case .place: return try refused("homePlace", "runs.homePlaceWrong")
            case .radius: return try refused("radius", "nearby.radiusMissing")
            }
        }
        return .redirect(to: "/runs/nearby\(runner.query)", type: .normal)
    }
}

struct RunNearbyPage: FramedPage {
    static let template = "runNearby"

    /// The child's name.
    var runner: String?
    /// What is asked for, with the way to those runs.
    var on: Link?
    let form: FormPart
    let who: String
}
