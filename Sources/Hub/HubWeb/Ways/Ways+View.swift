import Accounts
import Alerts
import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import NIOCore
import Vitals

/// Which ways out of the hub work, for whoever runs it (SOS-22).
struct WaysPages: Sendable {
    static let path = "/operator/ways"

    let sos: SOSService
    let templates: Templates
    let requests: RequestLimit

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/operator/ways") { request, context in
            let frame = Frame(request, context)
            _ = try frame.session(as: .operator)
            return templates.page(model(frame.texts), frame, title: frame.texts["ways.title"], help: "ways")
        }
        router.post("/operator/ways/test") { request, context -> Response in
            let account = try Frame(request, context).session(as: .operator).account
            // Each text costs money.
            if requests.take("ways \(account.id)") { await sos.ways.proveNow() }
            return .redirect(to: Self.path, type: .normal)
        }
    }

    private func model(_ texts: Texts) -> WaysPage {
        let all = sos.ways.all, people = sos.reachability.unreached.count
        return WaysPage(
            people: people > 0 ? texts.counted("ways.people", people) : nil, isEmpty: all.isEmpty,
            ways: all.map { item($0.way, $0.health, texts) }, hasProofs: sos.ways.hasProofs,
            asOf: texts.filled("care.asOf", ["time": texts.instant(sos.now())]))
    }

    private func item(_ way: Way, _ health: WayHealth, _ texts: Texts) -> WaysPage.Item {
        .init(
            name: texts.way("\(way)"), level: ["failing": "bad", "working": "good"][health.state.rawValue] ?? "warn",
            state: texts["ways.state_\(health.state.rawValue)"], why: health.failure?.what,
            since: health.since.map { texts.filled("ways.since", ["time": texts.instant($0)]) },
            success: health.lastSuccess.map { line("ways.success", $0, texts) },
            failure: health.lastFailure.map { line("ways.failure", $0, texts) }, proves: texts.find("ways.proves_\(way.kind)"))
    }

    private func line(_ key: String, _ sign: WaySign, _ texts: Texts) -> String {
        texts.filled(
            key, ["time": texts.instant(sign.at), "source": texts["ways.source_\(sign.source.rawValue)"], "what": sign.what])
    }
}

struct WaysPage: FramedPage {
    static let template = "ways"

    struct Item: TemplateModel {
        let name: String, level: String, state: String
        var why: String?
        var since: String?
        var success: String?
        var failure: String?
        /// What a proof of it proves.
        var proves: String?
    }

    /// The number of people who cannot be reached.
    var people: String?
    let isEmpty: Bool
    let ways: [Item]
    let hasProofs: Bool
    let asOf: String
}
