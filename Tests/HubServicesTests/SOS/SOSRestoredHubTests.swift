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

/// The hub was put back to an older copy, and a box has newer settings. The box's side is what the box keeps (``HeldSettings``), told and fetched
/// over JSON as `SOSHubAnswers+Settings.swift` of the agent does it; the hub is the real one over its real files.
@Suite(.timeLimit(.minutes(3)))
struct SOSRestoredHubTests {
    private static func contact(_ name: String) -> SOSContact {
        let numbers = ["Bruno": "+390255500001", "Carla": "+390255500002", "Dario": "+390255500003"]
        return SOSContact(name: name, phone: numbers[name], email: nil, language: "en")
    }

    /// A box with what it keeps.
    private struct Box {
        var held = HeldSettings(nil)
        private var revision: UInt64 = 0
        private var wantsSettings = false

        /// Reports and fetches until nothing is owed. Returns the last answer.
        @discardableResult
        mutating func sync(_ town: SOSTown) async throws -> SOSAnswer {
            var answer: SOSAnswer
            var rounds = 0
            repeat {
                revision += 1
                rounds += 1
                try #require(rounds < 6, "box and hub come to no end")
                var report = town.report(revision)
                report.holds = held.origin(of: report.person)
                if wantsSettings { report.settings = held.own(report.person) }
                report = try JSONDecoder().decode(SOSReport.self, from: JSONEncoder().encode(report))
                answer = try await town.send(report)
                wantsSettings = answer.wantsSettings == true
                let isNews = (answer.wantsSettings != nil) != isDisputed(town)
                if answer.settingsVersion != held.kept.version || isNews { try fetch(town) }
            } while wantsSettings || answer.settingsVersion != held.kept.version
            return answer
        }

        mutating func fetch(_ town: SOSTown) throws {
            let session = try town.hub.authenticator.session(bearer: town.box.token, now: town.hub.clock.now)
            let data = try JSONEncoder().encode(town.sos.boxSettings.settings(for: session, capsBaselines: true))
            _ = held.take(try JSONDecoder().decode(SOSSettings.self, from: data), of: [town.person.id.person])
        }

        func names(_ town: SOSTown) -> [String] { held.inForce(town.person.id.person)?.contacts.map(\.name) ?? [] }
        func isOn(_ town: SOSTown) -> Bool? { held.inForce(town.person.id.person)?.distress.isOn }
        func isDisputed(_ town: SOSTown) -> Bool { held.other(town.person.id.person) != nil }
    }

    /// AutomatedSOS with Bruno; the box has it.
    private func begin() async throws -> (town: SOSTown, box: Box) {
        let town = try await SOSTown(isOn: false), person = town.person.id.person
        try await town.sos.choices.addContact(Self.contact("Bruno"), of: person, by: town.person.id)
        try await town.sos.choices.turnOn(person, consented: true, strict: false, by: town.person.id)
        var box = Box()
        try await box.sync(town)
        #expect(box.names(town) == ["Bruno"])
        return (town, box)
    }

    /// The database of AutomatedSOS as it is now: a backup.
    private func backup(_ town: SOSTown) async throws -> TemporaryDirectory {
        _ = await town.sos.writer.flush()
        return try TemporaryDirectory(copyOf: town.hub.directory.url)
    }

    /// A hub on the backup.
    private func restored(_ town: SOSTown, from backup: TemporaryDirectory) throws -> SOSTown {
        let hub = try ServicesFixture(backup, person: town.hub.person, clock: town.hub.clock)
        return SOSTown(hub, try SOSTown.service(hub, town.outbox), town.outbox, town.person, town.box)
    }

    private func told(_ town: SOSTown, _ kind: NoticeKind) throws -> Int {
        try town.hub.accounts.notices.notices(of: town.person).count { $0.kind == kind }
    }

    @Test(
        "SOS-9, SOS-20: a hub that was put back does not take a contact from the box; both are called until the person decides, which everybody hears, and that ends it"
    )
    func newerContact() async throws {
        var (town, box) = try await begin()
        let person = town.person.id.person, parent = try SOSTown.account(town.hub, .caregiver, "parent@example.org")
        try town.hub.accounts.consents.setGuardians([parent.id], of: person, adultFrom: .max / 2)
        let yesterday = try await backup(town)
        town.hub.clock.advance(60_000)
        try await town.sos.choices.addContact(Self.contact("Carla"), of: person, by: town.person.id)
        try await box.sync(town)
        #expect(box.names(town) == ["Bruno", "Carla"])

        town = try restored(town, from: yesterday)
        town.hub.clock.advance(60_000)
        #expect(try town.sos.store.choice(of: person).contacts.map(\.name) == ["Bruno"])
        try await box.sync(town)
        #expect(box.isDisputed(town) && box.names(town) == ["Bruno", "Carla"], "the older ones replaced nothing")
        #expect(box.held.own(person)?.contacts.map(\.name) == ["Bruno", "Carla"])
        #expect(box.held.other(person)?.atHub == .init(isOn: true, contacts: ["Bruno"]))
        // Both are there to be shown, and everybody hears of it, once.
        let dispute = try #require(try town.sos.restoredSettings.dispute(of: person))
        #expect(dispute.hub.contacts.map(\.name) == ["Bruno"])
        #expect(dispute.hub.copies?.map { $0.contacts.map(\.name) } == [["Bruno", "Carla"]])
        #expect(dispute.hub.copies?.first?.origin.by == "Ada Made-Up" && dispute.by == "Ada Made-Up")
        #expect(dispute.hub.copies?.first?.origin.time == (dispute.hub.changedAt ?? 0) + 60_000)
        await town.look()
        try await box.sync(town)
        #expect(try told(town, .sosSettingsDiffer) == 1)
        #expect(try town.hub.accounts.notices.notices(of: parent).count { $0.kind == .sosSettingsDiffer } == 1)

        // The hub calls both, too, also after a restart.
        town = try restored(town, from: town.hub.directory)
        try await box.sync(town)
        _ = try await town.sos.presses.press(.help, for: person)
        await town.pass(DispatchLimits.contactPause)
        for number in ["+390255500001", "+390255500002"] { try await town.until { !town.outbox.texts(to: number).isEmpty } }
        _ = try await town.sos.presses.press(.falseAlarm, for: person)
        try await town.sent()

        // Nobody else decides, and not about what nobody was shown.
        let stranger = try SOSTown.account(town.hub, .caregiver, "neighbour@example.org")
        let version = try #require(try town.sos.restoredSettings.dispute(of: person)).hub.version
        await #expect(throws: SOSSettingProblem.notAllowed) {
            try await town.sos.restoredSettings.decide(.hub, of: person, shown: version, consented: false, by: stranger.id)
        }
        await #expect(throws: SOSSettingProblem.changedMeanwhile) {
            try await town.sos.restoredSettings.decide(.hub, of: person, shown: version - 1, consented: false, by: town.person.id)
        }
        try await town.sos.restoredSettings.decide(.copy(0), of: person, shown: version, consented: true, by: town.person.id)
        #expect(try town.sos.restoredSettings.dispute(of: person) == nil)
        #expect(try town.sos.store.choice(of: person).contacts.map(\.name) == ["Bruno", "Carla"])
        try await box.sync(town)
        #expect(!box.isDisputed(town) && box.names(town) == ["Bruno", "Carla"])
        await town.look()
        #expect(try told(town, .sosSettingsDecided) == 1 && told(town, .sosSettingsDiffer) == 1)
        #expect(try town.sos.store.changes(of: person).first?.what == ["settings: box"])
        // From here on the hub changes them as ever.
        try await town.sos.choices.removeContact(0, of: person, by: town.person.id)
        try await box.sync(town)
        #expect(box.names(town) == ["Carla"] && !box.isDisputed(town))
    }

    @Test("SOS-9: a hub that was killed between keeping a box's settings and telling people tells them with the box's next report, once")
    func toldAfterAll() async throws {
        var (town, box) = try await begin()
        let person = town.person.id.person, yesterday = try await backup(town)
        try await town.sos.choices.addContact(Self.contact("Carla"), of: person, by: town.person.id)
        try await box.sync(town)
        town = try restored(town, from: yesterday)
        let own = try #require(box.held.own(person)), origin = try #require(own.origin)
        let copy = SOSCopy(
            origin: origin, at: town.hub.clock.now, distress: own.distress, reminders: nil, contacts: [Self.contact("Carla")], phone: nil,
            address: nil)
        try town.sos.store.change(person, by: nil, now: town.hub.clock.now) { choice in
            choice.take(copy)
            return []
        }
        town = try restored(town, from: town.hub.directory)
        #expect(try told(town, .sosSettingsDiffer) == 0)
        for _ in 0..<2 {
            try await box.sync(town)
            await town.look()
            #expect(try told(town, .sosSettingsDiffer) == 1)
            _ = await town.sos.writer.flush()
            town = try restored(town, from: town.hub.directory)
        }
        #expect(box.isDisputed(town))
    }

    @Test("SOS-9: a restored hub whose versions have overtaken the box's is recognised: it cannot have changed what it lost")
    func overtaken() async throws {
        var (town, box) = try await begin()
        let person = town.person.id.person, yesterday = try await backup(town)
        try await town.sos.choices.addContact(Self.contact("Carla"), of: person, by: town.person.id)
        try await box.sync(town)
        let held = try #require(box.held.origin(of: person)?.version)
        town = try restored(town, from: yesterday)
        for name in ["Dario"] { try await town.sos.choices.addContact(Self.contact(name), of: person, by: town.person.id) }
        #expect(try town.sos.store.choice(of: person).version == held, "the same number, and another change")
        try await box.sync(town)
        #expect(box.isDisputed(town) && box.names(town) == ["Bruno", "Carla", "Dario"])
        try await town.sos.restoredSettings.decide(
            .all, of: person, shown: try #require(try town.sos.restoredSettings.dispute(of: person)).hub.version, consented: false,
            by: town.person.id)
        try await box.sync(town)
        #expect(!box.isDisputed(town) && Set(box.names(town)) == ["Bruno", "Carla", "Dario"])
    }

    @Test(
        "SOS-9: on wins over off, and the hub watches by what the box has; turned off after the restore it is off at both, and a decision keeps that"
    )
    func onAndOff() async throws {
        let town0 = try await SOSTown(isOn: false), person = town0.person.id.person
        try await town0.sos.choices.addContact(Self.contact("Bruno"), of: person, by: town0.person.id)
        let yesterday = try await backup(town0)
        var town = town0, box = Box()
        town.hub.clock.advance(60_000)
        try await town.sos.choices.turnOn(person, consented: true, strict: true, by: town.person.id)
        try await box.sync(town)
        #expect(box.isOn(town) == true)
        town = try restored(town, from: yesterday)
        town.hub.clock.advance(60_000)
        #expect(try town.sos.views.view(of: person)?.isOn == false)
        try await box.sync(town)
        #expect(box.isDisputed(town) && box.isOn(town) == true)
        #expect(try town.sos.views.view(of: person)?.isOn == true, "on wins at the hub, too")
        town = try restored(town, from: town.hub.directory)
        #expect(town.sos.state.withLock { $0.entries[person]?.choice.isOn } == true, "a hub that starts anew watches")
        try await box.sync(town)
        town.hub.clock.advance(60_000)
        try await town.sos.choices.turnOff(person, by: town.person.id)
        try await box.sync(town)
        #expect(box.isDisputed(town) && box.isOn(town) == false)
        #expect(try town.sos.views.view(of: person)?.isOn == false)
        let version = try #require(try town.sos.restoredSettings.dispute(of: person)).hub.version
        try await town.sos.restoredSettings.decide(.hub, of: person, shown: version, consented: false, by: town.person.id)
        try await box.sync(town)
        #expect(!box.isDisputed(town) && box.isOn(town) == false)
        #expect(try town.sos.store.consent(of: person) == nil)
    }

    @Test("SOS-1, SOS-9: to take over that it is on needs the consent to calls, and restores limits and address that the hub has lost")
    func takesOver() async throws {
        let town0 = try await SOSTown(isOn: false), person = town0.person.id.person
        try await town0.sos.choices.addContact(Self.contact("Bruno"), of: person, by: town0.person.id)
        let yesterday = try await backup(town0)
        var town = town0, box = Box()
        try await town.sos.choices.turnOn(person, consented: true, strict: true, by: town.person.id)
        try await town.sos.choices.setLimits(LimitOverrides(criticalHigh: 130), asksFirst: false, of: person, by: town.person.id)
        var details = town.person.details
        details["residence"] = "Via Nuova 2, Milano"
        try town.hub.accounts.setDetails(details, of: town.person, now: 0)
        try await town.until { try town.sos.store.choice(of: person).profileChanges == 1 }
        try await box.sync(town)
        town = try restored(town, from: yesterday)
        try await box.sync(town)
        let version = try #require(try town.sos.restoredSettings.dispute(of: person)).hub.version
        await #expect(throws: SOSSettingProblem.noConsent) {
            try await town.sos.restoredSettings.decide(.copy(0), of: person, shown: version, consented: false, by: town.person.id)
        }
        #expect(try town.sos.restoredSettings.dispute(of: person) != nil)
        try await town.sos.restoredSettings.decide(.copy(0), of: person, shown: version, consented: true, by: town.person.id)
        let choice = try town.sos.store.choice(of: person)
        #expect(choice.isOn && choice.strict == true && !choice.asksFirst && choice.overrides.criticalHigh == 130)
        #expect(try town.sos.store.consent(of: person)?.giver == town.person.id)
        #expect(try town.hub.accounts.account(town.person.id)?[.residence] == "Via Nuova 2, Milano")
        try await town.until { try town.sos.store.choice(of: person).profileChanges == 1 }
        try await box.sync(town)
        #expect(!box.isDisputed(town) && box.held.own(person)?.address == "Via Nuova 2, Milano")
    }

    @Test("SOS-9: where nothing that somebody chose was lost, nobody is asked; a hub that only restarts is followed as ever")
    func nothingLost() async throws {
        var (town, box) = try await begin()
        let person = town.person.id.person
        town = try town.restarted()
        try await town.sos.choices.addContact(Self.contact("Carla"), of: person, by: town.person.id)
        try await box.sync(town)
        #expect(!box.isDisputed(town) && box.names(town) == ["Bruno", "Carla"])
        // The figures of a baseline are computed each day.
        let yesterday = try await backup(town)
        try town.sos.store.change(person, by: nil, now: town.hub.clock.now) { choice in
            choice.personal = PersonalLimits(version: 1, computedAt: town.hub.clock.now, restingMedian: 61, restingDeviation: 2, days: 9)
            return []
        }
        try await town.sos.reload(person)
        try await box.sync(town)
        #expect(box.held.own(person)?.distress.personal?.restingMedian == 61)
        town = try restored(town, from: yesterday)
        try await box.sync(town)
        #expect(!box.isDisputed(town) && box.names(town) == ["Bruno", "Carla"])
        #expect(try told(town, .sosSettingsDiffer) == 0)
        #expect(try town.sos.store.choice(of: person).personal?.restingMedian == 61, "the newer figures came back")
    }

    @Test(
        "SOS-9: a box of release 0.3.0 says nothing of what it holds, and gets the settings of both; what 0.3.0 gave is compared by its version"
    )
    func released() async throws {
        var (town, box) = try await begin()
        let person = town.person.id.person, yesterday = try await backup(town)
        try await town.sos.choices.addContact(Self.contact("Carla"), of: person, by: town.person.id)
        try await box.sync(town)
        town = try restored(town, from: yesterday)
        let old = try await town.send(town.report(1))
        #expect(old.wantsSettings == nil)
        // As an upgraded box has it from a hub of 0.3.0.
        var kept = box.held.kept
        kept.people[0].origin = nil
        (box.held, kept.version) = (HeldSettings(kept), kept.choicesVersion)
        try await box.sync(town)
        #expect(box.isDisputed(town) && box.names(town) == ["Bruno", "Carla"])
        let session = try town.hub.authenticator.session(bearer: town.box.token, now: town.hub.clock.now)
        #expect(try town.sos.boxSettings.settings(for: session, capsBaselines: false).people[0].contacts.map(\.name) == ["Bruno", "Carla"])
        try await town.sos.restoredSettings.decide(
            .hub, of: person, shown: try #require(try town.sos.restoredSettings.dispute(of: person)).hub.version, consented: false,
            by: town.person.id)
        try await box.sync(town)
        #expect(!box.isDisputed(town) && box.names(town) == ["Bruno"])
    }
}
