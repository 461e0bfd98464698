import Accounts
import Dispatch
import Distress
import Foundation
import HubStore
import Seams
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// Which crews are asked, which of them may take a case, and who loses one.
@Suite(.timeLimit(.minutes(2)))
struct SOSCrewBoundsTests {
    /// Another person with AutomatedSOS and a box, at the same hub.
    private func neighbour(_ town: SOSTown) async throws -> SOSTown {
        let account = try SOSTown.account(town.hub, .person, "neighbour@example.org")
        let other = town.with(account, try await town.hub.enrol([account.id.person]))
        let contact = SOSContact(name: "B", phone: "+3902777", email: nil, language: "en")
        try await other.sos.choices.addContact(contact, of: account.id.person, by: account.id)
        try await other.sos.choices.turnOn(account.id.person, consented: true, strict: false, by: account.id)
        return other
    }

    private func offered(_ town: SOSTown) throws -> [AccountID] {
        try #require(town.sos.openCase(of: town.person.id.person)).offers.map(\.account)
    }

    @Test("SOS-13: where the crew is is told until the case is over, and an arrival is expected from a place of now alone")
    func coming() async throws {
        let town = try await SOSTown(), crews = try town.crews(1), alarm = try town.helpAlarm(), person = town.person.id.person
        try await town.send(town.report(1, alarm))
        #expect(try await town.sos.crews.accept(alarm.id, by: crews[0]) == .yours)
        await town.pass(DispatchLimits.comingAgeMax)
        #expect(try await town.send(town.report(2, alarm)).coming?.arrivalIn != nil)
        await town.pass(1000)
        let late = try #require(try await town.send(town.report(3, alarm)).coming)
        #expect(late.arrivalIn == nil && late.age == DispatchLimits.comingAgeMax + 1000)
        _ = try await town.sos.presses.press(.falseAlarm, for: person)
        let over = try #require(town.sos.crews.shown(to: crews[0].id).first?.item)
        #expect(!over.isOpen && over.crew?.account == crews[0].id)
        #expect(town.sos.crews.coming(over, now: town.hub.clock.now) == nil, "nobody follows an ambulance that drives home")
    }

    @Test("SOS-9: an offer or a message that was only seen keeps the box from calling for a while, and nobody from being told again")
    func onlySeen() async throws {
        let town = try await SOSTown(), crews = try town.crews(1), alarm = try town.helpAlarm(), person = town.person.id.person
        try await town.send(town.report(1, alarm))
        try await town.until { town.sos.openCase(of: person)?.calls.contains { $0.isContact(0) && $0.state == .sent } == true }
        await town.sos.crews.seen(by: crews[0].id)
        #expect(try await town.send(town.report(2, alarm)).addresseeReached)
        await town.pass(DispatchLimits.offerTime)
        #expect(try await town.send(town.report(3, alarm)).addresseeReached == false)
        let links = try #require(town.sos.openCase(of: person)).links
        let bruno = try #require(town.sos.helpers.contact(link: links[0])).helper
        #expect(await town.sos.helpers.act(.seen, bruno, on: alarm.id))
        #expect(try await town.send(town.report(4, alarm)).addresseeReached)
        await town.pass(DispatchLimits.reachedFor)
        #expect(try await town.send(town.report(5, alarm)).addresseeReached == false)
        let calls = try #require(town.sos.openCase(of: person)).calls
        #expect(calls.contains { $0.isContact(0) && $0.message == .update }, "nobody took it")
    }

    @Test("SOS-11: a crew has one case: an offer of before that it let pass cannot be taken beside it")
    func oneCase() async throws {
        let town = try await SOSTown(), crews = try town.crews(1), other = try await neighbour(town)
        let first = try town.helpAlarm(), second = try other.helpAlarm(sequence: 2)
        try await town.send(town.report(1, first))
        #expect(try offered(town) == [crews[0].id])
        await town.pass(DispatchLimits.offerTime)
        try await other.send(other.report(1, second))
        #expect(try offered(other) == [crews[0].id])
        #expect(try await town.sos.crews.accept(second.id, by: crews[0]) == .yours)
        #expect(try await town.sos.crews.accept(first.id, by: crews[0]) == .gone)
        #expect(town.sos.openCase(of: town.person.id.person)?.owner == nil)
    }

    @Test("SOS-11: a case that is given back goes at once to the nearest others, who were released when it was taken")
    func givenBack() async throws {
        let town = try await SOSTown(), crews = try town.crews(3), alarm = try town.helpAlarm(), person = town.person.id.person
        try await town.send(town.report(1, alarm))
        #expect(try await town.sos.crews.accept(alarm.id, by: crews[0]) == .yours)
        await town.pass(1000)
        #expect(await town.sos.crews.setStatus(nil, of: alarm.id, by: crews[0].id))
        let open = try #require(town.sos.openCase(of: person)).offers.filter { $0.state == .open }
        #expect(open.map(\.account) == crews.dropFirst().map(\.id))
        #expect(try await town.sos.crews.accept(alarm.id, by: crews[2]) == .yours)
    }

    @Test("SOS-11: after a disk that hung the crews whose offers still wait are notified, each once; the others are not")
    func diskHung() async throws {
        let town = try await SOSTown(), crews = try town.crews(3), alarm = try town.helpAlarm(), disk = DispatchSemaphore(value: 0)
        func told() throws -> [Int] { try crews.map { try town.hub.accounts.notices.notices(of: $0).count { $0.kind == .sosOffer } } }
        town.sos.notices.async { disk.wait() }
        try await town.send(town.report(1, alarm))
        #expect(try offered(town) == crews.map(\.id))
        await town.sos.crews.reject(alarm.id, by: crews[0].id)
        await town.sos.crews.seen(by: crews[1].id)
        // It is tried again, behind the first.
        town.hub.clock.advance(DispatchLimits.seenWithin)
        _ = await town.sos.look()
        disk.signal()
        await town.sos.notices.run {}
        #expect(try told() == [0, 0, 1])
        // It hung for longer than an offer holds: who was told nothing can still come, and is told.
        let other = try await SOSTown(), late = try other.crews(2), hung = DispatchSemaphore(value: 0), help = try other.helpAlarm()
        other.sos.notices.async { hung.wait() }
        try await other.send(other.report(1, help))
        #expect(try offered(other) == late.map(\.id))
        other.hub.clock.advance(DispatchLimits.offerTime)
        _ = await other.sos.look()
        hung.signal()
        await other.sos.notices.run {}
        #expect(try late.map { try other.hub.accounts.notices.notices(of: $0).count { $0.kind == .sosOffer } } == [1, 1])
        #expect(try await other.sos.crews.accept(help.id, by: late[0]) == .yours)
    }

    @Test("SOS-11: who went off duty a moment ago, which the index does not know yet, is not asked, and the next nearest is")
    func offDuty() async throws {
        let town = try await SOSTown(), crews = try town.crews(4)
        try town.sos.crewIndex.refresh(town.hub.accounts, now: town.hub.clock.now)
        try town.hub.accounts.care.endDuty(crews[0])
        try await town.send(town.report(1, try town.helpAlarm()))
        #expect(try offered(town) == crews.dropFirst().map(\.id))
    }

    @Test("SOS-11: a hospital that is out has no crew that takes a case, and one that has a case loses it", arguments: [true, false])
    func hospitalOut(hasCase: Bool) async throws {
        let town = try await SOSTown(), crews = try town.crews(1), alarm = try town.helpAlarm(), person = town.person.id.person
        try await town.send(town.report(1, alarm))
        if hasCase { #expect(try await town.sos.crews.accept(alarm.id, by: crews[0]) == .yours) }
        let hospital = try #require(try town.hub.accounts.care.membership(of: crews[0])).hospital
        #expect(try town.hub.accounts.hospitals.withdrawHospital(hospital, now: town.hub.clock.now))
        if hasCase {
            await town.sos.owners.releaseGone()
        } else {
            #expect(try await town.sos.crews.accept(alarm.id, by: crews[0]) == .gone)
        }
        #expect(town.sos.openCase(of: person)?.owner == nil && town.sos.openCase(of: person)?.crew == nil)
    }

    @Test("SOS-11: a crew on its way of which there is no sign for 5 minutes loses the case, and it goes to the others")
    func vanishes() async throws {
        let town = try await SOSTown(), crews = try town.crews(2), alarm = try town.helpAlarm(), person = town.person.id.person
        try await town.send(town.report(1, alarm))
        #expect(try await town.sos.crews.accept(alarm.id, by: crews[0]) == .yours)
        await town.pass(SOSOwners.crewSilentAfter - 1000)
        await town.sos.owners.releaseGone()
        #expect(town.sos.openCase(of: person)?.owner == .crew(crews[0].id))
        // It moves.
        town.sos.crewIndex.changed(
            crews[0].id,
            place: CrewPosition(time: town.hub.clock.now, latitude: SOSTown.milan.latitude, longitude: SOSTown.milan.longitude, accuracy: 5)
        )
        await town.pass(SOSOwners.crewSilentAfter - 1000)
        await town.sos.owners.releaseGone()
        #expect(town.sos.openCase(of: person)?.owner == .crew(crews[0].id))
        await town.pass(1000)
        await town.sos.owners.releaseGone()
        let item = try #require(town.sos.openCase(of: person))
        #expect(item.owner == nil && item.offers.filter { $0.state == .open }.map(\.account) == [crews[1].id])
    }

    @Test("SOS-11: a crew that goes off duty on its way loses the case, one that is there keeps it", arguments: [false, true])
    func leaves(isThere: Bool) async throws {
        let town = try await SOSTown(), crews = try town.crews(2), alarm = try town.helpAlarm(), person = town.person.id.person
        try await town.send(town.report(1, alarm))
        #expect(try await town.sos.crews.accept(alarm.id, by: crews[0]) == .yours)
        if isThere { #expect(await town.sos.crews.setStatus(.there, of: alarm.id, by: crews[0].id)) }
        await town.sos.owners.releaseGone()
        #expect(town.sos.openCase(of: person)?.owner == .crew(crews[0].id))
        try town.hub.accounts.care.endDuty(crews[0])
        await town.sos.owners.releaseGone()
        #expect(town.sos.openCase(of: person)?.owner == (isThere ? .crew(crews[0].id) : nil))
    }
}
