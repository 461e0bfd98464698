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
            return templates.page("ways", frame.model(title: frame.texts["ways.title"], help: "ways", model(frame.texts)))
        }
        router.post("/operator/ways/test") { request, context -> Response in
            let account = try Frame(request, context).session(as: .operator).account
            // Each text costs money.
            if requests.take("ways \(account.id)") { await sos.ways.proveNow() }
            return .redirect(to: Self.path, type: .normal)
        }
    }

    private func model(_ texts: Texts) -> [String: Any] {
        let all = sos.ways.all, people = sos.peopleWithoutWay
        var model: [String: Any] = [
            "ways": all.map { item($0.way, $0.health, texts) }, "isEmpty": all.isEmpty, "hasProofs": sos.ways.hasProofs,
            "asOf": texts.filled("care.asOf", ["time": texts.instant(sos.now())]),
        ]
        if people > 0 { model["people"] = texts.counted("ways.people", people) }
        return model
    }

    private func item(_ way: Way, _ health: WayHealth, _ texts: Texts) -> [String: Any] {
        var item: [String: Any] = [
            "name": texts.way("\(way)"), "state": texts["ways.state_\(health.state.rawValue)"],
            "level": ["failing": "bad", "working": "good"][health.state.rawValue] ?? "warn",
        ]
        if let since = health.since { item["since"] = texts.filled("ways.since", ["time": texts.instant(since)]) }
        if let failure = health.failure { item["why"] = failure.what }
        if let sign = health.lastSuccess { item["success"] = line("ways.success", sign, texts) }
        if let sign = health.lastFailure { item["failure"] = line("ways.failure", sign, texts) }
        if let text = texts.find("ways.proves_\(way.kind)") { item["proves"] = text }
        return item
    }

    private func line(_ key: String, _ sign: WaySign, _ texts: Texts) -> String {
        texts.filled(
            key, ["time": texts.instant(sign.at), "source": texts["ways.source_\(sign.source.rawValue)"], "what": sign.what])
    }
}

/// For programs that watch the hub: whether an alarm would be seen to. It names kinds of ways and no people.
enum Readiness {
    static func response(_ sos: SOSService) -> Response {
        let faults = sos.faults, failing = sos.ways.failing
        let lines = [faults.isEmpty ? "ready" : "not ready"] + faults.map(\.description) + failing.map { "failing: \($0.way.kind)" }
        return Response(
            status: faults.isEmpty ? .ok : .serviceUnavailable,
            headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(string: lines.joined(separator: "\n") + "\n")))
    }
}
