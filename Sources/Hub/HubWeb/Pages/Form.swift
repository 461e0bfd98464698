import Accounts
import Foundation
import Hummingbird
import NIOCore

/// The fields of a sent form (application/x-www-form-urlencoded), each name once.
struct SentForm: Sendable {
    let fields: [String: String]
    private static let bytesMax = 64 << 10

    /// - Throws: `HTTPError` for a body that is too long or no form.
    init(_ request: Request, countMax: Int = FormFields.countMax) async throws {
        let body: ByteBuffer
        do { body = try await request.body.collect(upTo: Self.bytesMax) } catch is NIOTooManyBytesError {
            throw HTTPError(.contentTooLarge)
        }
        guard let form = String(validating: body.readableBytesView, as: UTF8.self).map({ FormFields($0, countMax: countMax) }), form.isWhole
        else {
            throw HTTPError(.badRequest, message: "The form is not UTF-8.")
        }
        fields = Dictionary(form.pairs, uniquingKeysWith: { $1 })
    }

    subscript(_ name: String) -> String { fields[name] ?? "" }
}

/// One field of a form as a page shows it.
struct FormField: Sendable {
    enum Kind: Sendable {
        case text, email, telephone, date, instant, password, newPassword, paragraph, code
        case choice([(value: String, text: String)])
        /// A box to tick; its value is sent when it is.
        case tick(value: String)
        case number
        /// Sent back as it is, and not shown.
        case hidden
        /// What browsers offer is `accept`.
        case file(accept: String)
    }

    let name: String
    let kind: Kind
    /// As browsers fill it in (WCAG 1.3.5).
    var autocomplete: String?
    var isRequired = true
    var hint: String?
    /// nil for the text `field.NAME`.
    var label: String?
    /// What the boxes to tick around it have in common: they stand together below this.
    var group: String?
}

/// A form as a page shows it: all mistakes at once, each at its field and in a list above (ACC-1).
struct FormModel {
    let action: String
    let button: String
    let fields: [FormField]
    var values: [String: String] = [:]
    var problems: [(field: String, mistake: FieldError)] = []
    /// The same in words, for what is no mistake of an account's form.
    var said: [(field: String, text: String)] = []
    /// What concerns the form as a whole.
    var problem: String?

    func model(_ texts: Texts) -> FormPart {
        // In the order of the page.
        let list = fields.compactMap { field in
            error(field.name, texts).map { error in
                let label = field.label ?? texts.find("field.\(field.name)Short") ?? texts["field.\(field.name)"]
                return Link(href: "#\(field.name)", text: "\(label): \(error)")
            }
        }
        return FormPart(
            action: action, button: button, fields: shown(texts),
            problems: list.isEmpty ? nil : FormErrorSummary(title: texts.counted("mistake.title", list.count), list: list), problem: problem
        )
    }

    /// The fields alone.
    func shown(_ texts: Texts) -> [FieldPart] {
        fields.reduce(into: []) { parts, field in
            guard let group = field.group, case .tick(let value) = field.kind else { return parts.append(shown(field, texts)) }
            let tick = FieldPart.GroupedTick(
                name: field.name, label: field.label ?? texts["field.\(field.name)"], value: value,
                isChosen: values[field.name] ?? "" == value)
            if parts.last?.group?.legend == group {
                parts[parts.count - 1].group?.ticks.append(tick)
            } else {
                parts.append(FieldPart(name: "\(field.name)-group", group: .init(legend: group, ticks: [tick])))
            }
        }
    }

    private func error(_ field: String, _ texts: Texts) -> String? {
        problems.first { $0.field == field }.map { Self.text($0.mistake, texts) } ?? said.first { $0.field == field }?.text
    }

    static func text(_ mistake: FieldError, _ texts: Texts) -> String {
        texts.filled("mistake.\(mistake.code.rawValue)", ["limit": mistake.limit.map(String.init) ?? ""])
    }

    private func shown(_ field: FormField, _ texts: Texts) -> FieldPart {
        let value = values[field.name] ?? "", error = error(field.name, texts)
        let described = [field.hint.map { _ in "\(field.name)-hint" }, error.map { _ in "\(field.name)-error" }].compactMap(\.self)
        var part = FieldPart(
            name: field.name, label: field.label ?? texts["field.\(field.name)"], isRequired: field.isRequired,
            autocomplete: field.autocomplete ?? "off", error: error, hint: field.hint,
            described: described.isEmpty ? nil : described.joined(separator: " "))
        switch field.kind {
        case .choice(let options):
            part.choice = .init(options: options.map { .init(value: $0.value, text: $0.text, isChosen: $0.value == value) })
        case .tick(let tick): part.tick = .init(value: tick, isChosen: value == tick)
        case .paragraph: part.paragraph = .init(value: value)
        case .hidden: part.hidden = .init(value: value)
        case .text, .email, .telephone, .date, .instant, .code, .password, .newPassword, .number, .file:
            let (type, isSecret) = Self.type(field.kind)
            // A password never goes back to the browser.
            part.input = .init(type: type, value: isSecret ? "" : value)
            switch field.kind {
            case .code, .number: part.input?.mode = "numeric"
            case .file(let accept): part.input?.accept = accept
            default: break
            }
        }
        return part
    }

    private static func type(_ kind: FormField.Kind) -> (String, isSecret: Bool) {
        switch kind {
        case .email: ("email", false)
        case .telephone: ("tel", false)
        case .date: ("date", false)
        case .instant: ("datetime-local", false)
        case .password, .newPassword: ("password", true)
        case .code: ("text", true)
        // What was chosen is on the reader's own disk.
        case .file: ("file", true)
        default: ("text", false)
        }
    }
}

/// A form as `field.mustache` and the templates around it show it.
struct FormPart: TemplateModel {
    let action: String, button: String
    let fields: [FieldPart]
    /// A problem of fields.
    var problems: FormErrorSummary?
    /// What concerns the form as a whole.
    var problem: String?
}

struct FormErrorSummary: TemplateModel {
    let title: String
    let list: [Link]
}

/// One field, as `field.mustache` shows it: with one of `tick`, `input`, `paragraph`, `choice` and `group`.
struct FieldPart: TemplateModel {
    struct Tick: TemplateModel {
        let value: String
        let isChosen: Bool
    }

    struct Input: TemplateModel {
        let type: String, value: String
        var mode: String?
        var accept: String?
    }

    struct Paragraph: TemplateModel {
        let value: String
    }

    struct Choice: TemplateModel {
        let options: [Option]
    }

    struct Option: TemplateModel {
        let value: String, text: String
        let isChosen: Bool
    }

    struct Group: TemplateModel {
        let legend: String
        var ticks: [GroupedTick]
    }

    struct GroupedTick: TemplateModel {
        let name: String, label: String, value: String
        let isChosen: Bool
    }

    let name: String
    var label = ""
    var isRequired = false
    var autocomplete = ""
    /// Boxes to tick that belong together; then it has nothing else.
    var group: Group?
    var error: String?
    var hint: String?
    /// The identifiers of what describes it.
    var described: String?
    var tick: Tick?
    var hidden: Paragraph?
    var input: Input?
    var paragraph: Paragraph?
    var choice: Choice?
}

/// A link, and what it says.
struct Link: TemplateModel {
    let href: String, text: String
}

/// A name and what it is.
struct Fact: TemplateModel {
    let label: String, value: String
}
