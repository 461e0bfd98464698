import Distress
import Foundation
import HubServices
import HubStore
import NIOHTTP1
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// Falls and seizures that another system reports by the API, and phones by OsmAnd's protocol.
@Suite(.serialized)
struct APIFlagsTests {
    private var now: Milliseconds { Milliseconds(Date().timeIntervalSince1970 * 1000) }

    private func send(_ web: WebFixture, _ secret: String, _ body: String) async throws -> WebFixture.Answer {
        try await web.send(.POST, APIController.flags, headers: [("authorization", "Bearer \(secret)")], body: Array(body.utf8))
    }

    private func until(_ answer: WebFixture.Answer) throws -> String {
        let answer = try #require(try JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: String])
        return try #require(answer["until"])
    }

    private func turnOn(_ web: WebFixture) async throws {
        try await web.hub.sos.choices.addContact(
            SOSContact(name: "Bruno", phone: nil, email: "bruno@example.org", language: "en"), of: web.person, by: AccountID(web.person))
        try await web.hub.sos.choices.turnOn(web.person, consented: true, strict: false, by: AccountID(web.person))
    }

    @Test("SOS-2, SOS-24: a detector's report asks the person, and its retry with the same time is the same event")
    func report() async throws {
        try await WebFixture.run { web in
            try await turnOn(web)
            let (_, secret) = try web.device(.detector), body = #"{"flag":"fall","time":"\#(APITime.text(now))"}"#
            let answer = try await send(web, secret, body)
            #expect(answer.status == 200 && answer.body.contains(#""outcome":"asked""#) && answer.body.contains("until"), "\(answer.body)")
            let again = try await send(web, secret, body)
            #expect(again.status == 200)
            #expect(try until(again) == until(answer), "the same question")
            let events = try web.hub.series.reader.read(.maintenance(of: web.person), from: 0, to: .max / 2, now: 0)?.events
            #expect(events?.filter { $0.code == .fall }.count == 1)
            #expect(try web.hub.sos.views.view(of: web.person)?.question?.trigger == .fall)
        }
    }

    @Test("SOS-24: where nobody is asked the answer is 409 and says why")
    func off() async throws {
        try await WebFixture.run { web in
            let (_, secret) = try web.device(.detector)
            let answer = try await send(web, secret, #"{"flag":"seizure","time":"\#(APITime.text(now))"}"#)
            #expect(answer.status == 409 && answer.body.contains(#""code":"off""#), "\(answer.body)")
            #expect(answer.body.contains("nobody is asked or called"))
            try await turnOn(web)
            let late = try await send(web, secret, #"{"flag":"seizure","time":"\#(APITime.text(now - 7 * 3_600_000))"}"#)
            #expect(late.status == 409 && late.body.contains(#""code":"late""#), "\(late.body)")
        }
    }

    @Test("SOS-2: only the secret of the person's own detector reports: not a phone's, no organisation's token, nothing made up or removed")
    func strangers() async throws {
        try await WebFixture.run { web in
            try await turnOn(web)
            let (device, secret) = try web.device(.detector), (_, phone) = try web.device(.osmAnd)
            let body = #"{"flag":"fall","time":"\#(APITime.text(now))"}"#, token = try await Program(web).token()
            for (secret, status, why) in [(phone, 403, "phone"), (token, 403, "No consent"), ("AAAA-BBBB-CCCC-DDDD", 401, "device")] {
                let answer = try await send(web, secret, body)
                #expect(answer.status == UInt(status) && answer.body.contains(why), "\(answer.body)")
            }
            #expect(try await web.send(.POST, APIController.flags, body: Array(body.utf8)).status == 401)
            for wrong in [
                "{}", #"{"flag":"tremor","time":"\#(APITime.text(now))"}"#, #"{"flag":"fall","time":"yesterday"}"#,
                #"{"flag":"fall","time":"\#(APITime.text(now + 2 * 86_400_000))"}"#, #"{"flag":"fall"}"#,
            ] {
                let answer = try await send(web, secret, wrong)
                #expect(answer.status == 400 && answer.body.contains("detail"), "\(answer.body)")
            }
            let position = try await web.send(.GET, "/osmand?id=\(secret)&lat=45.4&lon=9.1&alarm=sos")
            #expect(position.status == 403 && position.body.contains("sends no positions"), "flags are all that it may send")
            #expect(try web.positions().isEmpty)
            #expect(try web.hub.sos.views.view(of: web.person)?.question == nil)
            #expect(try web.hub.accounts.devices.revokeDevice(device.row, of: web.person, now: 1))
            #expect(try await send(web, secret, body).status == 401)
            // Who guesses is slowed down; a right secret behind the same address is not.
            var statuses: [UInt] = []
            for _ in 0..<25 { statuses.append(try await send(web, "AAAA-BBBB-CCCC-DDDD", body).status) }
            #expect(statuses.last == 429)
            let (_, other) = try web.device(.detector)
            #expect(try await send(web, other, body).status == 200)
        }
    }

    @Test("SOS-2: a detector that reports again and again gets 429, and one case at most")
    func rate() async throws {
        try await WebFixture.run { web in
            try await turnOn(web)
            let (_, secret) = try web.device(.detector), time = now
            var statuses: [UInt] = []
            for second in 0..<8 {
                statuses.append(
                    try await send(web, secret, #"{"flag":"fall","time":"\#(APITime.text(time - Milliseconds(second) * 1000))"}"#).status)
            }
            #expect(statuses == [200, 200, 200, 200, 200, 200, 429, 429])
        }
    }

    @Test("SOS-2, DATA-13: a phone's alarm=fallDown is answered with what becomes of it, by parameters and by Traccar Client's JSON")
    func phone() async throws {
        try await WebFixture.run { web in
            let (_, secret) = try web.device(.osmAnd), seconds = now / 1000
            let off = try await web.send(.GET, "/osmand?id=\(secret)&timestamp=\(seconds - 9)&lat=45.4&lon=9.1&alarm=fallDown")
            #expect(off.status == 200 && off.body.contains(#""outcome":"off""#), "\(off.body)")
            try await turnOn(web)
            let json = """
                {"device_id":"\(secret)","location":{"timestamp":"\(Date(timeIntervalSince1970: Double(seconds)).ISO8601Format())",
                "coords":{"latitude":45.4,"longitude":9.1},"extras":{"alarm":"fallDown"}}}
                """
            let asked = try await web.send(.POST, "/osmand", body: Array(json.utf8))
            #expect(asked.status == 200 && asked.body.contains(#""outcome":"asked""#), "\(asked.body)")
            #expect(try await web.send(.GET, "/osmand?id=\(secret)&lat=45.4&lon=9.1").body.isEmpty)
        }
    }
}
