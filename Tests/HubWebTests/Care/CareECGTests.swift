import Accounts
import HubServices
import HubStore
import NIOHTTP1
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// ECG strips on the pages of relatives and parents.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct CareECGTests {
    /// Stores strips of 2 s, a minute apart.
    private func add(_ web: WebFixture, _ count: Int, of person: StoredAccount) throws -> [ECGID] {
        let store = ECGStore(web.hub.series), lead = ECGStrip.Lead(name: .init("I"), values: MadeECG.curve(500, hertz: 250).map { $0 })
        return try (0..<count).map { number in
            let strip = try ECGStrip(
                time: 1_583_136_738_000 + Milliseconds(number) * 60_000, millihertz: 250_000, leads: [lead], source: "Made Watch")
            let outcome = try store.add(strip, of: person.id.person, by: person.id, bytesMax: .max, now: 1_700_000_000_000)
            guard case .stored(let id) = outcome else { throw HubStoreError.unknownPerson("\(outcome)") }
            return id
        }
    }

    private func asked(_ web: WebFixture, _ carer: Member, _ person: Member, _ kinds: Set<DataKind>) throws -> ConsentID {
        let consents = web.hub.consents
        let asked = try consents.askAsCaregiver(
            ConsentAddress(person.account.email), by: carer.account, kinds: kinds, purpose: "Care")
        try web.hub.accounts.consents.reachConsent(asked.id, now: consents.now)
        try consents.answer(asked.id, .accept, by: person.account.id)
        return asked.id
    }

    @Test(
        "ACC-11, DATA-12: a relative whose consent names ECGs sees them on the care pages, without who uploaded them; each look is in the ledger"
    )
    func relative() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), carer = try web.member(.caregiver, "carer@example.org")
            let other = try web.member(.caregiver, "other@example.org"), strip = try #require(try add(web, 1, of: person.account).first)
            let base = "/care/person/\(person.account.id)"
            // With several consents the pages show the one with the most kinds; the strips rest on the one that names them.
            _ = try asked(web, carer, person, [.heartRate, .position])
            #expect(try await !web.send(.GET, base, cookie: carer.cookie).body.contains("\(base)/ecg"))
            #expect(try await web.send(.GET, base + "/ecg", cookie: carer.cookie).status == 403)
            let consent = try asked(web, carer, person, [.ecg])
            _ = try asked(web, other, person, [.heartRate])
            #expect(try await web.send(.GET, base, cookie: carer.cookie).body.contains("href=\"\(base)/ecg\""))
            let reads = { try web.hub.consents.ledger(of: person.account.id.person, for: person.account.id, consent: consent).entries }
            #expect(try !reads().contains { $0.what == .read })
            let list = try await web.send(.GET, base + "/ecg", cookie: carer.cookie).body
            #expect(list.contains("href=\"\(base)/ecg/\(strip)\"") && !list.contains("type=\"file\""), "\(list)")
            #expect(try reads().contains { $0.what == .read && $0.kinds == [.ecg] })
            let shown = try await web.send(.GET, "\(base)/ecg/\(strip)", cookie: carer.cookie).body
            #expect(shown.contains("<svg class=\"ecg\"") && shown.contains("Made Watch"))
            #expect(!shown.contains("Uploaded") && !shown.contains("/delete") && !shown.contains("/file?"))
            for path in ["/ecg", "/ecg/\(strip)"] {
                #expect(try await web.send(.GET, base + path, cookie: other.cookie).status == 403)
            }
            try web.hub.consents.answer(consent, .revoke, by: person.account.id)
            for path in ["/ecg", "/ecg/\(strip)"] {
                #expect(try await web.send(.GET, base + path, cookie: carer.cookie).status == 403)
            }
        }
    }

    @Test("ACC-17: a parent finds the strips of a child from the care page; the person's own pages are not reached by that way")
    func parent() async throws {
        try await WebFixture.run { web in
            let parent = try web.member(.person, "parent@example.org"), kid = try web.child(of: parent.account, "ab3d-ef5h")
            let strip = try #require(try add(web, 1, of: kid).first), base = "/care/person/\(kid.id)"
            #expect(try await web.send(.GET, base, cookie: parent.cookie).body.contains("href=\"\(base)/data/ecg\""))
            #expect(try await web.send(.GET, "\(base)/ecg/\(strip)", cookie: parent.cookie).body.contains("<svg class=\"ecg\""))
            #expect(try await web.send(.GET, "\(base)/ecg", cookie: try web.session(of: kid, strength: .full)).status == 403)
        }
    }

    @Test("DATA-1, ACC-12: a long list has pages, each strip on one of them; help says what is taken and what is not, in both languages")
    func pages() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org")
            let ids = Set(try add(web, ECGStore.partMax + 3, of: person.account).map(\.description))
            let first = try await web.send(.GET, "/data/ecg", cookie: person.cookie).body
            let older = String(try #require(first.firstMatch(of: /href="(\/data\/ecg\?before=[0-9]+)"/)).output.1)
            let second = try await web.send(.GET, older, cookie: person.cookie).body
            let shown = [first, second].map { page in page.matches(of: /\/data\/ecg\/([0-9a-f]{32})"/).map { String($0.output.1) } }
            #expect(shown.map(\.count) == [ECGStore.partMax, 3] && Set(shown.joined()) == ids && !second.contains("?before="))
            #expect(try await web.send(.GET, "/data/ecg?before=x", cookie: person.cookie).status == 200)
            #expect(first.contains("href=\"/help/ecg\""))
            let help = try await web.send(.GET, "/help/ecg", cookie: person.cookie).body
            #expect(help.contains("EDF+ without interruptions") && help.contains("PDF and pictures are not taken"))
            _ = try await web.post("/language", ["language": "it", "back": "/help/ecg"], cookie: person.cookie)
            #expect(try await web.send(.GET, "/help/ecg", cookie: person.cookie).body.contains("PDF e immagini non si prendono"))
        }
    }
}
