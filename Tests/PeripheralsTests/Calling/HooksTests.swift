import Foundation
import Sensing
import TestSupport
import Testing

@testable import Peripherals

/// A folder with hooks, and what became of them.
private struct HookRig {
    let directory: TemporaryDirectory
    var folder: String { directory.url.path }

    init() throws {
        directory = try TemporaryDirectory()
        chmod(folder, 0o755)
    }

    func add(_ name: String, _ text: String, mode: mode_t = 0o755) throws {
        let path = "\(folder)/\(name)"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        chmod(path, mode)
    }

    /// Runs them all; the reports by name, and how long it took in seconds.
    func run(
        input: [UInt8] = Array("{}".utf8), variables: [String: String] = [:], cancel: Bool = false,
        _ change: (inout Hooks.Configuration) -> Void = { _ in }
    ) async -> (reports: [String: Hooks.Report], succeeded: Int, seconds: Double) {
        var configuration = Hooks.Configuration()
        configuration.folder = folder
        change(&configuration)
        let (stream, feed) = AsyncStream.makeStream(of: Hooks.Event.self)
        let hooks = Hooks(configuration: configuration) { feed.yield($0) }
        let start = ContinuousClock.now
        hooks.run(1, input: input, variables: variables)
        if cancel { hooks.cancel(1) }
        var reports: [String: Hooks.Report] = [:]
        for await event in stream {
            switch event {
            case .ended(_, let report): reports[report.name] = report
            case .finished(_, let succeeded, _):
                return (
                    reports, succeeded,
                    Double((ContinuousClock.now - start).components.attoseconds) / 1e18
                        + Double((ContinuousClock.now - start).components.seconds)
                )
            }
        }
        return (reports, -1, 0)
    }
}

@Suite(.timeLimit(.minutes(1))) struct HooksTests {
    @Test("SOS-9: each hook gets the alarm on its standard input, whole, and a clean environment")
    func input() async throws {
        let rig = try HookRig()
        try rig.add("10-count", "#!/bin/sh\nwc -c; env | sort; pwd; ls /proc/self/fd | wc -l\n")
        try rig.add("20-never-reads", "#!/bin/sh\nexit 0\n")
        setenv("TRACKME_SECRET_OF_A_TEST", "1", 1)
        let (reports, succeeded, _) = await rig.run(input: [UInt8](repeating: 65, count: 300_000), variables: ["TRACKME_SOS": "alert"])
        let lines = reports["10-count"]?.output.split(separator: "\n").map(String.init) ?? []
        #expect(succeeded == 2 && lines.first == "300000")
        #expect(lines.contains("TRACKME_SOS=alert") && lines.contains("LANG=C.UTF-8") && !lines.contains { $0.contains("SECRET") })
        // Its three streams, and the folder that ls looks at.
        #expect(lines.last == "4")
    }

    @Test("SOS-9: one hook that hangs and will not end, one that fails, one that floods: none holds up another")
    func apart() async throws {
        let rig = try HookRig()
        try rig.add("10-hangs", "#!/bin/sh\ntrap '' TERM\nsleep 600 & while :; do sleep 0.1; done\n")
        try rig.add("20-fails", "#!/bin/sh\necho no gateway >&2\nexit 7\n")
        try rig.add("30-floods", "#!/bin/sh\nhead -c 2000000 /dev/zero | tr '\\0' x\n")
        try rig.add("40-dies", "#!/bin/sh\nkill -SEGV $$\n")
        try rig.add("50-no-interpreter", "#!/no/such/program\n")
        try rig.add("60-works", "#!/bin/sh\nexit 0\n")
        let (reports, succeeded, seconds) = await rig.run { ($0.limit, $0.grace) = (4000, 300) }
        #expect(succeeded == 2 && reports.count == 6)
        #expect(reports["10-hangs"]?.outcome == .timedOut && reports["20-fails"]?.outcome == .failed(code: 7))
        #expect(reports["20-fails"]?.output == "no gateway\n" && reports["30-floods"]?.output.count == 4096)
        #expect(reports["40-dies"]?.outcome == .signalled(SIGSEGV) && reports["60-works"]?.outcome == .succeeded)
        guard case .notStarted(let problem)? = reports["50-no-interpreter"]?.outcome else { return #expect(Bool(false)) }
        #expect(problem.advice.contains("first line"))
        #expect(reports["60-works"].map { $0.duration < 4000 } == true && seconds < 20)
    }

    @Test("SOS-9: what others could have written does not run, and the owner is told why")
    func refused() async throws {
        let rig = try HookRig()
        try rig.add("10-writable", "#!/bin/sh\n", mode: 0o777)
        try rig.add("20-not-executable", "#!/bin/sh\n", mode: 0o644)
        try rig.add("30-fine", "#!/bin/sh\n")
        try rig.add("README", "words\n", mode: 0o644)
        try rig.add("30-fine~", "#!/bin/sh\n")
        symlink("/bin/true", "\(rig.folder)/40-link")
        let folder = HookFolder(rig.folder)
        #expect(folder.programs == ["\(rig.folder)/30-fine"])
        #expect(folder.problems.map(\.advice).map { $0.split(separator: " ").first } == ["chmod", "chmod", "Put"])
        #expect(await rig.run().reports.keys.sorted() == ["30-fine"])
        chmod(rig.folder, 0o777)
        #expect(HookFolder(rig.folder).programs.isEmpty && HookFolder(rig.folder).problems.count == 1)
        #expect(HookFolder("/no/such/folder") == HookFolder("/no/such/folder/either"))
    }

    @Test("SOS-7: a run that is cancelled ends its hooks at once")
    func cancelled() async throws {
        let rig = try HookRig()
        try rig.add("10-long", "#!/bin/sh\nexec sleep 600\n")
        let (reports, succeeded, _) = await rig.run(cancel: true)
        #expect(reports["10-long"]?.outcome == .cancelled && succeeded == 0)
    }

    @Test("SOS-9: more hooks than the bound, and more runs than the bound, are told and not run")
    func bounded() async throws {
        let rig = try HookRig()
        for index in 0..<20 { try rig.add("hook-\(index)", "#!/bin/sh\n") }
        let folder = HookFolder(rig.folder)
        #expect(folder.programs.count == HookFolder.hooksMax && folder.problems.count == 20 - HookFolder.hooksMax)
        let slow = try HookRig()
        try slow.add("10-long", "#!/bin/sh\nexec sleep 600\n")
        let (stream, feed) = AsyncStream.makeStream(of: Hooks.Event.self)
        var configuration = Hooks.Configuration()
        configuration.folder = slow.folder
        let hooks = Hooks(configuration: configuration) { feed.yield($0) }
        for id in 0...UInt64(Hooks.runsMax) { hooks.run(id, input: []) }
        let first = await stream.first { _ in true }
        guard case .ended(UInt64(Hooks.runsMax), let report)? = first, case .notStarted = report.outcome else {
            return #expect(Bool(false))
        }
        for id in 0..<UInt64(Hooks.runsMax) { hooks.cancel(id) }
    }

    @Test("SOS-9: hooks that end, fail, die, hang and never end saying something are told apart, without a process")
    func madeUp() async throws {
        let rig = try HookRig()
        for name in ["10-ends", "20-fails", "30-dies", "40-hangs", "50-floods", "60-gone"] { try rig.add(name, "") }
        let made = MadeUpPrograms { command in
            switch HookRun.name(command[0]) {
            case "10-ends": .exits(0, says: "done")
            case "20-fails": .exits(3, complains: "no line")
            case "30-dies": .dies(signal: SIGSEGV)
            case "40-hangs": .hangs
            case "50-floods": .floods
            default: .missing
            }
        }
        let (reports, succeeded, _) = await rig.run {
            ($0.limit, $0.grace, $0.outputMax, $0.programs) = (200, 100, 100, made.programs)
        }
        #expect(succeeded == 1 && made.starts.count == 5 && made.starts.first?.input == "{}")
        #expect(reports["10-ends"]?.outcome == .succeeded && reports["10-ends"]?.output == "done")
        #expect(reports["20-fails"]?.outcome == .failed(code: 3) && reports["20-fails"]?.output == "no line")
        #expect(reports["30-dies"]?.outcome == .signalled(SIGSEGV) && reports["40-hangs"]?.outcome == .timedOut)
        #expect(reports["50-floods"]?.outcome == .timedOut && reports["50-floods"]?.output.utf8.count == 100)
        guard case .notStarted? = reports["60-gone"]?.outcome else { return #expect(Bool(false)) }
    }
}
