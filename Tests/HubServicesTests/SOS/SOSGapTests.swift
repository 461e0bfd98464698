import Distress
import HubStore
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// What the hub tells a person's box of a case that the hub began: whether it reached anybody (SOS-9).
@Suite(.timeLimit(.minutes(2)))
struct SOSGapTests {
    @Test(
        "SOS-9: of a case that began at the hub the box hears whether nobody was reached: not at once, after ten seconds, until somebody says so"
    )
    func reachedNobody() async throws {
        let town = try await SOSTown(), person = town.person.id.person
        #expect(try await town.send(town.report(1)).reachedNobody == nil, "there is no case")
        _ = try await town.sos.presses.press(.help, for: person)
        let id = try #require(town.sos.openCase(of: person)?.id)
        try await town.sent()
        let first = try await town.send(town.report(2))
        #expect(first.open?.id == id && first.reachedNobody == nil, "the contact has just been texted")
        #expect(first.told == ["+39025B"])
        await town.pass(DispatchLimits.reachTime)
        #expect(try await town.send(town.report(3)).reachedNobody == true)
        let link = try #require(town.sos.openCase(of: person)?.links.first), (_, bruno) = try #require(town.sos.helpers.contact(link: link))
        #expect(await town.sos.helpers.act(.seen, bruno, on: id))
        let seen = try await town.send(town.report(4))
        #expect(seen.addresseeReached && seen.reachedNobody == false)
        // Who only saw it keeps no box from calling for longer than a minute.
        await town.pass(DispatchLimits.reachedFor)
        #expect(try await town.send(town.report(5)).reachedNobody == true)
    }

    @Test("SOS-9, SOS-16: where the hub has nobody to tell of a call for help, the box hears it at once")
    func nobodyToTell() async throws {
        let town = try await SOSTown(isOn: false), person = town.person.id.person
        _ = try await town.sos.presses.press(.help, for: person)
        #expect(try await town.send(town.report(1)).reachedNobody == true)
    }

    @Test("SOS-9: with an open offer on its way to a crew it is too early to say, within the ten seconds")
    func offered() async throws {
        let town = try await SOSTown(), crews = try town.crews(3), person = town.person.id.person
        try await town.send(town.report(1))
        _ = try await town.sos.presses.press(.help, for: person)
        let id = try #require(town.sos.openCase(of: person)?.id)
        let place = PositionSample(
            time: town.hub.clock.now, latitude: Int32(SOSTown.milan.latitude * 1e7), longitude: Int32(SOSTown.milan.longitude * 1e7))
        #expect(await town.sos.positions.setPlace(place, of: person))
        try await town.sent()
        #expect(try await town.send(town.report(2)).reachedNobody == nil)
        #expect(try await town.sos.crews.accept(id, by: crews[0]) == .yours)
        #expect(try await town.send(town.report(3)).reachedNobody == false)
    }
}
