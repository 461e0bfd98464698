import Accounts
import AsyncHTTPClient
import Foundation
import HubServices
import HubStore
import NIOCore
import NIOHTTP1
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// What an organisation's program reads of somebody who agreed: a real hub, a phone that sends, a stream that is cut.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct APIConsentTests {
    private func json(_ answer: WebFixture.Answer) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any], "\(answer.body)")
    }

    private func send(_ web: WebFixture, _ secret: String, second: Int) async throws {
        let now = Int(Date().timeIntervalSince1970)
        let path = "/osmand?id=\(secret)&timestamp=\(now - 60 + second)&lat=45.6\(second)&lon=9.7&speed=3"
        #expect(try await web.send(.POST, path).status == 200)
    }

    @Test("CONS-1, CONS-4, CONS-5, CONS-6, CONS-12: asked and read by a program, streamed live, and cut with the revocation")
    func wholeWay() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), chief = try web.member(.operator, "chief@example.org")
            let program = try Program(web), bearer = [("authorization", "Bearer \(try await program.token())")]
            let made = try await web.post("/boxes/devices", ["deviceName": "My phone", "deviceKind": "osmAnd"], cookie: person.cookie)
            let secret = String(try #require(made.body.firstMatch(of: /[A-Z0-9]{4}(-[A-Z0-9]{4}){3}/)).output.0)

            let body = #"{"whom":"ada@example.org","kinds":["position"],"purpose":"A study","days":30}"#
            let asked = try await web.send(.POST, "/api/v1/consents", headers: bearer, body: Array(body.utf8))
            #expect(try asked.status == 201 && json(asked)["state"] as? String == "awaiting-operator")
            let id = try #require(try json(asked)["id"] as? String), path = "/api/v1/consents/\(id)"
            #expect(try await web.send(.POST, "/api/v1/consents", headers: bearer, body: Array(body.utf8)).status == 409)
            for part in ["/samples", "/stream"] { #expect(try await web.send(.GET, path + part, headers: bearer).status == 404) }

            #expect(try await web.post("/operator/requests/\(id)/approve", [:], cookie: chief.cookie).status == 303)
            _ = try await web.until("/followers", cookie: person.cookie) { $0.contains("/accept") }
            #expect(try await web.post("/followers/\(id)/accept", [:], cookie: person.cookie).status == 303)
            try await send(web, secret, second: 1)

            let lines = try await web.send(.GET, path + "/samples", headers: bearer)
            #expect(lines.status == 200 && lines.body.contains("\"lat\":45.61") && !lines.body.contains("heart_rate"))
            #expect(try await web.send(.GET, path + "/samples?format=csv", headers: bearer).body.contains("45.61"))
            let spans = [
                "from=9999999999&to=0", "last=0", "last=10001", "last=x", "last=5&from=0", "to=-9223372036854775808",
                "from=-9223372036854775808&to=9223372036854775807", "to=1e400",
            ]
            for span in spans { #expect(try await web.send(.GET, path + "/samples?" + span, headers: bearer).status == 400) }
            let stranger = try Program(web, email: "rival@example.org")
            let other = [("authorization", "Bearer \(try await stranger.token())")]
            for part in ["/samples", "/stream"] { #expect(try await web.send(.GET, path + part, headers: other).status == 404) }
            #expect(try await web.send(.DELETE, path, headers: other).status == 404)

            var request = HTTPClientRequest(url: web.url + path + "/stream")
            for (name, value) in bearer { request.headers.add(name: name, value: value) }
            let response = try await web.client.execute(request, timeout: .seconds(60))
            var text = "", isSent = false, isRevoked = false
            for try await chunk in response.body {
                text += String(buffer: chunk)
                if !isSent, text.contains("45.61") {
                    isSent = true
                    try await send(web, secret, second: 2)
                }
                if !isRevoked, text.contains("45.62") {
                    isRevoked = true
                    #expect(try await web.post("/followers/\(id)/revoke", [:], cookie: person.cookie).status == 303)
                    try await send(web, secret, second: 3)
                }
            }
            #expect(isRevoked && text.hasSuffix("event: end\ndata: {}\n\n") && !text.contains("45.63"), "\(text)")
            #expect(text.contains("id: ") && text.contains("event: samples"))
            #expect(try await web.send(.GET, path + "/samples", headers: bearer).status == 404)
            #expect(try await web.send(.GET, "/ledger", cookie: person.cookie).body.contains(" read"))
        }
    }

    @Test("CONS-12: what was granted once goes out hour by hour and is over when all of it was taken, not with a look at the head")
    func once() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), chief = try web.member(.operator, "chief@example.org")
            let program = try Program(web), bearer = [("authorization", "Bearer \(try await program.token())")]
            let asked = try web.hub.consents.ask(
                ConsentAddress("ada@example.org"), by: try #require(try web.hub.accounts.account(program.organisation.account)),
                kinds: [.heartRate], purpose: "A study", term: .once)
            // Three hours with a pause of two between them.
            let begin = (web.hub.consents.now - 6 * SeriesStore.hour) / SeriesStore.hour * SeriesStore.hour
            let sets = [0, 1, 4].map { hour in
                SampleSet(heartRates: [HeartRateSample(time: begin + hour * SeriesStore.hour, beatsPerMinute: 61)])
            }
            try web.append(sets, of: person.account.id.person)
            try web.hub.consents.approve(asked.id, by: chief.account)
            try web.hub.consents.answer(asked.id, .accept, by: person.account.id)
            let path = "/api/v1/consents/\(asked.id)/samples"
            for _ in 0..<2 { #expect(try await web.send(.HEAD, path, headers: bearer).status == 200) }
            let lines = try await web.send(.GET, path, headers: bearer)
            #expect(lines.status == 200 && lines.body.split(separator: "\n").count == 3, "\(lines.body)")
            let reader = Reader.organisation(program.organisation)
            #expect(try web.hub.consents.running(asked.id, of: reader) == nil)
            // A line that broke is no loss: the same is read again, until the person takes it back.
            #expect(try await web.send(.GET, path, headers: bearer).body == lines.body)
            try web.hub.consents.answer(asked.id, .revoke, by: person.account.id)
            #expect(try await web.send(.GET, path, headers: bearer).status == 404)
        }
    }

    @Test("CONS-12: what was granted once goes out in parts, and ends with the last of them, not with an empty one")
    func parts() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), chief = try web.member(.operator, "chief@example.org")
            let program = try Program(web), bearer = [("authorization", "Bearer \(try await program.token())")]
            let asked = try web.hub.consents.ask(
                ConsentAddress("ada@example.org"), by: try #require(try web.hub.accounts.account(program.organisation.account)),
                kinds: [.heartRate], purpose: "A study", term: .once)
            let hour = SeriesStore.hour, begin = (web.hub.consents.now - 6 * hour) / hour * hour
            func add(_ time: Milliseconds) throws {
                try web.append([SampleSet(heartRates: [HeartRateSample(time: time, beatsPerMinute: 61)])], of: person.account.id.person)
            }
            for number in [0, 3] as [Milliseconds] { try add(begin + number * hour) }
            try web.hub.consents.approve(asked.id, by: chief.account)
            try web.hub.consents.answer(asked.id, .accept, by: person.account.id)
            let reader = Reader.organisation(program.organisation)
            func read(_ from: Milliseconds, _ to: Milliseconds) async throws -> Int {
                let path = "/api/v1/consents/\(asked.id)/samples?from=\(from)&to=\(to)"
                let answer = try await web.send(.GET, path, headers: bearer)
                #expect(answer.status == 200, "\(answer.body)")
                return answer.body.split(separator: "\n").count
            }
            func isRunning() throws -> Bool { try web.hub.consents.running(asked.id, of: reader) != nil }
            #expect(try await read(begin - 20 * 24 * hour, begin - 14 * 24 * hour) == 0)
            #expect(try isRunning(), "an empty week")
            #expect(try await read(begin + hour, begin + 4 * hour) == 1)
            #expect(try isRunning(), "one part of two")
            #expect(try await read(begin, begin + hour - 1) == 1)
            #expect(try !isRunning())
        }
    }

    @Test("CONS-12: all data is one answer; the last n records are the newest of all granted kinds, never beyond the yes of a once")
    func last() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), chief = try web.member(.operator, "chief@example.org")
            let program = try Program(web), bearer = [("authorization", "Bearer \(try await program.token())")]
            let organisation = try #require(try web.hub.accounts.account(program.organisation.account))
            let day: Milliseconds = 86_400_000, hour = SeriesStore.hour
            // Weeks apart, and two in the newest hour.
            let begin = (web.hub.consents.now - 60 * day) / hour * hour,
                times = [0, 20 * day, 59 * day, 59 * day + 1000].map { begin + $0 }
            try web.append(
                times.enumerated().map { SampleSet(heartRates: [HeartRateSample(time: $1, beatsPerMinute: UInt16(61 + $0))]) },
                of: person.account.id.person)
            func accepted(_ term: ConsentTerm) throws -> ConsentID {
                let asked = try web.hub.consents.ask(
                    ConsentAddress("ada@example.org"), by: organisation, kinds: [.heartRate], purpose: "A study \(term)", term: term)
                try web.hub.consents.approve(asked.id, by: chief.account)
                try web.hub.consents.answer(asked.id, .accept, by: person.account.id)
                return asked.id
            }
            func read(_ id: ConsentID, _ query: String) async throws -> [String] {
                let answer = try await web.send(.GET, "/api/v1/consents/\(id)/samples?\(query)", headers: bearer)
                #expect(answer.status == 200, "\(answer.body)")
                return answer.body.split(separator: "\n").map(String.init)
            }
            let lasting = try accepted(.lasting(30 * day))
            #expect(try await read(lasting, "from=0").count == 4)
            for count in 1...4 {
                let lines = try await read(lasting, "last=\(count)")
                #expect(lines.count == count && lines.last?.contains("64") == true, "\(lines)")
            }
            #expect(try await read(lasting, "last=9").count == 4)
            #expect(try await read(lasting, "last=1&to=\(times[1])").first?.contains("62") == true)
            let once = try accepted(.once)
            #expect(try await read(once, "last=2").count == 2)
            #expect(try web.hub.consents.running(once, of: .organisation(program.organisation)) != nil, "not all of it was taken")
            #expect(try await read(once, "from=0").count == 4)
            #expect(try web.hub.consents.running(once, of: .organisation(program.organisation)) == nil)
        }
    }

    @Test("CONS-12: what is wrong with a request is a problem with a code")
    func wrong() async throws {
        try await WebFixture.run { web in
            let program = try Program(web), bearer = [("authorization", "Bearer \(try await program.token())")]
            let bodies = [
                ("{}", "invalid_request"), (#"{"whom":"x","kinds":["position"],"purpose":"p"}"#, "invalid_address"),
                (#"{"whom":"a@example.org","kinds":["blood"],"purpose":"p"}"#, "invalid_kind"),
                (#"{"whom":"a@example.org","kinds":[],"purpose":"p"}"#, "no_kinds"),
                (#"{"whom":"a@example.org","kinds":["position"],"purpose":" "}"#, "no_purpose"),
                (#"{"whom":"a@example.org","kinds":["position"],"purpose":"p","days":0}"#, "invalid_term"),
            ]
            for (body, code) in bodies {
                let answer = try await web.send(.POST, "/api/v1/consents", headers: bearer, body: Array(body.utf8))
                #expect(try answer.status == 400 && json(answer)["code"] as? String == code, "\(body): \(answer.body)")
            }
            let unknown = Array(#"{"whom":"a@example.org","kinds":["heart_rate","blood"],"purpose":"p"}"#.utf8)
            let named = try json(try await web.send(.POST, "/api/v1/consents", headers: bearer, body: unknown))["detail"] as? String
            #expect(named?.contains("blood") == true && named?.contains("rr_intervals") == true, "\(named ?? "")")
            #expect(try await web.send(.GET, "/api/v1/consents", headers: bearer).body == "[]")
            #expect(try await web.send(.DELETE, "/api/v1/consents/\(ConsentID.random())", headers: bearer).status == 404)
        }
    }
}
