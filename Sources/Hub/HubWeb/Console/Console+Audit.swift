import Accounts
import Foundation
import HubServices
import HubStore
import Hummingbird
import Vitals

/// The audit log with a search, for operators (OPS-1). `trackme-hub audit verify` says whether it is whole.
struct ConsoleAuditPages: Sendable {
    let audit: AuditLog
    let accounts: AccountStore
    let templates: Templates

    private static let path = "/operator/audit"

    /// A search as it was typed.
    private struct Typed {
        let action: String, whom: String, until: String
        let before: Int64

        init(_ request: Request) {
            func text(_ name: String) -> String {
                let text = request.uri.queryParameters[Substring(name)].map { $0.replacingOccurrences(of: "+", with: " ") } ?? ""
                return String(text.prefix(ConsoleAuditPages.textMax)).trimmingCharacters(in: .whitespaces)
            }
            (action, whom, until) = (text("action"), text("whom"), text("until"))
            before = request.uri.queryParameters["before"].flatMap { Int64($0) } ?? .max
        }

        func next(before row: Int64) -> String {
            func part(_ name: String, _ text: String) -> String {
                text.isEmpty ? "" : "&\(name)=" + (text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")
            }
            return "\(ConsoleAuditPages.path)?before=\(row)" + part("action", action) + part("whom", whom) + part("until", until)
        }
    }

    /// Characters of a search, at most.
    private static let textMax = 100

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/operator/audit") { request, context in try list(Frame(request, context), Typed(request)) }
    }

    private func list(_ frame: Frame, _ typed: Typed) throws -> Response {
        _ = try frame.session(as: .operator)
        let texts = frame.texts
        var search = AuditSearch(audit), isUnknown = false
        if !typed.action.isEmpty { search.action = typed.action }
        if !typed.until.isEmpty { search.until = Self.end(of: typed.until) }
        if !typed.whom.isEmpty {
            search.account = try account(typed.whom)
            isUnknown = search.account == nil
        }
        let found = isUnknown ? [] : try search.lines(before: typed.before, count: AuditSearch.pageMax + 1)
        let shown = found.prefix(AuditSearch.pageMax)
        var names: [AccountID: String] = [:]
        let lines = try shown.map { line in
            ConsoleAuditPage.Line(
                number: texts.number(Int(clamping: line.number)), time: texts.instant(line.time), action: line.action,
                by: try line.actor.map { try name($0, &names) } ?? texts["console.hubItself"],
                on: try line.subject.map { try name($0, &names) })
        }
        let page = ConsoleAuditPage(
            action: typed.action, whom: typed.whom, until: typed.until, isEmpty: lines.isEmpty, lines: lines,
            more: found.count > shown.count ? shown.last.map { typed.next(before: $0.number) } : nil)
        return templates.page(page, frame, title: texts["console.audit"], help: "console")
    }

    /// An address, a user name, or an identifier.
    private func account(_ text: String) throws -> AccountID? {
        if let id = AccountID(text.lowercased()) { return id }
        return try accounts.account(email: (try? EmailAddress(text))?.canonical ?? text.lowercased())?.id
    }

    /// The name, and the identifier of who has none (any more).
    private func name(_ id: AccountID, _ names: inout [AccountID: String]) throws -> String {
        if let known = names[id] { return known }
        let account = try accounts.account(id)
        let name = account.map { $0.name.isEmpty ? $0.email : $0.name } ?? id.description
        names[id] = name
        return name
    }

    /// The end of a day of the hub's clock, `YYYY-MM-DD`; nil for what is no day.
    static func end(of day: String) -> Milliseconds? { MaintenancePages.instant("\(day)T00:00").map { $0 + 86_400_000 } }
}

struct ConsoleAuditPage: FramedPage {
    static let template = "consoleAudit"

    struct Line: TemplateModel {
        let number: String, time: String, action: String, by: String
        /// nil where it was done to nobody.
        var on: String?
    }

    /// As it was typed.
    let action: String, whom: String, until: String
    let isEmpty: Bool
    let lines: [Line]
    /// The address of the next page.
    var more: String?
}
