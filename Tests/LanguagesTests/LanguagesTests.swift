import Foundation
import TestSupport
import Testing

@testable import Languages

/// A further language is a folder of files; what is wrong in it is said, and English stands in.
struct LanguagesTests {
    private func tables(_ files: [String: String], english: String) throws -> TextTables {
        let directory = try TemporaryDirectory()
        for (path, text) in files {
            let file = directory.url.appendingPathComponent(path)
            try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        let bytes = Array(english.utf8)
        return TextTables(.box, bytes, bytes, LanguageFolder(directory.url.path))
    }

    private let german = Language(code: "de")

    @Test("ACC-12: a language of the folder is used; texts that it lacks, or that lack a value, stay English and are named")
    func folder() throws {
        let english = #"{"a": {"name": "Hello {name}", "plain": "Plain", "late": "Late", "ago": "{n} ago"}}"#
        let own = #"{"a": {"name": "Hallo {who}", "plain": "Schlicht", "extra": "?", "ago": "vor {n}"}}"#
        let tables = try tables(["de/box.json": own], english: english), table = tables[german]
        #expect(table.language == german && table["a.plain"] == "Schlicht" && table["a.ago"] == "vor {n}")
        #expect(table.filled("a.name", ["name": "Ada"]) == "Hello Ada" && table["a.late"] == "Late")
        #expect(tables.problems.count == 2)
        #expect(tables.problems.first?.hasSuffix("de/box.json: 1 text not translated, English stands there: a.late") == true)
        #expect(tables.problems.last?.hasSuffix("which stands there: a.name") == true, "\(tables.problems)")
    }

    @Test("ACC-12: a file that is not there or no JSON leaves its texts English, and is named", arguments: ["{", "[]", #"{"a": 1}"#, nil])
    func broken(text: String?) throws {
        let files = ["de/alarms.json": "{}"].merging(text.map { ["de/box.json": $0] } ?? [:]) { $1 }
        let tables = try tables(files, english: #"{"a": "Text"}"#)
        #expect(tables[german]["a"] == "Text" && tables[german].language == german)
        #expect(tables.problems.count == 1 && tables.problems[0].contains("de/box.json") && tables.problems[0].contains("stay English"))
    }

    @Test("ACC-12: only folders named by a code are languages, and those that are built in stay as they are")
    func codes() throws {
        let directory = try TemporaryDirectory()
        for name in ["de", "fil", "it", "en", "README", "d", "DE", "de-CH"] {
            try FileManager.default.createDirectory(at: directory.url.appendingPathComponent(name), withIntermediateDirectories: false)
        }
        #expect(LanguageFolder(directory.url.path).codes == ["de", "fil"])
        #expect(LanguageFolder(directory.url.path + "/none").codes.isEmpty)
    }

    @Test("ACC-12: a tag of a language without texts is English, also in what was stored while there were texts")
    func unknown() throws {
        #expect(Language(tag: "it-CH") == .italian && Language(tag: "IT_it") == .italian && Language(tag: "de") == .english)
        #expect(Language(rawValue: "de") == nil)
        #expect(try JSONDecoder().decode([Language].self, from: Data(#"["it", "de"]"#.utf8)) == [.italian, .english])
        #expect(String(decoding: try JSONEncoder().encode([Language.italian]), as: UTF8.self) == #"["it"]"#)
    }

    @Test("ACC-12: values are put in once: braces in a person's name are letters")
    func values() {
        let table = TextTable(.english, ["": ["a": "{name}, {place}{", "b": "no {value} here", "cOne": "one", "cOther": "{n} of them"]])
        #expect(table.filled("a", ["name": "{place}", "place": "Milan"]) == "{place}, Milan{")
        #expect(table.filled("b", [:]) == "no {value} here" && table["none"] == "none")
        #expect(table.counted("c", 1) == "one" && table.counted("c", 2) == "2 of them" && table.counted("c", 0) == "0 of them")
    }
}
