import Foundation
import HubStore
import NIOHTTP1
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import HubServices
@testable import HubWeb

/// A hub that is told of more load than it can carry.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct LoadSheddingWebTests {
    /// The hub's own measurement, which finds none, comes between: so it is told until it believes it.
    private func press(_ web: WebFixture, to count: Int) {
        var now: Milliseconds = 0
        while web.hub.shedding.count < count {
            web.hub.shedding.note(LoadShedding.pressureMin, at: now)
            now += LoadShedding.risesAfter
        }
    }

    private static let asked: [(kind: Sheddable, method: HTTPMethod, path: String)] = [
        (.exports, .GET, "/data/export"), (.exports, .GET, "/care/person/x/health/download"), (.exports, .GET, "/account/export"),
        (.history, .GET, "/health"), (.history, .GET, "/workouts/compare?a=1"), (.history, .GET, "/following/x/tracks"),
        (.history, .GET, "/api/v1/consents/x/samples"),
        (.history, .GET, "/api/v1/fhir/Observation?code=8867-4"),
        (.groups, .GET, "/groups"), (.groups, .GET, "/api/v1/groups/offer"), (.spectators, .GET, "/runs"),
        (.spectators, .GET, "/runs/ABCDEF/events"), (.backlog, .POST, "/imports"), (.backlog, .POST, "/data/import"),
        (.liveData, .GET, "/people/x/live"), (.liveData, .GET, "/api/v1/consents/x/stream"),
    ]

    /// What is done whatever the load is.
    private static let kept: [(method: HTTPMethod, path: String)] = [
        (.GET, "/healthz"), (.GET, "/protection"), (.GET, "/duty"), (.GET, "/emergencies"), (.POST, SyncRoute.sos),
        (.POST, SyncRoute.token), (.GET, "/osmand"), (.POST, "/owntracks"), (.GET, "/care/person/x/protection/events"), (.GET, "/log-in"),
        (.GET, "/home"), (.GET, "/followers"), (.POST, "/data/delete"), (.GET, "/status"), (.GET, "/operator/ways"),
        (.POST, "/api/v1/flags"), (.GET, "/runs/ABCDEF/check-in"),
    ]

    @Test("PERF-4: a hub under load refuses kind after kind with 503 and Retry-After, and never what alarms hang on")
    func order() async throws {
        try await WebFixture.run { web in
            for count in 0...Sheddable.allCases.count {
                for (kind, method, path) in Self.asked {
                    press(web, to: count)
                    let answer = try await web.send(method, path)
                    #expect((answer.status == 503) == (kind.rawValue < count), "\(path) with \(count): \(answer.status)")
                    guard answer.status == 503 else { continue }
                    let wait = answer.header("retry-after").flatMap { Int($0) } ?? 0
                    #expect((1...(count - kind.rawValue) * 15).contains(wait), "\(path): \(wait) s")
                    #expect(answer.body.contains(path.hasPrefix("/api/") ? "more to do than it can" : "Not just now"), "\(answer.body)")
                }
                for (method, path) in Self.kept {
                    press(web, to: count)
                    #expect(try await web.send(method, path).status != 503, "\(path) with \(count)")
                }
                press(web, to: count)
                #expect(web.hub.shedding.sheds(.webhooks) == (count > Sheddable.webhooks.rawValue))
                let ready = try await web.send(.GET, "/readyz").body
                #expect(ready.contains("left undone: exports") == (count > 0), "\(ready)")
            }
        }
    }

    @Test("PERF-4: under load a box hears that it keeps its data, large batches first; that of people for whom the hub watches is taken")
    func segments() async throws {
        try await WebFixture.run { web in
            let token = try await Cast.agentToken(web, [web.person]), bearer = [("authorization", "Bearer \(token)")]
            let small = [UInt8](repeating: 1, count: 64), large = [UInt8](repeating: 1, count: SheddableRoutes.backlogBytesMin)
            func send(_ body: [UInt8], _ count: Int) async throws -> WebFixture.Answer {
                press(web, to: count)
                return try await web.send(.POST, SyncRoute.segments, headers: bearer, body: body)
            }
            // They are no batches, which only who reads them finds.
            #expect(try await send(large, Sheddable.backlog.rawValue).status == 400)
            let refused = try await send(large, Sheddable.backlog.rawValue + 1)
            #expect(refused.status == 503 && refused.header("retry-after") != nil && refused.body.contains("Keep your data"))
            #expect(try await send(small, Sheddable.backlog.rawValue + 1).status == 400)
            #expect(try await send(small, Sheddable.liveData.rawValue + 1).status == 503)
            web.hub.bus.watchForSOS(web.person, true)
            #expect(try await send(small, Sheddable.liveData.rawValue + 1).status == 400)
            #expect(try await send(large, Sheddable.liveData.rawValue + 1).status == 400)
            web.hub.bus.watchForSOS(web.person, false)
        }
    }

    @Test("OPS-7: a service is away when more than one answer in ten was a failure of the hub's; one whom nobody asked is not")
    func tally() {
        let tally = AnswerTally()
        #expect(tally.takeFailed().isEmpty)
        for _ in 0..<9 { tally.note(200, "/home") }
        tally.note(500, "/home")
        for status in [200, 303, 403, 404, 422, 429, 501] { tally.note(status, "/runs/ABCDEF") }
        tally.note(503, "/duty/alarms")
        #expect(tally.takeFailed() == [.automatedSOS])
        #expect(tally.takeFailed().isEmpty, "it begins anew")
        for path in ["/runs", "/runs/ABCDEF/events?x=1"] { tally.note(500, path) }
        for path in [SyncRoute.segments, "/osmand", "/api/v1/consents"] { tally.note(500, path) }
        #expect(tally.takeFailed() == [.track4Run, .data4Help])
        for path in [SyncRoute.sos, "/sos/x", "/protection", "/emergencies", "/api/v1/flags"] { tally.note(500, path) }
        #expect(tally.takeFailed() == [.automatedSOS])
    }

    @Test("PERF-4: work that has not begun counts for as long as it waits, and each wait counts once")
    func probe() {
        let probe = WaitProbe()
        probe.begin(.seconds(1))
        #expect(probe.longest(at: .seconds(4)) == .seconds(3), "it has not ended")
        probe.end(.seconds(6))
        #expect(probe.longest(at: .seconds(9)) == .seconds(5))
        #expect(probe.longest(at: .seconds(9)) == .zero)
    }
}
