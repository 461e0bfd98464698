import Foundation
import TestSupport
import Testing
import Vitals

@testable import Distress

/// State that another version stored, from Tests/Fixtures/v0.3.0: an open case goes on, whatever else cannot be read.
struct KeptStateTests {
    private typealias JSON = [String: Any]

    /// What a box of 0.3.0 kept of one person.
    private static func kept(_ state: String) throws -> JSON {
        let folder = Repository.url("Tests/Fixtures/v0.3.0/box")
        let data = try Data(contentsOf: folder.appending(path: "sos-state-\(state).json"))
        let json = try JSONSerialization.jsonObject(with: data) as? JSON, persons = json?["persons"] as? [JSON]
        return try #require(persons?.first?["watch"] as? JSON)
    }

    private static func watch(_ json: JSON) throws -> DistressWatch {
        try JSONDecoder().decode(DistressWatch.self, from: JSONSerialization.data(withJSONObject: json))
    }

    /// Takes away or changes what stands at a path.
    private static func changed(_ json: JSON, at path: String, to value: Any?) -> JSON {
        var parts = path.split(separator: ".").map(String.init), json = json
        let first = parts.removeFirst()
        json[first] = parts.isEmpty ? value : changed(json[first] as? JSON ?? [:], at: parts.joined(separator: "."), to: value)
        return json
    }

    private static func alarm(_ json: JSON, _ state: String) throws -> IncidentID {
        let content = ((json["incident"] as? JSON)?["state"] as? JSON)?[state] as? JSON
        let alarm = (content?["_0"] as? JSON)?["alarm"] as? JSON
        let text = try #require(alarm?["id"] as? String)
        return try #require(IncidentID(text))
    }

    @Test("OPS-2, SOS-7: what 0.3.0 kept is read whole, and the case goes on under its id", arguments: ["delivering", "taken", "waiting"])
    func whole(state: String) throws {
        let json = try Self.kept(state), id = try Self.alarm(json, state)
        var watch = try Self.watch(json)
        #expect(watch.unread.isEmpty)
        switch watch.incident.state {
        case .delivering(let delivering): #expect(state == "delivering" && delivering.alarm.id == id && delivering.nextAt != nil)
        case .taken(let taken): #expect(state == "taken" && taken.alarm.id == id && taken.owner == Owner("r1"))
        // Nobody had it: with 0.3.0 it waited to be reactivated, now the person is watched on (SOS-21).
        case .calm:
            #expect(state == "waiting" && watch.incident.answered?.alarm.id == id && watch.incident.answered?.outcome == .falseAlarm)
        case .waiting, .suspecting, .raised: Issue.record("\(watch.incident.state)")
        }
        // What is written today reads the same.
        #expect(try JSONDecoder().decode(DistressWatch.self, from: JSONEncoder().encode(watch)) == watch)
        if let due = watch.incident.nextDeadline, state == "delivering" {
            let again = watch.handle(.tick, at: due).contains {
                if case .deliver(let delivery) = $0 { delivery.alarm.id == id } else { false }
            }
            #expect(again, "the next round of calls begins")
        }
    }

    @Test(
        "OPS-2, SOS-7: where another version's detector or case cannot be read, the alarm goes on, and it is said what began anew",
        arguments: [
            ("detector", nil as String?, ["detector"]), ("detector.tracker", "3", ["detector"]), ("incident.closed", nil, ["incident"]),
            ("incident.otherSide", "?", ["incident"]), ("incident.side", nil, ["incident"]), ("version", nil, []), ("seen", nil, []),
            ("incident.state.delivering._0.attempts", nil, ["incident"]),
            ("incident.state.delivering._0.alarm.readings", nil, ["incident"]),
            ("incident.state.delivering._0.alarm.abnormalities", nil, ["incident"]),
        ])
    func inPart(path: String, value: String?, unread: [String]) throws {
        let json = try Self.kept("delivering"), id = try Self.alarm(json, "delivering")
        var watch = try Self.watch(Self.changed(json, at: path, to: value))
        #expect(watch.unread == unread && watch.incident.alarm?.id == id)
        let called = watch.handle(.tick, at: watch.incident.nextDeadline ?? 0).contains {
            if case .deliver(let delivery) = $0 { delivery.alarm.id == id } else { false }
        }
        #expect(called)
    }

    @Test("OPS-2, SOS-8: the owner, and the end, of a case are read also where the rest of it is another version's")
    func owners() throws {
        let taken = try Self.kept("taken"), waiting = try Self.kept("waiting")
        let owned = try Self.watch(Self.changed(taken, at: "incident.state.taken._0.attempts", to: nil)).incident.state
        guard case .taken(let one) = owned else { throw Failed("\(owned)") }
        #expect(try one.owner == Owner("r1") && one.alarm.id == Self.alarm(taken, "taken"))
        let over = try Self.watch(Self.changed(waiting, at: "incident.state.waiting._0.at", to: nil)).incident.answered
        #expect(try over?.outcome == .falseAlarm && over?.alarm.id == Self.alarm(waiting, "waiting"))
    }

    @Test("OPS-2, SOS-4: a question that was open is asked on, and raises without an answer, also where its readings cannot be read")
    func question() throws {
        let person = PersonID(high: 1, low: 1), stream = StreamID(high: 2, low: 2)
        var watch = DistressWatch(person: person, provenance: .live, side: .box, settings: DistressSettings(age: 40), at: 0)
        for second in 0..<40 as Range<Int64> where watch.incident.alarm == nil {
            guard case .calm = watch.incident.state else { break }
            let sample = HeartRateSample(time: second * 1000, beatsPerMinute: second < 20 ? 70 : 215)
            let key = SampleKey(stream: stream, sequence: 0, kind: .heartRate, index: UInt32(second))
            _ = watch.handle(.heartRate(sample, key), at: second * 1000)
        }
        guard case .suspecting(let suspicion) = watch.incident.state else { throw Failed("\(watch.incident.state)") }
        let stored = try JSONSerialization.jsonObject(with: JSONEncoder().encode(watch)) as? JSON, json = try #require(stored)
        var kept = try Self.watch(Self.changed(json, at: "incident.state.suspecting._0.abnormalities", to: nil))
        guard case .suspecting(let again) = kept.incident.state else { throw Failed("\(kept.incident.state)") }
        #expect(again.question == suspicion.question && again.isAsked)
        _ = kept.handle(.tick, at: suspicion.question.answerBy)
        #expect(kept.incident.alarm?.id == suspicion.question.id)
    }

    private struct Failed: Error {
        let what: String
        init(_ what: String) { self.what = what }
    }
}
