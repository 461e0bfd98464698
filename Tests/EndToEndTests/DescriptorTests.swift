import Foundation
import HubStore
import Testing

/// A running agent whose file descriptors are taken away for a while.
@Suite(.serialized)
struct DescriptorTests {
    /// Sets the soft limit of a process. False when there is no such process.
    private func limit(_ process: Int32, to count: Int) throws -> Bool {
        let command = Process()
        command.executableURL = URL(fileURLWithPath: "/usr/bin/prlimit")
        command.arguments = ["--pid", "\(process)", "--nofile=\(count):"]
        try command.run()
        command.waitUntilExit()
        return command.terminationStatus == 0
    }

    /// libdispatch looks after its threads by opening files, and ends the program with an illegal instruction when it cannot: by chance, about
    /// one time in eight here. Nothing may be lost by that either: the agent's unit has it started again.
    @Test("EDGE-5, EDGE-6: an agent that gets no file descriptor says so, collects on or is started again, and sends when there are some")
    func noneLeft() async throws {
        let programs = try KillTests.Programs()
        let expected = try programs.expected()
        try programs.enrol()
        var agent = try programs.startReplay(speed: "60")
        try await Task.sleep(for: .seconds(1))
        try #require(try limit(agent.identifier, to: 3))
        // Its connection ends, and there is none to be had.
        try programs.restartHub()
        var isTold = false
        for _ in 0..<100 where !isTold && agent.isRunning {
            try await Task.sleep(for: .milliseconds(100))
            isTold = programs.log("agent").contains("open files")
        }
        if try limit(agent.identifier, to: 512) {
            #expect(isTold, "\(programs.log("agent"))")
        } else {
            _ = await agent.finished(within: .seconds(10))
            #expect(agent.signal == SIGILL && !programs.log("agent").contains("Fatal error"), "\(programs.log("agent"))")
            agent = try programs.startReplay(speed: "60")
        }
        try #require(await agent.finished(within: .seconds(120)) == 0, "\(programs.log("agent"))")
        programs.hub?.terminate()
        let reading = try programs.stored()
        #expect(reading.heartRates.map(KillTests.Stored.init) == expected.heartRates)
        #expect(reading.positions.map(KillTests.Stored.init) == expected.positions)
        #expect(reading.gaps.isEmpty)
    }
}
