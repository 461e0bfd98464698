import Foundation
import Privacy
import Testing
import Vitals

/// A store keeps these values as JSON: what was written must be read by every later version.
@Suite struct StoredFormTests {
    private let running = """
        {"id":"00000000000000090000000000000001","parameters":{"deliveryWait":604800000,"denialsUntilBlocked":3,\
        "expiry":{"after":{"_0":259200000}},"needsOperator":true},"reach":{"person":{"_0":"00000000000000020000000000000001"}},\
        "request":{"created":1800014400000,"scope":{"asker":{"organisation":{"_0":"00000000000000010000000000000001"}},"kinds":["heart_rate"],\
        "purpose":"Study of rest","term":{"lasting":{"_0":2592000000}}},"whom":{"address":{"_0":[7,7]}}},\
        "state":{"accepted":{"_0":{"by":"00000000000000030000000000000001","since":1800014401000,"until":1802606401000}}}}
        """

    private func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private func read<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }

    @Test("CONS-7: a stored consent is read as it was written, and by later versions")
    func consent() throws {
        let consent = try Cast.accepted()
        #expect(try json(consent) == running)
        let stored = try read(Consent.self, running)
        #expect(stored == consent && stored.anyGrant(at: noon + hour) == consent.anyGrant(at: noon + hour))
    }

    @Test(
        "CONS-7: what 0.3.0 granted keeps its content: heart rate with RR intervals and energy, events with falls and seizures, nothing of later"
    )
    func granted030() throws {
        let old = running.replacing("[\"heart_rate\"]", with: "[1]")
        let consent = try read(Consent.self, old), kinds: Set<DataKind> = [.heartRate, .rrIntervals, .energyExpended]
        #expect(consent.request.scope.kinds == kinds && consent.anyGrant(at: noon + hour)?.kinds == kinds)
        // It is written with names from here on, and read as the same.
        let again = try read(Consent.self, json(consent))
        #expect(again == consent)
        #expect(try json(consent).contains(#""kinds":["heart_rate","rr_intervals","energy_expended"]"#))
        let all = try read(Consent.self, running.replacing("[\"heart_rate\"]", with: "[3,1,2,5,4]")).request.scope.kinds
        #expect(all == [.heartRate, .rrIntervals, .energyExpended, .position, .event, .flaggedEvent, .gap, .clock])
        // The same question again is no new one; one for less neither.
        #expect(try Cast.scope(kinds: [.heartRate]).isWithin(consent.request.scope))
        let policy = try read(
            AccessPolicy.self, #"{"anybody":[1,3],"exceptions":[{"organisation":{"_0":"00000000000000010000000000000001"}},[2]]}"#)
        #expect(policy.anybody == kinds.union([.event, .flaggedEvent]) && policy.exceptions == [Cast.hospital: [.position]])
        #expect(try !AccessPolicy(anybody: policy.anybody).allows(Cast.scope(kinds: [.weight])))
    }

    @Test("CONS-1: a new request means just the kinds that it names; one for RR intervals names the heart rate as well")
    func apart() throws {
        #expect(try Cast.scope(kinds: [.heartRate]).kinds == [.heartRate])
        #expect(try Cast.scope(kinds: [.rrIntervals, .weight]).kinds == [.heartRate, .rrIntervals, .weight])
        #expect(try Cast.scope(kinds: [.flaggedEvent]).kinds == [.event, .flaggedEvent])
        #expect(try !Cast.scope(kinds: [.heartRate, .rrIntervals]).isWithin(Cast.scope(kinds: [.heartRate])))
    }

    @Test("CONS-7: a kind of a later version is left out of what is granted, and spoils nothing")
    func later() throws {
        let scope = try read(Consent.self, running.replacing("[\"heart_rate\"]", with: #"["blood","weight",200]"#)).request.scope
        #expect(scope.kinds == [.weight])
    }

    @Test("CONS-7: every state, reach and term survives storing")
    func all() throws {
        let scopes = [
            try Cast.scope(.caregiver(Cast.carla), term: .untilRevoked), try Cast.scope(.named(Cast.stranger), term: .once),
            try Cast.scope(.organiser(Cast.stranger), term: .until(noon + day)), try Cast.scope(service: ServiceID(high: 4, low: 4)),
        ]
        let reaches: [Reach] = [
            .person(Cast.ada), .nobody(.unknown), .nobody(.blocked(Cast.ada)), .nobody(.policy(Cast.ada)), .nobody(.repeated(Cast.ada)),
        ]
        let events: [ConsentEvent] = [
            .timePassed, .denied(by: try Cast.yes()), .accepted(by: try Cast.yes()), .ended(by: Cast.hospital),
        ]
        for scope in scopes {
            for reach in reaches {
                for event in events {
                    var consent = try Cast.asked(scope, reach: reach)
                    for now in [noon + 1, noon + 80 * hour] {
                        _ = consent.handle(event, at: now)
                        #expect(try read(Consent.self, json(consent)) == consent)
                    }
                }
            }
        }
    }

    @Test("CONS-13: policy and standing survive storing")
    func pair() throws {
        let policy = AccessPolicy(anybody: [.heartRate], exceptions: [Cast.insurer: [], .caregiver(Cast.carla): [.position]])
        #expect(try read(AccessPolicy.self, json(policy)) == policy)
        var standing = AskerStanding()
        for _ in 0..<3 { _ = standing.denied(.data4Help) }
        let stored = try read(AskerStanding.self, json(standing))
        #expect(stored == standing && stored.isBlocked)
    }
}
