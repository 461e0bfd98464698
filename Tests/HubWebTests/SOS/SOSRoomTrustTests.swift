import Accounts
import Foundation
import HubStore
import NIOHTTP1
import TestSupport
import Testing
import Vitals

@testable import HubServices
@testable import HubWeb

/// A control room by HTTPS with a certificate of an authority of its own: real handshakes.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct SOSRoomTrustTests {
    /// The case of somebody who asks for help, when its message to the room was tried.
    private func tried(
        _ room: HookServer, by prefix: String = "", authority: String?, _ look: (WebFixture, SOSCall) async throws -> Void
    ) async throws {
        let change: (inout HubConfiguration) throws -> Void = { configuration in
            configuration.sos.rooms = ["Centrale=\(prefix)https://127.0.0.1:\(room.port)/alarms"]
            configuration.sos.secret = "made up"
            configuration.sos.authority = authority
        }
        try await WebFixture.run(change: change) { web in
            let cast = try await SOSCast(web), person = try await cast.person()
            #expect(try await web.post("/protection/press/help", [:], cookie: person.cookie).status == 303)
            func call() -> SOSCall? {
                web.hub.sos.openCase(of: person.account.id.person)?.calls.first { $0.channel == .room && $0.proof != nil }
            }
            while call() == nil { try await Task.sleep(for: .milliseconds(20)) }
            try await look(web, #require(call()))
        }
    }

    @Test("SOS-17: a control room whose authority hub.sos.authority names is trusted, and gets CAP 1.2, signed")
    func right() async throws {
        let room = try await HookServer()
        try await tried(room, authority: room.authority) { _, call in
            #expect(call.state == .sent && call.proof == "status 204", "\(call)")
            let got = try #require(room.got.first { $0.header("x-trackme-signature") != nil })
            #expect(HTTPSControlRoom.isSigned(got.body, got.header("x-trackme-signature") ?? "", Array("made up".utf8)))
            #expect(String(decoding: got.body, as: UTF8.self).contains("urn:oasis:names:tc:emergency:cap:1.2"))
        }
        try await room.close()
    }

    @Test(
        "SOS-17: programs get the alarm as JSON by signed webhook, or as a FHIR Bundle, where hub.sos.rooms says so",
        arguments: [("webhook+", "application/json", "kind", "alert"), ("fhir+", "application/fhir+json", "resourceType", "Bundle")])
    func forms(_ prefix: String, _ type: String, _ member: String, _ value: String) async throws {
        let room = try await HookServer()
        try await tried(room, by: prefix, authority: room.authority) { _, call in
            #expect(call.state == .sent && call.proof == "status 204", "\(call)")
            let got = try #require(room.got.first { $0.header("x-trackme-signature") != nil })
            #expect(got.path == "/alarms" && got.header("content-type")?.hasPrefix(type) == true)
            #expect(HTTPSControlRoom.isSigned(got.body, got.header("x-trackme-signature") ?? "", Array("made up".utf8)))
            let json = try #require(try JSONSerialization.jsonObject(with: Data(got.body)) as? [String: Any])
            #expect(json[member] as? String == value)
        }
        try await room.close()
    }

    @Test("SOS-17: a control room of another authority gets nothing, the alarm goes on, and what is wrong is told with what to do")
    func wrong() async throws {
        let room = try await HookServer(), other = try await HookServer()
        // One that names another authority, and none: the system's.
        for authority in [other.authority, nil] {
            try await tried(room, authority: authority) { web, call in
                #expect(call.state == .waiting && call.tries >= 1, "\(call)")
                #expect(call.proof?.contains("hub.sos.authority") == true, "\(call.proof ?? "")")
                // Whoever else is to be told is told all the same.
                _ = try await MailCatcher(directory: web.directory.url).mail(to: "bruno@example.org", with: "/sos/")
                let check = try #require(web.hub.sos.outlets.rooms.first)
                await #expect(throws: (any Error).self) { try await check.check() }
            }
        }
        #expect(room.got.isEmpty)
        try await room.close()
        try await other.close()
    }
}
