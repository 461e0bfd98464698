import Distress
import Foundation
import HubStore
import NIOHTTP1
import Segments
import SyncProtocol
import Synchronization
import TestSupport
import Testing
import Vitals

@testable import HubServices
@testable import HubWeb

/// Holds threads until it is opened.
private final class Latch: Sendable {
    private let held = Atomic(0), isOpen = Atomic(false)

    var count: Int { held.load(ordering: .acquiring) }

    func open() { isOpen.store(true, ordering: .releasing) }

    /// Blocks the thread that calls it.
    func hold() {
        held.add(1, ordering: .acquiringAndReleasing)
        while !isOpen.load(ordering: .acquiring) { usleep(10_000) }
    }
}

@Suite(.timeLimit(.minutes(2)))
struct SOSThreadsTests {
    @Test("SOS-16, PERF-6: alarm, crew and segments are answered while pages, streams and the hub's own work hold all of their threads")
    func held() async throws {
        try await WebFixture.run { web in
            let cast = try await SOSCast(web), person = try await cast.person(), crew = try await cast.crew("Bergamo1")
            let id = person.account.id.person, token = try await Cast.agentToken(web, [id]), latch = Latch()
            let executors = web.hub.executors, widths = [(executors.pages, 4), (executors.streams, 2), (executors.background, 4)]
            for (executor, _) in widths {
                for _ in 0..<8 { Task(executorPreference: executor) { latch.hold() } }
            }
            defer { latch.open() }
            while latch.count < widths.reduce(0, { $0 + $1.1 }) { try await Task.sleep(for: .milliseconds(10)) }
            let page = Task { try await web.send(.GET, "/log-in").status }, isPageAnswered = Mutex(false)
            Task { if (try? await page.value) != nil { isPageAnswered.withLock { $0 = true } } }

            #expect(try await web.post("/protection/press/help", [:], cookie: person.cookie).status == 303)
            #expect(try await cast.place(person) == 204)
            #expect(try await web.post(try await cast.path(crew) + "/accept", [:], cookie: crew.cookie).status == 303)
            #expect(try await cast.move(crew, 45.605) == 204)
            let samples = SampleSet(heartRates: [HeartRateSample(time: Cast.now, beatsPerMinute: 70, contact: .detected)])
            let segment = Segment(stream: .random(), sequence: 1, person: id, provenance: .live, clock: .wall, samples: samples)
            let bearer = [("authorization", "Bearer \(token)")], body = try SegmentBatch.encode([segment.encoded()])
            #expect(try await web.send(.POST, SyncRoute.segments, headers: bearer, body: body).status == 200)
            let report = SOSReport(
                person: id, boot: BootID(high: 1, low: 2), revision: 1, sentAt: 3000, provenance: .live, unprotected: [])
            #expect(try await web.send(.POST, SyncRoute.sos, headers: bearer, body: Array(JSONEncoder().encode(report))).status == 200)
            #expect(!isPageAnswered.withLock { $0 }, "the threads of pages were not held")

            latch.open()
            #expect(try await page.value == 200)
        }
    }

    @Test("SOS-16: each route of a box, a crew, a contact and an emergency is urgent; pages, streams and readings are not")
    func urgent() async throws {
        try await WebFixture.run { web in
            let paths = Set((web.hub.routes + web.hub.refusals).compactMap { $0.split(separator: " ").last.map(String.init) })
            let words = ["sync/", "sos", "duty", "protection", "emergenc", "alarm", "flags", "owntracks", "osmand", "healthz", "readyz"]
            for path in paths where words.contains(where: path.contains) { #expect(UrgentRoutes.contains(path), "\(path)") }
            for path in ["/", "/log-in", "/home", "/my-data", "/care", "/people/1/recent", "/api/v1/fhir/Observation", "/runs/AB/live"] {
                #expect(!UrgentRoutes.contains(path), "\(path)")
            }
        }
    }
}
