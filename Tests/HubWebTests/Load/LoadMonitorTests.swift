import Foundation
import NIOHTTP1
import TestSupport
import Testing

@testable import HubServices
@testable import HubWeb

/// A hub whose threads of pages are all taken, and who measures it.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct LoadMonitorTests {
    private static let threads = 4

    @Test("PERF-4: threads of pages that are taken for seconds are pressure: exports are left undone, and done again once they are free")
    func measured() async throws {
        try await WebFixture.run { web in
            let isOver = Locked(false), shedding = web.hub.shedding, pages = web.hub.executors.pages
            #expect(try await web.send(.GET, "/data/export").status == 303)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<Self.threads {
                    group.addTask(executorPreference: pages) { while !isOver.current { usleep(10_000) } }
                }
                defer { isOver.change { $0 = true } }
                while !shedding.sheds(.exports) { try await Task.sleep(for: .milliseconds(100)) }
                // Refused at once, where it would have waited; what alarms hang on goes by other threads.
                #expect(try await web.send(.GET, "/data/export").status == 503)
                #expect(try await web.send(.GET, "/healthz").status == 200)
            }
            while shedding.sheds(.exports) { try await Task.sleep(for: .milliseconds(100)) }
            #expect(try await web.send(.GET, "/data/export").status == 303)
        }
    }
}
