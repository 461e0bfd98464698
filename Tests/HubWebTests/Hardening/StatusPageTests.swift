import Foundation
import HubServices
import HubStore
import NIOHTTP1
import TestSupport
import Testing
import Vitals

@testable import HubWeb

@Suite(.serialized, .timeLimit(.minutes(2)))
struct StatusPageTests {
    private static func now() -> Milliseconds { Milliseconds(Date().timeIntervalSince1970 * 1000) }

    @Test("OPS-7: everybody reads at /status how available each service was, in both languages; a hub that was down says for how long")
    func published() async throws {
        let directory = try TemporaryDirectory()
        try await WebFixture.run(in: directory) { web in
            // The first note of the hub.
            while try web.hub.accounts.availability.measured(.data4Help) == nil { try await Task.sleep(for: .milliseconds(20)) }
            let page = try await web.send(.GET, "/status")
            #expect(page.status == 200)
            for text in ["Data4Help", "AutomatedSOS", "Track4Run", "data-level=\"good\""] { #expect(page.body.contains(text), "\(text)") }
            let italian = try await web.send(.GET, "/status", headers: [("accept-language", "it")]).body
            #expect(italian.contains("Disponibilità") && italian.contains("lang=\"it\""))
            #expect(!page.body.contains("Ada"), "it names nobody")
        }
        // The hub is down for two hours: its clock says so.
        let later: @Sendable () -> Milliseconds = { Self.now() + 7_200_000 }
        try await WebFixture.run(in: directory, now: later) { web in
            while try web.hub.accounts.availability.outages(of: .track4Run, since: 0).isEmpty {
                try await Task.sleep(for: .milliseconds(20))
            }
            let outages = try web.hub.accounts.availability.outages(of: .track4Run, since: 0)
            #expect(outages.count == 1 && outages[0].kind == .unplanned)
            #expect((7_190_000...7_300_000).contains(outages[0].end - outages[0].begin))
            let page = try await web.send(.GET, "/status").body
            #expect(page.contains("<table") && !page.contains("100.00 %"), "\(page)")
        }
    }

    @Test("PERF-4: figures are written as the reader's language writes them, rounded against the hub")
    func figures() {
        let (english, italian) = (Texts.of("en"), Texts.of("it"))
        #expect(StatusPages.percent(9995, english) == "99.95 %" && StatusPages.percent(9905, italian) == "99,05 %")
        #expect(StatusPages.percent(10_000, english) == "100.00 %" && StatusPages.percent(7, english) == "0.07 %")
        #expect(
            StatusPages.minutes(1, english) == "1" && StatusPages.minutes(60_000, english) == "1"
                && StatusPages.minutes(60_001, english) == "2")
        #expect(StatusPages.name(of: 1_793_491_200_000, english) == "November 2026")
        #expect(StatusPages.name(of: 1_793_491_200_000, italian) == "novembre 2026")
    }
}
