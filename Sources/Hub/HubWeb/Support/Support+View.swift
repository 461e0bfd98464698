import Accounts
import HTTPTypes
import HubServices
import HubStore
import Hummingbird

/// Help by whoever runs the hub: a form for everybody, and the operator's page with answers.
struct SupportPages: Sendable {
    let support: SupportService
    let contact: String?
    let templates: Templates
    /// Bounds what strangers can make the hub keep.
    let requests: RequestLimit

    static let path = "/support", operatorPath = "/operator/support"

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/support") { request, context in
            try form(Frame(request, context), values: ["supportTopic": request.uri.queryParameters["topic"].map(String.init) ?? ""])
        }
        router.post("/support") { request, context in try await ask(request, context) }
        router.get("/operator/support") { request, context in try list(Frame(request, context)) }
        router.post("/operator/support/:id/answer") { request, context in try await answer(request, context) }
        router.post("/operator/support/:id/drop") { request, context -> Response in
            let account = try Frame(request, context).session(as: .operator).account
            do { try support.drop(try id(context), by: account) } catch SupportService.Problem.notYours { throw HTTPError(.notFound) }
            return .redirect(to: Self.operatorPath, type: .normal)
        }
    }

    private func id(_ context: HubContext) throws -> Int64 {
        guard let id = Int64(try context.parameters.require("id")) else { throw HTTPError(.notFound) }
        return id
    }

    // MARK: Who asks

    /// nil for a stranger, and for who owes a second factor.
    private static func asker(_ frame: Frame) -> StoredAccount? { frame.session.flatMap { $0.strength == .full ? $0.user : nil } }

    private func form(
        _ frame: Frame, values: [String: String] = [:], problem: SupportService.Problem? = nil, isSent: Bool = false
    ) throws -> Response {
        let texts = frame.texts, account = Self.asker(frame)
        var fields = [FormField(name: "supportTopic", kind: .hidden, label: ""), FormField(name: "supportText", kind: .paragraph)]
        if account == nil {
            fields.append(FormField(name: "supportMail", kind: .email, autocomplete: "email", hint: texts["support.mailHint"]))
        }
        var form = FormModel(action: Self.path, button: texts["support.send"], fields: fields, values: values)
        switch problem {
        case nil, .notYours: break
        case .text(let mistake): form.problems = [("supportText", mistake)]
        case .address(let mistake): form.problems = [("supportMail", mistake)]
        case .tooMany: form.problem = texts["support.tooMany"]
        }
        let own = try account.map { try support.questions(of: $0) } ?? []
        let page = SupportPage(
            good: isSent ? texts[account == nil ? "support.sentMail" : "support.sent"] : nil, contact: contact, form: form.model(texts),
            own: own.isEmpty ? nil : .init(items: own.map { item($0, texts) }))
        return templates.page(
            page, frame, title: texts["support.title"], help: "home", status: problem == nil ? .ok : .unprocessableContent)
    }

    private func ask(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), sent = try await SentForm(request), topic = sent["supportTopic"]
        // Nothing was asked, and nothing is kept: the form says so.
        guard sent["supportText"].isEmpty || requests.take(context.address) else {
            return templates.busy(frame, retryAfter: 60, status: .tooManyRequests)
        }
        do {
            try support.ask(
                sent["supportText"], topic: HomePages.topics.contains(topic) ? topic : "", by: Self.asker(frame),
                address: sent["supportMail"], language: frame.texts.lang)
        } catch let problem as SupportService.Problem { return try form(frame, values: sent.fields, problem: problem) }
        return try form(frame, isSent: true)
    }

    private func item(_ question: SupportQuestion, _ texts: Texts) -> SupportPage.Item {
        SupportPage.Item(
            id: String(question.row), who: question.account?.name ?? question.address ?? "",
            topic: question.topic.isEmpty ? nil : texts["help.\(question.topic)"], time: texts.instant(question.asked),
            text: question.text, answer: question.answer)
    }

    // MARK: The operator

    private func list(
        _ frame: Frame, wrong: (row: Int64, text: String, problem: FieldError)? = nil
    ) throws -> Response {
        let account = try frame.session(as: .operator).account, texts = frame.texts, all = try support.all(for: account)
        let waiting = all.waiting.map { question in
            var item = item(question, texts)
            let name = "supportAnswer\(question.row)", isWrong = wrong?.row == question.row
            var form = FormModel(
                action: "\(Self.operatorPath)/\(question.row)/answer", button: texts["support.answer"],
                fields: [FormField(name: name, kind: .paragraph, label: texts["field.supportAnswer"])])
            if let wrong, isWrong { (form.values, form.problems) = ([name: wrong.text], [(name, wrong.problem)]) }
            item.form = form.model(texts)
            return item
        }
        let page = SupportQuestionsPage(
            isEmpty: waiting.isEmpty, waiting: waiting,
            done: all.answered.isEmpty ? nil : .init(items: all.answered.map { item($0, texts) }))
        return templates.page(
            page, frame, title: texts["support.questions"], help: "home", status: wrong == nil ? .ok : .unprocessableContent)
    }

    private func answer(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), account = try frame.session(as: .operator).account, row = try id(context)
        let sent = try await SentForm(request), text = sent["supportAnswer\(row)"]
        do { try support.answer(row, text, by: account) } catch SupportService.Problem.text(let problem) {
            return try list(frame, wrong: (row, text, problem))
        } catch SupportService.Problem.notYours { throw HTTPError(.notFound) }
        return .redirect(to: Self.operatorPath, type: .normal)
    }
}

struct SupportPage: FramedPage {
    static let template = "support"

    /// A question as a page shows it.
    struct Item: TemplateModel {
        let id: String, who: String
        var topic: String?
        let time: String, text: String
        var answer: String?
        /// The operator's, to answer it.
        var form: FormPart?
    }

    struct Items: TemplateModel {
        let items: [Item]
    }

    var good: String?
    /// How else whoever runs the hub is reached.
    var contact: String?
    let form: FormPart
    var own: Items?
}

/// The operator's page.
struct SupportQuestionsPage: FramedPage {
    static let template = "supportQuestions"

    let isEmpty: Bool
    let waiting: [SupportPage.Item]
    var done: SupportPage.Items?
}
