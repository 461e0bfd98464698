import Accounts
import Distress
import Foundation
import HubStore
import SyncProtocol
import Synchronization
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// What relatives prepare, whom a box reaches, tests that are confirmed, and who sees an emergency.
@Suite(.timeLimit(.minutes(3)))
struct SOSPreparingTests {
    private let bruno = SOSContact(name: "Bruno", phone: "+39025", email: "bruno@example.org", language: "it")

    private func relative(_ town: SOSTown, isMinor: Bool = false) throws -> StoredAccount {
        let relative = try SOSTown.account(town.hub, .caregiver, "relative@example.org")
        try town.hub.accounts.consents.setGuardians([relative.id], of: town.person.id.person, adultFrom: .max / 2)
        return relative
    }

    @Test("SOS-1: what was read earlier takes no later reading's place")
    func earlierReading() {
        var reloads = SOSEntry.Reloads()
        let first = reloads.begin(), second = reloads.begin()
        let isSecondTaken = reloads.end(second), isFirstTaken = reloads.end(first)
        #expect(isSecondTaken && !isFirstTaken)
        let third = reloads.begin(), isThirdTaken = reloads.end(third)
        #expect(isThirdTaken)
    }

    /// Without numbers of the readings it fails in one of three runs of half as many rounds.
    @Test("SOS-1: a contact that is added while a profile changes is known to the hub, whoever reads first")
    func changedAtOnce() async throws {
        let town = try await SOSTown(isOn: false), person = town.person.id, sos = town.sos
        for _ in 0..<800 {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<12 { group.addTask { try await sos.reload(person.person) } }
                group.addTask { try await sos.choices.addContact(bruno, of: person.person, by: person) }
                try await group.waitForAll()
            }
            let known = sos.state.withLock { $0.entries[person.person]?.choice }, stored = try sos.store.choice(of: person.person)
            try #require(known == stored)
            try await sos.choices.removeContact(0, of: person.person, by: person)
        }
    }

    @Test("SOS-1, SOS-20: what a relative prepares works only with the person's yes, and with the consent to calls")
    func prepared() async throws {
        let town = try await SOSTown(isOn: false), person = town.person.id.person, sos = town.sos, relative = try relative(town)
        let stranger = try SOSTown.account(town.hub, .caregiver, "stranger@example.org")
        await #expect(throws: SOSSettingProblem.notAllowed) { try await sos.preparation.propose(bruno, for: person, by: stranger.id) }
        try await sos.preparation.propose(bruno, for: person, by: relative.id)
        try await sos.preparation.proposeTurnOn(for: person, by: relative.id)
        var choice = try sos.store.choice(of: person)
        #expect(choice.contacts.isEmpty && !choice.isOn && choice.prepared?.contacts == [bruno] && choice.prepared?.turnsOn == true)
        #expect(try sos.views.view(of: person)?.reasons == ["off"])
        let told = try town.hub.accounts.notices.notices(of: town.person).filter { $0.kind == .sosPrepared }
        #expect(told.count == 2 && told.allSatisfy { $0.arguments["path"] == "/protection" && $0.arguments["owner"] == relative.name })
        let seen = choice.prepared?.at
        await #expect(throws: SOSSettingProblem.noConsent) {
            try await sos.preparation.confirm(of: person, seen: seen, consented: false, strict: false, by: town.person.id)
        }
        await #expect(throws: SOSSettingProblem.strictNotChosen) {
            try await sos.preparation.confirm(of: person, seen: seen, consented: true, strict: nil, by: town.person.id)
        }
        await #expect(throws: SOSSettingProblem.notAllowed) {
            try await sos.preparation.confirm(of: person, seen: seen, consented: true, strict: false, by: stranger.id)
        }
        for unseen in [nil, seen.map { $0 - 1 }] {
            await #expect(throws: SOSSettingProblem.changedMeanwhile) {
                try await sos.preparation.confirm(of: person, seen: unseen, consented: true, strict: false, by: town.person.id)
            }
        }
        #expect(try sos.store.choice(of: person).contacts.isEmpty)
        try await sos.preparation.confirm(of: person, seen: seen, consented: true, strict: false, by: town.person.id)
        choice = try sos.store.choice(of: person)
        #expect(choice.contacts == [bruno] && choice.isOn && choice.prepared == nil)
        #expect(try sos.store.consent(of: person)?.giver == town.person.id)
    }

    @Test("SOS-20: the person's no leaves nothing; a restart keeps what waits")
    func refused() async throws {
        var town = try await SOSTown(isOn: false)
        let person = town.person.id.person, relative = try relative(town)
        try await town.sos.preparation.propose(bruno, for: person, by: relative.id)
        town = try town.restarted()
        #expect(try town.sos.store.choice(of: person).prepared?.contacts == [bruno])
        try await town.sos.preparation.drop(of: person, by: town.person.id)
        #expect(try town.sos.store.choice(of: person).prepared == nil && town.sos.store.choice(of: person).contacts.isEmpty)
    }

    @Test(
        "SOS-1, SOS-9: a contact with a telephone alone counts where a box can reach it, and the hub does not say that it reaches them itself"
    )
    func telephone() async throws {
        let town = try await SOSTown(isOn: false), person = town.person.id.person
        var outlets = town.sos.outlets
        outlets.text = nil
        let hub = town.hub, clock = hub.clock
        let files = try HubDirectory(hub.directory.url)
        let store = try SOSStore(files, keys: KeyStore(files, environment: [:]))
        let sos = try SOSService(
            store: store, accounts: hub.accounts, detection: hub.series.detection, emergency: hub.series.emergency(upheldBy: store),
            bus: hub.bus, crews: CrewIndex(), outlets: outlets, logger: SOSTown.quiet, time: MonotonicUTC { clock.now })
        let mute = SOSTown(hub, sos, town.outbox, town.person, town.box)
        try await sos.choices.addContact(
            SOSContact(name: "Bruno", phone: "+39025", email: nil, language: "it"), of: person, by: town.person.id)
        func turnOn() async throws { try await sos.choices.turnOn(person, consented: true, strict: false, by: town.person.id) }
        await #expect(throws: SOSSettingProblem.nobodyToCall) { try await turnOn() }
        var report = mute.report(1)
        report.means = []
        try await mute.send(report)
        await #expect(throws: SOSSettingProblem.nobodyToCall) { try await turnOn() }
        (report.revision, report.means) = (2, ["call", "of tomorrow"])
        try await mute.send(report)
        try await turnOn()
        await sos.chain.look()
        report.revision = 3
        #expect(try await mute.send(report).reachesNobody == true, "the box must not count on the hub")
        #expect(try sos.views.view(of: person)?.reasons == [])
        // A box that is not heard calls nobody now; settings may still count on it.
        hub.clock.advance(SOSTimings.linkSilentAfter)
        #expect(try sos.views.view(of: person)?.reasons.contains("nobody") == true)
        #expect(try sos.reachability.canDeliver(sos.store.choice(of: person), of: person))
        // A box of before says only what it lacks.
        (report.revision, report.means, report.weaknesses) = (4, nil, ["noOwnMeans"])
        try await mute.send(report)
        #expect(try !sos.reachability.canDeliver(sos.store.choice(of: person), of: person))
        (report.revision, report.weaknesses) = (5, [])
        try await mute.send(report)
        #expect(try sos.reachability.canDeliver(sos.store.choice(of: person), of: person))
    }

    @Test(
        "SOS-1, SOS-22: a program at a box that a test has proven counts as somebody, without a contact, and no other word of tomorrow does"
    )
    func hook() async throws {
        let town = try await SOSTown(isOn: false), person = town.person.id.person
        var report = town.report(1)
        report.means = ["of tomorrow"]
        try await town.send(report)
        await #expect(throws: SOSSettingProblem.nobodyToCall) {
            try await town.sos.choices.turnOn(person, consented: true, strict: false, by: town.person.id)
        }
        (report.revision, report.means) = (2, ["of tomorrow", "hook"])
        try await town.send(report)
        try await town.sos.choices.turnOn(person, consented: true, strict: false, by: town.person.id)
        await town.sos.chain.look()
        #expect(try town.sos.views.view(of: person)?.reasons == [])
        report.revision = 3
        #expect(try await town.send(report).reachesNobody == true, "the box must not count on the hub")
    }

    @Test("SOS-19: recipients say that a test arrived, over a restart and for a day; it stands with the test")
    func confirmed() async throws {
        var town = try await SOSTown()
        let person = town.person.id.person, relative = try relative(town)
        try await town.sos.drills.run(for: person)
        try await town.sent()
        let text = try #require(town.outbox.texts(to: "+39025B").first),
            link = try #require(text.split(separator: "/sos/").last?.prefix(32))
        #expect(text.contains("To confirm this test: https://hub.example/sos/"), "\(text)")
        #expect(town.sos.helpers.contact(link: String(link)) == nil, "it is no case to take")
        town = try town.restarted()
        #expect(await !town.sos.drills.confirm(link: String(repeating: "0", count: 32)))
        #expect(await town.sos.drills.confirm(link: String(link)))
        #expect(town.sos.drills.hasToConfirm(of: person, by: relative.id))
        await town.sos.drills.confirmAll(of: person, by: relative.id)
        #expect(!town.sos.drills.hasToConfirm(of: person, by: relative.id))
        let item = try #require(try town.sos.store.cases(of: person).first)
        #expect(item.calls.filter { $0.state == .acknowledged }.count == 2 && item.calls.count == 3, "\(item.calls.map(\.state))")
        town.hub.clock.advance(SOSDrills.testShown)
        #expect(await !town.sos.drills.confirm(link: String(link)))
    }

    @Test("SOS-19, SOS-22: a planned test asks each box once to try its own means; what failed there is told")
    func boxes() async throws {
        let town = try await SOSTown(), person = town.person.id.person
        let plan = SOSDrillPlan(everyWeeks: 1, weekday: 3, hour: 10, timeZone: "Europe/Rome")
        try await town.sos.drills.setPlan(plan, for: person, by: town.person.id)
        #expect(try await town.send(town.report(1)).drill == nil)
        let due = try #require(try await town.sos.drills.next(of: person))
        town.hub.clock.advance(due - town.hub.clock.now)
        await town.sos.drills.beginDue()
        try await town.sent()
        let drill = try #require(try await town.send(town.report(2)).drill)
        #expect(try await town.send(town.report(3)).drill == drill, "until the box has begun")
        let alarm = try town.helpAlarm(sequence: 9, provenance: .drill)
        var report = town.report(4, alarm, provenance: .drill, isDrill: true)
        try await town.send(report)
        #expect(try await town.send(town.report(5)).drill == nil)
        report.revision = 6
        report.calls = [
            .init(channel: .sound, recipient: "", state: .sent, at: 1),
            .init(channel: .text, recipient: "+39025B", state: .sent, at: 1),
            .init(channel: .call, recipient: "+39025B", state: .failed, at: 2, problem: "Nobody took the call", why: "notTaken"),
        ]
        try await town.send(report)
        #expect(try town.sos.store.incident(alarm.id)?.boxTries?.count == 3)
        let told = try town.hub.accounts.notices.notices(of: town.person).filter { $0.kind == .sosUnprotected }
        #expect(told.count == 1 && told.first?.arguments["reason"] == "drill" && told.first?.arguments["owner"] == "Bruno")
        // A box that was away for hours is not woken up for it.
        town.hub.clock.advance(7 * 86_400_000)
        await town.sos.drills.beginDue()
        town.hub.clock.advance(3_700_000)
        #expect(try await town.send(town.report(7)).drill == nil)
        #expect(town.sos.openCase(of: person) == nil)
    }

    @Test("SOS-20: an emergency concerns the person, who looks after them, and the crew; each until it is over")
    func emergencies() async throws {
        let town = try await SOSTown(), person = town.person.id.person, relative = try relative(town), crews = try town.crews(1)
        func concerns(_ account: StoredAccount) throws -> [SOSViews.Emergency.Concern] {
            try town.sos.views.emergencies(for: account.id).map(\.concern)
        }
        #expect(try concerns(town.person).isEmpty && concerns(relative).isEmpty && concerns(crews[0]).isEmpty)
        let alarm = try town.helpAlarm()
        try await town.send(town.report(1, alarm))
        #expect(try concerns(town.person) == [.own] && concerns(relative) == [.cared] && concerns(crews[0]) == [.offered])
        #expect(try await town.sos.crews.accept(alarm.id, by: crews[0]) == .yours)
        #expect(try concerns(crews[0]) == [.crew] && town.sos.views.emergencies(for: relative.id).first?.ownerName == "A0, ZA 0")
        try town.hub.accounts.consents.setGuardians([], of: person, adultFrom: .max / 2)
        #expect(try concerns(relative).isEmpty, "who looks after the person no more sees nothing more")
        #expect(await town.sos.crews.setStatus(.done, of: alarm.id, by: crews[0].id))
        #expect(try concerns(town.person).isEmpty && concerns(crews[0]).isEmpty)
    }
}
