import Exchange
import Foundation
import HubStore
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// Scalars of the table of kinds as an organisation's program reads them.
extension FHIRAPITests {
    /// One sample of each scalar kind, a second apart; and a heart rate with RR intervals.
    static func measured(at second: Int) throws -> SampleSet {
        let start = Milliseconds(second) * 1000
        let scalars = try DataKind.scalars.enumerated().map { index, kind in
            let entry = kind.entry, time = start + Milliseconds(index) * 1000
            return try #require(
                ScalarSample(
                    kind, time: time, value: (entry.range.lowerBound + entry.range.upperBound) / 2,
                    end: entry.span == .none ? nil : time + 60_000, second: entry.second?.range.lowerBound))
        }
        let beat = HeartRateSample(
            time: start, beatsPerMinute: 61, contact: .detected, energyKilojoules: 12, rrIntervals: [1000, 1010])
        return SampleSet(heartRates: [beat], scalars: scalars)
    }

    static func words(_ kinds: [DataKind]) -> String { kinds.map { "\"\($0.name)\"" }.joined(separator: ",") }

    private func ids(_ entries: [JSON]) -> [String] { entries.compactMap { ($0["resource"] as? JSON)?["id"] as? String } }

    @Test("CONS-12, CONS-4, DATA-1: scalars are searched by LOINC and own codes, read and caught up, of the granted kinds alone")
    func scalars() async throws {
        try await WebFixture.run { web in
            let study = try await Study(web), mine = try await bearer(Program(web))
            let granted = DataKind.scalars.filter { $0 != .weight }
            let id = try await study.consent(mine, kinds: Self.words(granted)), patient = try await pseudonym(web, id, mine)
            let samples = try Self.measured(at: study.start)
            try web.append([samples], of: study.person.account.id.person)

            let found = try await search(web, "Observation?patient=\(patient)&_sort=date&_count=4", mine)
            let expected = samples.scalars.filter { $0.kind != .weight }.map { "s\($0.kind.rawValue)-\(patient)-\($0.time)" }
            #expect(ids(found) == expected)
            for entry in found {
                let resource = try #require(entry["resource"] as? JSON), name = try #require(resource["id"] as? String)
                let one = try await get(web, "Observation/\(name)", mine)
                #expect(NSDictionary(dictionary: one) == NSDictionary(dictionary: resource))
            }
            let weight = try #require(samples.scalars.first { $0.kind == .weight })
            _ = try await get(web, "Observation/s\(DataKind.weight.rawValue)-\(patient)-\(weight.time)", mine, status: 404)

            let metadata = try await get(web, "metadata", []), address = try #require(metadata["url"] as? String)
            let own = address.replacing("/metadata", with: "/CodeSystem/observation%7C")
            let vital = granted.count { FHIRKind($0)?.category == .vitalSigns }
            let activity = granted.count { FHIRKind($0)?.category == .activity }
            for (filter, count) in [
                ("code=http://loinc.org%7C8310-5", 1), ("code=8310-5,55423-8", 2), ("code=\(own)steps", 1), ("code=sleep", 1),
                ("code=85354-9", 1), ("code=\(own)", granted.count), ("category=vital-signs", vital), ("category=activity", activity),
                ("category=activity&code=sleep,8310-5", 1), ("category=vital-signs,activity", vital + activity),
                // Of a kind that was not granted, of a part, of another system, and of nothing.
                ("code=29463-7", 0), ("code=weight", 0), ("code=8867-4", 0), ("code=8480-6", 0), ("code=rr_intervals", 0),
                ("code=http://loinc.org%7Csteps", 0), ("code=1234-5", 0), ("category=laboratory", 0),
            ] {
                let found = try await search(web, "Observation?patient=\(patient)&\(filter)", mine)
                #expect(found.count == count, "\(filter): \(ids(found))")
            }
            let missed = try await get(web, "Observation/$events?consent=\(id)", mine)
            #expect(missed["type"] as? String == "history" && ids(entries(missed)).sorted() == expected.sorted())
        }
    }

    @Test("CONS-12, CONS-4: an Observation of a heart rate has RR intervals for whoever was granted them, and none for others")
    func intervals() async throws {
        try await WebFixture.run { web in
            let study = try await Study(web), mine = try await bearer(Program(web))
            let theirs = try await bearer(Program(web, email: "rival@example.org"))
            let rate = try await study.consent(mine, kinds: Self.words([.heartRate]))
            let both = try await study.consent(theirs, kinds: Self.words([.heartRate, .rrIntervals]))
            try web.append([Self.measured(at: study.start)], of: study.person.account.id.person)
            for (consent, bearer, count) in [(rate, mine, 0), (both, theirs, 2)] {
                let patient = try await pseudonym(web, consent, bearer)
                let found = try await search(web, "Observation?patient=\(patient)", bearer)
                let missed = try await entries(get(web, "Observation/$events?consent=\(consent)", bearer))
                for list in [found, missed] {
                    #expect(list.count == 1)
                    let resource = try #require(list.first?["resource"] as? JSON)
                    #expect((resource["component"] as? [JSON] ?? []).count == count)
                    #expect((resource["valueQuantity"] as? JSON)?["value"] as? Int == 61)
                }
            }
        }
    }

    @Test("CONS-12, DATA-1: the description of the API names the codes of all kinds")
    func described() throws {
        let document = try #require(try JSONSerialization.jsonObject(with: Data(OpenAPI.document.utf8)) as? JSON)
        let path = ((document["paths"] as? JSON)?["/api/v1/fhir/Observation"] as? JSON)?["parameters"] as? [JSON]
        func text(_ name: String) -> String? { path?.first { $0["name"] as? String == name }?["description"] as? String }
        let codes = try #require(text("code"))
        for kind in DataKind.scalars { #expect(codes.contains(kind.name), "\(kind)") }
        for code in ["8867-4 (heart rate), position", "8310-5 or body_temperature", "85354-9 or blood_pressure"] {
            #expect(codes.contains(code))
        }
        #expect(text("category") == "vital-signs or activity")
    }
}
