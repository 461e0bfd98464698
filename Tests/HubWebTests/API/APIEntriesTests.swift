import Accounts
import Credentials
import Foundation
import HubServices
import HubStore
import NIOHTTP1
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// Values that a person enters by a program of their own, and takes back.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct APIEntriesTests {
    private var now: Milliseconds { Milliseconds(Date().timeIntervalSince1970 * 1000) }

    private func send(_ web: WebFixture, _ body: String, _ headers: [(String, String)]) async throws -> WebFixture.Answer {
        try await web.send(.POST, APIEntries.path, headers: headers, body: Array(body.utf8))
    }

    private func bearer(_ secret: String) -> [(String, String)] { [("authorization", "Bearer \(secret)")] }

    private func weight(_ value: String, minutesAgo: Milliseconds) -> String {
        #"{"kind":"weight","value":\#(value),"time":"\#(APITime.text(now / 60_000 * 60_000 - minutesAgo * 60_000))"}"#
    }

    private func id(_ answer: WebFixture.Answer) throws -> String {
        let answer = try #require(try JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any], "\(answer.body)")
        return try #require(answer["id"] as? String)
    }

    private func scalars(_ web: WebFixture, _ person: PersonID) throws -> [ScalarSample] {
        try web.hub.series.reader.read(.maintenance(of: person), from: 0, to: .max / 2, now: 0)?.scalars ?? []
    }

    /// Deletion runs behind the answer.
    private func until(_ web: WebFixture, _ person: PersonID, _ isSo: ([ScalarSample]) -> Bool) async throws {
        while try !isSo(scalars(web, person)) { try await Task.sleep(for: .milliseconds(50)) }
    }

    @Test("DATA-2, DATA-13: each kind that people enter is entered with a phone's secret, marked as such, and taken back by its id")
    func phone() async throws {
        try await WebFixture.run { web in
            let (_, secret) = try web.device(.osmAnd), end = now / 60_000 * 60_000 - 60_000
            var ids: [DataKind: String] = [:]
            for kind in KindEntry.entered {
                let row = kind.entry
                let value = row.codes.first.map { "\"\($0)\"" } ?? row.range.upperBound.text(places: row.decimals)
                var body = #"{"kind":"\#(row.name)","value":\#(value),"time":"\#(APITime.text(end - 60_000))""#
                if let second = row.second {
                    let value = second.codes.first.map { "\"\($0)\"" } ?? second.range.upperBound.text(places: row.decimals)
                    body += ",\"\(second.name)\":\(value)"
                }
                if row.span != .none { body += ",\"end\":\"\(APITime.text(end))\"" }
                let answer = try await send(web, body + "}", bearer(secret))
                #expect(answer.status == 201 && answer.body.contains("\"source\":\"manual\""), "\(kind): \(answer.body)")
                ids[kind] = try id(answer)
                #expect(answer.header("location") == "\(APIEntries.path)/\(ids[kind] ?? "")")
                #expect(try await id(send(web, body + "}", bearer(secret))) == ids[kind], "\(kind): sent twice, stored once")
            }
            #expect(try Set(scalars(web, web.person).map(\.kind)) == Set(KindEntry.entered))
            #expect(try scalars(web, web.person).count == KindEntry.entered.count)
            let reading = try web.hub.series.reader.read(.maintenance(of: web.person), from: 0, to: .max / 2, now: 0)
            #expect(reading?.provenance == .manual)
            let weight = try #require(ids[.weight])
            for _ in 0..<2 {
                #expect(try await web.send(.DELETE, "\(APIEntries.path)/\(weight)", headers: bearer(secret)).status == 204)
            }
            try await until(web, web.person) { $0.count == KindEntry.entered.count - 1 && !$0.contains { $0.kind == .weight } }
        }
    }

    @Test("DATA-2: a secret takes back what its own answers named, and nothing of others; ids that were put together are none")
    func ids() async throws {
        try await WebFixture.run { web in
            let (_, secret) = try web.device(.osmAnd), other = try web.member(.person, "eve@example.org")
            let cookie = [("cookie", other.cookie)]
            let theirs = try await id(send(web, weight("61", minutesAgo: 5), cookie))
            let own = try await id(send(web, weight("62", minutesAgo: 9), bearer(secret)))
            let parts = own.split(separator: "-").map(String.init)
            let guessed = "height-\(parts[1])-\(parts[2])", moved = "weight-\(now)-\(parts[2])", bare = "weight-\(parts[1])-"
            for wrong in [theirs, guessed, moved, bare, bare + String(repeating: "0", count: parts[2].count), "weight", "-"] {
                let answer = try await web.send(.DELETE, "\(APIEntries.path)/\(wrong)", headers: bearer(secret))
                #expect(answer.status == 404, "\(wrong): \(answer.status)")
            }
            #expect(try scalars(web, web.person).count == 1 && scalars(web, other.account.id.person).count == 1)
            #expect(try await web.send(.DELETE, "\(APIEntries.path)/\(theirs)", headers: cookie).status == 204)
            try await until(web, other.account.id.person) { $0.isEmpty }
            #expect(try scalars(web, web.person).count == 1)
        }
    }

    @Test("DATA-2: with a phone's secret goes what was entered with it, and not what its person typed in a browser")
    func typed() async throws {
        try await WebFixture.run { web in
            let ada = try web.member(.person, "ada@example.org"), person = ada.account.id.person
            let secret = try Devices(devices: web.hub.accounts.devices).add("phone", .osmAnd, of: person, now: 0).1.grouped
            let typed = try await id(send(web, weight("61", minutesAgo: 5), [("cookie", ada.cookie)])).split(separator: "-")
            let own = try await id(send(web, weight("62", minutesAgo: 9), bearer(secret)))
            let mixed = "weight-\(typed[1])-\(own.split(separator: "-")[2])"
            #expect(try await web.send(.DELETE, "\(APIEntries.path)/\(mixed)", headers: bearer(secret)).status == 404)
            #expect(try await web.send(.DELETE, "\(APIEntries.path)/\(own)", headers: bearer(secret)).status == 204)
            try await until(web, person) { $0.map(\.value) == [6100] }
        }
    }

    @Test("DATA-2, ACC-12: what is wrong is said by member, in the words of the page and the person's language")
    func refusals() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), cookie = [("cookie", person.cookie)]
            let wrong = #"{"kind":"weight","value":7257,"unit":"kg","time":"2099-01-01T00:00:00Z"}"#
            let said = try await send(web, wrong, cookie)
            #expect(said.status == 422 && said.header("content-type") == "application/problem+json")
            #expect(said.body.contains("Only 0.2 to 650 kg is possible") && said.body.contains("This is in the future."), "\(said.body)")
            #expect(said.body.contains(#""member":"value""#) && said.body.contains(#""member":"time""#))
            _ = try await web.post("/language", ["language": "it", "back": "/"], cookie: person.cookie)
            #expect(try await send(web, wrong, cookie).body.contains("È possibile solo un valore da 0,2 a 650 kg"))
            let pressure = try await send(web, #"{"kind":"blood_pressure","value":121,"time":"\#(APITime.text(now))"}"#, cookie)
            #expect(pressure.status == 422 && pressure.body.contains(#""member":"diastolic""#), "\(pressure.body)")
            let mood = #"{"kind":"mood","value":1}"#, heart = #"{"kind":"heart_rate","value":70}"#
            for body in ["", "[]", "{}", mood, heart, #"{"kind":"weight","value":[1]}"#] {
                #expect(try await send(web, body, cookie).status == 400, "\(body)")
            }
            #expect(try await send(web, #"{"kind":"weight","value":72,"time":"yesterday"}"#, cookie).body.contains("RFC 3339"))
            #expect(try scalars(web, person.account.id.person).isEmpty)
        }
    }

    @Test("DATA-2, DATA-13: nobody else enters: no detector, no program of an organisation, no other site, nobody who owes a second factor")
    func strangers() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), (_, detector) = try web.device(.detector)
            let organiser = try web.member(.organiser, "bob@example.org"), token = try await Program(web).token()
            let body = weight("72", minutesAgo: 3), begun = try web.session(of: person.account, strength: .begun)
            for (headers, status) in [
                ([], 401), (bearer("AAAA-BBBB-CCCC-DDDD"), 401), (bearer(detector), 403), (bearer(token), 403),
                ([("cookie", begun)], 401), ([("cookie", organiser.cookie)], 403),
                ([("cookie", person.cookie), ("sec-fetch-site", "cross-site")], 403),
                ([("cookie", person.cookie), ("origin", "https://elsewhere.example")], 403),
            ] as [([(String, String)], UInt)] {
                let answer = try await send(web, body, headers)
                #expect(answer.status == status && answer.body.contains("detail"), "\(headers): \(answer.body)")
            }
            #expect(try scalars(web, person.account.id.person).isEmpty && scalars(web, web.person).isEmpty)
            let (device, secret) = try web.device(.ownTracks)
            #expect(try await send(web, body, bearer(secret)).status == 201)
            #expect(try web.hub.accounts.devices.revokeDevice(device.row, of: web.person, now: 1))
            #expect(try await send(web, body, bearer(secret)).status == 401)
        }
    }
}
