import Accounts
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Vitals

/// Accounts for operators: a list with a search, and each account with its boxes and with help for logging in (OPS-1).
struct ConsolePeoplePages: Sendable {
    let store: ConsoleStore
    let help: LogInHelp
    let helps: LogInHelpStore
    let accounts: AccountStore
    let boxes: BoxConditions
    let templates: Templates
    let now: @Sendable () -> Milliseconds

    private static let path = "/operator/people"

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/operator/people") { request, context in try list(Frame(request, context), ConsoleQuery(request)) }
        router.get("/operator/people/:id") { request, context in
            let done = request.uri.queryParameters["done"].flatMap { LogInHelpStore.Act(rawValue: String($0)) }
            return try page(Frame(request, context), Self.id(context), done: done)
        }
        router.post("/operator/people/:id/:act") { request, context in try await act(request, context) }
    }

    private static func id(_ context: HubContext) throws -> AccountID {
        guard let id = AccountID(try context.parameters.require("id")) else { throw HTTPError(.notFound) }
        return id
    }

    // MARK: The list

    private func list(_ frame: Frame, _ query: ConsoleQuery) throws -> Response {
        _ = try frame.session(as: .operator)
        let texts = frame.texts, (found, next) = try find(query)
        let items = try found.map { account in
            let states = [
                account.confirmed == nil ? texts["console.unconfirmed"] : nil,
                try helps.lockedSince(account) == nil ? nil : texts["console.locked"],
            ].compactMap(\.self)
            return ConsolePeoplePage.Item(
                href: "\(Self.path)/\(account.id)", name: account.name.isEmpty ? texts["console.nameless"] : account.name,
                email: account.email, roles: Self.roles(account, texts), states: states)
        }
        let page = ConsolePeoplePage(
            q: query.text, isEmpty: items.isEmpty && next == nil, items: items, more: next.map { query.next(Self.path, after: $0) })
        return templates.page(page, frame, title: texts["console.people"], help: "console")
    }

    /// An address, a user name or an identifier leads to its account at once; other words are looked for in names and addresses.
    private func find(_ query: ConsoleQuery) throws -> ([StoredAccount], Int64?) {
        let text = query.text.lowercased()
        if let id = AccountID(text) { return (try accounts.account(id).map { [$0] } ?? [], nil) }
        if !text.isEmpty, let account = try accounts.account(email: (try? EmailAddress(text))?.canonical ?? text) {
            return ([account], nil)
        }
        let page = try store.people(with: query.words, after: query.after)
        return (page.items, page.next)
    }

    static func roles(_ account: StoredAccount, _ texts: Texts) -> String {
        Role.allCases.filter(account.roles.contains).map { texts["console.role_\($0.rawValue)"] }.joined(separator: ", ")
    }

    // MARK: One of them

    private func act(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), account = try frame.session(as: .operator).account, sent = try await SentForm(request)
        let id = try Self.id(context)
        guard let act = LogInHelpStore.Act(rawValue: try context.parameters.require("act")) else { throw HTTPError(.notFound) }
        do { try help.act(act, on: id, proof: sent["helpProof"], by: account) } catch let problem as LogInHelp.Problem {
            if problem == .unknown { throw HTTPError(.notFound) }
            return try page(frame, id, values: sent.fields, problem: problem)
        }
        return .redirect(to: "\(Self.path)/\(id)?done=\(act.rawValue)", type: .normal)
    }

    private func page(
        _ frame: Frame, _ id: AccountID, done: LogInHelpStore.Act? = nil, values: [String: String] = [:],
        problem: LogInHelp.Problem? = nil
    ) throws -> Response {
        let account = try frame.session(as: .operator).account, texts = frame.texts
        let facts: LogInHelp.Facts
        do { facts = try help.facts(of: id, for: account) } catch LogInHelp.Problem.unknown { throw HTTPError(.notFound) }
        var form = FormModel(
            action: "\(Self.path)/\(id)/\(facts.lockedSince == nil ? "lock" : "unlock")",
            button: texts[facts.lockedSince == nil ? "console.lock" : "console.unlock"],
            fields: [FormField(name: "helpProof", kind: .paragraph, hint: texts["console.proofHint"])], values: values)
        var said: String?
        switch problem {
        case nil: break
        case .proof(let mistake): form.problems = [("helpProof", mistake)]
        case .some(let other): said = texts["console.problem_\(Self.name(other))"]
        }
        var page = ConsolePersonPage(
            good: done.map { texts["console.done_\($0.rawValue)"] }, problem: said, id: id.description, facts: lines(facts, texts),
            hasBoxes: !facts.boxes.isEmpty, boxes: facts.boxes.map { ConsoleBox($0, boxes.last(of: $0.agent.id), [], texts, now()) },
            hasDone: !facts.done.isEmpty, done: try facts.done.map { try line($0, texts) })
        if facts.account.id != account.id {
            page.aid = .init(
                form: form.model(texts), isLocked: facts.lockedSince != nil, hasFactor: facts.hasFactor,
                resend: facts.account.hasMail
                    ? texts[facts.account.confirmed == nil ? "console.resendConfirm" : "console.resendReset"] : nil
            )
        }
        let name = facts.account.name.isEmpty ? texts["console.nameless"] : facts.account.name
        return templates.page(page, frame, title: name, help: "console", status: problem == nil ? .ok : .unprocessableContent)
    }

    private static func name(_ problem: LogInHelp.Problem) -> String {
        switch problem {
        case .notYours, .unknown, .proof: "already"
        case .own: "own"
        case .already: "already"
        case .lately: "lately"
        case .handedOver: "handedOver"
        case .noMailbox: "noMailbox"
        }
    }

    private func lines(_ facts: LogInHelp.Facts, _ texts: Texts) -> [Fact] {
        let account = facts.account
        var factors = facts.hasOneTime ? [texts["console.oneTime"]] : []
        if facts.passkeys > 0 { factors.append(texts.counted("console.passkeys", facts.passkeys)) }
        if facts.hasFactor { factors.append(texts.counted("console.recovery", facts.recoveryCodes)) }
        var lines = [
            Fact(label: texts["field.email"], value: account.email),
            Fact(label: texts["console.roles"], value: Self.roles(account, texts)),
            Fact(label: texts["console.made"], value: texts.instant(account.created)),
            Fact(label: texts["console.confirmedAt"], value: account.confirmed.map(texts.instant) ?? texts["console.unconfirmed"]),
            Fact(label: texts["console.factors"], value: factors.isEmpty ? texts["console.noFactor"] : factors.joined(separator: ", ")),
            Fact(label: texts["console.sessions"], value: texts.number(facts.sessions)),
        ]
        if let since = facts.lockedSince { lines.append(Fact(label: texts["console.lockedSince"], value: texts.instant(since))) }
        return lines
    }

    private func line(_ done: LogInHelpStore.Done, _ texts: Texts) throws -> ConsolePersonPage.Done {
        let name = try accounts.account(done.by)?.name ?? texts["console.nameless"]
        return .init(
            time: texts.moment(done.time, now: now()), what: texts.filled("console.did_\(done.act.rawValue)", ["name": name]),
            proof: done.proof)
    }
}

struct ConsolePeoplePage: FramedPage {
    static let template = "consolePeople"

    struct Item: TemplateModel {
        let href: String, name: String, email: String, roles: String
        let states: [String]
    }

    let q: String
    let isEmpty: Bool
    let items: [Item]
    /// The address of the next page.
    var more: String?
}

struct ConsolePersonPage: FramedPage {
    static let template = "consolePerson"

    /// What the reader may do for the account.
    struct Help: TemplateModel {
        let form: FormPart
        let isLocked: Bool
        let hasFactor: Bool
        /// The words of the button that mails a link; nil where there is no mailbox.
        var resend: String?
    }

    struct Done: TemplateModel {
        let time: String, what: String, proof: String
    }

    var good: String?
    var problem: String?
    let id: String
    let facts: [Fact]
    let hasBoxes: Bool
    let boxes: [ConsoleBox]
    let hasDone: Bool
    let done: [Done]
    /// nil for the reader's own account.
    var aid: Help?
}
