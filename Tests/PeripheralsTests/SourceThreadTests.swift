import Foundation
import Sensing
import Synchronization
import Testing

@testable import SourceThread

@Suite(.timeLimit(.minutes(1)))
struct SourceThreadTests {
    private static var name: String {
        (try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8))?.trimmingCharacters(in: .newlines) ?? ""
    }

    @Test("EDGE-9: the thread of a source runs under its name, ends by its signal and can be started again")
    func runs() async throws {
        let thread = SourceThread(name: "a-name-that-is-too-long")
        for _ in 0..<2 {
            let (stream, feed) = AsyncStream.makeStream(of: String.self)
            try thread.start { stop in
                feed.yield(Self.name)
                while stop.wait(milliseconds: 60_000) != .stopped {}
                feed.finish()
            }
            var names: [String] = []
            for await name in stream {
                names.append(name)
                thread.stop()
            }
            #expect(names == ["a-name-that-is-"])
        }
    }

    @Test("EDGE-9: a thread that the system does not give is told, and can be started later")
    func refused() {
        // More than any machine's address space.
        let thread = SourceThread(name: "heart-rate", stackSize: 1 << 60)
        for _ in 0..<2 {
            let problem = #expect(throws: SourceProblem.self) { try thread.start { _ in Issue.record("it ran") } }
            #expect(problem?.what.contains("heart-rate") == true && problem?.advice.contains("TasksMax") == true)
        }
    }
}
