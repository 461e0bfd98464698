import Accounts
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Vitals

/// Mails that were given up, and text messages that did not leave (OPS-1). What they say is not shown.
struct ConsoleMessagePages: Sendable {
    let mails: FailedMails
    let texts: FailedTexts
    let templates: Templates

    private static let path = "/operator/messages"

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/operator/messages") { request, context in
            let before = request.uri.queryParameters["before"].flatMap { Int64($0) } ?? .max
            return try list(Frame(request, context), before: before)
        }
        router.post("/operator/messages/:id/:act") { request, context -> Response in
            let account = try Frame(request, context).session(as: .operator).account
            guard let row = Int64(try context.parameters.require("id")) else { throw HTTPError(.notFound) }
            let isDone =
                switch try context.parameters.require("act") {
                case "send": try mails.sendAgain(row, by: account)
                case "put-aside": try mails.putAside(row, by: account)
                default: false
                }
            guard isDone else { throw HTTPError(.notFound) }
            return .redirect(to: Self.path, type: .normal)
        }
    }

    private func list(_ frame: Frame, before row: Int64) throws -> Response {
        _ = try frame.session(as: .operator)
        let words = frame.texts, (found, next) = try mails.mails(before: row)
        let items = found.map { mail in
            ConsoleMessagesPage.Mail(
                id: String(mail.row), kind: Self.kind(mail.kind, words), href: "/operator/people/\(mail.account.id)",
                name: mail.account.name.isEmpty ? words["console.nameless"] : mail.account.name,
                time: words.filled("console.gaveUp", ["time": words.instant(mail.failed), "tries": words.number(mail.tries)]),
                reason: mail.reason, maySend: !mail.hasLink)
        }
        let failures = texts.all.map { failure in
            ConsoleMessagesPage.Message(time: words.instant(failure.time), recipient: failure.recipient, reason: failure.reason)
        }
        let page = ConsoleMessagesPage(
            isEmpty: items.isEmpty, mails: items, more: next.map { "\(Self.path)?before=\($0)" }, hasNoText: failures.isEmpty,
            messages: failures)
        return templates.page(page, frame, title: words["console.messages"], help: "console")
    }

    /// What a mail is about; not its subject, which may name somebody.
    private static func kind(_ kind: String, _ texts: Texts) -> String {
        texts.find("noticeKind.\(kind)") ?? texts.find("console.mail_\(kind.prefix { $0 != "." })") ?? texts["console.mail"]
    }
}

struct ConsoleMessagesPage: FramedPage {
    static let template = "consoleMessages"

    struct Mail: TemplateModel {
        let id: String, kind: String, href: String, name: String, time: String, reason: String
        /// A link in it does not work any more: another one is made on the account's page.
        let maySend: Bool
    }

    struct Message: TemplateModel {
        let time: String, recipient: String, reason: String
    }

    let isEmpty: Bool
    let mails: [Mail]
    /// The address of the next page.
    var more: String?
    let hasNoText: Bool
    let messages: [Message]
}
