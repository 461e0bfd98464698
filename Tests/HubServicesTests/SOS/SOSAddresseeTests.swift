import Accounts
import Alerts
import Database
import Dispatch
import Distress
import Foundation
import Languages
import Segments
import SyncProtocol
import Synchronization
import TestSupport
import Testing
import Vitals

@testable import HubServices
@testable import HubStore

/// Whether there is somebody to tell, and whether they are told while a disk hangs.
@Suite(.timeLimit(.minutes(3)))
struct SOSAddresseeTests {
    private struct AskedRoom: EmergencyChannel {
        let name = "Milan"
        let area: ControlRoomArea? = nil
        let answers = true
        let outbox: SOSOutbox
        func send(_ record: SOSRecord, language: Language) async throws -> String { "taken" }
        func check() async throws -> String? {
            if outbox.failing.withLock({ $0.contains(name) }) { throw StorageFailure(description: "no answer") }
            return "answers"
        }
    }

    @Test("SOS-18, SOS-1: whoever nobody could be called for is told, and so is the box; not once there is somebody again")
    func nobody() async throws {
        let start = try await SOSTown(isOn: false), town = try start.restarted(rooms: [AskedRoom(outbox: start.outbox)])
        let person = town.person.id.person
        try await town.sos.choices.turnOn(person, consented: true, strict: false, by: town.person.id)
        var revision: UInt64 = 0
        func look(_ count: Int) async throws -> SOSAnswer {
            var answer: SOSAnswer?
            for _ in 0..<count {
                revision += 1
                answer = try await town.send(town.report(revision))
                await town.sos.chain.look()
                await town.pass(10_000)
            }
            return try #require(answer)
        }
        func told() throws -> Int { try town.hub.accounts.notices.notices(of: town.person).count { $0.kind == .sosUnprotected } }
        await town.sos.ways.lookDue()
        #expect(try await look(3).reachesNobody != true)
        town.outbox.failing.withLock { _ = $0.insert("Milan") }
        await town.sos.ways.lookDue()
        #expect(try await look(4).reachesNobody != true && told() == 0, "once is a moment")
        await town.sos.ways.lookDue()
        #expect(try await look(2).reachesNobody == true)
        #expect(try told() == 1 && town.sos.views.view(of: person)?.reasons == ["waysFailed"])
        #expect(try await look(12).reachesNobody == true)
        #expect(try told() == 1, "once")
        // That there is nobody to call hides no other broken link: the box dies.
        await town.pass(40_000)
        await town.sos.chain.look()
        #expect(try told() == 2)
        town.outbox.failing.withLock { $0 = [] }
        await town.sos.ways.lookDue()
        #expect(try await look(2).reachesNobody != true)
        #expect(try town.sos.views.view(of: person)?.reasons.isEmpty == true)
    }

    @Test("SOS-9, design rule 7: while the disks of cases and accounts hang, contacts are called one after the other and crews are asked")
    func hangingDisk() async throws {
        let town = try await SOSTown(), person = town.person.id.person, crews = try town.crews(6), alarm = try town.helpAlarm()
        let parent = try SOSTown.account(town.hub, .caregiver, "parent@example.org")
        try town.hub.accounts.consents.setGuardians([parent.id], of: person, adultFrom: .max / 2)
        let session = try town.hub.authenticator.session(bearer: town.box.token, now: town.hub.clock.now, takesExpired: true)
        let mayGoOn = DispatchSemaphore(value: 0), store = town.sos.store, accounts = town.hub.accounts, outbox = town.outbox
        let hold: @Sendable () -> Void = {
            outbox.take("disk", "hangs")
            mayGoOn.wait()
        }
        Thread.detachNewThread { try? store.pool.write { _ in hold() } }
        Thread.detachNewThread { try? accounts.pool.write { _ in hold() } }
        try await town.until { outbox.texts(to: "disk").count == 2 }

        async let answer = town.sos.reports.take(town.report(1, alarm), from: session)
        try await town.until { town.outbox.texts(to: "+39025B").count == 1 }
        func asked() -> Int { crews.count { crew in town.sos.crews.cases(of: crew.id).contains { $0.offer.state == .open } } }
        #expect(asked() == 3)
        town.hub.clock.advance(20_000)
        _ = await town.sos.look()
        try await town.until { town.outbox.texts(to: "+39025C").count == 1 }
        #expect(
            asked() == 3 && crews.prefix(3).allSatisfy { crew in town.sos.crews.cases(of: crew.id).contains { $0.offer.state != .open } })
        // The parent's notice waits for the disk. It takes no room, and is written once.
        for _ in 0..<100 {
            town.hub.clock.advance(1000)
            _ = await town.sos.look()
        }
        try await town.until { town.sos.state.withLock { $0.sending } == 0 }
        // Nobody was told that it is on the disk.
        #expect(try town.sos.store.incident(alarm.id) == nil)
        for _ in 0..<2 { mayGoOn.signal() }
        #expect(try await answer.isDurable)
        try await town.until { try accounts.notices.notices(of: parent).count { $0.kind == .sosRaised } >= 1 }
        #expect(try accounts.notices.notices(of: parent).count { $0.kind == .sosRaised } <= 4, "one a minute, as ever")
        #expect(try town.sos.store.incident(alarm.id) != nil && town.sos.openCase(of: person)?.id == alarm.id)
    }
}
