/// What a template shows. The names of its stored properties are the keys of the template; a property that is nil is no key, so that the
/// template looks for it further out.
///
/// Properties are `String`, `Bool`, whole numbers, other models, optionals and arrays of those, and the texts of a language.
protocol TemplateModel: TemplateValue {}

/// The model of a whole page.
protocol PageModel: TemplateModel {
    /// The name of its template: the file without `.mustache`.
    static var template: String { get }
}

/// A page with the site around it (`layout.mustache`): it has the keys of ``FrameModel`` besides its own.
protocol FramedPage: PageModel {}

/// A page that has its own keys alone.
protocol BarePage: PageModel {}

/// A part whose keys stand beside those of the model that holds it.
struct Inline<Part: TemplateModel>: InlinePart {
    let part: Part

    init(_ part: Part) { self.part = part }

    var inlined: any TemplateModel { part }
    static var inlinedType: any TemplateModel.Type { Part.self }
}

/// An ``Inline`` of whichever part.
protocol InlinePart: TemplateValue {
    var inlined: any TemplateModel { get }
    static var inlinedType: any TemplateModel.Type { get }
}

extension InlinePart {
    var templateValue: Any? { inlined.templateValue }

    func put(into values: inout [String: Any], under label: String) { TemplateAdapter.put(inlined, into: &values) }
}

/// What can be a property of a ``TemplateModel``.
protocol TemplateValue {
    /// As the template library takes it; nil for what is not there.
    var templateValue: Any? { get }

    /// Adds it to the keys of the model that has it as a property.
    func put(into values: inout [String: Any], under label: String)
}

extension TemplateValue {
    func put(into values: inout [String: Any], under label: String) {
        if let value = templateValue { values[label] = value }
    }
}

extension String: TemplateValue {
    var templateValue: Any? { self }
}

extension Bool: TemplateValue {
    var templateValue: Any? { self }
}

extension Int: TemplateValue {
    var templateValue: Any? { self }
}

extension Int64: TemplateValue {
    var templateValue: Any? { self }
}

extension Optional: TemplateValue where Wrapped: TemplateValue {
    var templateValue: Any? { flatMap { $0.templateValue } }
}

extension Array: TemplateValue where Element: TemplateValue {
    var templateValue: Any? { compactMap { $0.templateValue } }
}

/// Texts by section and name.
extension Dictionary: TemplateValue where Key == String, Value: TemplateValue {
    var templateValue: Any? { self }
}

extension TemplateModel {
    var templateValue: Any? { TemplateAdapter.values(of: self) }
}

/// Turns models into what the template library looks keys up in. The library would take structs as they are, and mirror each of them anew for
/// every tag; here each is mirrored once a page.
enum TemplateAdapter {
    static func values(of model: any TemplateModel) -> [String: Any] {
        var values: [String: Any] = [:]
        put(model, into: &values)
        return values
    }

    /// Adds the keys of a model; of two of one name the later one stays.
    static func put(_ model: any TemplateModel, into values: inout [String: Any]) {
        for case (let label?, let value as any TemplateValue) in Mirror(reflecting: model).children {
            value.put(into: &values, under: label)
        }
    }

    /// A page's keys on top of those of what is around it.
    static func values(of page: some FramedPage, in frame: FrameModel) -> [String: Any] {
        var values = values(of: frame)
        put(page, into: &values)
        return values
    }
}
