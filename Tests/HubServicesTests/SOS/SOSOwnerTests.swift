import Accounts
import Alerts
import Distress
import Foundation
import HubStore
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// Who has a case, what their word stops, and how they are held to it.
@Suite(.timeLimit(.minutes(3)))
struct SOSOwnerTests {
    private struct Scene {
        let town: SOSTown
        let alarm: Alarm
        var person: PersonID { town.person.id.person }
        var item: SOSCase {
            get throws { try #require(town.sos.openCase(of: person)) }
        }

        init(_ town: SOSTown, isWithPosition: Bool = true) async throws {
            (self.town, alarm) = (town, try town.helpAlarm(isWithPosition: isWithPosition))
            try await town.send(town.report(1, alarm))
            try await town.sent()
        }

        func contact(_ index: Int) throws -> SOSHelper { try #require(town.sos.helpers.contact(link: item.links[index])).helper }
        func act(_ act: SOSHelperAct, _ helper: SOSHelper) async -> Bool { await town.sos.helpers.act(act, helper, on: alarm.id) }
        func pass(_ milliseconds: Milliseconds) async throws {
            await town.pass(milliseconds)
            await town.sos.owners.askDue()
            try await town.sent()
        }
        func asked() throws -> Int { try item.calls.count { $0.message == .whoIsThere } }
    }

    @Test("SOS-20: whoever took it is asked after ten minutes whether somebody is there; without an answer in three it goes on to the next")
    func noAnswer() async throws {
        let scene = try await Scene(try await SOSTown()), bruno = try scene.contact(0)
        #expect(await scene.act(.take, bruno))
        try await scene.pass(DispatchLimits.askAfter - 1000)
        #expect(try scene.asked() == 0 && scene.item.owner == .contact(0))
        try await scene.pass(1000)
        #expect(try scene.asked() == 1 && scene.item.answerOwnerBy != nil)
        let question = try #require(scene.town.outbox.texts(to: "+39025B").last)
        #expect(question.contains("Is somebody with the person now?"), "\(question)")
        try await scene.pass(DispatchLimits.answerTime - 1000)
        #expect(try scene.item.owner == .contact(0), "there is time left")
        try await scene.pass(1000)
        #expect(try scene.item.owner == nil && scene.item.rounds == 2)
        try await scene.town.until { scene.town.outbox.texts(to: "+39025B").contains { $0.contains("released") } }
        // The next one takes it, and has their own time.
        #expect(await scene.act(.take, try scene.contact(1)))
        try await scene.pass(DispatchLimits.askAfter - 1000)
        #expect(try scene.item.owner == .contact(1) && scene.asked() == 1)
    }

    @Test(
        "SOS-20: who says that they are on the way is asked again later, and not any more once somebody is there; a restart forgets neither"
    )
    func answers() async throws {
        var scene = try await Scene(try await SOSTown()), bruno = try scene.contact(0)
        #expect(await scene.act(.take, bruno))
        try await scene.pass(DispatchLimits.askAfter)
        #expect(try scene.asked() == 1)
        #expect(await scene.act(.coming, bruno))
        try await scene.pass(DispatchLimits.answerTime * 2)
        #expect(try scene.item.owner == .contact(0) && scene.asked() == 1)
        let town = try scene.town.restarted()
        try await town.send(town.report(2, scene.alarm))
        await town.pass(DispatchLimits.askAfter)
        await town.sos.owners.askDue()
        #expect(town.sos.openCase(of: scene.person)?.calls.count { $0.message == .whoIsThere } == 2)
        #expect(await town.sos.helpers.act(.arrived, bruno, on: scene.alarm.id))
        await town.pass(3_600_000)
        await town.sos.owners.askDue()
        let item = try #require(town.sos.openCase(of: scene.person))
        #expect(item.owner == .contact(0) && item.someoneThere != nil && item.ownerDue == nil)
        scene = try await Scene(try await SOSTown())
        bruno = try scene.contact(0)
        #expect(await scene.act(.arrived, bruno))
        #expect(try scene.item.owner == nil && scene.item.someoneThere != nil, "who says so has not taken it by that")
    }

    @Test(
        "SOS-20, SOS-11: a contact's OK stops other contacts and no ambulance; the crew that accepts relieves the contact, and all hear that"
    )
    func ambulance() async throws {
        let town = try await SOSTown(isRoom: true), crews = try town.crews(2), scene = try await Scene(town), bruno = try scene.contact(0)
        #expect(town.outbox.texts(to: "room").count == 1)
        #expect(await scene.act(.take, bruno))
        try await town.sent()
        #expect(try scene.item.offers.map(\.state) == [.open, .open] && scene.item.owner == .contact(0))
        #expect(town.outbox.texts(to: "room").count == 1, "the control room is not told that somebody has it")
        try await scene.pass(20_000)
        #expect(town.outbox.texts(to: "+39025C").isEmpty, "the next contact is not called any more")
        #expect(try scene.item.offers.allSatisfy { $0.state == .expired })
        try await scene.pass(60_000)
        #expect(try scene.item.offers.contains { $0.state == .open }, "crews are asked again")
        #expect(town.sos.crews.openOffers(to: crews[1].id).count == 1)
        #expect(try await town.sos.crews.accept(scene.alarm.id, by: crews[1]) == .yours)
        try await town.sent()
        #expect(try scene.item.owner == .crew(crews[1].id) && scene.item.ownerName == "A1, ZA 1" && scene.item.rounds == 1)
        #expect(try scene.item.offers.allSatisfy { $0.account == crews[1].id || $0.state != .open })
        #expect(town.outbox.texts(to: "+39025B").last?.contains("taken A1, ZA 1") == true)
        #expect(!town.outbox.texts(to: "+39025B").contains { $0.contains("released") })
        #expect(await !scene.act(.take, bruno), "a contact takes nothing from a crew")
        let answer = try await town.send(town.report(2, scene.alarm))
        #expect(answer.owner == .crew(crews[1].id) && answer.addresseeReached)
    }

    @Test("SOS-20: ambulances are stood down by the control room, the crew or the person, and by no contact")
    func standDown() async throws {
        let town = try await SOSTown(isRoom: true), scene = try await Scene(town), bruno = try scene.contact(0)
        #expect(await scene.act(.take, bruno))
        #expect(await !scene.act(.finish, bruno))
        #expect(try scene.item.isOpen && scene.item.hasAmbulance)
        let room = SOSHelper.room(name: "room")
        #expect(await scene.act(.take, room), "the control room ranks above")
        #expect(try scene.item.owner == .room("room"))
        #expect(await scene.act(.finish, room))
        #expect(town.sos.openCase(of: scene.person) == nil)

        let other = try await Scene(try await SOSTown(isRoom: true))
        #expect(await other.act(.take, try other.contact(0)))
        _ = try await other.town.sos.presses.press(.falseAlarm, for: other.person)
        #expect(other.town.sos.openCase(of: other.person) == nil)
        // Where no ambulance was called, the one who has it ends it.
        let alone = try await Scene(try await SOSTown()), carla = try alone.contact(1)
        #expect(await alone.act(.take, carla))
        #expect(await alone.act(.finish, carla))
    }

    @Test("SOS-20: a crew whose place comes in answers by that; one of which nothing is heard loses the case")
    func crew() async throws {
        let town = try await SOSTown(), crews = try town.crews(1), scene = try await Scene(town)
        #expect(try await town.sos.crews.accept(scene.alarm.id, by: crews[0]) == .yours)
        func moves() {
            town.sos.crewIndex.changed(
                crews[0].id,
                place: CrewPosition(
                    time: town.hub.clock.now, latitude: SOSTown.milan.latitude, longitude: SOSTown.milan.longitude, accuracy: 5))
        }
        try await scene.pass(DispatchLimits.askProfessionalAfter)
        #expect(try scene.asked() == 1 && scene.item.calls.last { $0.message == .whoIsThere }?.recipient == .account(crews[0].id))
        await town.pass(DispatchLimits.answerTime)
        moves()
        await town.sos.owners.askDue()
        #expect(try scene.item.owner == .crew(crews[0].id) && scene.item.answerOwnerBy == nil)
        try await scene.pass(DispatchLimits.askProfessionalAfter)
        try await scene.pass(DispatchLimits.answerTime)
        #expect(try scene.item.owner == nil && scene.item.crew == nil)
    }

    @Test(
        "SOS-20: a crew that stands still answers nothing by its place, however new that is; one that came nearer does",
        arguments: [false, true])
    func crewThatStands(comes: Bool) async throws {
        let town = try await SOSTown(), crews = try town.crews(1), scene = try await Scene(town)
        func isSeen(north degrees: Double) {
            let place = CrewPosition(
                time: town.hub.clock.now, latitude: SOSTown.milan.latitude + degrees, longitude: SOSTown.milan.longitude, accuracy: 5)
            town.sos.crewIndex.changed(crews[0].id, place: place)
        }
        await town.pass(1000)
        isSeen(north: 0.05)
        #expect(try await town.sos.crews.accept(scene.alarm.id, by: crews[0]) == .yours)
        #expect(try scene.item.crew?.place == CrewPlace(latitude: 455_142_000, longitude: 91_900_000, accuracy: 5))
        try await scene.pass(DispatchLimits.askProfessionalAfter)
        #expect(try scene.asked() == 1)
        await town.pass(DispatchLimits.answerTime)
        // 0.001 degrees are 111 m.
        isSeen(north: comes ? 0.047 : 0.049)
        await town.sos.owners.askDue()
        #expect(try scene.item.owner == (comes ? .crew(crews[0].id) : nil))
        #expect(try scene.item.crew?.place?.latitude == (comes ? 455_112_000 : nil))
        #expect(await town.sos.crews.setStatus(.done, of: scene.alarm.id, by: crews[0].id) == comes)
        let ended = try town.sos.store.cases(of: scene.person).first { $0.id == scene.alarm.id }
        #expect(ended?.crew?.place == nil, "it is kept as long as the crew has the case")
    }

    @Test("SOS-20: who answered the box and gives no answer any more is not taken for the owner by the box's old word, and is by a new one")
    func box() async throws {
        let town = try await SOSTown(), scene = try await Scene(town), phone = "+39025B"
        var report = town.report(2, scene.alarm)
        report.owner = Owner("tel:\(phone)")
        let answer = try await town.send(report)
        #expect(answer.owner == Owner("tel:\(phone)") && answer.asksOwner == true)
        try await scene.pass(DispatchLimits.askAfter)
        #expect(try scene.item.calls.last { $0.message == .whoIsThere }?.isContact(0) == true)
        // On the hub's page it is the same contact.
        #expect(await scene.act(.coming, try scene.contact(0)))
        #expect(try scene.item.answerOwnerBy == nil)
        try await scene.pass(DispatchLimits.askAfter)
        try await scene.pass(DispatchLimits.answerTime)
        report.revision = 3
        #expect(try await town.send(report).owner == nil, "what the box says is old")
        report.revision = 4
        report.owner = nil
        try await town.send(report)
        report.revision = 5
        report.owner = Owner("tel:\(phone)")
        #expect(try await town.send(report).owner == Owner("tel:\(phone)"), "they pressed the key again")
    }

    @Test("SOS-20: whom the hub has no way to ask is asked by the box, and their yes there counts; without it the case goes on")
    func askedByBox() async throws {
        let scene = try await Scene(try await SOSTown()), person = scene.person
        let town = try scene.town.restarted { $0.text = nil }
        func pass(_ milliseconds: Milliseconds) async throws {
            await town.pass(milliseconds)
            await town.sos.owners.askDue()
            try await town.sent()
        }
        func item() throws -> SOSCase { try #require(town.sos.openCase(of: person)) }
        func yes(at time: Milliseconds) -> SOSReport.LocalCall {
            .init(channel: .call, recipient: "+39025B", state: .acknowledged, at: time)
        }
        let began = town.hub.clock.now
        func report(_ revision: UInt64, _ calls: [SOSReport.LocalCall]) -> SOSReport {
            var report = town.report(revision, scene.alarm)
            (report.sentAt, report.owner, report.calls) = (3000 + town.hub.clock.now - began, Owner("tel:+39025B"), calls)
            return report
        }
        #expect(try await town.send(report(2, [yes(at: 3000)])).asksOwner == false)
        try await pass(DispatchLimits.askAfter)
        #expect(try item().answerOwnerBy != nil)
        try await town.send(report(3, [yes(at: 3000)]))
        #expect(try item().answerOwnerBy != nil, "the yes by which they took it is no answer")
        try await pass(60_000)
        let answered = 3000 + DispatchLimits.askAfter + 50_000
        try await town.send(report(4, [yes(at: 3000), yes(at: answered)]))
        #expect(try item().answerOwnerBy == nil && item().askAt == began + answered - 3000 + DispatchLimits.askAfter)
        try await pass(DispatchLimits.answerTime)
        #expect(try item().owner == Owner("tel:+39025B"))
        try await pass(DispatchLimits.askAfter)
        try await town.send(report(5, [yes(at: 3000), yes(at: answered)]))
        try await pass(DispatchLimits.answerTime)
        #expect(try item().owner == nil)
    }

    @Test("SOS-20: relatives are told in the person's order, one after the other")
    func order() async throws {
        let town = try await SOSTown(), person = town.person.id.person
        let parents = try ["p1@example.org", "p2@example.org"].map { try SOSTown.account(town.hub, .caregiver, $0) }
        try town.hub.accounts.consents.setGuardians(Set(parents.map(\.id)), of: person, adultFrom: .max / 2)
        let usual = try town.sos.addressees.caregiversInOrder(of: person), last = try #require(usual.last)
        try await town.sos.choices.moveCaregiverUp(last, of: person, by: town.person.id)
        #expect(try town.sos.addressees.caregiversInOrder(of: person) == usual.reversed())
        let scene = try await Scene(town)
        func due(_ account: AccountID) throws -> Milliseconds? { try scene.item.calls.first { $0.recipient == .account(account) }?.due }
        #expect(try due(usual[0]) == (due(last) ?? 0) + DispatchLimits.contactPause)
        let accounts = town.hub.accounts, first = try #require(try accounts.account(last)),
            second = try #require(try accounts.account(usual[0]))
        #expect(try accounts.notices.notices(of: first).contains { $0.kind == .sosRaised })
        #expect(try !accounts.notices.notices(of: second).contains { $0.kind == .sosRaised })
        try await scene.pass(DispatchLimits.contactPause)
        #expect(try accounts.notices.notices(of: second).contains { $0.kind == .sosRaised })
        let notice = try #require(try accounts.notices.notices(of: first).first { $0.kind == .sosRaised })
        #expect(notice.arguments["path"] == "/care/person/\(person)/protection")
    }

    @Test("SOS-20: a contact's mail is a letter in the contact's language, and a second one follows when the position comes")
    func letters() async throws {
        let town = try await SOSTown(), person = town.person.id.person
        try await town.sos.choices.addContact(
            SOSContact(name: "Dora", phone: nil, email: "dora@example.org", language: "it"), of: person, by: town.person.id)
        try await town.sos.choices.moveContactUp(2, of: person, by: town.person.id)
        try await town.sos.choices.moveContactUp(1, of: person, by: town.person.id)
        let scene = try await Scene(town, isWithPosition: false)
        let first = try #require(town.outbox.texts(to: "dora@example.org").first)
        #expect(first.contains("Buongiorno Dora,") && first.contains("La posizione non è nota. Appena la posizione è nota"), "\(first)")
        let fix = PositionSample(time: town.hub.clock.now, latitude: 454_642_000, longitude: 91_900_000, horizontalError: 80)
        #expect(await town.sos.positions.setPlace(fix, of: person))
        try await town.sent()
        let second = try #require(town.outbox.texts(to: "dora@example.org").dropFirst().first)
        #expect(second.contains("Ora sappiamo dove si trova Ada Made-Up.") && second.contains("?mlat=45.46420&mlon=9.19000"), "\(second)")
        #expect(try scene.item.calls.allSatisfy { $0.message != .position || $0.isContact(0) }, "who was not told yet gets one message")
        let next = PositionSample(time: town.hub.clock.now + 1, latitude: 454_643_000, longitude: 91_900_000, horizontalError: 80)
        #expect(await town.sos.positions.setPlace(next, of: person))
        try await town.sent()
        #expect(town.outbox.texts(to: "dora@example.org").count == 2)
    }

    @Test("SOS-23, SOS-20: with a telephone line contacts are called in their order, and never for news")
    func voice() throws {
        let reading = Reading(time: 1, value: 0, key: SampleKey(stream: .random(), sequence: 1, kind: .event, index: 0))
        let help = Abnormality(
            trigger: .help, tier: .critical, limit: nil, context: .unknown, first: reading, latest: reading, worst: 0, count: 1,
            isLost: false, answerTime: 0)
        let alarm = Alarm(id: .random(), person: .random(), provenance: .live, raisedAt: 1, abnormalities: [help])
        var plan = SOSPlan()
        plan.contacts = ["+3901", "+3902"].map { SOSContact(name: $0, phone: $0, email: nil, language: "en") }
        (plan.isConsented, plan.hasVoice) = (true, true)
        var item = SOSCase(alarm, isTest: false, opened: 1000)
        plan.links = ["a", "b"]
        item.begin(plan, now: 1000)
        let calls = item.calls.filter { $0.channel == .voice }
        #expect(calls.map(\.due) == [1000, 1000 + DispatchLimits.contactPause] && calls.allSatisfy { $0.message == .alert })
        for index in item.calls.indices { (item.calls[index].state, item.calls[index].sentAt) = (.sent, 1000) }
        item.take(by: .contact(0), named: nil, now: 2000, without: [])
        item.askOwner(now: 3000)
        let soon = 1000 + DispatchLimits.contactPause
        let later = item.calls.filter { $0.channel == .voice && $0.due >= soon || $0.message == .whoIsThere }
        #expect(later.filter { $0.channel == .voice && $0.message == .whoIsThere }.count == 1)
        #expect(!item.calls.contains { $0.channel == .voice && $0.message == .taken })
    }
}
