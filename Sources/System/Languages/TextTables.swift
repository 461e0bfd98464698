import Foundation

/// The texts of one part in every language.
public struct TextTables: Sendable {
    private let tables: [Language: TextTable]
    private let english: TextTable
    /// Gaps of the files of further languages, each as a sentence that names the file.
    public let problems: [String]

    /// - Parameters:
    ///   - english: the file that holds every text there is.
    ///   - italian: the same in the other language that is built in.
    public init(_ part: TextPart, english: [UInt8], italian: [UInt8]) { self.init(part, english, italian, Languages.folder) }

    init(_ part: TextPart, _ english: [UInt8], _ italian: [UInt8], _ folder: LanguageFolder) {
        let original = TextTable(.english, (try? TextTable.sections(Data(english))) ?? [:])
        var tables = [Language.english: original]
        var problems: [String] = []
        tables[.italian] = TextTable(.italian, (try? TextTable.sections(Data(italian))) ?? [:])
        for language in folder.codes.map(Language.init(code:)) {
            let (table, found) = Self.read(folder.file(part, language.rawValue), language, original)
            tables[language] = table
            problems += found
        }
        (self.tables, self.english, self.problems) = (tables, original, problems)
    }

    public subscript(_ language: Language) -> TextTable { tables[language] ?? english }

    /// A text without one of its values would say less than the English one, which is taken in its place.
    static func read(_ path: String, _ language: Language, _ english: TextTable) -> (TextTable, [String]) {
        let own: [String: [String: String]]
        do {
            own = try TextTable.sections(Data(contentsOf: URL(fileURLWithPath: path)))
        } catch CocoaError.fileReadNoSuchFile {
            return (english.translated(language, [:]), ["\(path) is not there: these texts stay English."])
        } catch {
            return (english.translated(language, [:]), ["\(path) is no JSON of texts: these texts stay English. \(error)"])
        }
        var missing: [String] = [], differing: [String] = [], taken: [String: [String: String]] = [:]
        for (section, texts) in english.sections {
            for (name, text) in texts {
                let key = section.isEmpty ? name : "\(section).\(name)"
                guard let translated = own[section]?[name], !translated.isEmpty else {
                    missing.append(key)
                    continue
                }
                guard TextTable.placeholders(translated) == TextTable.placeholders(text) else {
                    differing.append(key)
                    continue
                }
                taken[section, default: [:]][name] = translated
            }
        }
        func sentence(_ keys: [String], _ what: String) -> [String] {
            guard !keys.isEmpty else { return [] }
            let first = keys.sorted().prefix(5).joined(separator: ", ") + (keys.count > 5 ? " …" : "")
            return ["\(path): \(keys.count) \(keys.count == 1 ? "text" : "texts") \(what): \(first)"]
        }
        return (
            english.translated(language, taken),
            sentence(missing, "not translated, English stands there")
                + sentence(differing, "with other {placeholders} than in English, which stands there")
        )
    }
}

/// The texts of one part in one language. A file holds texts, or sections of texts; then a key is `section.name`.
public struct TextTable: Sendable {
    public let language: Language
    /// Those of a file without sections have an empty name.
    public let sections: [String: [String: String]]

    init(_ language: Language, _ sections: [String: [String: String]]) { (self.language, self.sections) = (language, sections) }

    static func sections(_ file: Data) throws -> [String: [String: String]] {
        let decoder = JSONDecoder()
        if let texts = try? decoder.decode([String: String].self, from: file) { return ["": texts] }
        return try decoder.decode([String: [String: String]].self, from: file)
    }

    func translated(_ language: Language, _ texts: [String: [String: String]]) -> TextTable {
        TextTable(language, sections.merging(texts) { english, own in english.merging(own) { $1 } })
    }

    /// The text under a key; the key itself where there is none, so that a mistake shows.
    public subscript(_ key: String) -> String { find(key) ?? key }

    public func find(_ key: String) -> String? {
        if let text = sections[""]?[key] { return text }
        guard let dot = key.firstIndex(of: ".") else { return nil }
        return sections[String(key[..<dot])]?[String(key[key.index(after: dot)...])]
    }

    /// The text with values in place of their names in braces. What stands in a value is never replaced.
    public func filled(_ key: String, _ values: [String: String]) -> String {
        let text = self[key]
        var filled = "", rest = text[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            let name = rest[rest.index(after: open)..<close]
            filled += rest[..<open]
            if let value = values[String(name)] {
                filled += value
                rest = rest[rest.index(after: close)...]
            } else {
                filled += "{"
                rest = rest[rest.index(after: open)...]
            }
        }
        return filled + rest
    }

    /// The key with `One` or `Other` behind it, with `{n}` replaced.
    public func counted(_ key: String, _ count: Int) -> String { filled(key + (count == 1 ? "One" : "Other"), ["n": String(count)]) }

    /// The names in braces that stand in a text.
    static func placeholders(_ text: String) -> Set<String> {
        Set(
            text.split(separator: "{", omittingEmptySubsequences: false).dropFirst().compactMap { part in
                part.firstIndex(of: "}").map { String(part[..<$0]) }
            })
    }
}
