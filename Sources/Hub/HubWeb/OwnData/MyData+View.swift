import Accounts
import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Vitals

/// A person's own data, or a minor child's: how much there is, deleting it in part or with the account (DATA-8, DATA-10), and the form for
/// ``ExportPages``.
struct MyDataPages: Sendable {
    let accounts: AccountStore
    let quota: Quota
    let deletion: Deletion
    let leaving: Leaving
    let factors: FactorService
    let templates: Templates
    /// Whether more space can be bought.
    let isForSale: Bool
    let now: @Sendable () -> Milliseconds

    func routes(_ router: some RouterMethods<HubContext>) {
        for base in [DataSubject.own, DataSubject.ofWard] {
            router.get("\(base)") { request, context in
                let frame = Frame(request, context)
                return try page(frame, subject(frame, context))
            }
            router.post("\(base)/delete") { request, context in try await deletePart(request, context) }
            router.post("\(base)/account") { request, context in try await deleteAccount(request, context) }
        }
    }

    private func subject(_ frame: Frame, _ context: HubContext) throws -> DataSubject {
        try DataSubject(frame, context, accounts: accounts, now: now())
    }

    private func page(
        _ frame: Frame, _ subject: DataSubject, values: [String: String] = [:], problem: String? = nil, good: String? = nil,
        unconfirmed: String? = nil, status: HTTPResponse.Status = .ok
    ) throws -> Response {
        let texts = frame.texts
        let kinds = FormField.kinds(texts)
        let dates = ["from", "to"].map { FormField(name: $0, kind: .date, isRequired: false) }
        func choices(_ names: [String], _ section: String) -> FormField.Kind { .choice(names.map { ($0, texts["\(section).\($0)"]) }) }
        let part = FormModel(
            action: "\(subject.base)/delete", button: texts["data.deletePart"], fields: kinds + dates, values: values, problem: problem)
        let whole = FormModel(
            action: "\(subject.base)/account", button: texts[subject.isOwn ? "data.deleteAccount" : "data.deleteWard"],
            fields: [FormField(name: "confirmation", kind: .text, hint: texts["data.confirmationHint"])],
            said: unconfirmed.map { [("confirmation", $0)] } ?? [])
        let exports = FormModel(
            action: "\(subject.base)/export", button: texts["data.download"],
            fields: [
                FormField(name: "format", kind: choices(ExportPages.formats, "format")),
                FormField(name: "days", kind: choices(["0", "7", "30", "365"], "days")),
            ])
        let deletions = try accounts.deletedParts(of: subject.person).filter { $0.stream == nil }.map { part in
            MyDataPage.Deletion(
                kinds: texts.kinds(part.kinds), from: texts.instant(max(0, part.span.lowerBound)),
                to: texts.instant(min(now(), part.span.upperBound)))
        }
        let use = try quota.use(of: subject.person)
        let shown = MyDataPage(
            good: good, overwritten: use.overwritten.map { texts.filled("data.overwritten", ["time": texts.instant($0)]) },
            space: texts.filled(
                "data.space", ["used": texts.megabytes(use.bytes), "all": texts.megabytes(try quota.bytesMax(of: subject.person))]),
            health: Link(href: HealthPages.path(subject), text: texts["health.link"]),
            entry: Link(href: "\(subject.base)/entry", text: texts["entry.title"]),
            ecg: Link(href: "\(subject.base)/ecg", text: texts["ecg.title"]),
            imports: Link(href: "\(subject.base)/import", text: texts["import.title"]),
            payments: subject.isOwn && isForSale ? Link(href: PaymentPages.path, text: texts["payments.title"]) : nil,
            parent: subject.isOwn ? nil : Link(href: "/care/person/\(subject.person)/parent", text: texts["parent.title"]),
            exportText: texts[subject.isOwn ? "data.exportText" : "data.wardExport"], export: exports.model(texts), part: part.model(texts),
            partText: partText(texts, isOverwritten: use.overwritten != nil), hasDeletions: !deletions.isEmpty, deletions: deletions,
            wholeTitle: texts[subject.isOwn ? "data.wholeTitle" : "data.wardTitle"],
            wholeText: texts[subject.isOwn ? "data.wholeText" : "data.wardText"], whole: whole.model(texts))
        let title = subject.isOwn ? texts["data.title"] : texts.filled("data.ofWard", ["name": subject.account.name])
        return templates.page(shown, frame, title: title, help: subject.help, status: status)
    }

    // MARK: Deletion

    private func deletePart(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), subject = try subject(frame, context), sent = try await SentForm(request)
        if let ask = StepUp.required(subject.session, back: subject.base, factors) { return ask }
        var kinds = Set(Texts.kindsOffered.filter { !sent["kind\($0.rawValue)"].isEmpty })
        guard !kinds.isEmpty else {
            return try page(
                frame, subject, values: sent.fields, problem: frame.texts["consentProblem.noKinds"], status: .unprocessableContent)
        }
        // Holes in what is deleted say nothing to anybody any more.
        if kinds.isSuperset(of: Texts.kindsOffered) { kinds.insert(.gap) }
        let first = day(sent["from"], frame.texts), last = day(sent["to"], frame.texts)
        let lower = first?.from ?? 0, upper = last.map { $0.to - 1 } ?? now()
        guard sent["from"].isEmpty || first != nil, sent["to"].isEmpty || last != nil, lower <= upper else {
            return try page(frame, subject, values: sent.fields, problem: frame.texts["data.wrongSpan"], status: .unprocessableContent)
        }
        _ = try deletion.deletePart(
            of: subject.person, kinds: kinds, span: lower...upper, by: subject.session.account.id, now: now())
        return try page(frame, subject, good: frame.texts["data.partDeleted"])
    }

    /// A day of the reader's clock; nil for what is none.
    private func day(_ text: String, _ texts: Texts) -> HealthSpan? {
        CalendarDate(text).flatMap { HealthSpan(from: $0, to: $0, in: texts.zone ?? .gmt) }
    }

    /// What a deletion takes: of data that was overwritten more than was chosen, where a day of the reader begins within an hour.
    private func partText(_ texts: Texts, isOverwritten: Bool) -> String {
        let text = texts.filled("data.partText", ["zone": texts.zone?.identifier ?? "UTC"])
        return isOverwritten ? "\(text) \(texts["data.partWhole"])" : text
    }

    private func deleteAccount(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), subject = try subject(frame, context), sent = try await SentForm(request)
        if let ask = StepUp.required(subject.session, back: subject.base, factors) { return ask }
        guard LeavePages.isConfirmed(sent["confirmation"]) else {
            return try page(frame, subject, unconfirmed: frame.texts["data.confirmationHint"], status: .unprocessableContent)
        }
        // A parent's own runs and children keep no child's account.
        if subject.isOwn, let obstacle = try leaving.obstacle(to: subject.account) {
            return try page(frame, subject, unconfirmed: obstacle.text(frame.texts), status: .conflict)
        }
        try leaving.close(subject.account, by: subject.session.account.id)
        guard subject.isOwn else { return templates.notice("data.wardGone", frame, help: subject.help) }
        var response = templates.notice("data.gone", Frame(texts: frame.texts, session: nil, path: frame.path), help: "data")
        response.setCookie(Sessions.cookie(Sessions.cookie, "", maxAge: 0))
        return response
    }
}

struct MyDataPage: FramedPage {
    static let template = "mydata"

    struct Deletion: TemplateModel {
        let kinds: String, from: String, to: String
    }

    var good: String?
    var overwritten: String?
    let space: String
    let health: Link
    let entry: Link
    let ecg: Link
    let imports: Link
    /// Where more space is bought; nil where nothing is for sale.
    let payments: Link?
    /// Where another parent is let decide, too; nil for one's own data.
    let parent: Link?
    let exportText: String
    let export: FormPart
    let part: FormPart
    let partText: String
    let hasDeletions: Bool
    let deletions: [Deletion]
    let wholeTitle: String, wholeText: String
    let whole: FormPart
}
