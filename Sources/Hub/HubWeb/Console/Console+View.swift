import Accounts
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Vitals

/// The first page of the console: everything that an operator looks after, each with how it is (OPS-1).
struct ConsolePages: Sendable {
    static let path = "/operator"

    let counts: ConsoleCounts
    let state: HubState
    let boxes: BoxConditions
    let accounts: AccountStore
    let planned: PlannedMaintenance
    let service: AccountService
    let templates: Templates
    let now: @Sendable () -> Milliseconds

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/operator") { request, context in
            let frame = Frame(request, context)
            _ = try frame.session(as: .operator)
            return templates.page(try page(frame.texts), frame, title: frame.texts["console.title"], help: "console")
        }
        router.get("/operator/events") { request, context in
            let account = try Frame(request, context).session(as: .operator).account
            return Self.events(counts.sos, service, account, request)
        }
    }

    /// Wakes a page of the console with each change of any case.
    static func events(_ sos: SOSService, _ service: AccountService, _ account: StoredAccount, _ request: Request) -> Response {
        SOSEvents.response(sos.pages, SOSBus.everybody) {
            request.cookies[Sessions.cookie].flatMap { try? service.session($0.value) }?.account.id == account.id
        }
    }

    private func page(_ texts: Texts) throws -> ConsolePage {
        let asOf = texts.filled("care.asOf", ["time": texts.instant(now())])
        return ConsolePage(tiles: try urgent(texts) + waiting(texts) + rest(texts), asOf: asOf)
    }

    private func tile(_ path: String, _ name: String, _ texts: Texts, _ level: StateLevel?, _ value: String, _ about: String? = nil)
        -> ConsolePage.Tile
    {
        .init(
            href: path, name: texts["console.\(name)"], level: level?.rawValue ?? "", value: value,
            about: about ?? texts["console.about_\(name)"])
    }

    /// A tile with a number: something is to be done where it is not 0.
    private func counted(_ path: String, _ name: String, _ count: Int, _ texts: Texts) -> ConsolePage.Tile {
        tile(path, name, texts, count > 0 ? .warn : .good, texts.number(count))
    }

    private func urgent(_ texts: Texts) throws -> [ConsolePage.Tile] {
        let open = counts.sos.views.countsOfOpen, failing = counts.sos.ways.failing.count,
            unreached = counts.sos.reachability.unreached.count
        let silent = boxes.counts(now: now()).silent
        return [
            tile(
                "/operator/alarms", "alarms", texts, open.ownerless > 0 ? .bad : open.all > 0 ? .warn : .good, texts.number(open.all),
                open.ownerless > 0 ? texts.counted("console.ownerless", open.ownerless) : nil),
            tile(
                WaysPages.path, "ways", texts, failing > 0 ? .bad : .good, texts.number(failing),
                unreached > 0 ? texts.counted("ways.people", unreached) : nil),
            counted("/operator/boxes?silent=1", "silent", silent, texts),
            counted("/operator/messages", "messages", try counts.mails.countLately(), texts),
        ]
    }

    private func waiting(_ texts: Texts) throws -> [ConsolePage.Tile] {
        [
            counted("/operator/requests", "requests", try accounts.consents.countAwaitingOperator(), texts),
            counted("/operator/groups", "groups", try accounts.consents.groupRequests.countAwaitingOperator(), texts),
            counted("/operator/runs", "runs", try counts.checks.countWaiting(), texts),
            tile("/operator/services", "services", texts, nil, ""),
            tile("/operator/organisations", "organisations", texts, nil, ""),
            tile("/operator/hospitals", "hospitals", texts, nil, ""),
        ]
    }

    private func rest(_ texts: Texts) -> [ConsolePage.Tile] {
        let level = state.level, next = planned.next
        return [
            tile("/operator/state", "state", texts, level, texts["console.level_\(level.rawValue)"]),
            tile(
                "/operator/maintenance", "maintenance", texts, nil, "",
                next.map { texts.filled("maintenance.window", ["from": texts.instant($0.begin), "to": texts.instant($0.end)]) }),
            tile("/operator/people", "people", texts, nil, ""),
            tile("/operator/boxes", "boxes", texts, nil, ""),
            tile(AddressPages.path, "addresses", texts, nil, ""),
            tile("/operator/audit", "audit", texts, nil, ""),
        ]
    }
}

struct ConsolePage: FramedPage {
    static let template = "console"

    struct Tile: TemplateModel {
        let href: String, name: String
        /// That of a badge; empty where nothing is counted.
        let level: String
        let value: String, about: String
    }

    let tiles: [Tile]
    let asOf: String
}
