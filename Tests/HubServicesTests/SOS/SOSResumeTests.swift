import Accounts
import Database
import Distress
import Foundation
import HubStore
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// A hub that is killed, restored, or left without a part of its databases.
@Suite(.timeLimit(.minutes(3)))
struct SOSResumeTests {
    private func damage(_ town: SOSTown, _ sql: String, in name: String = "accounts") throws {
        // What was decided may still be on its way to the disk.
        let path = town.hub.directory.url.appendingPathComponent("\(name).sqlite").path
        try DatabasePool(path: path).write { try $0.execute(sql: sql) }
    }

    @Test("SOS-7: a restart in each state goes on: delivering, taken, over, waiting")
    func states() async throws {
        var town = try await SOSTown()
        let crews = try town.crews(3), person = town.person.id.person, alarm = try town.helpAlarm()
        try await town.send(town.report(1, alarm))
        town = try town.restarted()
        #expect(try await town.sos.crews.accept(alarm.id, by: crews[0]) == .yours)
        town = try town.restarted()
        #expect(town.sos.openCase(of: person)?.owner == .crew(crews[0].id))
        #expect(await town.sos.crews.setStatus(.there, of: alarm.id, by: crews[0].id))
        town = try town.restarted()
        #expect(await town.sos.crews.setStatus(.done, of: alarm.id, by: crews[0].id))
        town = try town.restarted()
        #expect(town.sos.openCase(of: person) == nil)
        #expect(try town.sos.views.view(of: person)?.isWaiting == true)
        let answer = try await town.send(town.report(2, alarm))
        #expect(answer.outcome == .finished(.crew(crews[0].id)) && answer.incident == alarm.id)
    }

    @Test("SOS-7: a detector that another version stored does not leave an open case without one: it is accepted, and ends")
    func otherVersion() async throws {
        var town = try await SOSTown()
        let crews = try town.crews(1), person = town.person.id.person, alarm = try town.helpAlarm()
        try await town.send(town.report(1, alarm))
        try damage(town, "DELETE FROM watch", in: "sos")
        town = try town.restarted()
        #expect(try await town.sos.crews.accept(alarm.id, by: crews[0]) == .yours)
        #expect(town.sos.openCase(of: person)?.owner == .crew(crews[0].id))
        // The other way round: the case is not on the disk, its detector is.
        try damage(town, "DELETE FROM incident", in: "sos")
        town = try town.restarted()
        #expect(town.sos.openCase(of: person)?.owner == .crew(crews[0].id))
        try damage(town, "UPDATE incident SET envelope = zeroblob(60)", in: "sos")
        town = try town.restarted()
        try await town.send(town.report(2, try town.helpAlarm(sequence: 9)))
        #expect(town.sos.openCase(of: person) != nil, "what cannot be read keeps no hub from starting")
    }

    @Test(
        "DATA-10, SOS-7: a case of a restored backup is not called about at once: its box's word ends it, silence lets it go on, another day closes it"
    )
    func restored() async throws {
        var town = try await SOSTown()
        let person = town.person.id.person, alarm = try town.helpAlarm()
        try await town.send(town.report(1, alarm))
        try await town.until { town.outbox.texts(to: "+39025B").count == 1 }
        try await town.sent()
        // An hour later.
        town.hub.clock.advance(3_600_000)
        town = try town.restarted()
        let count = town.outbox.all.count
        await town.pass(60_000)
        #expect(town.outbox.all.count == count && town.sos.openCase(of: person)?.heldUntil != nil)
        // Nobody knows more: it goes on.
        await town.pass(61_000)
        try await town.until { town.outbox.texts(to: "+39025B").count == 2 }
        try await town.sent()
        town.hub.clock.advance(3_600_000)
        town = try town.restarted()
        // The box says that it is still open: at once.
        try await town.send(town.report(2, alarm))
        #expect(town.sos.openCase(of: person)?.heldUntil == nil)
        try await town.until { town.outbox.texts(to: "+39025B").count == 3 }
        try await town.sent()
        town.hub.clock.advance(13 * 3_600_000)
        town = try town.restarted()
        let before = town.outbox.all.count
        await town.pass(300_000)
        #expect(town.sos.openCase(of: person) == nil && town.outbox.all.count == before)
        #expect(try town.hub.accounts.notices.notices(of: town.person).contains { $0.kind == .sosOver })
        #expect(try town.sos.views.view(of: person)?.isWaiting == false, "the person is watched again")
        // The box's own word opens it again.
        try await town.send(town.report(3, alarm))
        #expect(town.sos.openCase(of: person)?.id == alarm.id)
    }

    @Test(
        "SOS-7, SOS-20: a start by a clock that is a day ahead closes no case: a crew keeps its own, and nobody's goes on once the clock is right",
        arguments: [true, false])
    func dayAhead(hasCrew: Bool) async throws {
        var town = try await SOSTown(ticks: ManualClock())
        let person = town.person.id.person, crew = try #require(town.crews(1).first), day: Milliseconds = 86_400_000
        // By a phone: no box raises it again.
        _ = try await town.sos.presses.press(.help, for: person)
        let id = try #require(town.sos.openCase(of: person)?.id)
        try await town.until { town.outbox.texts(to: "+39025B").count == 1 }
        if hasCrew {
            let place = PositionSample(
                time: town.hub.clock.now, latitude: Int32(SOSTown.milan.latitude * 1e7), longitude: Int32(SOSTown.milan.longitude * 1e7))
            #expect(await town.sos.positions.setPlace(place, of: person))
            #expect(try await town.sos.crews.accept(id, by: crew) == .yours)
        }
        try await town.sent()
        town.hub.clock.advance(day)
        town = try town.restarted()
        #expect(town.sos.openCase(of: person)?.id == id)
        let texts = town.outbox.texts(to: "+39025B").count
        await town.pass(1000)
        if hasCrew {
            await town.pass(300_000)
            #expect(town.sos.openCase(of: person)?.owner == .crew(crew.id))
        } else {
            // Its time goes on at seven eighths from here.
            town.hub.clock.advance(-day)
            await town.pass(SOSResumption.hold * 8 / 7 + 1000)
            try await town.until { town.outbox.texts(to: "+39025B").count > texts }
            #expect(town.sos.openCase(of: person)?.id == id)
        }
    }

    @Test("SOS-7, design rule 7: accounts that cannot be read keep no contact and no control room from being called, by name")
    func accountsGone() async throws {
        let town = try await SOSTown(isRoom: true), alarm = try town.helpAlarm()
        try await town.send(town.report(1))
        try damage(town, "ALTER TABLE account RENAME TO gone")
        let answer = try await town.send(town.report(2, alarm))
        #expect(answer.isDurable && answer.incident == alarm.id)
        try await town.until { town.outbox.texts(to: "+39025B").count == 1 && town.outbox.texts(to: "room").count == 1 }
        #expect(town.outbox.texts(to: "+39025B")[0].hasPrefix("SOS Ada Made-Up"))
        #expect(town.outbox.texts(to: "room")[0].contains("Ada Made-Up"))
    }

    @Test("DATA-10: of a deleted person nobody is called any more, and nothing stays")
    func deleted() async throws {
        let town = try await SOSTown(), person = town.person.id.person, alarm = try town.helpAlarm()
        try await town.send(town.report(1, alarm))
        try await town.until { town.outbox.texts(to: "+39025B").count == 1 }
        _ = try town.hub.accounts.deletePerson(person, now: town.hub.clock.now)
        try town.sos.store.erase(person)
        #expect(town.sos.openCase(of: person) == nil)
        try await town.until { town.outbox.texts(to: "+39025B").count == 2 }
        await town.pass(600_000)
        #expect(town.outbox.texts(to: "+39025B").count == 2 && town.outbox.texts(to: "+39025C").isEmpty)
        #expect(try town.restarted().sos.views.view(of: person) == nil)
    }

    @Test("SOS-9: a mail that left is no addressee: the box goes on calling; a control room whose own side answers is one")
    func mailIsNoAddressee() async throws {
        let town = try await SOSTown(), alarm = try town.helpAlarm()
        let outbox = town.outbox
        let mail = try town.restarted(rooms: [MailControlRoom(name: "mail", address: "mail") { to, _, text in outbox.take(to, text) }])
        try await mail.send(mail.report(1, alarm))
        try await mail.until { town.outbox.texts(to: "mail").count == 1 }
        await mail.pass(2000)
        #expect(try await mail.send(mail.report(2, alarm)).addresseeReached == false)
        let web = try await SOSTown(isRoom: true)
        try await web.send(web.report(1, try web.helpAlarm()))
        try await web.until { web.sos.openCase(of: web.person.id.person)?.isReached(at: web.hub.clock.now) == true }
    }
}
