import Testing
import Vitals

@testable import EmergencyDispatch

/// How many offers a case has, whoever they went to.
@Suite struct OfferTests {
    private let crews = (1...4).map { FoundCrew(account: AccountID(PersonID(high: 0, low: $0)), ambulance: 1, metres: 500) }

    @Test("SOS-11: who did not answer makes room for others, and is asked again after a while")
    func room() {
        var offers: [SOSOffer] = []
        offers.add([crews[0]], toHome: false, watched: [], turnMax: 0, now: 0)
        let until = DispatchLimits.offerTime
        #expect(offers.expire(now: until) == [crews[0].account])
        #expect(offers.excluded(at: until + DispatchLimits.askAgainAfter - 1) == [crews[0].account])
        #expect(offers.excluded(at: until + DispatchLimits.askAgainAfter).isEmpty)
        let many = (10..<10 + UInt64(DispatchLimits.offersMax)).map {
            FoundCrew(account: AccountID(PersonID(high: 0, low: $0)), ambulance: 1, metres: 500)
        }
        offers.add(many, toHome: false, watched: [], turnMax: 0, now: until)
        #expect(offers.count == DispatchLimits.offersMax && offers.first?.account == many[0].account, "the one that expired makes room")
        offers.add([crews[2]], toHome: false, watched: [], turnMax: 0, now: until)
        #expect(offers.count == DispatchLimits.offersMax && !offers.contains { $0.account == crews[2].account }, "nobody who is asked does")
    }
}
