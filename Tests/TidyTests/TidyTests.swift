import Foundation
import Testing

/// The rules of the design and the style, kept by machine. Each rule is shown a case that it must refuse, so that none is blind.
@Suite("Tidy")
struct TidyTests {
    @Test("the tree is found: every target of the table has Swift files, and every target has a row")
    func tree() {
        let targets = Set(SourceTree.sources.compactMap(\.target))
        #expect(targets == Set(ImportRule.table.keys))
    }

    @Test("targets import only what the design lets them")
    func imports() {
        let violations = SourceTree.files.filter(\.isSwift).flatMap(ImportRule.violations)
        #expect(violations.isEmpty, "\(violations.list)")
    }

    @Test("GRDB in a test of the hub is seen, and not in one of the box's buffer")
    func forbiddenImportOfTests() {
        func violations(_ folder: String) -> [Violation] {
            ImportRule.violations(in: SourceFile(path: "Tests/\(folder)/Room/A.swift", text: "// A\nimport GRDB\n"))
        }
        for folder in ["HubStoreTests", "HubServicesTests", "HubWebTests", "EndToEndTests"] {
            #expect(violations(folder).map(\.line) == [2] && violations(folder).allSatisfy { $0.what.contains("Database") })
        }
        #expect(violations("SampleBufferTests").isEmpty && violations("AgentKitTests").isEmpty)
    }

    @Test(
        "a forbidden import is seen, and said why",
        arguments: [
            ("Vitals", "import Segments"), ("Segments", "public import Foundation"), ("Sensing", "@preconcurrency import Dispatch"),
            ("SyncProtocol", "internal import struct Foundation.Data"), ("Privacy", "import HubStore"), ("BlueZ", "import AgentKit"),
            ("Positioning", "import CBluetooth"), ("SampleBuffer", "import Sensing"), ("AgentKit", "import HubStore"),
            ("AgentKit", "@testable import HubWeb"), ("AgentKit", "import GRDB"), ("HubStore", "import AgentKit"),
            ("HubStore", "import GRDB"), ("Database", "import HubStore"),
            ("HubServices", "import Hummingbird"), ("HubServices", "import ArgumentParser"), ("HubWeb", "import SampleBuffer"),
            ("HubWeb", "import GRDB"), ("FleetKit", "import AgentKit"), ("trackme-hub", "import HubStore"), ("Elsewhere", ""),
        ])
    func forbiddenImport(target: String, line: String) throws {
        let violations = ImportRule.violations(in: SourceFile(path: "Sources/Room/\(target)/A.swift", text: "// A\n\(line)\n"))
        let violation = try #require(violations.first)
        #expect(violations.count == 1)
        #expect(violation.what.contains(target))
    }

    @Test("pure targets have no clock and no I/O")
    func purity() {
        let violations = SourceTree.sources.flatMap(PurityRule.violations)
        #expect(violations.isEmpty, "\(violations.list)")
    }

    @Test("a clock or I/O in a pure target is seen, and only there", arguments: PurityRule.clocks + PurityRule.io)
    func impurity(token: String) {
        let text = "func f() {\n    let a = \(token)\n}\n"
        let violations = PurityRule.violations(in: SourceFile(path: "Sources/Core/Privacy/A.swift", text: text))
        #expect(violations.contains { $0.line == 2 })
        #expect(PurityRule.violations(in: SourceFile(path: "Sources/Devices/BlueZ/A.swift", text: text)).isEmpty)
    }

    @Test("nothing crashes on purpose, and libraries do not print")
    func crashes() {
        let violations = SourceTree.files.flatMap { CrashRule.violations(in: $0) }
        #expect(violations.isEmpty, "\(violations.list)")
    }

    @Test("try!, as!, fatalError and a library's print are seen", arguments: CrashRule.crashes + CrashRule.prints)
    func crash(token: String) {
        let file = SourceFile(path: "Sources/Devices/BlueZ/A.swift", text: "let a = \(token) b\n")
        #expect(CrashRule.violations(in: file).count == 1)
        let exception = CrashRule.Exception(path: file.path, token: token, reason: "shown here")
        #expect(CrashRule.violations(in: file, allowed: [exception]).isEmpty)
    }

    @Test("every exception is still needed and has a reason")
    func exceptions() {
        for exception in CrashRule.allowed {
            let uses = SourceTree.files.filter { $0.path == exception.path }.flatMap { CrashRule.violations(in: $0, allowed: []) }
            #expect(uses.contains { $0.what.hasPrefix(exception.token) }, "\(exception.path) has no \(exception.token) any more")
            #expect(!exception.reason.isEmpty, "\(exception.path): \(exception.token) without a reason")
        }
    }

    @Test("no file over 400 lines, no file of an executable with 120")
    func sizes() {
        let violations = SourceTree.files.flatMap(SizeRule.violations)
        #expect(violations.isEmpty, "\(violations.list)")
    }

    @Test(
        "a file that is too long is seen",
        arguments: [
            ("Sources/Core/Vitals/A.swift", 400), ("Tests/VitalsTests/A.swift", 400), ("packaging/setup", 400),
            ("Sources/Hub/HubWeb/Assets/a.js", 400), ("Sources/Hub/trackme-hub/main.swift", 119),
        ])
    func tooLong(path: String, most: Int) {
        let line = "#!x\n"
        #expect(SizeRule.violations(in: SourceFile(path: path, text: String(repeating: line, count: most))).isEmpty)
        #expect(SizeRule.violations(in: SourceFile(path: path, text: String(repeating: line, count: most + 1))).count == 1)
    }

    @Test("no line of a document is longer than 160 characters but a table's or an example's, and one that is is seen")
    func documents() {
        let violations = SourceTree.files.flatMap(DocumentRule.violations)
        #expect(violations.isEmpty, "\(violations.list)")
        func lines(_ line: String, in path: String = "docs/a.md") -> [Int] {
            DocumentRule.violations(in: SourceFile(path: path, text: "# A\n\(line)\n")).map(\.line)
        }
        let words = String(repeating: "word ", count: 33)
        #expect(lines(words) == [2])
        for mark in ["`code` ", "<b>", "{", " | "] {
            #expect(lines(mark + words) == [2], "a paragraph that begins with \(mark)")
        }
        #expect(lines("| \(words) |").isEmpty && lines("```\n\(words)\n```").isEmpty && lines(words, in: "docs/a.txt").isEmpty)
        #expect(lines(String(words.dropLast(5))).isEmpty)
    }

    @Test("no type has more than 800 lines over all its extensions, and one that has is seen")
    func types() {
        let violations = TypeSizeRule.violations(in: SourceTree.files)
        #expect(violations.isEmpty, "\(violations.list)")
        func file(_ name: String, _ head: String, _ lines: Int) -> SourceFile {
            let body = String(repeating: "    // one\n", count: lines - 2)
            return SourceFile(path: "Sources/Core/Vitals/\(name).swift", text: "\(head) {\n\(body)}\n")
        }
        func found(_ files: [SourceFile]) -> Int { TypeSizeRule.violations(in: files).count }
        let first = file("A", "public struct A: Sendable", 500)
        #expect(found([first, file("A+B", "extension A", 300)]) == 0 && found([first, file("A+B", "extension A", 301)]) == 1)
        #expect(found([first, file("B", "final class B<A>", 301), file("C", "extension C where Self: A", 301)]) == 0)
    }

    @Test("no function has more than 60 lines")
    func functions() {
        let violations = SourceTree.files.flatMap(FunctionRule.violations)
        #expect(violations.isEmpty, "\(violations.list)")
    }

    @Test("a function of more than 60 lines is seen", arguments: ["func a()", "init(a: Int)", "private func a<A>(", "@B public init?("])
    func longFunction(head: String) {
        func found(_ lines: Int, in path: String = "Sources/Core/Vitals/A.swift") -> [Int] {
            let body = "    \(head) {\n" + String(repeating: "        a()\n", count: lines - 2) + "    }\n"
            return FunctionRule.violations(in: SourceFile(path: path, text: "struct A {\n\(body)}\n")).map(\.line)
        }
        #expect(found(60).isEmpty && found(61) == [2] && found(61, in: "Tests/VitalsTests/A.swift").isEmpty)
    }

    @Test("queues are made in one file of a target, and a second one is seen")
    func queues() {
        let violations = QueueRule.violations(in: SourceTree.files)
        #expect(violations.isEmpty, "\(violations.list)")
        func found(_ paths: String...) -> Int {
            QueueRule.violations(in: paths.map { SourceFile(path: $0, text: "let queue = DispatchQueue(label: \"a\")\n") }).count
        }
        #expect(found("Sources/Hub/SIP/A.swift", "Sources/Hub/SIP/B.swift") == 2)
        #expect(found("Sources/Hub/SIP/A.swift", "Sources/Hub/Mail/B.swift", "Tests/SIPTests/C.swift", "Tests/SIPTests/D.swift") == 0)
    }

    @Test("stores, services and runners take of the machine and the network what they are handed, but as listed")
    func seams() {
        let violations = SeamRule.violations(in: SourceTree.sources)
        #expect(violations.isEmpty, "\(violations.list)")
    }

    @Test(
        "what a store, a service or a runner takes of the machine by itself is seen, and an exception that is not needed",
        arguments: SeamRule.clocks + SeamRule.sleeps + SeamRule.threads + SeamRule.numbers + SeamRule.programs + SeamRule.sockets
            + SeamRule.files + ["Task<Void, Never> {", "Task<Int, any Error>(priority: nil) {", "Task<[Int: Int], Never>{"])
    func ownMachine(token: String) {
        func found(_ path: String, _ line: String, _ exceptions: [String: Int] = [:]) -> [Int] {
            SeamRule.violations(in: [SourceFile(path: path, text: "func f() {\n    \(line)\n}\n")], exceptions: exceptions).map(\.line)
        }
        let store = "Sources/Hub/HubStore/Runs/A.swift", word = token.hasPrefix(".") ? "UInt64\(token)" : token
        let others = ["Hub/HubServices/SOS", "Hub/HubWeb/Pages", "Agent/AgentKit", "Agent/SampleBuffer"].map { "Sources/\($0)/A.swift" }
        for path in [store] + others {
            #expect(found(path, "let a = \(word)") == [2])
        }
        #expect(
            found(store, "let a = \(word)", [store: 1]).isEmpty && found(store, "let a = \(word) + \(word)\n \(word)", [store: 1]).count > 1
        )
        #expect(found(store, "let a = 1", [store: 1]) == [1] && found(store, "let a = 1", ["Sources/Gone.swift": 1]) == [1])
        #expect(
            found("Sources/System/Seams/A.swift", "let a = \(word)").isEmpty
                && found("Tests/HubStoreTests/A.swift", "let a = \(word)").isEmpty)
        #expect(found(store, "// \(word)").isEmpty && found(store, "let a = UInt64.random(in: 0...1, using: &generator)").isEmpty)
        for type in [
            "func a() -> Task<Void, Never> {", "var a: Task<Int, any Error> {", "func a(b: Task<Void, Never>) {",
            "let a: Task<Int, Never>?",
        ] {
            #expect(found(store, type).isEmpty, "a type is no task that begins: \(type)")
        }
    }

    @Test("SQL stands in the stores alone")
    func statements() {
        let violations = SourceTree.sources.flatMap(StatementRule.violations)
        #expect(violations.isEmpty, "\(violations.list)")
        #expect(SourceTree.sources.contains { $0.target == "HubStore" && $0.code.contains("sql:") }, "the stores have statements")
    }

    @Test("a statement outside of the stores is seen", arguments: StatementRule.verbs)
    func ownStatement(verb: String) {
        func found(_ target: String, _ text: String) -> [Int] {
            StatementRule.violations(in: SourceFile(path: "Sources/Hub/\(target)/Runs/A.swift", text: "// A\n\(text)\n")).map(\.line)
        }
        let texts = ["let a = \"\(verb) a\"", "    \(verb) a", "try db.execute(sql: a)"]
        for text in texts {
            #expect(found("HubServices", text) == [2] && found("HubWeb", text) == [2])
            #expect(["HubStore", "SampleBuffer", "Database"].allSatisfy { found($0, text).isEmpty })
        }
        #expect(found("HubServices", "// \(verb) a, as \"\(verb) b\"").isEmpty && found("HubServices", "let a = \"\(verb)s\"").isEmpty)
    }

    @Test("no folder holds more than 30 Swift files, and one that does is seen")
    func folders() {
        let violations = FolderRule.violations(in: SourceTree.files)
        #expect(violations.isEmpty, "\(violations.list)")
        func files(_ count: Int) -> [SourceFile] {
            (0..<count).map { SourceFile(path: "Sources/Core/Vitals/A\($0).swift", text: "") }
                + [
                    SourceFile(path: "Sources/Core/Vitals/Deeper/B.swift", text: ""),
                    SourceFile(path: "Sources/Core/Vitals/C.txt", text: ""),
                ]
        }
        #expect(FolderRule.violations(in: files(30)).isEmpty)
        #expect(FolderRule.violations(in: files(31)).map(\.path) == ["Sources/Core/Vitals"])
    }

    @Test("a page's template lies in the room of its model, and one that does not is seen")
    func assets() {
        let violations = AssetRule.violations(in: SourceTree.files)
        #expect(violations.isEmpty, "\(violations.list)")
        let page = SourceFile(path: AssetRule.pages + "Runs/Watch/A.swift", text: "struct A {\n    static let template = \"watch\"\n}\n")
        func found(_ path: String) -> [String] {
            AssetRule.violations(in: [page, SourceFile(path: AssetRule.assets + path, text: "")]).map(\.path)
        }
        for path in ["Runs/watch.mustache", "Runs/other.mustache", "Runs/watch.js", "en.json"] { #expect(found(path).isEmpty) }
        for path in ["watch.mustache", "SOS/watch.mustache", "watch.js", "SOS/watch.js"] {
            #expect(found(path) == [AssetRule.assets + path])
        }
    }

    @Test("nothing is a dictionary of anything, but for the template library")
    func models() {
        let violations = SourceTree.sources.flatMap(ModelRule.violations)
        #expect(violations.isEmpty, "\(violations.list)")
        let adapter = SourceTree.sources.first { $0.path == ModelRule.adapter }
        #expect(adapter?.code.contains("[String: Any]") == true, "the adapter is where the rule says")
    }

    @Test("a dictionary of anything is seen, and reflection is", arguments: ModelRule.tokens)
    func untyped(token: String) {
        let text = "func f() {\n    let a: [\(token)] = \(token)x)\n}\n"
        let violations = ModelRule.violations(in: SourceFile(path: "Sources/Hub/HubServices/A.swift", text: text))
        #expect(violations.contains { $0.line == 2 && $0.what.hasPrefix(token) })
        #expect(ModelRule.violations(in: SourceFile(path: ModelRule.adapter, text: text)).isEmpty)
        #expect(ModelRule.violations(in: SourceFile(path: "Tests/HubWebTests/A.swift", text: text)).isEmpty)
        #expect(ModelRule.violations(in: SourceFile(path: "Sources/Hub/HubServices/A.swift", text: "// \(token)\n")).isEmpty)
    }

    @Test("no file names the place where it was written")
    func workplace() {
        let violations = SourceTree.files.flatMap(WorkplaceRule.violations)
        #expect(violations.isEmpty, "\(violations.list)")
    }

    @Test("a path of the workplace is seen; what lies beside the clone only CI may look for")
    func workplacePath() {
        for place in WorkplaceRule.places {
            #expect(WorkplaceRule.violations(in: SourceFile(path: ".ci/run", text: "\ncd \(place)main")).map(\.line) == [2])
        }
        #expect(WorkplaceRule.violations(in: SourceFile(path: "README.md", text: WorkplaceRule.beside)).count == 1)
        #expect(WorkplaceRule.violations(in: SourceFile(path: ".ci/run", text: WorkplaceRule.beside)).isEmpty)
        #expect(SourceTree.files.contains { $0.path == ".ci/run" }, "hidden folders are looked at")
    }

    @Test("public declarations of the pure targets are documented")
    func documentation() {
        let violations = SourceTree.sources.flatMap(DocumentationRule.violations)
        #expect(violations.isEmpty, "\(violations.list)")
    }

    @Test(
        "a public declaration without a doc comment is seen",
        arguments: [
            ("public struct A {\n}\n", 1), ("// no doc\npublic final class A {}\n", 1), ("@frozen\npublic indirect enum A {}\n", 1),
            ("@frozen public enum A {}\n", 1), ("/// Doc.\n\npublic let a = 1\n", 1), ("public func f() {}\n", 1),
            ("/// Doc.\n@frozen\n@available(*, deprecated)\npublic enum A {\n    public let a = 1\n}\n", 0),
            ("public import Vitals\nstruct A {}\nfunc f() {}\nextension A { public func g() {} }\n", 0),
        ])
    func undocumented(text: String, count: Int) {
        #expect(DocumentationRule.violations(in: SourceFile(path: "Sources/Core/Vitals/A.swift", text: text)).count == count)
    }
}

@Suite("Swift code as the rules read it")
struct SwiftCodeTests {
    @Test(
        "comments and strings are blanked, interpolated code is not",
        arguments: [
            (#"a("b") // c"#, #"a(   )     "#),
            (#"a /* b /* c */ d */ e"#, #"a                   e"#),
            (#""a\"b" + c"#, #"       + c"#),
            (#""a\(b("c"))d" e"#, #"    b(   )    e"#),
            ("\"a // b\" c", "         c"),
            ("#\"a\"b\\(c)\\#(d)\"# e", "            d    e"),
            ("\"\"\"\na \"b\" try!\n\"\"\" c", "   \n          \n    c"),
            ("\"open\nb", "     \nb"),
            ("a /* open", "a        "),
        ])
    func blanking(source: String, expected: String) {
        #expect(SwiftCode.withoutCommentsAndStrings(source) == expected)
    }

    @Test("a token is a word of its own")
    func tokens() {
        #expect(SwiftCode.lines(of: "print(", in: "print(a)\nfingerprint(b)\nx.print(c)") == [1, 3])
        #expect(SwiftCode.lines(of: "as!", in: "a as! B\nhas!") == [1])
        #expect(SwiftCode.lines(of: ".now", in: "Date.now\nx.nowhere\n= .now,") == [1, 3])
        #expect(SwiftCode.lines(of: "Clock", in: "ClockRecord\nany Clock<Duration>") == [2])
    }
}
