import Privacy
import Testing
import Vitals

/// Somebody signs up while a question to their address is open.
@Suite struct AppearedTests {
    @Test("CONS-1: who appears in time is asked and can answer; the asker sees nothing of it")
    func appears() throws {
        var consent = try Cast.asked(reach: .nobody(.unknown))
        let before = consent
        #expect(consent.handle(.accepted(by: try Cast.yes()), at: noon) == [.refuse(.notYours)])
        let effects = consent.handle(.appeared(.person(Cast.ada)), at: noon + hour)
        #expect(effects.entries == [.asked] && effects.contains(.notifyPerson(.asked)) && effects.forAsker.isEmpty)
        for now in [noon, noon + hour, noon + 72 * hour] { #expect(consent.shown(at: now) == before.shown(at: now)) }
        #expect(consent.deadline == before.deadline && consent.anyGrant(at: noon + hour) == nil)
        #expect(consent.handle(.appeared(.person(Cast.ada)), at: noon + hour) == [])
        #expect(consent.handle(.accepted(by: try Cast.yes()), at: noon + 2 * hour).contains(.openAccess))
        #expect(consent.anyGrant(at: noon + 2 * hour)?.person == Cast.ada)
    }

    @Test("CONS-1: nobody appears in a question that is over, that reached somebody, or that was kept from somebody")
    func notElsewhere() throws {
        var late = try Cast.asked(reach: .nobody(.unknown))
        let tooLate = late.handle(.appeared(.person(Cast.ada)), at: noon + 72 * hour)
        #expect(tooLate.entries.isEmpty && late.person == nil)
        #expect(late.ending == .unanswered)
        for reach in [Reach.nobody(.blocked(Cast.ada)), .nobody(.policy(Cast.ada)), .nobody(.repeated(Cast.ada)), .person(Cast.ada)] {
            var other = try Cast.asked(reach: reach)
            let before = other
            #expect(other.handle(.appeared(.person(Cast.minor.person)), at: noon + 1) == [])
            #expect(other == before)
        }
        var kept = try Cast.asked(reach: .nobody(.unknown))
        #expect(kept.handle(.appeared(.nobody(.policy(Cast.ada))), at: noon + 1).entries == [.keptBack(.policy(Cast.ada))])
        let answer = kept.handle(.accepted(by: try Cast.yes()), at: noon + 2)
        #expect(kept.person == nil && answer == [.refuse(.notYours)])
    }
}
