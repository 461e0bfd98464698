import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1)))
struct OpenLoopTests {
    /// Round and person of what was sent.
    private final class Sent: Sendable {
        let all = Mutex<[[Int]]>([])
    }

    /// Nobody answers; returns once so many were due.
    private func run(people: Int, most: Int, until due: Int) async throws -> (counts: OpenLoop.Counts, sent: [[Int]]) {
        let loop = OpenLoop(people: people, every: .milliseconds(50), most: most), sent = Sent()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await loop.run { person, round in
                    sent.all.withLock { $0.append([round, person]) }
                    try await Task.sleep(for: .seconds(600))
                }
            }
            while loop.counts.due < due { try? await Task.sleep(for: .milliseconds(5)) }
            group.cancelAll()
        }
        return (loop.counts, sent.all.withLock { $0 })
    }

    @Test("SOS-5, SOS-11: under load everybody sends at their moment, though nothing that was sent before is answered")
    func unanswered() async throws {
        let (counts, sent) = try await run(people: 10, most: 10_000, until: 30)
        #expect(counts.due >= 30 && counts.leftOut == 0 && counts.failed == 0 && counts.answers.all.isEmpty)
        #expect(counts.underWay == 0)
        // Each once before anybody twice.
        let expected = (0..<counts.due).map { [$0 / 10, $0 % 10] }
        #expect(sent.count == counts.due && Set(sent) == Set(expected))
    }

    @Test("SOS-5, SOS-11: what cannot be sent in time is counted, and not made up for later")
    func tooMuch() async throws {
        let (counts, sent) = try await run(people: 10, most: 7, until: 30)
        #expect(sent.count == 7 && counts.leftOut == counts.due - 7 && counts.notInTime >= counts.due - 7)
    }

    @Test("SOS-5, SOS-11: an answer's time begins when it was due; what fails is counted, and counting can begin anew")
    func answered() async throws {
        struct Refused: Error {}
        let loop = OpenLoop(people: 2, every: .milliseconds(20), most: 10_000)
        let running = Task {
            await loop.run { person, _ in
                guard person == 0 else { throw Refused() }
                try await Task.sleep(for: .milliseconds(30))
            }
        }
        while loop.counts.answers.all.count < 5 || loop.counts.failed < 5 { try await Task.sleep(for: .milliseconds(5)) }
        let before = loop.counts
        #expect(before.answers.quantile(0) >= 30 && before.leftOut == 0)
        running.cancel()
        await running.value
        loop.restart()
        let after = loop.counts
        #expect(after.due == 0 && after.failed == 0 && after.answers.all.isEmpty && after.underWay == 0)
    }
}
