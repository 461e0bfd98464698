import Accounts
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Runs
import Vitals

/// New runs that wait for an operator, with the permission of an authority (`hub.runs.check`, OPS-1).
struct ConsoleRunPages: Sendable {
    let checks: RunChecks
    let accounts: AccountStore
    let templates: Templates

    private static let path = "/operator/runs"

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/operator/runs") { request, context in try list(Frame(request, context)) }
        router.post("/operator/runs/:id/:decision") { request, context in try await decide(request, context) }
    }

    private func decide(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), account = try frame.session(as: .operator).account, sent = try await SentForm(request)
        guard let id = RunID(try context.parameters.require("id")) else { throw HTTPError(.notFound) }
        let seen = Int(sent["seen"]) ?? -1
        do {
            switch try context.parameters.require("decision") {
            case "accept": try checks.accept(id, revision: seen, by: account)
            case "refuse": try checks.refuse(id, revision: seen, reason: sent["runRefusal"], by: account)
            default: throw HTTPError(.notFound)
            }
        } catch RunChecks.Problem.changed {
            return try list(frame, problem: frame.texts["console.runChanged"], status: .conflict)
        } catch RunChecks.Problem.reason(let mistake) {
            let text = "\(frame.texts["field.runRefusal"]): \(FormModel.text(mistake, frame.texts))"
            return try list(frame, problem: text, status: .unprocessableContent)
        }
        return .redirect(to: Self.path, type: .normal)
    }

    private func list(_ frame: Frame, problem: String? = nil, status: HTTPResponse.Status = .ok) throws -> Response {
        let account = try frame.session(as: .operator).account, texts = frame.texts
        let items = try checks.waiting(for: account).map { item in
            let run = item.run, organiser = try run.organiser.flatMap { try accounts.account($0) }
            return ConsoleRunsPage.Item(
                id: run.id.description, code: run.code, seen: String(run.revision), name: run.plan.name,
                facts: [
                    Fact(
                        label: texts["console.organiser"], value: organiser.map { "\($0.name), \($0.email)" } ?? texts["console.nameless"]),
                    Fact(label: texts["console.runStarts"], value: texts.instant(run.plan.starts, in: run.plan.timeZone)),
                    Fact(label: texts["console.runMost"], value: texts.number(run.plan.most)),
                    Fact(label: texts["console.runAsked"], value: texts.instant(item.asked)),
                ], hasDocument: item.hasDocument)
        }
        let page = ConsoleRunsPage(
            problem: problem, rule: texts["console.rule_\(checks.rule.rawValue)"], isEmpty: items.isEmpty, items: items)
        return templates.page(page, frame, title: texts["console.runs"], help: "console", status: status)
    }
}

struct ConsoleRunsPage: FramedPage {
    static let template = "consoleRuns"

    struct Item: TemplateModel {
        let id: String, code: String, seen: String, name: String
        let facts: [Fact]
        let hasDocument: Bool
    }

    var problem: String?
    /// Which runs wait here.
    let rule: String
    let isEmpty: Bool
    let items: [Item]
}
