import Foundation
import TestSupport
import Testing
import Vitals

@testable import EmergencyDispatch

/// What a scenario cannot play: two searches for crews side by side.
@Suite struct OfferTests {
    private let crews = (1...4).map { FoundCrew(account: AccountID(PersonID(high: 0, low: $0)), ambulance: 1, metres: 500) }

    @Test("SOS-11: two searches that ran side by side find the same crew: it is offered the case once, and others are asked beside it")
    func sameCrewTwice() throws {
        let text = try String(contentsOf: Repository.url("Tests/EmergencyDispatchTests/case-0.3.1.json"), encoding: .utf8)
        let alarm = try JSONDecoder().decode(SOSCase.self, from: Data(text.utf8)).alarm
        var item = SOSCase(alarm, isTest: false, opened: 1000)
        _ = item.handle(.crew(.found(SOSSearchResult(crews: [crews[0]]))), at: 1000)
        _ = item.handle(.crew(.found(SOSSearchResult(crews: [crews[0], crews[1]]))), at: 1000)
        #expect(item.offers.map(\.account) == [crews[0].account, crews[1].account])
        item.offers.set(.rejected, of: crews[1].account)
        _ = item.handle(.crew(.found(SOSSearchResult(crews: [crews[1], crews[2]]))), at: 1000)
        #expect(item.offers.map(\.account) == crews.prefix(3).map(\.account), "who rejected it is not asked again")
    }

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
