import Distress
import Foundation
import HubStore
import NIOHTTP1
import Seams
import Segments
import SyncProtocol
import Synchronization
import TestSupport
import Testing
import Vitals

@testable import HubServices
@testable import HubWeb

/// The system's machine, whose queues and threads are noted and can be held, all but those that an alarm or a segment needs.
private final class HeldMachine: Sendable {
    private struct Noted {
        let label: String, width: Int, queue: WorkQueue
    }

    private let noted = Mutex<[Noted]>([])
    private let held = Atomic(0), isClosed = Atomic(false)
    private let isNeeded: @Sendable (_ label: String) -> Bool

    /// - Parameter isNeeded: whose queues and threads are not held.
    init(isNeeded: @escaping @Sendable (_ label: String) -> Bool) { self.isNeeded = isNeeded }

    /// What can be held.
    var labels: [String] { noted.withLock { $0.map(\.label) } }

    var machine: Machine {
        let system = Machine.system
        return Machine(
            randomness: system.randomness, programs: system.programs, files: system.files, utc: { system.utc }, clock: { system.uptime },
            pause: { try await system.sleep(for: $0) }, hold: { system.block(for: $0) },
            task: { system.start(priority: $0, $1) },
            queue: { label, quality, isConcurrent in
                let queue = system.makeQueue(label: label, quality: quality, isConcurrent: isConcurrent)
                return self.isNeeded(label) ? queue : self.note(queue, label: label, width: 1)
            },
            threads: { (name, count, niceness) throws(ThreadRefusal) in
                let threads = try system.makeThreads(named: name, count: count, niceness: niceness)
                return self.isNeeded(name) ? threads : self.note(threads, label: name, width: count)
            })
    }

    /// The same queue, whose work waits while it is held: what runs side by side, each on its thread, all else behind the first.
    private func note(_ queue: WorkQueue, label: String, width: Int) -> WorkQueue {
        let gated = WorkQueue { work in
            queue.async {
                self.pass()
                work()
            }
        }
        noted.withLock { $0.append(Noted(label: label, width: width, queue: gated)) }
        return gated
    }

    private func pass() {
        guard isClosed.load(ordering: .acquiring) else { return }
        held.add(1, ordering: .acquiringAndReleasing)
        while isClosed.load(ordering: .acquiring) { usleep(10_000) }
    }

    /// Comes back when each thread of each queue is held.
    func close() async throws {
        isClosed.store(true, ordering: .releasing)
        let all = noted.withLock(\.self)
        for one in all { for _ in 0..<one.width { one.queue.async {} } }
        while held.load(ordering: .acquiring) < all.reduce(0, { $0 + $1.width }) { try await Task.sleep(for: .milliseconds(10)) }
    }

    func open() { isClosed.store(false, ordering: .releasing) }
}

@Suite(.timeLimit(.minutes(2)))
struct SOSThreadsTests {
    @Test("SOS-16, PERF-6: alarm, crew and segments are answered while every queue and thread is held but those of cases and segments")
    func held() async throws {
        let needed: [BlockingQueue] = [.sos, .sosNotices, .commit], labels = Set(needed.map { "trackme.\($0.rawValue)" } + ["emergencies"])
        let held = HeldMachine { labels.contains($0) }
        func change(_ configuration: inout HubConfiguration) { configuration.groups.isEnabled = true }
        try await WebFixture.run(machine: held.machine, change: change) { web in
            let cast = try await SOSCast(web), person = try await cast.person(), crew = try await cast.crew("Bergamo1")
            let id = person.account.id.person, token = try await Cast.agentToken(web, [id])
            for queue in BlockingQueue.allCases {
                let isHeld = held.labels.contains { $0 == queue.rawValue || $0.hasSuffix(".\(queue.rawValue)") }
                #expect(isHeld != needed.contains(queue), "\(queue) of \(held.labels)")
            }
            #expect(Set(["pages", "streams", "background", "password-hash"]).isSubset(of: held.labels))
            defer { held.open() }
            try await held.close()
            let page = Task { try await web.send(.GET, "/log-in").status }, isPageAnswered = Mutex(false)
            Task { if (try? await page.value) != nil { isPageAnswered.withLock { $0 = true } } }

            #expect(try await web.send(.GET, "/duty/alarms", cookie: crew.cookie).status == 200)
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

            held.open()
            #expect(try await page.value == 200)
        }
    }

    @Test("SOS-16: each route of a box, a crew, a contact and an emergency is urgent; pages, streams and readings are not")
    func urgent() async throws {
        try await WebFixture.run { web in
            let paths = Set((web.hub.routes + web.hub.refusals).compactMap { $0.split(separator: " ").last.map(String.init) })
            let words = [
                "sync/", "sos", "duty", "protection", "emergenc", "alarm", "flags", "owntracks", "osmand", "healthz", "livez", "readyz",
                "metrics",
            ]
            for path in paths where words.contains(where: path.contains) { #expect(UrgentRoutes.contains(path), "\(path)") }
            for path in ["/", "/log-in", "/home", "/my-data", "/care", "/people/1/recent", "/api/v1/fhir/Observation", "/runs/AB/live"] {
                #expect(!UrgentRoutes.contains(path), "\(path)")
            }
        }
    }
}
