import Foundation
import Glibc
import Testing
import Vitals

/// The real program without descriptors, and without memory.
@Suite(.enabled(if: FaultState.program != nil, "trackme-agent was not built"))
struct FaultShortageTests {
    @Test(
        "EDGE-5: with few file descriptors the agent says so, breaks nothing, and the next start goes on",
        arguments: [4, 6, 8, 9, 10, 11, 12, 14, 16])
    func descriptors(limit: Int) async throws {
        let state = try FaultState()
        let run = try await state.replay(wrapper: ["prlimit", "--nofile=\(limit)"], limit: .seconds(30))
        #expect(!run.timedOut, "\(run)")
        // With four, not even the language's run time can say a word, nor with more where tasks queue while there is none left (docs/faults.md):
        // the service manager tells of the signal.
        let isRuntimes = run.wasKilled && (limit < 6 || run.status == SIGILL)
        if !run.succeeded { #expect(!run.text.isEmpty || isRuntimes, "it says what is wrong: \(run)") }
        try await expectWhole(state, after: run)
    }

    @Test(
        "EDGE-5: out of memory the agent may end in any way: nothing that was sealed is lost or twice",
        arguments: [60, 100, 140, 180, 220, 260])
    func memory(megabytes: Int) async throws {
        let state = try FaultState()
        let run = try await state.replay(wrapper: ["prlimit", "--as=\(megabytes << 20)"], limit: .seconds(30))
        try await expectWhole(state, after: run)
    }

    private func expectWhole(_ state: FaultState, after run: FaultRun) async throws {
        if !run.succeeded {
            let again = try await state.replay()
            #expect(again.succeeded, "\(run)\nagain: \(again)")
        }
        let stored = try state.stored()
        #expect(stored.isOrdered && stored.times.count == FaultState.seconds - 20, "\(run)")
        #expect(stored.samples.gaps.isEmpty && stored.notices.isEmpty, "\(run)")
    }

    @Test(
        "EDGE-8, EDGE-10: summer time and the box's time zone change no time",
        arguments: ["UTC", "Europe/Berlin", "America/New_York", ":/nonsense"])
    func timeZone(zone: String) async throws {
        // Through the hours in which Europe's clocks go back, and the leap second at the end of 2016.
        let lines = [("311216", "235959"), ("311216", "235960"), ("010117", "000000"), ("251026", "005959"), ("251026", "010000")]
            .map { day, time in
                let body = "GPRMC,\(time),A,4730.0000,N,00259.0000,W,4.0,90.0,\(day),,"
                return "$\(body)*\(String(format: "%02X", body.utf8.reduce(0, ^)))\r\n"
            }
        let state = try FaultState(), file = state.path + "/times.nmea"
        try Data(lines.joined().utf8).write(to: URL(fileURLWithPath: file))
        let program = try #require(FaultState.program)
        let run = try await FaultRun.of([program, "decode", "--nmea", file], environment: ["TZ": zone], limit: .seconds(30))
        let times = run.text.split(separator: "\n").compactMap { line in
            line.range(of: #"20[0-9-]+T[0-9:.]+Z"#, options: .regularExpression).map { String(line[$0]) }
        }
        // UTC's repeated second is the next one, as in POSIX time.
        #expect(
            times == [
                "2016-12-31T23:59:59.000Z", "2017-01-01T00:00:00.000Z", "2017-01-01T00:00:00.000Z", "2026-10-25T00:59:59.000Z",
                "2026-10-25T01:00:00.000Z",
            ], "\(run)")
    }
}
