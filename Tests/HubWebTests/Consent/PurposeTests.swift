import HubStore
import Privacy
import Testing
import Vitals

@testable import HubWeb

@Suite struct PurposeTests {
    private let english = Texts.of("en"), italian = Texts.of("it")

    private func organiser(_ purpose: String) throws -> ConsentScope {
        try ConsentScope(asker: .organiser(.random()), kinds: [.position, .heartRate], purpose: purpose, term: .until(1))
    }

    @Test("ACC-12, RUN-5: what the hub asks for a run is read in the reader's language, whichever it was asked in")
    func runs() throws {
        let values = ["run": "Giro (lungo) di Città alta", "code": "ABC234"]
        for key in ["runPurpose.organiser", "runPurpose.publicHeartRate"] {
            for (asked, reader) in [(english, italian), (italian, english), (italian, italian)] {
                #expect(try reader.purpose(organiser(asked.filled(key, values))) == reader.filled(key, values))
            }
        }
        #expect(italian.filled("runPurpose.organiser", values) != english.filled("runPurpose.organiser", values))
    }

    @Test("ACC-12, CONS-8: the purpose of the hub's own services too; what people write stays as they wrote it")
    func others() throws {
        for own in BuiltInService.allCases {
            let scope = try ConsentScope(
                asker: .organisation(.hub), service: own.id, kinds: own.kinds, purpose: ServiceModel(own, english).purpose,
                term: .untilRevoked)
            #expect(italian.purpose(scope) == ServiceModel(own, italian).purpose)
        }
        for written in ["To look after her", "Run ("] {
            #expect(try italian.purpose(organiser(written)) == written)
            let scope = try ConsentScope(asker: .caregiver(.random()), kinds: [.heartRate], purpose: written, term: .untilRevoked)
            #expect(italian.purpose(scope) == written)
        }
    }
}
