import Accounts
import Foundation
import HubServices
import HubStore
import Hummingbird
import Seams
import Vitals

/// How the hub itself is: room, rates, backups, certificates (OPS-1).
struct HubState: Sendable {
    let room: HubRoom
    let certificates: HubCertificates
    let isTLS: Bool
    let rate: IngestRate
    let boxes: BoxConditions
    let sos: SOSService
    let now: @Sendable () -> Milliseconds

    /// Rates are told on the average of so many minutes.
    static let rateMinutes: Int64 = 15
    private static let day: Milliseconds = 86_400_000
    /// Days before the end of a certificate from which it is bad.
    private static let certificateBad: Milliseconds = 3 * day

    /// When the certificate that browsers see ends, UTC milliseconds; nil without TLS.
    var certificateEnd: Milliseconds? { isTLS ? certificates.end.map { Milliseconds($0.timeIntervalSince1970 * 1000) } : nil }

    var roomLevel: StateLevel { room.room?.level ?? .warn }
    var backupLevel: StateLevel { HubRoom.level(ofBackup: room.lastBackup(), now: now()) }

    var certificateLevel: StateLevel {
        guard let end = certificateEnd else { return .good }
        let left = end - now()
        return left < Self.certificateBad ? .bad : left < Milliseconds(HubCertificates.warnsBefore * 1000) ? .warn : .good
    }

    var watchLevel: StateLevel { sos.faults.isEmpty ? .good : .bad }

    /// The worst of all.
    var level: StateLevel { [roomLevel, backupLevel, certificateLevel, watchLevel].max() ?? .good }
}

/// The page of it.
struct ConsoleStatePages: Sendable {
    let state: HubState
    let templates: Templates

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/operator/state") { request, context in
            let frame = Frame(request, context)
            _ = try frame.session(as: .operator)
            let texts = frame.texts, asOf = texts.filled("care.asOf", ["time": texts.instant(state.now())])
            let page = ConsoleStatePage(parts: [watch(texts), disk(texts), rates(texts), backup(texts), certificate(texts)], asOf: asOf)
            return templates.page(page, frame, title: texts["console.state"], help: "console")
        }
    }

    private func part(_ name: String, _ level: StateLevel?, _ facts: [Fact], _ texts: Texts, said: [String] = []) -> ConsoleStatePage.Part {
        .init(
            name: texts["console.state_\(name)"], level: level?.rawValue ?? "",
            value: level.map { texts["console.level_\($0.rawValue)"] } ?? "", said: said, facts: facts)
    }

    private func watch(_ texts: Texts) -> ConsoleStatePage.Part {
        // As the log has them, in English.
        part("watch", state.watchLevel, [], texts, said: state.sos.faults.map(\.description))
    }

    private func disk(_ texts: Texts) -> ConsoleStatePage.Part {
        var facts: [Fact] = []
        if let room = state.room.room {
            facts.append(
                Fact(
                    label: texts["console.free"],
                    value: texts.filled(
                        "console.freeOf",
                        ["free": Self.size(Int(clamping: room.free), texts), "total": Self.size(Int(clamping: room.size), texts)])))
        }
        facts += state.room.databases().map { Fact(label: $0.name, value: Self.size($0.bytes, texts)) }
        return part("disk", state.roomLevel, facts, texts)
    }

    /// In GB, or in MB where that is less than one, with one digit behind the language's mark.
    static func size(_ bytes: Int, _ texts: Texts) -> String {
        guard bytes >= 1_000_000_000 else { return texts.megabytes(bytes) }
        let tenths = bytes / 100_000_000
        return "\(texts.number(tenths / 10))\(texts["date.decimal"])\(tenths % 10) GB"
    }

    private func rates(_ texts: Texts) -> ConsoleStatePage.Part {
        let time = state.now(), rate = state.rate.average(over: HubState.rateMinutes, now: time), boxes = state.boxes.counts(now: time)
        return part(
            "rates", nil,
            [
                Fact(label: texts["console.batches"], value: texts.decimal(rate.batches, 1)),
                Fact(label: texts["console.samples"], value: texts.decimal(rate.samples, 1)),
                Fact(label: texts["console.boxesHeard"], value: texts.number(boxes.heard)),
                Fact(label: texts["console.boxesOfThemSilent"], value: texts.number(boxes.silent)),
            ], texts)
    }

    private func backup(_ texts: Texts) -> ConsoleStatePage.Part {
        let last = state.room.lastBackup()
        return part(
            "backup", state.backupLevel, last.map { [Fact(label: texts["console.backupLast"], value: texts.instant($0))] } ?? [], texts,
            said: last == nil ? [texts["console.noBackup"]] : state.backupLevel == .bad ? [texts["console.oldBackup"]] : [])
    }

    private func certificate(_ texts: Texts) -> ConsoleStatePage.Part {
        guard let end = state.certificateEnd else {
            return part("certificate", nil, [], texts, said: [texts["console.noTLS"]])
        }
        let days = Int(clamping: max(0, end - state.now()) / 86_400_000)
        return part(
            "certificate", state.certificateLevel,
            [
                Fact(label: texts["console.ends"], value: texts.instant(end)),
                Fact(label: texts["console.left"], value: texts.counted("console.days", days)),
                Fact(
                    label: texts["console.issuer"],
                    value: texts[state.certificates.authority == nil ? "console.issuerOther" : "console.issuerOwn"]),
            ], texts)
    }
}

struct ConsoleStatePage: FramedPage {
    static let template = "consoleState"

    struct Part: TemplateModel {
        let name: String
        /// That of a badge; empty where nothing is judged.
        let level: String
        let value: String
        let said: [String]
        let facts: [Fact]
    }

    let parts: [Part]
    let asOf: String
}
