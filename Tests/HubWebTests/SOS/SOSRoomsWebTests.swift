import Accounts
import Distress
import Foundation
import HubServices
import HubStore
import NIOHTTP1
import Privacy
import Segments
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// Phones, control rooms and the operator's own look, over HTTP and over a running hub.
@Suite(.serialized, .timeLimit(.minutes(4)))
struct SOSRoomsWebTests {
    private func turnOn(_ web: WebFixture, _ person: Member) async throws {
        let contact = ["contactName": "Bruno", "contactEmail": "bruno@example.org"]
        #expect(try await web.post("/protection/contacts", contact, cookie: person.cookie).status == 303)
        #expect(
            try await web.post("/protection/on", ["consent": SOSChoices.consentDocument, "strict": "no"], cookie: person.cookie).status
                == 303)
    }

    private func until(_ condition: () throws -> Bool) async throws {
        while try !condition() { try await Task.sleep(for: .milliseconds(20)) }
    }

    @Test("SOS-16: OsmAnd's alarm=sos becomes a case with its position, and a mail to the contact; another program's position does not")
    func osmAnd() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), id = person.account.id.person
            try await turnOn(web, person)
            let made = try await web.post("/boxes/devices", ["deviceName": "Phone", "deviceKind": "osmAnd"], cookie: person.cookie)
            let secret = String(try #require(made.body.firstMatch(of: /[A-Z0-9]{4}(-[A-Z0-9]{4}){3}/)).output.0)
            let path = "/osmand?id=\(secret)&timestamp=\(Cast.now / 1000)&lat=45.61&lon=9.7"
            #expect(try await web.send(.POST, path).status == 200)
            try await Task.sleep(for: .milliseconds(300))
            #expect(web.hub.sos.openCase(of: id) == nil)
            #expect(try await web.send(.POST, path + "1&alarm=sos").status == 200)
            try await until { web.hub.sos.openCase(of: id) != nil }
            let item = try #require(web.hub.sos.openCase(of: id))
            #expect(item.alarm.abnormalities.first?.trigger == .help && item.alarm.position?.latitude == 456_100_000)
            let mail = try await MailCatcher(directory: web.directory.url).mail(to: "bruno@example.org", with: "/sos/")
            #expect(mail.contains("45.61000"))
            // The phone moves on.
            #expect(try await web.send(.POST, "/osmand?id=\(secret)&timestamp=\(Cast.now / 1000 + 1)&lat=45.62&lon=9.7").status == 200)
            try await until { web.hub.sos.openCase(of: id)?.alarm.position?.latitude == 456_200_000 }
            #expect(try await web.send(.GET, "/protection", cookie: person.cookie).body.contains("Nobody has taken it yet"))
        }
    }

    @Test(
        "SOS-6, SOS-20: a control room's mail has a link; its page takes and ends the case; a signed answer does the same, a forged one nothing"
    )
    func room() async throws {
        let change: (inout HubConfiguration) throws -> Void = { configuration in
            configuration.sos.rooms = ["Centrale=mailto:room@example.org in circle 45.6 9.7 50"]
            configuration.sos.secret = "made up"
        }
        try await WebFixture.run(change: change) { web in
            let person = try web.member(.person, "ada@example.org"), id = person.account.id.person
            try await turnOn(web, person)
            #expect(try await web.post("/protection/press/help", [:], cookie: person.cookie).status == 303)
            let mails = MailCatcher(directory: web.directory.url)
            let link = try mails.link(in: try await mails.mail(to: "room@example.org", with: "/sos/"), "/sos/").prefix(37)
            #expect(try await web.send(.GET, String(link)).body.contains("/take"))
            #expect(try await web.post("\(link)/take", [:]).status == 303)
            let item = try #require(web.hub.sos.openCase(of: id))
            #expect(item.ownerName == "Centrale")
            #expect(try await web.post("\(link)/release", [:]).status == 303)
            let bruno = try #require(web.hub.sos.helpers.contact(link: item.links[0])).helper
            #expect(await web.hub.sos.helpers.act(.take, bruno, on: item.id))
            #expect(try await web.send(.GET, String(link)).body.contains("/finish"), "it may end what others have")
            func answer(_ act: String, secret: String, time: Milliseconds = Cast.now) async throws -> Int {
                let body = Array(#"{"room":"Centrale","incident":"\#(item.id)","act":"\#(act)","time":\#(time)}"#.utf8)
                let signature = [("x-trackme-signature", HTTPSControlRoom.signature(body, Array(secret.utf8)))]
                return Int(try await web.send(.POST, SOSController.roomAnswer, headers: signature, body: body).status)
            }
            #expect(try await answer("finish", secret: "guess") == 401)
            #expect(try await answer("finish", secret: "made up", time: Cast.now - 3_600_000) == 400)
            // A control room takes over from a contact.
            #expect(try await answer("take", secret: "made up") == 200)
            #expect(web.hub.sos.openCase(of: id)?.ownerName == "Centrale")
            #expect(try await answer("finish", secret: "made up") == 200)
            #expect(web.hub.sos.openCase(of: id) == nil)
            let ended = try await web.send(.GET, String(link))
            #expect(ended.status == 410 && ended.body.contains(Texts.of("en")["protection.outcomeForOthers_finished"]), "\(ended.body)")
        }
    }

    @Test("SOS-6, DATA-11: a control room answers with its own secret, for itself alone; without one the common secret counts")
    func secrets() async throws {
        let change: (inout HubConfiguration) throws -> Void = { configuration in
            configuration.sos.rooms = ["Milan=mailto:milan@example.org", "Rome=mailto:rome@example.org", "Turin=mailto:turin@example.org"]
            (configuration.sos.secret, configuration.sos.secrets) = ("common", ["Milan=milan-0123456789abc", "Rome=rome-0123456789abcd"])
        }
        try await WebFixture.run(change: change) { web in
            func answer(_ room: String, _ secret: String) async throws -> UInt {
                let body = Array(#"{"room":"\#(room)","incident":"\#(IncidentID(high: 1, low: 2))","act":"seen","time":\#(Cast.now)}"#.utf8)
                let signature = [("x-trackme-signature", HTTPSControlRoom.signature(body, Array(secret.utf8)))]
                return try await web.send(.POST, SOSController.roomAnswer, headers: signature, body: body).status
            }
            for (room, secret) in [("Milan", "rome-0123456789abcd"), ("Milan", "common"), ("Turin", "milan-0123456789abc"), ("Rome", "")] {
                let status = try await answer(room, secret)
                #expect(status == 401, "\(room) \(secret)")
            }
            for (room, secret) in [("Milan", "milan-0123456789abc"), ("Rome", "rome-0123456789abcd"), ("Turin", "common")] {
                // There is no such alarm.
                let status = try await answer(room, secret)
                #expect(status != 401, "\(room)")
            }
        }
    }

    @Test("SOS-17: a secret that is short, or of no room, or given twice stops the start")
    func wrongSecrets() {
        for (secrets, words) in [
            (["Milan=short"], "16 characters"), (["Milan"], "NAME=SECRET"), (["Roma=rome-0123456789abcd"], "names Roma"),
            (["Milan=milan-0123456789abc", "Milan=milan-0123456789abd"], "twice"),
        ] {
            var configuration = HubConfiguration(directory: URL(fileURLWithPath: "/tmp"))
            (configuration.sos.rooms, configuration.sos.secrets) = (["Milan=https://milan.example/sos"], secrets)
            configuration.sos.secret = "common"
            let error = #expect(throws: HubConfigurationError.self) { try configuration.check() }
            #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
        }
    }

    @Test("SOS-19, SOS-22: a control room's mail of a test has a link that confirms it; the page says that no heart rate was received then")
    func roomTest() async throws {
        let change: (inout HubConfiguration) throws -> Void = { $0.sos.rooms = ["Centrale=mailto:room@example.org"] }
        try await WebFixture.run(change: change) { web in
            let person = try web.member(.person, "ada@example.org"), texts = Texts.of("en")
            try await turnOn(web, person)
            #expect(try await web.post("/protection/drill", [:], cookie: person.cookie).status == 303)
            let mails = MailCatcher(directory: web.directory.url)
            let link = String(try mails.link(in: try await mails.mail(to: "room@example.org", with: "/sos/"), "/sos/").prefix(37))
            let shown = try await web.send(.GET, link).body
            #expect(shown.contains(texts["sosContact.testConfirm"]) && !shown.contains("/take"), "\(shown)")
            #expect(try await web.post("\(link)/seen", [:]).status == 303)
            #expect(try await web.send(.GET, link).body.contains("We know now that messages about"))
            func page() async throws -> String { try await web.send(.GET, "/protection", cookie: person.cookie).body }
            #expect(try await page().contains("Centrale, \(texts["protection.channel_room"])"))
            func unheard(_ texts: Texts) -> String { texts["protection.drillUnheard"].components(separatedBy: "{time}").last ?? "" }
            while try await !page().contains(unheard(texts)) { try await Task.sleep(for: .milliseconds(25)) }
            #expect(try await page().contains(texts["protection.drillNeverPassed"]), "without the sensor it was no whole test")
            #expect(try await web.post("/language", ["language": "it", "back": "/"], cookie: person.cookie).status == 303)
            #expect(try await page().contains(unheard(Texts.of("it"))))
        }
    }

    @Test("SOS-17: a hub does not start with a control room that it could not call, and says why")
    func configuration() throws {
        for (rooms, secret, authority, words) in [
            (["a=sip:"], "", nil, "Write NAME="), (["a=https://b.example"], "", nil, "hub.sos.secret"),
            (["a=mailto:a@b in circle 1 2"], "", nil, "in circle LATITUDE"),
            (["a=sips:b"], "", "/nowhere.pem", "hub.sos.authority is /nowhere.pem"),
        ] as [([String], String, String?, String)] {
            var configuration = HubConfiguration(directory: URL(fileURLWithPath: "/tmp"))
            (configuration.sos.rooms, configuration.sos.secret, configuration.sos.authority) = (rooms, secret, authority)
            let error = #expect(throws: HubConfigurationError.self) { try configuration.check() }
            #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
        }
    }

    @Test("SOS-2: `detect` plays what is stored beside a running hub, says why, calls nobody and stands in the audit log")
    func detect() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), id = person.account.id.person
            let token = try await Cast.agentToken(web, [id]), now = Cast.now
            let samples = (0..<120).map { second in
                HeartRateSample(
                    time: now - 300_000 + Milliseconds(second) * 1000, beatsPerMinute: second < 60 ? 70 : 32, contact: .detected)
            }
            let segment = Segment(
                stream: .random(), sequence: 1, person: id, provenance: .live, clock: .wall, samples: SampleSet(heartRates: samples))
            let body = try SegmentBatch.encode([segment.encoded()])
            #expect(
                try await web.send(.POST, SyncRoute.segments, headers: [("authorization", "Bearer \(token)")], body: body).status == 200)
            let configuration = HubConfiguration(directory: web.directory.url)
            let text = try HubCommands.detect(person: id.description, from: nil, to: nil, json: false, configuration)
            #expect(text.contains("120 heart rates") && text.contains("suspected: low heart rate") && text.contains(" test"), "\(text)")
            let json = try HubCommands.detect(person: id.description, from: nil, to: nil, json: true, configuration)
            #expect(json.contains("\"finalState\"") && json.contains("\"wasOff\":true"))
            let none = try HubCommands.detect(
                person: id.description, from: "2020-01-01T00:00:00Z", to: "2020-01-02T00:00:00Z", json: false, configuration)
            #expect(none.contains("0 heart rates"))
            #expect(throws: (any Error).self) {
                try HubCommands.detect(person: id.description, from: "yesterday", to: nil, json: false, configuration)
            }
            #expect(throws: (any Error).self) {
                try HubCommands.detect(person: PersonID.random().description, from: nil, to: nil, json: false, configuration)
            }
            #expect(web.hub.sos.openCase(of: id) == nil)
            #expect(try HubCommands.verifyAudit(configuration).text.contains("rows follow"))
        }
    }
}
