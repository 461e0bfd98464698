import Testing
import Vitals

@testable import Privacy

@Suite struct RunGrantTests {
    private let start = noon + 3_600_000, end = noon + 2 * 3_600_000

    private func checkedIn(_ asker: Reader = .organiser(Cast.stranger), kinds: Set<DataKind> = [.position, .heartRate]) throws -> Consent {
        let scope = try Cast.scope(asker, kinds: kinds, term: .until(end))
        return try Consent.give(scope, id: .random(), by: Cast.yes(), parameters: .runCheckIn(start: start), at: noon).0
    }

    @Test("RUN-5, RUN-9: a check-in lets the organiser read while it runs and what was recorded a month after, whenever the timer comes")
    func organiser() throws {
        var consent = try checkedIn()
        let reader = Reader.organiser(Cast.stranger), last = end + Consent.runReadFor
        let grant = try #require(consent.runGrant(to: reader, at: noon))
        #expect(grant.kinds == [.position, .heartRate] && grant.ground == .run(consent.id) && grant.isRecorded)
        #expect(
            consent.runGrant(to: .organiser(AccountID(high: 9, low: 9)), at: noon) == nil
                && consent.runGrant(to: reader, at: noon - 1) == nil)
        for isClosed in [false, true] {
            if isClosed { _ = consent.handle(.timePassed, at: end) }
            #expect(consent.upholds(grant, at: end) && consent.upholds(grant, at: last - 1) && !consent.upholds(grant, at: last))
            #expect(consent.grant(to: reader, at: end) == nil && consent.runAccess(at: end)?.until == end)
        }
        let effects = try consent.handle(.revoked(by: Cast.yes()), at: end + 5)
        #expect(effects.contains(.cutAccess) && !consent.upholds(grant, at: end + 5) && consent.runAccess(at: end + 5) == nil)
    }

    @Test("RUN-5: everybody sees of a check-in the position alone, and a heart rate by the consent that is about nothing else")
    func everybody() throws {
        #expect(try checkedIn().runPublicGrant(at: noon)?.kinds == [.position])
        #expect(try checkedIn(kinds: [.heartRate]).runPublicGrant(at: noon)?.kinds == [.heartRate])
        #expect(try checkedIn(kinds: [.heartRate, .event]).runPublicGrant(at: noon) == nil)
        let revoked = try checkedIn(), grant = try #require(revoked.runPublicGrant(at: noon))
        var after = revoked
        _ = try after.handle(.revoked(by: Cast.yes()), at: noon + 1)
        #expect(revoked.upholds(grant, at: noon + 1) && !after.upholds(grant, at: noon + 1))
        // Another asker's consent is no run's.
        let named = try checkedIn(.named(Cast.stranger), kinds: [.position])
        #expect(named.runPublicGrant(at: noon) == nil && named.runAccess(at: noon) == nil)
    }
}
