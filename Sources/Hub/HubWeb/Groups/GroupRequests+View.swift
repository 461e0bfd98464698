import Accounts
import Groups
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import NIOCore
import Runs
import Vitals

/// How an organisation asks about groups, what it got, and how an operator looks at the first question of each kind (GRP-1, GRP-5, CONS-9,
/// CONS-11). All of it works without script.
struct GroupPages: Sendable {
    let requests: GroupRequests
    let notices: NoticeStore
    let links: DownloadLinks
    let limit: RequestLimit
    let templates: Templates
    let map: HubConfiguration.Map
    /// Whether the hub closes windows.
    let isClosing: Bool
    /// A year of windows takes its time.
    let reads: ReadPool<OrganisationID>

    static let help = "groups"

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/groups") { request, context in
            try history(Frame(request, context), before: request.uri.queryParameters["before"].flatMap { Int64($0) })
        }
        router.get("/groups/ask") { request, context in try form(Frame(request, context)) }
        router.post("/groups/ask") { request, context -> Response in
            let frame = Frame(request, context)
            _ = try frame.session(as: .organisation)
            return try preview(frame, try await SentForm(request).fields)
        }
        router.post("/groups") { request, context -> Response in
            let frame = Frame(request, context)
            let account = try frame.session(as: .organisation).account, sent = try await SentForm(request).fields
            return try await reads.run(for: OrganisationID(account.id)) { try ask(frame, sent) }
        }
        router.get("/groups/:id") { request, context in try result(request, Frame(request, context), context) }
        router.get("/groups/:id/download") { request, context in try download(request, Frame(request, context), context) }
        router.post("/groups/:id/mail") { request, context in try mail(Frame(request, context), context) }
        router.get("/groups/:id/mailed/:token") { request, context in try mailed(Frame(request, context), context) }
        router.post("/groups/:id/end") { request, context in try end(Frame(request, context), context) }
        router.get("/operator/groups") { request, context in try waiting(Frame(request, context)) }
        router.post("/operator/groups/:id/:decision") { request, context in try await decide(request, Frame(request, context), context) }
    }

    func words(_ frame: Frame) -> GroupWords { GroupWords(texts: frame.texts, list: requests.snapping.list) }

    /// A request of this organisation's.
    func own(_ frame: Frame, _ context: HubContext) throws -> (account: StoredAccount, stored: StoredGroupRequest, windows: [GroupDelivery])
    {
        let account = try frame.session(as: .organisation).account
        guard let id = GroupRequestID(try context.parameters.require("id")),
            let (stored, windows) = try requests.request(id, of: OrganisationID(account.id))
        else { throw PageRefusal.notAllowed }
        return (account, stored, windows)
    }

    // MARK: Asking

    private func form(
        _ frame: Frame, values: [String: String] = ["past": "1", "term": "once"], said: [(field: String, text: String)] = [],
        problem: String? = nil, became: GroupAskPage.Became? = nil, status: HTTPResponse.Status = .ok
    ) throws -> Response {
        let account = try frame.session(as: .organisation).account, texts = frame.texts
        let form = GroupForm(snapping: requests.snapping, texts: texts)
        let model = FormModel(
            action: "/groups/ask", button: texts["groupAsk.show"], fields: form.fields(requests.budget.window), values: values, said: said,
            problem: problem)
        let left = try requests.doorLeft(of: OrganisationID(account.id))
        // What was released while the hub closed windows is answered still.
        let isOff = try requests.snapping.kinds.isEmpty || (!isClosing && requests.answers.newest() == nil)
        let page = GroupAskPage(
            form: model.model(texts), became: became, isOff: isOff,
            doorLeft: texts.counted("groupAsk.doorLeft", left), mapConfig: try PlacesMap(map: map).configuration(texts))
        return templates.page(page, frame, title: texts["groupAsk.title"], help: Self.help, status: status)
    }

    /// What was typed, as what it becomes: nothing is asked yet.
    private func preview(_ frame: Frame, _ sent: [String: String]) throws -> Response {
        let texts = frame.texts, form = GroupForm(snapping: requests.snapping, texts: texts)
        do {
            let ask = try form.ask(sent)
            guard let (term, past) = GroupForm.span(sent) else {
                return try self.form(frame, values: sent, said: [("term", texts["mistake.notAChoice"])], status: .unprocessableContent)
            }
            let request = try GroupRequest(
                ask: ask, purpose: sent["requestPurpose"] ?? "", term: term, past: past, mails: sent["mails"] == "1", created: requests.now)
            return try self.form(frame, values: sent, became: became(request, sent, frame))
        } catch let problems as GroupForm.Problems {
            return try self.form(frame, values: sent, said: problems.said, status: .unprocessableContent)
        } catch let problem as GroupRequest.Problem {
            return try self.form(
                frame, values: sent, said: [("requestPurpose", words(frame).problem(problem))], status: .unprocessableContent)
        }
    }

    private func became(_ request: GroupRequest, _ sent: [String: String], _ frame: Frame) -> GroupAskPage.Became {
        let words = words(frame), ask = request.ask
        var fields = ask.fields
        for name in ["requestPurpose", "term", "past", "mails"] { fields[name] = sent[name] }
        let middles = requests.snapping.middles(of: ask)
        let points = middles.prefix(GroupAskPage.pointsMax).map { code, middle in
            PlacesMap.Point(
                kind: .here, name: requests.snapping.list[code]?.name ?? code.text, latitude: Double(middle.latitude) / 1e7,
                longitude: Double(middle.longitude) / 1e7, text: code.text, isQuiet: true
            ).model
        }
        return GroupAskPage.Became(
            lines: words.lines(ask), sure: requests.sure(ask).map { words.sure($0, ask) },
            note: frame.texts[ask.needsDoor ? "groupAsk.doorNote" : "groupAsk.cubeNote"],
            fields: fields.sorted { $0.key < $1.key }.map { .init(name: $0.key, value: $0.value) }, hasPoints: !points.isEmpty,
            points: Array(points))
    }

    private func ask(_ frame: Frame, _ sent: [String: String]) throws -> Response {
        let account = try frame.session(as: .organisation).account
        do {
            let ask = try GroupAsk(fields: sent, requests.snapping)
            guard let (term, past) = GroupForm.span(sent) else { throw GroupRequest.Problem.termOutOfRange }
            let stored = try requests.ask(
                ask, purpose: sent["requestPurpose"] ?? "", term: term, past: past, mails: sent["mails"] == "1", by: account)
            return .redirect(to: "/groups/\(stored.id)", type: .normal)
        } catch let problem as GroupAsk.Problem {
            return try form(frame, problem: words(frame).problem(problem), status: .unprocessableContent)
        } catch let problem as GroupRequest.Problem {
            return try form(frame, problem: words(frame).problem(problem), status: .unprocessableContent)
        } catch GroupRequestProblem.alreadyAsked(let id) {
            return .redirect(to: "/groups/\(id)", type: .normal)
        } catch let problem as GroupRequestProblem {
            return try form(frame, problem: words(frame).problem(problem), status: .conflict)
        }
    }

    private func end(_ frame: Frame, _ context: HubContext) throws -> Response {
        let (account, stored, _) = try own(frame, context)
        do { try requests.end(stored.id, by: OrganisationID(account.id)) } catch GroupRequestProblem.over {
            // It ended a moment ago, which is what was wanted.
        }
        return .redirect(to: "/groups/\(stored.id)", type: .normal)
    }

    // MARK: What was asked

    private func history(_ frame: Frame, before: Int64?) throws -> Response {
        let account = try frame.session(as: .organisation).account, words = words(frame)
        let page = try requests.history(of: OrganisationID(account.id), before: before)
        let items = page.items.map { stored in
            let state = stored.state(at: requests.now)
            return GroupsPage.Item(
                id: stored.id.description, kinds: words.kinds(stored.request.ask.kinds), who: words.who(stored.request.ask),
                term: words.term(stored.request), purpose: stored.request.purpose, state: words.state(state),
                isOver: state.isOver || !frame.mayAsk)
        }
        return templates.page(
            GroupsPage(
                mayAsk: frame.mayAsk, isEmpty: items.isEmpty && page.unreadable == 0, items: items, next: page.next.map { String($0) }),
            frame,
            title: frame.texts["groupAsk.history"], help: Self.help)
    }

    private func download(_ request: Request, _ frame: Frame, _ context: HubContext) throws -> Response {
        let (_, stored, windows) = try own(frame, context), format = request.uri.queryParameters["format"]
        guard format == "csv" || format == "json" else { throw HTTPError(.badRequest) }
        let document = GroupDocument(stored, list: requests.snapping.list)
        let bytes = format == "csv" ? document.csv(windows) : try document.json(windows, now: requests.now)
        return Response(
            status: .ok,
            headers: [
                .contentType: format == "csv" ? "text/csv; charset=utf-8; header=present" : "application/json", .cacheControl: "no-store",
                .contentDisposition: "attachment; filename=\"trackme-group-\(stored.id.description.prefix(8)).\(format ?? "")\"",
            ], body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    private func mail(_ frame: Frame, _ context: HubContext) throws -> Response {
        let (account, stored, _) = try own(frame, context)
        guard limit.take("mail \(account.id)") else {
            var response = templates.notice("downloads.many", frame, help: Self.help, status: .tooManyRequests)
            response.headers[.retryAfter] = "60"
            return response
        }
        let token = links.token(stored.id, of: account.id, now: requests.now)
        try notices.addMail(
            "group.download", ["request": stored.id.description, "token": token], to: frame.session?.user ?? account, now: requests.now)
        return templates.notice("groupAsk.sent", frame, help: Self.help)
    }

    private func mailed(_ frame: Frame, _ context: HubContext) throws -> Response {
        let account = try frame.session(as: .organisation).account
        guard let id = GroupRequestID(try context.parameters.require("id")),
            links.isGood(try context.parameters.require("token"), id, of: account.id, now: requests.now)
        else { return templates.notice("groupAsk.linkOver", frame, help: Self.help, status: .gone) }
        _ = try own(frame, context)
        return .redirect(to: "/groups/\(id)", type: .normal)
    }
}

extension GroupRequest.State {
    var isOver: Bool {
        if case .over = self { true } else { false }
    }
}
