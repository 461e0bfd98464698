import Accounts
import Foundation
import HubStore
import NIOHTTP1
import Seams
import Segments
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import HubServices
@testable import HubWeb

/// What programs that watch a hub read.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct MonitoringWebTests {
    private func token(_ web: WebFixture) throws -> [(String, String)] {
        let text = try String(contentsOf: web.directory.url.appending(path: MetricsToken.file), encoding: .utf8)
        return [("authorization", "Bearer \(text.trimmingCharacters(in: .whitespacesAndNewlines))")]
    }

    /// The answer to whoever has the token, once it says what is waited for.
    private func whole(_ web: WebFixture, _ path: String, _ isThere: (String) -> Bool) async throws -> WebFixture.Answer {
        let bearer = try token(web)
        while true {
            let answer = try await web.send(.GET, path, headers: bearer)
            if isThere(answer.body) { return answer }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    @Test("OPS-3: figures are for whoever has the hub's token, wherever that comes from; the token is for the hub's user alone")
    func access() async throws {
        try await WebFixture.run { web in
            let bearer = try token(web),
                mode =
                    try FileManager.default.attributesOfItem(
                        atPath: web.directory.url.appending(path: MetricsToken.file).path)[.posixPermissions] as? Int
            #expect(mode == 0o600 && bearer[0].1.count == 7 + 64)
            for headers in [[], [("authorization", "Bearer x")], [("authorization", String(bearer[0].1.dropFirst(7)))]] {
                let answer = try await web.send(.GET, "/metrics", headers: headers)
                #expect(answer.status == 401 && answer.header("www-authenticate") == "Bearer" && !answer.body.contains("trackme_"))
            }
            let chief = try web.member(.operator, "chief@example.org")
            #expect(try await web.send(.GET, "/metrics", cookie: chief.cookie).status == 401, "a session is for a browser")
            let answer = try await web.send(.GET, "/metrics", headers: bearer)
            #expect(answer.status == 200 && answer.header("content-type") == HealthFeature.exposition)
            #expect(answer.header("cache-control") == "no-store")
            for (path, body) in [("/healthz", "ok"), ("/livez", "alive\n")] { #expect(try await web.send(.GET, path).body == body) }
        }
    }

    @Test("OPS-3: every line is a known figure, every check is there, requests are counted by route, and nobody is named")
    func figures() async throws {
        try await WebFixture.run { web in
            _ = try web.member(.person, "ada@example.org")
            _ = try await web.send(.GET, "/help/data")
            for number in 0..<20 { #expect(try await web.send(.GET, "/stranger\(number)/\(web.person)?x=\(number)").status == 404) }
            #expect(try await web.send(.POST, "/sync/v1/segments", body: [1]).status == 401)
            let text = try await whole(web, "/metrics") { text in
                HealthCheck.allCases.allSatisfy { text.contains("trackme_check_state{check=\"\($0.rawValue)\"}") }
                    && text.contains("trackme_database_writable{database=\"sos\"} 1") && text.contains("trackme_disk_sync_seconds ")
            }.body
            let known = Set(HubMetric.allCases.map(\.rawValue))
            for line in text.split(separator: "\n") where !line.hasPrefix("#") {
                let parts = try #require(line.wholeMatch(of: /([a-z_]+)(\{.*\})? (\S+)/), "\(line)")
                let name = String(parts.1), base = name.replacing(/_(bucket|sum|count)$/, with: "")
                #expect(known.contains(name) || known.contains(base), "\(line)")
                #expect(Double(parts.3) != nil, "\(line)")
            }
            #expect(text.contains("trackme_requests_total{route=\"help\",status=\"2xx\"} 1\n"))
            #expect(text.contains("trackme_requests_total{route=\"other\",status=\"4xx\"} 20\n"))
            #expect(text.contains("trackme_requests_total{route=\"segments\",status=\"4xx\"} 1\n"))
            #expect(text.contains("trackme_request_seconds_count{kind=\"pages\"}") && text.contains("trackme_connections "))
            #expect(text.contains("trackme_build_info{version=\"\(HubVersion.current)\"} 1\n"))
            for word in ["stranger", "ada@example.org", "Ada", "\(web.person)"] { #expect(!text.contains(word), "\(word)") }
            #expect(text.utf8.count < 64 << 10, "\(text.utf8.count) bytes")
        }
    }

    @Test("OPS-3: what boxes send is counted with its commit: batches, segments, samples, refusals")
    func ingest() async throws {
        try await WebFixture.run { web in
            let id = try web.member(.person, "ada@example.org").account.id.person, stream = StreamID.random()
            let bearer = [("authorization", "Bearer \(try await Cast.agentToken(web, [id]))")]
            let times = (0..<3).map { Cast.now + Milliseconds($0) * 1000 }
            let samples = SampleSet(heartRates: times.map { HeartRateSample(time: $0, beatsPerMinute: 70, contact: .detected) })
            let good = Segment(stream: stream, sequence: 1, person: id, provenance: .live, clock: .wall, samples: samples)
            let stranger = Segment(stream: stream, sequence: 2, person: .random(), provenance: .live, clock: .wall, samples: samples)
            let body = try SegmentBatch.encode([good.encoded(), stranger.encoded()])
            for _ in 0..<2 { #expect(try await web.send(.POST, SyncRoute.segments, headers: bearer, body: body).status == 200) }
            let text = try await whole(web, "/metrics") { $0.contains("trackme_requests_total{route=\"segments\",status=\"2xx\"} 2\n") }
                .body
            for line in [
                "batches_total{outcome=\"stored\"} 2", "batches_total{outcome=\"failed\"} 0", "segments_total{outcome=\"stored\"} 1",
                "segments_total{outcome=\"refused\"} 2", "segments_total{outcome=\"forked\"} 0", "samples_total 3",
            ] { #expect(text.contains("\ntrackme_ingest_\(line)\n"), "\(line)") }
            #expect(!text.contains("trackme_ingest_commit_seconds_count 0\n"))
        }
    }

    @Test("OPS-3: /readyz says which check fails to everybody, and how each stands and what to do to whoever watches")
    func readiness() async throws {
        let directory = try TemporaryDirectory()
        // What is written there to see how long the disk takes cannot be written.
        try FileManager.default.createDirectory(
            at: directory.url.appending(path: HealthLooks.probe), withIntermediateDirectories: false)
        try await WebFixture.run(in: directory) { web in
            let all = try await whole(web, "/readyz") { $0.contains("sync: failing: ") && $0.contains("databases: ok: ") }
            #expect(all.status == 503 && all.body.hasPrefix("not ready\n"))
            for check in HealthCheck.allCases { #expect(all.body.contains("\n\(check.rawValue): "), "\(check)") }
            #expect(all.body.contains("look whether the disk is full"))
            let told = try await web.send(.GET, "/readyz")
            #expect(told.status == 503 && told.body.contains("failing: sync\n") && !told.body.contains(directory.url.path))
            for path in ["/livez", "/healthz"] { #expect(try await web.send(.GET, path).status == 200) }
            let figures = try await whole(web, "/metrics") { $0.contains("trackme_check_state{check=\"sync\"} 2\n") }.body
            #expect(figures.contains("trackme_ready 0\n") && !figures.contains("trackme_disk_sync_seconds"))
        }
    }

    @Test("OPS-3: a timer that a request sets has the request's name")
    func trace() async throws {
        let now: @Sendable () -> Milliseconds = { Milliseconds(Date().timeIntervalSince1970 * 1000) }
        try await WebFixture.run(now: now) { web in
            let cast = try await SOSCast(web), day: Milliseconds = 86_400_000, begin = (now() + 3 * day) / 60_000 * 60_000
            let format = DateFormatter()
            format.locale = Locale(identifier: "en_US_POSIX")
            format.dateFormat = "yyyy-MM-dd'T'HH:mm"
            let fields = ["windowBegin": format.string(from: Date(timeIntervalSince1970: Double(begin) / 1000)), "windowMinutes": "90"]
            #expect(try await web.post("/operator/maintenance", fields, cookie: cast.chief.cookie).status == 303)
            let timers = try web.hub.accounts.timers.dueTimers(99, lease: 1, now: now() + 4 * day).filter { $0.kind == .maintenance }
            #expect(!timers.isEmpty && Set(timers.map(\.trace)).count == 1 && timers.allSatisfy { $0.trace != nil }, "\(timers)")
        }
    }
}
