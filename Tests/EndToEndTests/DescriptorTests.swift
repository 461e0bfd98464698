import Foundation
import HubStore
import Testing

/// A running agent whose file descriptors are taken away for a while.
@Suite(.serialized)
struct DescriptorTests {
    /// Sets the soft limit of a process.
    private func limit(_ process: Int32, to count: Int) throws {
        let command = Process()
        command.executableURL = URL(fileURLWithPath: "/usr/bin/prlimit")
        command.arguments = ["--pid", "\(process)", "--nofile=\(count):"]
        try command.run()
        command.waitUntilExit()
        try #require(command.terminationStatus == 0)
    }

    @Test("EDGE-5, EDGE-6: an agent that gets no file descriptor says so, goes on collecting, and sends when there are some again")
    func noneLeft() async throws {
        let programs = try KillTests.Programs()
        let expected = try programs.expected()
        try programs.enrol()
        let agent = try programs.startReplay(speed: "60")
        try await Task.sleep(for: .seconds(1))
        try limit(agent.identifier, to: 3)
        // Its connection ends, and there is none to be had.
        try programs.restartHub()
        var isTold = false
        for _ in 0..<100 where !isTold {
            try await Task.sleep(for: .milliseconds(100))
            isTold = programs.log("agent").contains("open files")
        }
        #expect(isTold, "\(programs.log("agent"))")
        try limit(agent.identifier, to: 512)
        try #require(await agent.finished(within: .seconds(120)) == 0, "\(programs.log("agent"))")
        programs.hub?.terminate()
        let reading = try programs.stored()
        #expect(reading.heartRates.map(KillTests.Stored.init) == expected.heartRates)
        #expect(reading.positions.map(KillTests.Stored.init) == expected.positions)
        #expect(reading.gaps.isEmpty)
    }
}
