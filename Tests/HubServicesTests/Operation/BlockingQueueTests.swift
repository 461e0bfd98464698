import Glibc
import Seams
import Testing

@testable import HubServices

/// Queues of services on the system's machine.
struct BlockingQueueTests {
    @Test("SOS-5, PERF-6: readings, downloads and imports give way to alarms and segments, also while all of them run side by side")
    func priority() async throws {
        let givesWay: Set<BlockingQueue> = [.read, .export, .uploads, .imports, .workouts, .groups, .pictures]
        let queues = BlockingQueue.allCases.map { ($0, $0.made(on: .system, isConcurrent: true)) }
        // A thread that works for one and then for another would keep its priority: all of them have work at once, again and again.
        let seen = await withTaskGroup(of: (BlockingQueue, Int32).self) { group in
            for _ in 0..<20 {
                for (queue, work) in queues { group.addTask { (queue, await work.run { niceness(of: 0) }) } }
            }
            return await group.reduce(into: [BlockingQueue: Set<Int32>]()) { $0[$1.0, default: []].insert($1.1) }
        }
        let ours = niceness(of: getpid())
        for queue in BlockingQueue.allCases {
            let seen = try #require(seen[queue])
            // Dispatch lets some qualities come before others, where it may.
            #expect(givesWay.contains(queue) ? seen == [10] : seen.allSatisfy { $0 <= ours }, "\(queue): \(seen)")
        }
    }
}

/// - Parameter thread: its number; 0 for the one that asks, the process's for its first.
private func niceness(of thread: pid_t) -> Int32 { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(thread)) }
