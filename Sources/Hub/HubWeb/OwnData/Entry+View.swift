import Accounts
import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Privacy
import Vitals

/// Entering a value by hand (DATA-2): a list of the kinds that the table lets people enter, and a form for each, made of its row.
struct EntryPages: Sendable {
    let accounts: AccountStore
    let entry: ManualEntry
    let deletion: Deletion
    let series: SeriesReader
    let templates: Templates
    let now: @Sendable () -> Milliseconds

    func routes(_ router: some RouterMethods<HubContext>) {
        for base in [DataSubject.own, DataSubject.ofWard] {
            router.get("\(base)/entry") { request, context in
                let frame = Frame(request, context), subject = try subject(frame, context)
                guard let kind = try kind(request) else { return list(frame, subject) }
                return form(frame, subject, kind)
            }
            router.get("\(base)/entry/typed") { request, context in
                let frame = Frame(request, context)
                return try typed(frame, try subject(frame, context))
            }
            router.post("\(base)/entry") { request, context in try await enter(request, context) }
        }
    }

    private func subject(_ frame: Frame, _ context: HubContext) throws -> DataSubject {
        try DataSubject(frame, context, accounts: accounts, now: now())
    }

    /// The kind that the address names; nil for none.
    private func kind(_ request: Request) throws -> DataKind? {
        guard let name = request.uri.queryParameters["kind"].map(String.init) else { return nil }
        guard let kind = DataKind(name: name), KindEntry.entered.contains(kind) else { throw HTTPError(.notFound) }
        return kind
    }

    // MARK: Pages

    private func list(
        _ frame: Frame, _ subject: DataSubject, good: String? = nil, stored: ScalarSample? = nil, status: HTTPResponse.Status = .ok
    ) -> Response {
        let texts = frame.texts
        var page = FormPage(good: good, intro: texts["entry.text"])
        page.form = stored.map { sample in
            FormModel(
                action: "\(subject.base)/entry?kind=\(sample.kind.name)", button: texts["entry.undo"],
                fields: [FormField(name: "undo", kind: .hidden, label: "")], values: ["undo": String(sample.time)]
            ).model(texts)
        }
        page.links = KindEntry.entered.map { kind in
            Link(href: "\(subject.base)/entry?kind=\(kind.name)", text: texts["field.kind\(kind.rawValue)"])
        }
        page.links.append(Link(href: "\(subject.base)/entry/typed", text: texts["entry.typed"]))
        page.links.append(Link(href: subject.base, text: texts["entry.back"]))
        return templates.page(page, frame, title: title(subject, texts), help: subject.help, status: status)
    }

    /// Values in the list of what was typed, at most.
    static let typedMax = 50

    /// What was typed, whenever that was, each with its button.
    private func typed(_ frame: Frame, _ subject: DataSubject) throws -> Response {
        let texts = frame.texts, time = now()
        guard let grant = try accounts.consents.authority(over: subject.person).grant(to: subject.session.account.id, at: time) else {
            throw PageRefusal.notAllowed
        }
        try accounts.ledger.recordRead(grant, now: time)
        guard let samples = try series.typedScalars(grant, count: Self.typedMax, now: time) else { throw PageRefusal.notAllowed }
        let values = samples.map { sample in
            TypedPage.Value(
                name: texts["field.kind\(sample.kind.rawValue)"], amount: texts.inTableUnits.amount(sample), when: texts.span(sample),
                action: "\(subject.base)/entry?kind=\(sample.kind.name)", time: "\(sample.time)")
        }
        let page = TypedPage(hasValues: !values.isEmpty, values: values, others: "\(subject.base)/entry")
        let title = subject.isOwn ? texts["entry.typed"] : "\(subject.account.name): \(texts["entry.typed"])"
        return templates.page(page, frame, title: title, help: subject.help)
    }

    private func title(_ subject: DataSubject, _ texts: Texts) -> String {
        subject.isOwn ? texts["entry.title"] : texts.filled("entry.titleOf", ["name": subject.account.name])
    }

    private func form(
        _ frame: Frame, _ subject: DataSubject, _ kind: DataKind, values: [String: String]? = nil, problems: [EntryProblem] = [],
        problem: String? = nil
    ) -> Response {
        let texts = frame.texts, zone = Self.zone(texts)
        let model = FormModel(
            action: "\(subject.base)/entry?kind=\(kind.name)", button: texts["entry.store"], fields: Self.fields(kind, texts),
            values: values ?? ["entryTime": RunTime.field(now(), zone.identifier)],
            said: problems.map { ($0.field.rawValue, texts.problem($0)) }, problem: problem)
        var page = FormPage(intro: texts[subject.isOwn ? "entry.kindText" : "entry.kindTextOf"], form: model.model(texts))
        page.links = [Link(href: "\(subject.base)/entry", text: texts["entry.others"])]
        return templates.page(
            page, frame, title: texts["field.kind\(kind.rawValue)"], help: subject.help,
            status: problems.isEmpty && problem == nil ? .ok : .unprocessableContent)
    }

    /// The fields of a kind, all from its row.
    private static func fields(_ kind: DataKind, _ texts: Texts) -> [FormField] {
        let row = kind.entry, units = row.entryUnits, zone = zone(texts).identifier
        var fields = [
            FormField(
                name: "entryValue", kind: input(kind, row.codes, isRequired: true, texts), hint: hint(row, row.range, texts),
                label: texts.find("entry.\(kind.name)") ?? texts["field.kind\(kind.rawValue)"])
        ]
        if let second = row.second {
            fields.append(
                FormField(
                    name: "entrySecond", kind: input(kind, second.codes, isRequired: second.isRequired, texts),
                    isRequired: second.isRequired, hint: second.codes.isEmpty ? hint(row, second.range, texts) : nil,
                    label: texts.find("entry.\(kind.name)_\(second.name)") ?? second.name))
        }
        if units.count > 1 {
            fields.append(FormField(name: "entryUnit", kind: .choice(units.map { ($0.name, texts.unit($0.name)) })))
        }
        let hint = texts.filled("entry.zone", ["zone": zone])
        guard row.span != .none else { return fields + [FormField(name: "entryTime", kind: .instant, hint: hint)] }
        let isRequired = if case .required = row.span { true } else { false }
        return fields + [
            FormField(name: "entryTime", kind: .instant, hint: hint, label: texts["entry.begin"]),
            FormField(name: "entryEnd", kind: .instant, isRequired: isRequired, hint: hint),
        ]
    }

    private static func input(_ kind: DataKind, _ codes: [String], isRequired: Bool, _ texts: Texts) -> FormField.Kind {
        guard !codes.isEmpty else { return .text }
        return .choice((isRequired ? [] : [("", texts["entry.notSaid"])]) + codes.map { ($0, texts.code(kind, $0)) })
    }

    /// What is accepted, in each unit; nothing for codes.
    private static func hint(_ row: KindEntry, _ range: ClosedRange<Int64>, _ texts: Texts) -> String? {
        let spans = row.entryUnits.map { texts.bounds(row.bounds(range, in: $0), $0) }
        return spans.isEmpty ? nil : spans.joined(separator: "; ")
    }

    // MARK: Storing

    private func enter(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), subject = try subject(frame, context), sent = try await SentForm(request)
        let texts = frame.texts
        guard let kind = try kind(request) else { return list(frame, subject, status: .unprocessableContent) }
        do {
            if let time = Milliseconds(sent["undo"]) {
                let streams = try series.typedStreams(of: subject.person, kind: kind, at: time)
                try entry.undo(kind, at: time, of: subject.person, by: subject.session.account.id, deletion, also: streams)
                return list(frame, subject, good: texts["entry.undone"])
            }
            let sample = try await entry.enter(Self.written(sent, Self.zone(texts)), kind, of: subject.person)
            let said = [
                "kind": texts["field.kind\(kind.rawValue)"], "value": texts.inTableUnits.amount(sample), "time": texts.span(sample),
            ]
            return list(frame, subject, good: texts.filled("entry.stored", said), stored: sample)
        } catch let problems as EntryProblems {
            return form(frame, subject, kind, values: sent.fields, problems: problems.list)
        } catch ManualEntry.Refusal.crowded {
            return form(frame, subject, kind, values: sent.fields, problem: texts["entry.crowded"])
        } catch ManualEntry.Refusal.slowDown(let seconds) {
            return form(frame, subject, kind, values: sent.fields, problem: texts.counted("entry.slowDown", seconds))
        } catch ManualEntry.Refusal.gone { throw PageRefusal.notAllowed }
    }

    private static func written(_ sent: SentForm, _ zone: TimeZone) -> WrittenEntry {
        var written = WrittenEntry()
        (written.value, written.second, written.unit) = (sent["entryValue"], sent["entrySecond"], sent["entryUnit"])
        (written.hasTime, written.hasEnd) = (!sent["entryTime"].isEmpty, !sent["entryEnd"].isEmpty)
        written.time = RunTime.milliseconds(sent["entryTime"], zone.identifier)
        written.end = RunTime.milliseconds(sent["entryEnd"], zone.identifier)
        return written
    }

    /// Of the reader's clock, or the hub's where that is not known; the form names it.
    private static func zone(_ texts: Texts) -> TimeZone { texts.zone ?? TimeZone.current }
}

/// The newest values that somebody typed.
struct TypedPage: FramedPage {
    static let template = "typed"

    struct Value: TemplateModel {
        let name: String, amount: String, when: String
        /// Where it is taken back, and what is sent there.
        let action: String, time: String
    }

    let hasValues: Bool
    let values: [Value]
    /// Where values are entered.
    let others: String
}

extension Texts {
    /// `0.2 to 650 kg`
    func bounds(_ range: ClosedRange<Double>, _ unit: EntryUnit) -> String {
        // What is said is accepted: each end is rounded into the range. A bound in another unit is a hair off its whole number.
        let low = (range.lowerBound * 10 - 1e-6).rounded(.up) / 10, high = (range.upperBound * 10 + 1e-6).rounded(.down) / 10
        let values = ["low": decimal(low, 1), "high": decimal(high, 1), "unit": self.unit(unit.name)]
        return filled("entry.bounds", values)
    }

    func problem(_ problem: EntryProblem) -> String {
        switch problem.code {
        case .missing: self["mistake.missing"]
        case .notANumber: self["entry.notANumber"]
        case .tooExact(0): self["entry.notWhole"]
        case .tooExact(let places): counted("entry.tooExact", places)
        case .outside(let range, let unit): filled("entry.outside", ["range": bounds(range, unit)])
        case .aboveFirst: self["entry.aboveFirst"]
        case .notAChoice: self["mistake.notAChoice"]
        case .notATime: self["entry.notATime"]
        case .inTheFuture: self["entry.inTheFuture"]
        case .tooLongAgo: self["entry.tooLongAgo"]
        case .endBeforeStart: self["entry.endBeforeStart"]
        case .tooLong(let longest): counted("entry.tooLong", Int(longest / 3_600_000))
        }
    }
}
