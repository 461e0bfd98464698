import Foundation
import TestSupport

@testable import HubStore

/// A statement as it stands in a source of HubStore, with every text that it can become.
struct SourceStatement {
    /// The file and line, such as `Runs/RunsStore.swift:12`.
    let place: String
    /// One, or one for each value of what is interpolated.
    let texts: [String]
}

/// What is interpolated into a statement and no rule of ``SourceStatements`` gives values for.
struct UnknownInterpolation: Error, CustomStringConvertible {
    let place: String, expression: String
    var description: String { "\(place): nothing says what \\(\(expression)) can be: name its values in SourceStatements.values" }
}

/// The statements in the sources of HubStore: no test needs to run them. Expects that each is one literal, into which may be interpolated:
/// a constant of a type, a local `let` of the same file, `condition` (each condition of the same file), numbers of kinds, a set of roles,
/// and what ``values`` lists.
struct SourceStatements {
    private struct File {
        let name: String
        let literals: [SwiftLiteral]
    }

    private let files: [File]
    private let constants: [String: [SwiftLiteral]]

    /// By file and expression.
    private static let values: [String: [String]] = [
        "AskerFacts.swift marks": ["?", "?, ?"],
        "CareHospitals.swift table": ["duty", "crew", "crew_code"],
        "ConsentLedger.swift consent == nil ? \"\" : \" AND consent = ?\"": ["", " AND consent = ?"],
        "DeletionOfParts.swift ofStream": [
            "", "AND clock IN (SELECT clock.id FROM clock JOIN stream ON stream.id = clock.stream WHERE stream.stream = ?)",
        ],
        "SOSStore.swift table": SOSStore.tables,
        "SeriesReader+Export.swift kinds": ["0,1,2"],
        "ConsentTransactions.swift found.0": ["account = ?", "(email_index = ? OR identifier_index = ?)"],
        "RunsStore+Deletion.swift table": [
            "enrolment", "invited", "feed", "telling", "friend", "friend_link", "nearby", "workout", "workout_record", "workout_scan",
            "day_record",
        ],
    ]
    /// Each table with a column `person`, from which a deleted person goes.
    private let tablesOfPeople: [String]

    /// - Parameter folder: from the repository's top folder.
    init(of folder: String, tablesOfPeople: [String] = []) throws {
        try self.init(ofFolder: Repository.url(folder), tablesOfPeople: tablesOfPeople)
    }

    init(ofFolder root: URL, tablesOfPeople: [String] = []) throws {
        let all = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
        self.tablesOfPeople = tablesOfPeople
        var files: [File] = [], constants: [String: [SwiftLiteral]] = [:]
        while let url = all?.nextObject() as? URL {
            guard url.pathExtension == "swift" else { continue }
            let source = try String(contentsOf: url, encoding: .utf8), literals = SwiftLiteral.all(in: source)
            files.append(File(name: url.path.replacing(root.path + "/", with: ""), literals: literals))
            for literal in literals {
                guard let name = literal.constant else { continue }
                constants["\(url.lastPathComponent) \(name)"] = [literal]
                constants[name, default: []].append(literal)
            }
        }
        self.files = files.sorted { $0.name < $1.name }
        self.constants = constants
    }

    /// All statements, in the order of the files.
    func all() throws -> [SourceStatement] {
        try files.flatMap { file in
            try file.literals.compactMap { literal in
                guard begin(of: literal, in: file).contains(Self.verb), !literal.isMigration else { return nil }
                let place = "\(file.name):\(literal.line)"
                return SourceStatement(place: place, texts: try texts(of: literal, in: file))
            }
        }
    }

    private static var verb: Regex<(Substring, Substring)> { /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\s/ }
    private static var condition: Regex<(Substring, Substring)> { /^[a-z_.]+ (=|<|>|<=|>=|IS|IN|&)\s.*/ }

    /// Its text up to what follows the first interpolation.
    private func begin(of literal: SwiftLiteral, in file: File) -> String {
        switch literal.parts.first {
        case .text(let text): text
        case .code(let expression):
            constant(expression, in: file).first.map { $0.parts == literal.parts ? "" : begin(of: $0, in: file) } ?? ""
        case nil: ""
        }
    }

    /// The constant of this name, first the one of the type that is named, then the one of the same file.
    private func constant(_ expression: String, in file: File) -> [SwiftLiteral] {
        let name = expression.replacing(/^[A-Z]\w*\./, with: ""), last = file.name.split(separator: "/").last.map(String.init) ?? ""
        let type = expression.prefixMatch(of: /([A-Z]\w*)\./)?.1, whole = last.prefix { $0 != "+" && $0 != "." }
        let own = type.flatMap { constants["\($0 == "Self" ? whole : $0).swift \(name)"] }
        return own ?? constants["\(last) \(name)"] ?? constants[name] ?? []
    }

    private func texts(of literal: SwiftLiteral, in file: File) throws -> [String] {
        try literal.parts.reduce([""]) { texts, part in
            switch part {
            case .text(let text): return texts.map { $0 + text }
            case .code(let expression):
                let values = try self.values(of: expression, in: file, at: literal.line)
                return texts.flatMap { text in values.map { text + $0 } }
            }
        }
    }

    private func values(of expression: String, in file: File, at line: Int) throws -> [String] {
        let last = file.name.split(separator: "/").last.map(String.init) ?? ""
        if let listed = Self.values["\(last) \(expression)"] { return listed }
        if last == "DeletionOfPeople.swift", expression == "table" { return tablesOfPeople }
        if expression == "condition" {
            // An interpolated condition comes from its own file: a function that takes one is private.
            let found = file.literals.filter { $0.plain.wholeMatch(of: Self.condition) != nil && !$0.plain.contains(Self.verb) }
            if !found.isEmpty { return try Set(found.flatMap { try texts(of: $0, in: file) }).sorted() }
        }
        let constant = constant(expression, in: file)
        if let first = constant.first, constant.count == 1 { return try texts(of: first, in: file) }
        if expression.hasSuffix(".blocks") || expression == "Self.overwritten" { return ["0,1,2"] }
        if expression.hasSuffix(".bits") { return ["1"] }
        throw UnknownInterpolation(place: "\(file.name):\(line)", expression: expression)
    }
}

/// A string literal of a Swift source.
struct SwiftLiteral: Equatable {
    enum Part: Equatable {
        case text(String)
        /// What stands in `\(…)`.
        case code(String)
    }

    let parts: [Part]
    /// Counted from 1.
    let line: Int
    /// The name of the `let` whose value begins with it.
    let constant: String?
    let isMigration: Bool

    /// Its text without what is interpolated.
    var plain: String {
        parts.map { part in if case .text(let text) = part { text } else { "" } }.joined()
    }

    /// All literals of a source, those within interpolations left out. Raw strings and block comments are not understood: HubStore has none.
    static func all(in source: String) -> [SwiftLiteral] {
        var reader = LiteralReader(source), found: [SwiftLiteral] = []
        while let next = reader.next() { found.append(next) }
        return found
    }
}

private struct LiteralReader {
    private let text: [Character]
    private var index = 0, line = 1

    /// CRLF would be one character of two lines; sources have none.
    init(_ source: String) { text = Array(source) }

    private func starts(_ token: String) -> Bool { text[index...].starts(with: Array(token)) }

    private mutating func step(_ count: Int = 1) {
        for _ in 0..<count where index < text.count {
            if text[index] == "\n" { line += 1 }
            index += 1
        }
    }

    mutating func next() -> SwiftLiteral? {
        while index < text.count {
            if starts("//") {
                while index < text.count, text[index] != "\n" { step() }
            } else if text[index] == "\"" {
                let begin = index, line = line, parts = literal()
                let before = String(text[max(0, begin - 90)..<begin])
                return SwiftLiteral(
                    parts: parts, line: line, constant: before.firstMatch(of: /let (\w+)(?:: String)? =\s*$/).map { String($0.1) },
                    isMigration: before.contains(/Migration\([^)]*$|name: "[^"]*",\s*sql:\s*$/))
            } else {
                step()
            }
        }
        return nil
    }

    private mutating func literal() -> [SwiftLiteral.Part] {
        let quotes = starts("\"\"\"") ? "\"\"\"" : "\""
        step(quotes.count)
        var parts: [SwiftLiteral.Part] = [], plain = ""
        while index < text.count, !starts(quotes) {
            if starts("\\(") {
                if !plain.isEmpty { parts.append(.text(plain)) }
                plain = ""
                step()
                parts.append(.code(interpolation()))
            } else if text[index] == "\\" {
                if index + 1 < text.count, text[index + 1] != "\n" { plain.append(text[index + 1]) }
                step(2)
            } else {
                plain.append(text[index])
                step()
            }
        }
        step(quotes.count)
        return plain.isEmpty ? parts : parts + [.text(plain)]
    }

    /// What stands between the parentheses.
    private mutating func interpolation() -> String {
        let begin = index + 1
        var depth = 0
        repeat {
            if text[index] == "\"" {
                _ = literal()
                continue
            }
            depth += text[index] == "(" ? 1 : text[index] == ")" ? -1 : 0
            step()
        } while depth > 0 && index < text.count
        return String(text[begin..<max(begin, index - 1)])
    }
}
