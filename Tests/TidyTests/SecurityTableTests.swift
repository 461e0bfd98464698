import Foundation
import Testing

/// The checklists in docs/security.md and docs/asvs.md, against what is there.
@Suite("Checklists of security")
struct SecurityTableTests {
    private let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private struct Line {
        let number: String
        /// A score, or the level of ASVS.
        let second: String
        let proof: String
    }

    private func lines(of path: String, second column: Int) throws -> [Line] {
        let text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
        return text.split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard line.hasPrefix("|"), cells.count == 4, cells[0].first?.isNumber == true else { return nil }
            return Line(number: cells[0], second: cells[column], proof: cells[3])
        }
    }

    /// Files of tests that are named as `TARGET/FILE`, and are not there.
    private func missing(_ proof: String, in tests: Set<String>) -> [String] {
        proof.matches(of: /\b(\w+Tests)\/(\w+Tests)\b/).map { "\($0.1)/\($0.2)" }.filter { !tests.contains($0) }
    }

    private func tests() -> Set<String> {
        let folder = root.appending(path: "Tests").path
        var found: Set<String> = []
        for case let path as String in FileManager.default.enumerator(atPath: folder) ?? .init() where path.hasSuffix("Tests.swift") {
            let parts = path.split(separator: "/")
            if let target = parts.first, let file = parts.last { found.insert("\(target)/\(file.dropLast(6))") }
        }
        return found
    }

    @Test("DATA-11: each of the 33 lines of security has a score, and what is called proved names tests that are there")
    func own() throws {
        let lines = try lines(of: "docs/security.md", second: 2), tests = tests()
        #expect(lines.map(\.number) == (1...33).map(String.init))
        for line in lines {
            #expect(["0", "1", "2"].contains(line.second), "line \(line.number)")
            #expect(line.second != "2" || !line.proof.isEmpty, "line \(line.number)")
        }
        #expect(lines.count { $0.second == "2" } >= 32)
        #expect(!tests.isEmpty && lines.flatMap { missing($0.proof, in: tests) } == [])
    }

    @Test("DATA-11: make test-security runs suites that are there, each of them")
    func command() throws {
        let makefile = try String(contentsOf: root.appending(path: "Makefile"), encoding: .utf8)
        let recipe = try #require(makefile.components(separatedBy: "\ntest-security:").last?.components(separatedBy: "\n\n").first)
        let filter = try #require(recipe.firstMatch(of: /'([^']+)'/)).output.1
        let names = filter.split(separator: "|").map { String($0.split(separator: ".").last ?? "") }
        var missing = Set(names)
        for case let path as String in FileManager.default.enumerator(atPath: root.appending(path: "Tests").path) ?? .init()
        where path.hasSuffix(".swift") {
            let text = try String(contentsOf: root.appending(path: "Tests/\(path)"), encoding: .utf8)
            missing = missing.filter { !text.contains("struct \($0) {") }
        }
        #expect(names.count > 10 && missing.isEmpty, "\(missing.sorted())")
    }

    @Test("DATA-11: each line of ASVS, levels 1 and 2, names its test or document, or why it does not apply; hardly any is open")
    func asvs() throws {
        let lines = try lines(of: "docs/asvs.md", second: 1), tests = tests()
        #expect(lines.count > 200 && Set(lines.map(\.number)).count == lines.count)
        #expect(lines.allSatisfy { ["1", "2"].contains($0.second) && $0.proof.count > 4 })
        #expect(lines.flatMap { missing($0.proof, in: tests) } == [])
        for level in ["1", "2"] {
            let all = lines.filter { $0.second == level }, open = all.filter { $0.proof.hasPrefix("open") }
            #expect(open.count * 100 <= all.count * (level == "1" ? 2 : 5), "\(open.map(\.number))")
        }
        for chapter in 1...17 { #expect(lines.contains { $0.number.hasPrefix("\(chapter).") }, "V\(chapter)") }
    }
}
