import Accounts
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Logging
import NIOCore
import Vitals
import WebPush

/// The page of notices: what there is, how it is told, and the browsers to which it is pushed (CONS-2, ACC-15).
struct NoticesPages: Sendable {
    let store: NoticeStore
    let consents: ConsentStore
    let pushes: PushStore
    let devices: PushDevices
    let templates: Templates
    /// The hub's public key, for browsers.
    let key: String
    let logger: Logger
    let now: @Sendable () -> Milliseconds

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/notices") { request, context in try page(Frame(request, context)) }
        router.get("/notices/:id") { request, context in try open(request, context) }
        router.post("/notices/seen") { request, context in
            try store.noticesSeen(of: try Frame(request, context).session().account, now: now())
            return Response.redirect(to: "/notices", type: .normal)
        }
        router.post("/notices/ways") { request, context in try await choose(request, context) }
        router.post("/notices/devices") { request, context in try await add(request, context) }
        router.post("/notices/devices/:id/remove") { request, context in
            let account = try Frame(request, context).session().account
            guard let row = Int64(try context.parameters.require("id")), try pushes.removePushDevice(row, of: account) else {
                throw PageRefusal.notAllowed
            }
            return Response.redirect(to: "/notices#devices", type: .normal)
        }
        // At the root, so that it may show notices of the whole site.
        router.get("/sw.js") { request, _ in Assets.response(to: request, with: "sw.js") }
    }

    private func page(_ frame: Frame) throws -> Response {
        let account = try frame.session().account
        let notices = try store.notices(of: account, count: 50)
        let model = NoticesModel(
            zone: try store.zone(of: account), notices: notices, asked: try consents.consents(notices.compactMap(\.asks)), now: now(),
            ways: try store.noticeWays(of: account),
            devices: try pushes.pushDevices(of: account), roles: account.roles)
        return templates.page(model.model(frame.texts, key: key), frame, title: frame.texts["notices.title"], help: "notices")
    }

    /// What a notice or a notification leads to: it counts as read from now on.
    private func open(_ request: Request, _ context: HubContext) throws -> Response {
        let account = try Frame(request, context).session().account
        guard let row = Int64(try context.parameters.require("id")), let notice = try store.notice(row, of: account) else {
            throw HTTPError(.notFound)
        }
        try store.noticesSeen(row, of: account, now: now())
        return .redirect(
            to: notice.kind?.path(account.roles, notice.arguments) ?? (notice.name.hasPrefix("account.") ? "/security" : "/notices"),
            type: .normal)
    }

    private func choose(_ request: Request, _ context: HubContext) async throws -> Response {
        let account = try Frame(request, context).session().account, sent = try await SentForm(request)
        try store.setNoticeWays(NoticesModel.ways(sent.fields, account.roles), of: account)
        return .redirect(to: "/notices#ways", type: .normal)
    }

    /// From the page's script, which goes on by the status.
    private func add(_ request: Request, _ context: HubContext) async throws -> Response {
        let session = try Frame(request, context).session(), sent = try await SentForm(request)
        do {
            let name = FactorDevice.name(request.headers[.userAgent] ?? "")
            try devices.add(sent["subscription"], name: name, to: session.account, session: session.hash, now: now())
            return Response(status: .created)
        } catch let problem as PushProblem {
            logger.warning("a browser's address for notices was refused: \(problem)")
            return Response(status: .unprocessableContent)
        }
    }
}
