import Foundation
import TestSupport
import Testing
import Vitals

/// Two programs on one state directory: real processes.
@Suite(.enabled(if: FaultState.program != nil, "trackme-agent was not built"), .timeLimit(.minutes(2)))
struct FaultTwoProgramsTests {
    private func until(_ condition: () -> Bool) async throws {
        for _ in 0..<1000 where !condition() { try await Task.sleep(for: .milliseconds(20)) }
        try #require(condition())
    }

    @Test("EDGE-5: a second program on the same buffer says that it is in use, ends with 3, and the first loses nothing")
    func second() async throws {
        let state = try FaultState(), program = try #require(FaultState.program)
        // 95 s of a walk in about 12 s.
        let first = Task {
            try await FaultRun.of(
                [program, "replay", "--nmea", state.nmea, "--speed", "8", "--once", "--state", state.path], limit: .seconds(90))
        }
        try await until { FileManager.default.fileExists(atPath: state.path + "/buffer.sqlite") }
        for command in [["run"], ["replay", "--nmea", state.nmea, "--speed", "max", "--once"], ["status"]] {
            let run = try await FaultRun.of([program] + command + ["--state", state.path], limit: .seconds(30))
            #expect(run.status == 3 && !run.wasKilled && !run.timedOut, "\(command): \(run)")
            #expect(run.text.contains("in use by another program"), "\(command): \(run)")
        }
        let run = try await first.value
        #expect(run.succeeded, "\(run)")
        let stored = try state.stored()
        #expect(stored.isOrdered && stored.times.count == FaultState.seconds - 20, "\(run)")
        #expect(stored.samples.gaps.isEmpty && stored.notices.isEmpty)
    }

    @Test("EDGE-5, EDGE-12: beside an agent that runs a second one ends with 3, and so does `status` where the control socket is gone")
    func besideAgent() async throws {
        let state = try FaultState(), program = try #require(FaultState.program)
        let agent = Process(), socket = state.path + "/control.sock"
        agent.executableURL = URL(fileURLWithPath: program)
        agent.arguments = ["run", "--gpsd", "none", "--state", state.path]
        agent.standardError = FileHandle.nullDevice
        try agent.run()
        defer { if agent.isRunning { kill(agent.processIdentifier, SIGKILL) } }
        var status = FaultRun(status: -1, wasKilled: false, timedOut: false, text: "")
        for _ in 0..<50 where status.status != 0 {
            status = try await FaultRun.of([program, "status", "--state", state.path], limit: .seconds(30))
        }
        #expect(status.succeeded, "the agent answers: \(status)")
        let second = try await FaultRun.of([program, "run", "--state", state.path], limit: .seconds(30))
        #expect(second.status == 3 && second.text.contains("in use by another program"), "\(second)")
        status = try await FaultRun.of([program, "status", "--state", state.path], limit: .seconds(30))
        #expect(status.succeeded, "the first has its socket still: \(status)")
        try #require(FileManager.default.fileExists(atPath: socket))
        try FileManager.default.removeItem(atPath: socket)
        status = try await FaultRun.of([program, "status", "--state", state.path], limit: .seconds(30))
        #expect(status.status == 3 && status.text.contains("in use by another program"), "\(status)")
        #expect(agent.isRunning)
        agent.terminate()
        try await until { !agent.isRunning }
        #expect(agent.terminationReason == .exit && agent.terminationStatus == 0)
    }
}
