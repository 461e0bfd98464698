import Distress
import Foundation
import HubStore
import NIOHTTP1
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// A box that is newer than the hub says words that the hub does not know.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct SOSNewerBoxTests {
    private func report(_ person: PersonID, _ revision: UInt64, alarm: Alarm? = nil) -> SOSReport {
        SOSReport(
            person: person, boot: BootID(high: 1, low: 2), revision: revision, sentAt: 3000, provenance: .live, unprotected: [.noSignal],
            alarm: alarm, calls: alarm == nil ? [] : [.init(channel: .text, recipient: "+390000000", state: .started, at: 2000)])
    }

    private func alarm(_ person: PersonID) -> Alarm {
        let first = Reading(
            time: 2000, value: 150, key: SampleKey(stream: StreamID(high: 3, low: 4), sequence: 1, kind: .heartRate, index: 0))
        let found = Abnormality(
            trigger: .seizure, tier: .critical, limit: nil, context: .rest, first: first, latest: first, worst: 150, count: 3)
        return Alarm(
            id: IncidentID(person: person, first: first.key), person: person, provenance: .live, raisedAt: 2500, abnormalities: [found])
    }

    private func send(_ web: WebFixture, _ token: String, _ json: String) async throws -> SOSAnswer {
        let answer = try await web.send(.POST, SyncRoute.sos, headers: [("authorization", "Bearer \(token)")], body: Array(json.utf8))
        #expect(answer.status == 200, "\(answer.body)")
        return try JSONDecoder().decode(SOSAnswer.self, from: Data(answer.body.utf8))
    }

    private func json(_ report: SOSReport) throws -> String { String(decoding: try JSONEncoder().encode(report), as: UTF8.self) }

    @Test("SOS-7, SOS-18: an alarm with words that this hub does not know is an alarm, and who is not protected is told so")
    func unknownWords() async throws {
        try await WebFixture.run { web in
            let person = try await SOSCast(web).person(), id = person.account.id.person
            let token = try await Cast.agentToken(web, [id])
            _ = try await send(web, token, try json(report(id, 1)).replacing("\"noSignal\"", with: "\"satellite\""))
            var page = try await web.send(.GET, "/protection", cookie: person.cookie).body
            #expect(page.contains("Not protected now") && page.contains("The box gives a reason that this hub has no words for"), "\(page)")

            var text = try json(report(id, 2, alarm: alarm(id)))
            for (old, new) in [
                ("\"seizure\"", "\"satellite\""), ("\"critical\"", "\"gravest\""), ("\"rest\"", "\"asleep\""), ("\"text\"", "\"pager\""),
                ("\"started\"", "\"queued\""), ("\"provenance\":0", "\"provenance\":250"), ("\"kind\":1", "\"kind\":99"),
            ] {
                #expect(text.contains(old), "\(old) stands nowhere in \(text)")
                text = text.replacing(old, with: new)
            }
            let answer = try await send(web, token, text)
            #expect(answer.isDurable && answer.incident == alarm(id).id)
            page = try await web.send(.GET, "/protection", cookie: person.cookie).body
            #expect(page.contains("a way that this hub has no word for, to +390000000"), "\(page)")
            let mail = try await MailCatcher(directory: web.directory.url).mail(to: "bruno@example.org", with: "/sos/")
            #expect(mail.contains("the cause is not known here"), "\(mail)")
            // An ending that is not known ends nothing.
            var over = report(id, 3, alarm: alarm(id))
            over.outcome = .test
            let unknown = try json(over).replacing("\"test\":{}", with: "\"beamedUp\":{}")
            #expect(unknown.contains("beamedUp"))
            let open = try await send(web, token, unknown)
            #expect(open.incident == alarm(id).id && open.outcome == nil)
        }
    }

    @Test("SOS-7: of a newer word with one of 0.3.0 beside it the hub takes the newest that it knows")
    func nearest() async throws {
        try await WebFixture.run { web in
            let person = try await SOSCast(web).person(), id = person.account.id.person
            let token = try await Cast.agentToken(web, [id])
            var text = try json(report(id, 1, alarm: alarm(id)))
            text.removeLast()
            text += #","words":{"alarm.abnormalities.0.trigger":"satellite"}}"#
            #expect(try await send(web, token, text).incident == alarm(id).id)
            let mail = try await MailCatcher(directory: web.directory.url).mail(to: "bruno@example.org", with: "/sos/")
            #expect(mail.contains("a seizure"), "\(mail)")
        }
    }
}
