import Foundation
import Testing

/// `make trace`, in a made-up checkout with a made-up run of its tests.
@Suite("Trace", .timeLimit(.minutes(2)))
struct TraceTests {
    @Test("OPS-5: every requirement has a test that passed: nothing to complain of")
    func passing() throws {
        let checkout = try Checkout(requirements: ["EDGE-1", "EDGE-2", "EDGE-3"], open: ["EDGE-3"])
        let said = try checkout.trace(recording: [.init("EDGE-1: a", "pass"), .init("EDGE-2: b", "pass")])
        #expect(said.status == 0, "\(said.errors)")
        #expect(said.output.contains("2 of 3 requirements have tests that passed"))
    }

    @Test("OPS-5: the table has each requirement with procedure, result, day and commit, as CSV and as HTML")
    func table() throws {
        let checkout = try Checkout(requirements: ["EDGE-1", "EDGE-2", "EDGE-3", "EDGE-4"], open: ["EDGE-3"])
        try checkout.write("Tests/Rig/test-a", "#!/bin/sh\n# proves EDGE-2: a rig, \"as it is\"\n")
        try checkout.write("Tests/seen-green.tsv", "Tests/Rig/test-a\tabc123456\t2026-11-27\t7ad4\n")
        try checkout.write(".build/test-run.jsonl.commit", "0123456789+changes\n")
        let tests: [Checkout.Test] = [.init("EDGE-1: a < b", "pass"), .init("EDGE-4: c", "fail")]
        #expect(try checkout.trace(recording: tests).status == 1)
        func table(_ kind: String) throws -> String {
            try String(contentsOfFile: checkout.path(".build/trace/table.\(kind)"), encoding: .utf8)
        }
        let rows = try table("csv").split(separator: "\r\n").map(String.init)
        #expect(
            rows == [
                "requirement,title,state,procedure,place,result,date (UTC),commit",
                "EDGE-1,title,proved,EDGE-1: a < b,Tests/ATests/A.swift:1,passed,2026-11-23,0123456789+changes",
                #"EDGE-2,title,NOT PROVED,"EDGE-2: a rig, ""as it is""",Tests/Rig/test-a:2,changed since it passed,2026-11-27,abc123456"#,
                "EDGE-3,title,open,,,no test,,",
                "EDGE-4,title,NOT PROVED,EDGE-4: c,Tests/ATests/A.swift:3,FAILED,2026-11-23,0123456789+changes",
            ])
        let page = try table("html")
        #expect(page.contains("EDGE-1: a &lt; b") && page.contains("4, of which 1 have a test that passed and 1 are open"))
        for identifier in ["EDGE-1", "EDGE-2", "EDGE-3", "EDGE-4"] { #expect(page.contains(">\(identifier)</th>")) }
    }

    @Test("OPS-5: without a recorded run nothing is known, and what to do is said")
    func unrecorded() throws {
        let checkout = try Checkout(requirements: ["EDGE-1"])
        let said = try checkout.trace(recording: nil)
        #expect(said.status == 1)
        #expect(said.errors.contains("make test"))
    }

    @Test(
        "OPS-5: a test that failed, was skipped, did not run or did not come to its end proves nothing", arguments: ["fail", "skip", nil])
    func unproved(symbol: String?) throws {
        let checkout = try Checkout(requirements: ["EDGE-1", "EDGE-2"])
        let tests: [Checkout.Test] = [.init("EDGE-1: a", "pass"), .init("EDGE-2: b", symbol)]
        let said = try checkout.trace(recording: tests)
        #expect(said.status == 1)
        #expect(said.errors.contains("EDGE-2 has no test that passed"))
        #expect(!said.errors.contains("EDGE-1"))
        let cut = try checkout.trace(recording: [.init("EDGE-1: a", "pass"), .init("EDGE-2: b", "pass")], ends: false)
        #expect(cut.status == 1)
        #expect(cut.errors.contains("did not come to its end"))
    }

    @Test("OPS-5: a test that is not in the source any more proves nothing, whatever the recorded run says")
    func removed() throws {
        let checkout = try Checkout(requirements: ["EDGE-1"])
        _ = try checkout.trace(recording: [.init("EDGE-1: a", "pass")])
        try checkout.write("Tests/ATests/A.swift", "")
        #expect(try checkout.run().status == 1)
    }

    @Test("OPS-5: a skipped test counts once its runner noted that it was seen green, and is shown with commit and day")
    func seenElsewhere() throws {
        let checkout = try Checkout(requirements: ["EDGE-1", "EDGE-2"])
        try checkout.write("Tests/Rig/test-a", "#!/bin/sh\n# proves EDGE-2: a rig\n")
        let gated: [Checkout.Test] = [.init("EDGE-1: a", "pass", condition: ", .enabled(if: isHere)")]
        #expect(try checkout.trace(recording: gated).errors.contains("EDGE-2 has no test that passed"))
        #expect(try checkout.run("seen", "--run", checkout.path(".build/test-run.jsonl"), checkout.path("Tests/Rig/test-a")).status == 0)
        let said = try checkout.trace(recording: [.init("EDGE-1: a", "skip", condition: ", .enabled(if: isHere)")])
        #expect(said.status == 0, "\(said.errors)")
        #expect(said.output.contains("Tests/ATests/A.swift: EDGE-1: a  [seen green 20"))
        #expect(said.output.contains("Tests/Rig/test-a  [seen green 20"))
        #expect(try checkout.run("seen", checkout.path("Tests/ATests/A.swift")).status == 1, "it names nothing by `proves`")
    }

    @Test("OPS-5: a test whose file has changed since it was seen green counts no more, and is shown as such, until it is seen again")
    func changedSinceSeen() throws {
        let checkout = try Checkout(requirements: ["EDGE-1", "EDGE-2"]), rig = "#!/bin/sh\n# proves EDGE-2: a rig\n"
        func skipped(_ more: String = "") throws -> (status: Int32, output: String, errors: String) {
            try checkout.trace(recording: [.init("EDGE-1: a", "skip", condition: ", .enabled(if: isHere\(more))")])
        }
        try checkout.write("Tests/Rig/test-a", rig)
        _ = try checkout.trace(recording: [.init("EDGE-1: a", "pass", condition: ", .enabled(if: isHere)")])
        #expect(try checkout.run("seen", "--run", checkout.path(".build/test-run.jsonl"), checkout.path("Tests/Rig/test-a")).status == 0)
        try checkout.commit()
        #expect(try skipped().status == 0)
        var said = try skipped(" && isToday")
        #expect(said.errors.contains("EDGE-1 has no test that passed") && !said.errors.contains("EDGE-2"), "\(said.errors)")
        #expect(said.output.contains("Tests/ATests/A.swift: EDGE-1: a  [CHANGED SINCE SEEN: seen green 20"), "\(said.output)")
        try checkout.write("Tests/Rig/test-a", rig + "true\n")
        said = try skipped()
        #expect(said.errors.contains("EDGE-2 has no test that passed") && !said.errors.contains("EDGE-1"), "\(said.errors)")
        #expect(said.output.contains("Tests/Rig/test-a  [CHANGED SINCE SEEN: seen green 20"), "\(said.output)")
        #expect(try checkout.run("seen", checkout.path("Tests/Rig/test-a")).status == 0)
        #expect(try skipped().status == 0)
    }

    @Test("OPS-5: a note that has the commit alone counts while the test's file is as it was there; one of an unknown commit does not")
    func notedByCommit() throws {
        let checkout = try Checkout(requirements: ["EDGE-1"]), rig = "#!/bin/sh\n# proves EDGE-1: a rig\n"
        try checkout.write("Tests/Rig/test-a", rig)
        try checkout.commit()
        func note(_ commit: String) throws -> Int32 {
            try checkout.write("Tests/seen-green.tsv", "Tests/Rig/test-a\t\(commit)\t2026-11-27\n")
            return try checkout.trace(recording: []).status
        }
        #expect(try note("HEAD") == 0 && note("HEAD+changes") == 0 && note("000000000") == 1)
        try checkout.write("Tests/Rig/test-a", rig + "true\n")
        #expect(try note("HEAD") == 1)
        try checkout.commit()
        #expect(try note("HEAD~1") == 1 && note("HEAD") == 0)
    }

    @Test("OPS-5: a test that is left to make test-long counts once it was seen green there, and no more once it failed there")
    func long() throws {
        let checkout = try Checkout(requirements: ["EDGE-1"])
        func note(_ symbol: String) throws {
            _ = try checkout.trace(recording: [.init("EDGE-1: a", symbol)])
            #expect(try checkout.run("seen", "--run", checkout.path(".build/test-run.jsonl")).status == 0)
        }
        func tracedWithoutIt() throws -> (status: Int32, output: String, errors: String) {
            _ = try checkout.trace(recording: [])
            try checkout.write("Tests/ATests/A.swift", "@Test(\"EDGE-1: a\")\nfunc a() {}\n")
            return try checkout.run()
        }
        try note("pass")
        #expect(try tracedWithoutIt().errors.contains("EDGE-1 has no test that passed"), "it is no long one")
        try checkout.write("Tests/long.txt", "Tests/ATests/ # slow\n")
        #expect(try tracedWithoutIt().errors.contains("EDGE-1 has no test that passed"), "nobody saw it green")
        try note("pass")
        let said = try tracedWithoutIt()
        #expect(said.status == 0, "\(said.errors)")
        #expect(said.output.contains("Tests/ATests/A.swift: EDGE-1: a  [seen green 20"))
        try note("fail")
        #expect(try tracedWithoutIt().errors.contains("EDGE-1 has no test that passed"), "it failed since")
    }

    @Test("OPS-5: the list of open requirements only gets shorter")
    func openList() throws {
        let checkout = try Checkout(requirements: ["EDGE-1", "EDGE-2"], open: ["EDGE-2"])
        let proved = try checkout.trace(recording: [.init("EDGE-1: a", "pass"), .init("EDGE-2: b", "pass")])
        #expect(proved.errors.contains("EDGE-2 has a test that passed: take it out"))
        // One that went back into it, committed or not.
        try checkout.write("Tests/requirements-open.txt", "EDGE-1\nEDGE-2\n")
        #expect(try checkout.trace(recording: []).errors.contains("EDGE-1 came into Tests/requirements-open.txt later"))
        try checkout.commit()
        #expect(try checkout.trace(recording: []).errors.contains("EDGE-1 came into Tests/requirements-open.txt later"))
    }

    @Test("OPS-5: a new requirement comes into the list of open ones together with its row")
    func newRow() throws {
        let checkout = try Checkout(requirements: ["EDGE-1"], open: ["EDGE-1"])
        try checkout.write("Tests/requirements.txt", "EDGE-1\ta\nEDGE-2\tb\n")
        try checkout.write("Tests/requirements-open.txt", "EDGE-1\nEDGE-2\n")
        #expect(try checkout.trace(recording: []).status == 0)
        try checkout.commit()
        let said = try checkout.trace(recording: [])
        #expect(said.status == 0, "\(said.errors)")
    }
}

/// A repository of two files of tests, and what packaging/trace says about it.
private struct Checkout: ~Copyable {
    struct Test {
        let name: String, symbol: String?, condition: String

        init(_ name: String, _ symbol: String?, condition: String = "") {
            (self.name, self.symbol, self.condition) = (name, symbol, condition)
        }
    }

    private let root = FileManager.default.temporaryDirectory.appending(path: "trackme-trace-\(UUID().uuidString)")

    init(requirements: [String], open: [String] = []) throws {
        try write("Tests/requirements.txt", requirements.map { "\($0)\ttitle\n" }.joined())
        try write("Tests/requirements-open.txt", open.map { $0 + "\n" }.joined())
        try Self.check("git", ["init", "-q", root.path])
        try commit()
    }

    deinit { try? FileManager.default.removeItem(at: root) }

    func path(_ path: String) -> String { root.appending(path: path).path }

    func write(_ path: String, _ text: String) throws {
        let url = root.appending(path: path)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    func commit() throws {
        try Self.check("git", ["-C", root.path, "add", "-A"])
        try Self.check(
            "git",
            ["-C", root.path, "-c", "user.name=Test", "-c", "user.email=test@example.org", "commit", "-q", "--allow-empty", "-m", "a"])
    }

    /// Writes these tests and their run, and asks.
    /// - Parameter tests: nil for no recorded run; one without a symbol never ended.
    func trace(recording tests: [Test]?, ends: Bool = true) throws -> (status: Int32, output: String, errors: String) {
        let source = (tests ?? []).map { "@Test(\"\($0.name)\"\($0.condition))\nfunc a() {}\n" }.joined()
        try write("Tests/ATests/A.swift", source)
        guard let tests else { return try run() }
        var lines: [String] = []
        func add(_ kind: String, _ payload: String) { lines.append(#"{"kind":"\#(kind)","payload":{\#(payload)},"version":"6.3.0"}"#) }
        for (index, test) in tests.enumerated() {
            let place = #""filePath":"\#(path("Tests/ATests/A.swift"))","line":\#(2 * index + 1)"#
            add("test", #""kind":"function","id":"A/\#(index)","name":"a()","displayName":"\#(test.name)","sourceLocation":{\#(place)}"#)
        }
        add("event", #""kind":"runStarted","instant":{"since1970":1795414117.5},"messages":[]"#)
        for (index, test) in tests.enumerated() {
            guard let symbol = test.symbol else { continue }
            let kind = symbol == "skip" ? "testSkipped" : "testEnded"
            add("event", #""kind":"\#(kind)","testID":"A/\#(index)","messages":[{"symbol":"\#(symbol)","text":"…"}]"#)
        }
        if ends { add("event", #""kind":"runEnded","messages":[]"#) }
        try write(".build/test-run.jsonl", lines.joined(separator: "\n") + "\n")
        return try run()
    }

    func run(_ arguments: String...) throws -> (status: Int32, output: String, errors: String) {
        let trace = SourceTree.root.appending(path: "packaging/trace").path
        return try Self.execute("python3", [trace, "--root", root.path] + arguments)
    }

    private static func check(_ program: String, _ arguments: [String]) throws {
        let said = try execute(program, arguments)
        try #require(said.status == 0, "\(program) \(arguments): \(said.errors)")
    }

    private static func execute(_ program: String, _ arguments: [String]) throws -> (status: Int32, output: String, errors: String) {
        let process = Process(), output = Pipe(), errors = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program] + arguments
        (process.standardOutput, process.standardError) = (output, errors)
        try process.run()
        // Both are shorter than a pipe's buffer.
        let said = (output.fileHandleForReading.readDataToEndOfFile(), errors.fileHandleForReading.readDataToEndOfFile())
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: said.0, as: UTF8.self), String(decoding: said.1, as: UTF8.self))
    }
}
