@_spi(Reflection) import Swift

@testable import HubWeb

/// What a property of a model is, as its type says: templates are held against this before anything is shown.
indirect enum Shape {
    /// Text or a number.
    case text
    case flag
    case model(Model)
    case list(Shape)
    case optional(Shape)
    /// Texts by name, or by section and name.
    case texts(levels: Int)
    /// No template can show it.
    case unknown(String)

    struct Model {
        let name: String
        let keys: [String: Key]
    }

    struct Key {
        let shape: Shape
        /// The type that declares it, and its name there.
        let origin: String
        /// The same, with where the type is declared.
        let id: String
    }

    init(_ type: Any.Type) {
        switch type {
        case is String.Type, is Int.Type, is Int64.Type: self = .text
        case is Bool.Type: self = .flag
        case is [String: String].Type: self = .texts(levels: 1)
        case is [String: [String: String]].Type: self = .texts(levels: 2)
        case let model as any TemplateModel.Type: self = .model(Model(model))
        case let optional as any OptionalType.Type: self = .optional(Shape(optional.wrapped))
        case let list as any ListType.Type: self = .list(Shape(list.element))
        default: self = .unknown("\(type)")
        }
    }

    var isOptional: Bool {
        if case .optional = self { true } else { false }
    }

    /// What is there, where it is.
    var present: Shape {
        if case .optional(let shape) = self { shape.present } else { self }
    }
}

extension Shape.Model {
    init(_ type: any TemplateModel.Type) {
        var keys: [String: Shape.Key] = [:]
        _ = _forEachField(of: type) { name, _, fieldType, _ in
            if let part = fieldType as? any InlinePart.Type {
                keys.merge(Shape.Model(part.inlinedType).keys) { $1 }
            } else {
                let key = String(cString: name)
                keys[key] = Shape.Key(shape: Shape(fieldType), origin: "\(type).\(key)", id: "\(String(reflecting: type)).\(key)")
            }
            return true
        }
        self.init(name: "\(type)", keys: keys)
    }

    /// With the keys of what is around it.
    func within(_ frame: Shape.Model) -> Shape.Model { Shape.Model(name: name, keys: frame.keys.merging(keys) { $1 }) }
}

private protocol OptionalType {
    static var wrapped: Any.Type { get }
}

extension Optional: OptionalType {
    static var wrapped: Any.Type { Wrapped.self }
}

private protocol ListType {
    static var element: Any.Type { get }
}

extension Array: ListType {
    static var element: Any.Type { Element.self }
}

/// A template as its tags say.
struct ParsedTemplate {
    indirect enum Node {
        case value(String)
        case section(String, [Node])
        case inverted(String, [Node])
        case partial(String)
        /// Another template, with blocks of its own.
        case parent(String, [String: [Node]])
        case block(String, [Node])
    }

    let nodes: [Node]

    init(_ source: String) {
        var tags = source.matches(of: /\{\{\{?([#^\/><$!]?)\s*([A-Za-z0-9_.]+)\s*\}?\}\}/).map { (String($0.1), String($0.2)) }[...]
        nodes = Self.nodes(&tags, until: nil)
    }

    private static func nodes(_ tags: inout ArraySlice<(String, String)>, until end: String?) -> [Node] {
        var nodes: [Node] = []
        while let (sign, name) = tags.popFirst() {
            switch sign {
            case "/": if name == end { return nodes }
            case "#": nodes.append(.section(name, Self.nodes(&tags, until: name)))
            case "^": nodes.append(.inverted(name, Self.nodes(&tags, until: name)))
            case ">": nodes.append(.partial(name))
            case "$": nodes.append(.block(name, Self.nodes(&tags, until: name)))
            case "<":
                let inner = Self.nodes(&tags, until: name)
                let blocks = inner.compactMap { node in
                    if case .block(let name, let nodes) = node { (name, nodes) } else { nil }
                }
                nodes.append(.parent(name, Dictionary(blocks, uniquingKeysWith: { $1 })))
            default: nodes.append(.value(name))
            }
        }
        return nodes
    }
}

/// Holds templates against the models that they show.
struct TemplateCheck {
    let templates: [String: ParsedTemplate]
    let texts: [String: [String: String]]
    private(set) var problems: Set<String> = []
    /// Keys that some template shows.
    private(set) var used: Set<String> = []
    /// Keys that some model declares, by the same names.
    private(set) var declared: Set<String> = []
    private(set) var reached: Set<String> = []

    init(_ templates: [String: String], texts: [String: [String: String]]) {
        (self.templates, self.texts) = (templates.mapValues(ParsedTemplate.init), texts)
    }

    mutating func check(_ page: any PageModel.Type) {
        var model = Shape.Model(page)
        if page is any FramedPage.Type {
            let frame = Shape.Model(FrameModel.self)
            for key in model.keys.keys where frame.keys[key] != nil { problems.insert("\(page).\(key) hides a key of the frame") }
            model = model.within(frame)
        }
        declare(.model(model))
        walk(page.template, [.model(model)], [:])
    }

    private mutating func declare(_ shape: Shape) {
        switch shape {
        case .model(let model):
            for key in model.keys.values {
                declared.insert(key.id)
                if case .unknown(let type) = key.shape.present { problems.insert("\(key.origin) is a \(type), which no template can show") }
                declare(key.shape)
            }
        case .list(let shape), .optional(let shape): declare(shape)
        case .text, .flag, .texts, .unknown: break
        }
    }

    private mutating func walk(_ template: String, _ stack: [Shape], _ blocks: [String: [ParsedTemplate.Node]]) {
        guard let parsed = templates[template] else {
            problems.insert("there is no template \(template)")
            return
        }
        reached.insert(template)
        walk(parsed.nodes, stack, blocks, template)
    }

    private mutating func walk(
        _ nodes: [ParsedTemplate.Node], _ stack: [Shape], _ blocks: [String: [ParsedTemplate.Node]], _ template: String
    ) {
        for node in nodes {
            switch node {
            case .value(let name):
                switch find(name, stack, template)?.present {
                case .text, nil: break
                default: problems.insert("\(template): {{\(name)}} is no text")
                }
            case .section(let name, let inner):
                guard let shape = find(name, stack, template)?.present else { continue }
                switch shape {
                case .flag: walk(inner, stack, blocks, template)
                case .list(let element): walk(inner, stack + [element.present], blocks, template)
                default: walk(inner, stack + [shape], blocks, template)
                }
            case .inverted(let name, let inner):
                _ = find(name, stack, template)
                walk(inner, stack, blocks, template)
            case .partial(let name): walk(name, stack, blocks)
            case .parent(let name, let own): walk(name, stack, blocks.merging(own) { $1 })
            case .block(let name, let inner): walk(blocks[name] ?? inner, stack, blocks, template)
            }
        }
    }

    /// What a tag names, as the template library looks for it: from the innermost outwards, and where something is not there, further out.
    private mutating func find(_ path: String, _ stack: [Shape], _ template: String) -> Shape? {
        guard path != "." else { return stack.last }
        let parts = path.split(separator: ".").map(String.init)
        var found: Shape.Key?
        for shape in stack.reversed() {
            guard case .model(let model) = shape, let key = model.keys[parts[0]] else { continue }
            used.insert(key.id)
            if let inner = found {
                problems.insert("\(template): where \(inner.origin) is not there, {{\(path)}} shows \(key.origin)")
            }
            found = found ?? key
            guard key.shape.isOptional else { break }
        }
        guard let found else {
            problems.insert("\(template): {{\(path)}} is no key of \(stack.map(\.name).joined(separator: " within "))")
            return nil
        }
        return inside(found.shape.present, parts.dropFirst(), path, template)
    }

    private mutating func inside(_ shape: Shape, _ rest: ArraySlice<String>, _ path: String, _ template: String) -> Shape? {
        guard let next = rest.first else { return shape }
        switch shape {
        case .texts(levels: 2):
            guard rest.count == 2, let last = rest.last, texts[next]?[last] != nil else {
                problems.insert("\(template): {{\(path)}} is no text of the language")
                return nil
            }
            return .text
        case .texts:
            // The two pages with the texts of one section have that of the live page.
            if texts["live"]?[next] == nil { problems.insert("\(template): {{\(path)}} is no text of the language") }
            return .text
        case .model(let model):
            guard let key = model.keys[next] else {
                problems.insert("\(template): {{\(path)}} is no key of \(model.name)")
                return nil
            }
            used.insert(key.id)
            return inside(key.shape.present, rest.dropFirst(), path, template)
        default:
            problems.insert("\(template): {{\(path)}} is nothing of a text")
            return nil
        }
    }
}

extension Shape {
    fileprivate var name: String {
        switch self {
        case .model(let model): model.name
        case .list(let shape): "[\(shape.name)]"
        case .optional(let shape): "\(shape.name)?"
        case .text: "text"
        case .flag: "flag"
        case .texts: "texts"
        case .unknown(let type): type
        }
    }
}
