import Accounts
import Alerts
import Foundation
import HubStore
import Segments
import SyncProtocol
import Synchronization
import TestSupport
import Testing
import Vitals

@testable import Distress
@testable import HubServices

/// No sign of life at the hub (SOS-24): what boxes tell of it, and where no box asks.
@Suite(.timeLimit(.minutes(3)))
struct SOSInactivityTests {
    private static let plan = InactivityPlan(hours: 2, timeZone: "Etc/UTC")
    private static let day: Milliseconds = 86_400_000

    /// Somebody who wants to be asked after two hours, at eight in the morning.
    private final class Scene {
        var town: SOSTown
        let parent: StoredAccount?
        private var revision: UInt64 = 0
        private let start: Milliseconds

        init(isCared: Bool = true, plan: InactivityPlan? = SOSInactivityTests.plan) async throws {
            town = try await SOSTown()
            let clock = town.hub.clock
            clock.advance(day - clock.now % day + 8 * 3_600_000)
            start = clock.now - 5000
            parent = isCared ? try SOSTown.account(town.hub, .caregiver, "parent@example.org") : nil
            if let parent { try town.hub.accounts.consents.setGuardians([parent.id], of: person, adultFrom: .max / 2) }
            town = try town.restarted()
            if let plan { try await town.sos.inactivity.setPlan(plan, of: person, by: town.person.id) }
        }

        var person: PersonID { town.person.id.person }
        /// Of the box.
        var boottime: Milliseconds { town.hub.clock.now - start }

        func pass(_ minutes: Int) async {
            for _ in 0..<minutes {
                await town.pass(60_000)
                await town.sos.chain.look()
            }
        }

        /// - Parameter sign: by the box's clock.
        @discardableResult
        func report(
            sign: Milliseconds? = nil, warning: Warning? = nil, isAsking: Bool = true, unprotected: [Absence] = [], means: [String]? = nil
        ) async throws -> SOSAnswer {
            revision += 1
            var report = town.report(revision, unprotected: unprotected)
            (report.sentAt, report.warning, report.means) = (boottime, warning, means)
            if isAsking { report.activity = .init(sign: sign, seen: nil) }
            return try await town.send(report)
        }

        func warning(_ hours: Milliseconds, unseen: Milliseconds? = nil, id: UInt64 = 7) -> Warning {
            let silence = InactivityWatch.Silence(length: hours * 3_600_000, unseen: unseen.map { $0 * 3_600_000 })
            let key = SampleKey(stream: town.stream, sequence: 0, kind: .event, index: 0)
            return Warning(id: IncidentID(high: 5, low: id), abnormality: Abnormality(silence, key: key, at: boottime), at: boottime)
        }

        func told(_ kind: NoticeKind) throws -> [StoredNotice] {
            guard let parent else { return [] }
            return try town.hub.accounts.notices.notices(of: parent).filter { $0.kind == kind }
        }

        var question: Trigger? { get throws { try town.sos.views.view(of: person)?.question?.trigger } }
        func questions() throws -> Int { try town.hub.accounts.notices.notices(of: town.person).count { $0.kind == .sosQuestion } }

        func position(_ phone: SOSLinkTests.Phone, _ metres: Double = 0) async throws {
            let sample = PositionSample(
                time: town.hub.clock.now, latitude: 454_000_000 + Int32(metres * 89.93), longitude: 91_900_000, horizontalError: 100)
            try await phone.send(SampleSet(positions: [sample]))
        }
    }

    @Test(
        "SOS-24: what a box tells reaches caregivers once, over a kill and from a second box, in words of its own where nobody could see; the next sign is told",
        arguments: [false, true])
    func byBox(isUnseen: Bool) async throws {
        let scene = try await Scene(), asked = scene.town.hub.clock.now
        try await scene.report(warning: scene.warning(14, unseen: isUnseen ? 3 : nil))
        scene.town = try scene.town.restarted()
        await scene.pass(1)
        let told = try scene.told(.sosInactive).map(\.arguments)
        #expect(told.map { $0["what"] } == [isUnseen ? "sensors" : "movement"])
        #expect(told.first?["since"] == "\(asked - (isUnseen ? 3 : 14) * 3_600_000)" && told.first?["zone"] == "Etc/UTC")
        #expect(told.first?["last"] == "\(asked - 14 * 3_600_000)")
        #expect(scene.town.outbox.all.isEmpty && scene.town.sos.openCase(of: scene.person) == nil, "no contact, no case")
        try await scene.report(warning: scene.warning(14, id: 8))
        await scene.pass(1)
        #expect(try scene.told(.sosInactive).count == 1 && scene.told(.sosActive).isEmpty)
        try await scene.report(sign: scene.boottime - 1000, warning: scene.warning(14, id: 8))
        await scene.pass(2)
        #expect(try scene.told(.sosActive).count == 1 && scene.told(.sosInactive).count == 1)
        try await scene.report(sign: scene.boottime - 1000)
        await scene.pass(2)
        #expect(try scene.told(.sosActive).count == 1, "and no more of it")
    }

    @Test("SOS-24: what a box could tell only when there was a sign again is told to nobody")
    func late() async throws {
        let scene = try await Scene(), warning = scene.warning(14)
        await scene.pass(30)
        try await scene.report(sign: scene.boottime - 60_000, warning: warning)
        await scene.pass(2)
        #expect(try scene.told(.sosInactive).isEmpty)
    }

    @Test("SOS-24: where nobody looks after the person the contacts are told, in their language, and of the sign; no ambulance is")
    func contacts() async throws {
        let scene = try await Scene(isCared: false)
        let numbers = try #require(try scene.town.sos.views.view(of: scene.person)).choice.contacts.compactMap(\.phone)
        try await scene.report(warning: scene.warning(14))
        await scene.pass(2)
        try await scene.town.until { numbers.allSatisfy { scene.town.outbox.texts(to: $0).count == 1 } }
        let text = try #require(scene.town.outbox.texts(to: numbers[0]).first)
        #expect(numbers.count == 2 && text.contains("no movement") && text.contains("14 hours") && text.contains("Ada Made-Up"), "\(text)")
        try await scene.report(sign: scene.boottime - 1000)
        await scene.pass(2)
        try await scene.town.until { numbers.allSatisfy { scene.town.outbox.texts(to: $0).count == 2 } }
        #expect(scene.town.outbox.texts(to: numbers[0]).last?.contains("a sign of Ada Made-Up again") == true)
        #expect(scene.town.sos.openCase(of: scene.person) == nil)
    }

    @Test("SOS-22, SOS-24: a text or mail outside of cases that does not leave says so of its way, and one that leaves that it works")
    func waysOfNotices() async throws {
        let scene = try await Scene(isCared: false), town = scene.town, ways = town.sos.ways, outbox = town.outbox
        let dora = SOSContact(name: "Dora", phone: "+39027D", email: "dora@example.org", language: "en")
        try await town.sos.choices.addContact(dora, of: scene.person, by: town.person.id)
        outbox.before.withLock { $0 = { to in if to.hasSuffix("D") || to.hasSuffix("C") { throw StorageFailure(description: "no") } } }
        try await scene.report(warning: scene.warning(14))
        await scene.pass(1)
        try await town.until { outbox.tried.withLock { Set($0).isSuperset(of: ["+39025B", "+39025C", "+39027D", "dora@example.org"]) } }
        try await town.until { ways.isFailing(.text, for: "+39025C") && ways.isFailing(.text, for: "+39027D") }
        try await town.until { ways.all.first { $0.way == .mail }?.health.state == .working }
        // What leaves again takes it back.
        outbox.before.withLock { $0 = nil }
        try await town.until {
            await scene.pass(1)
            return !ways.isFailing(.text, for: "+39025C")
        }
    }

    @Test(
        "SOS-24: for a person with a phone the hub asks, tells after ten minutes, and tells the sign; a box of 0.3.0 beside it asks nobody")
    func byHub() async throws {
        let scene = try await Scene(), phone = SOSLinkTests.Phone(scene.town)
        func pass(_ minutes: Int) async throws {
            for _ in 0..<minutes / 5 {
                try await scene.position(phone)
                try await scene.report(isAsking: false)
                await scene.pass(5)
            }
        }
        try await pass(115)
        #expect(try scene.question == nil)
        try await pass(10)
        #expect(try scene.question == .inactivity)
        try await scene.town.until { try scene.questions() == 1 }
        #expect(try scene.told(.sosInactive).isEmpty)
        try await pass(10)
        #expect(try scene.question == nil && scene.told(.sosInactive).map { $0.arguments["what"] } == ["movement"])
        for metres in [0.0, 300, 600] {
            try await scene.position(phone, metres)
            await scene.pass(1)
        }
        #expect(try scene.told(.sosActive).count == 1)
    }

    @Test(
        "SOS-24: an answer on a page, a page that was opened, and a walk end the hub's question, and nobody is told",
        arguments: ["answer", "page", "walk"])
    func ended(by sign: String) async throws {
        let scene = try await Scene(), phone = SOSLinkTests.Phone(scene.town)
        try await scene.position(phone)
        await scene.pass(125)
        #expect(try scene.question == .inactivity)
        switch sign {
        case "answer": #expect(try await scene.town.sos.presses.press(.ok, for: scene.person))
        case "page": scene.town.sos.inactivity.noteLife(of: scene.person)
        default:
            for metres in [0.0, 300, 600] {
                try await scene.position(phone, metres)
                await scene.pass(1)
            }
        }
        await scene.pass(20)
        #expect(try scene.question == nil && scene.told(.sosInactive).isEmpty)
        await scene.pass(95)
        #expect(try scene.question == nil, "two hours from the sign on")
        await scene.pass(10)
        #expect(try scene.question == .inactivity)
    }

    @Test("SOS-24: turned off while the hub asks, the question ends, and nobody is told")
    func turnedOff() async throws {
        let scene = try await Scene()
        await scene.pass(125)
        #expect(try scene.question == .inactivity)
        try await scene.town.sos.inactivity.setPlan(nil, of: scene.person, by: scene.town.person.id)
        await scene.pass(20)
        #expect(try scene.question == nil && scene.told(.sosInactive).isEmpty)
    }

    @Test("SOS-24: a box that asks by itself is left to it; once it is silent the hub asks, and says that the box is not heard since when")
    func silentBox() async throws {
        let scene = try await Scene()
        for _ in 0..<130 {
            try await scene.report()
            await scene.pass(1)
        }
        #expect(try scene.question == nil && scene.questions() == 0)
        let heard = scene.town.hub.clock.now - 60_000
        await scene.pass(3)
        #expect(try scene.question == .inactivity)
        await scene.pass(12)
        let told = try scene.told(.sosInactive).map(\.arguments)
        #expect(told.map { $0["what"] } == ["box"] && told.first?["since"] == "\(heard)")
    }

    @Test("SOS-24: signs that the hub and another box noticed go to a box, and never its own, which would not end")
    func toTheBox() async throws {
        let scene = try await Scene()
        #expect(try await scene.report(sign: scene.boottime).aliveAgo == nil)
        scene.town.sos.inactivity.noteLife(of: scene.person)
        await scene.pass(3)
        #expect(try await scene.report(sign: scene.boottime).aliveAgo == 180_000)
        #expect(try await scene.town.sos.presses.press(.ok, for: scene.person))
        await scene.pass(1)
        #expect(try await scene.report().aliveAgo == 60_000)
    }

    @Test("SOS-24: nobody is asked while AutomatedSOS is off or paused, or by a hub that began to listen a moment ago")
    func unasked() async throws {
        let scene = try await Scene()
        for _ in 0..<130 {
            try await scene.report(isAsking: false, unprotected: [.paused])
            await scene.pass(1)
        }
        #expect(try scene.question == nil)
        let off = try await Scene()
        try await off.town.sos.choices.turnOff(off.person, by: off.town.person.id)
        await off.pass(130)
        #expect(try off.question == nil && off.told(.sosInactive).isEmpty)
        let stopped = try await Scene()
        await stopped.pass(60)
        stopped.town.hub.clock.advance(7_200_000)
        stopped.town = try stopped.town.restarted()
        await stopped.pass(9)
        #expect(try stopped.question == nil, "phones and boxes have ten minutes to be heard")
        await stopped.pass(3)
        #expect(try stopped.question == .inactivity)
    }

    @Test("SOS-24: a plan that cannot work, or with nobody to tell, is refused; what was chosen reaches the box, and stands in the changes")
    func settings() async throws {
        let scene = try await Scene(isCared: false, plan: nil), sos = scene.town.sos, by = scene.town.person.id
        await #expect(throws: SOSSettingProblem.inactivity) {
            try await sos.inactivity.setPlan(InactivityPlan(by: 300, timeZone: "Etc/UTC"), of: scene.person, by: by)
        }
        await #expect(throws: SOSSettingProblem.inactivity) {
            try await sos.inactivity.setPlan(InactivityPlan(hours: 4, timeZone: "Atlantis"), of: scene.person, by: by)
        }
        let version = try await scene.report().settingsVersion, plan = InactivityPlan(by: 540, hours: 4, timeZone: "Europe/Rome")
        try await sos.inactivity.setPlan(plan, of: scene.person, by: by)
        #expect(try await scene.report().settingsVersion != version)
        let session = try scene.town.hub.authenticator.session(
            bearer: scene.town.box.token, now: scene.town.hub.clock.now, takesExpired: true)
        #expect(try sos.boxSettings.settings(for: session, capsBaselines: true).people.map(\.distress.inactivity) == [plan])
        #expect(try sos.store.changes(of: scene.person, count: 1).first?.what == ["inactivity: 9:00, 4 h"])
        try await sos.inactivity.setPlan(nil, of: scene.person, by: by)
        #expect(try sos.store.changes(of: scene.person, count: 1).first?.what == ["inactivity: off"])
        let alone = try await SOSTown(isRoom: true, isOn: false)
        await #expect(throws: SOSSettingProblem.nobodyToTell) {
            try await alone.sos.inactivity.setPlan(plan, of: alone.person.id.person, by: alone.person.id)
        }
    }

    @Test("SOS-24, SOS-18: the hub says of which warnings it can tell somebody: by caregivers and texts that work, and by no control room")
    func warned() async throws {
        let rates = ["heartRateLow", "heartRateHigh", "temperatureLow", "temperatureHigh"], all = rates + ["heartPause", "inactivity"]
        let cared = try await Scene()
        await cared.pass(1)
        #expect(try await cared.report().warned == all)
        // Contacts alone hear of no rate.
        let written = try await Scene(isCared: false)
        await written.pass(1)
        #expect(try await written.report().warned == ["heartPause", "inactivity"])
        // Their telephone is the box's to text.
        written.town = try written.town.restarted(rooms: [TestRoom(name: "room", outbox: written.town.outbox)]) { $0.text = nil }
        let early = try await written.report(warning: written.warning(2))
        #expect(early.warned == [], "at once, where there is a warning")
        await written.pass(1)
        let answer = try await written.report()
        #expect(answer.warned == [] && answer.reachesNobody == false, "the room hears of an alarm")
        // Mail that fails is no way to a relative, and contacts are not told in their place.
        for address in ["a@example.org", "b@example.org", "parent@example.org"] {
            for _ in 0..<4 { cared.town.sos.ways.attempted(.mail, to: address, .failure(StorageFailure(description: "no way"))) }
        }
        await cared.pass(1)
        #expect(try await cared.report().warned == ["heartPause"])
    }

    @Test("SOS-24, SOS-9: contacts whom the box alone can text hear of a pause from it, though relatives hear of it from the hub")
    func pauseLeftToBox() async throws {
        let scene = try await Scene()
        func isSaid(_ means: [String], _ scene: Scene) async throws -> Bool? {
            try await scene.report(means: means).warned?.contains("heartPause")
        }
        await scene.pass(1)
        #expect(try await isSaid(["text"], scene) == true, "the hub texts them")
        for _ in 0..<4 { scene.town.sos.ways.attempted(.text, to: "+39025C", .failure(StorageFailure(description: "no way"))) }
        await scene.pass(1)
        #expect(try await isSaid(["text"], scene) == false, "one of them hears nothing from the hub")
        let mailing = try await Scene()
        mailing.town = try mailing.town.restarted { $0.text = nil }
        await mailing.pass(1)
        #expect(try await isSaid(["text", "call"], mailing) == false)
        #expect(try await isSaid(["call"], mailing) == true, "a box that cannot text says who is told")
    }

    @Test("SOS-24, SOS-9: where nobody looks after the person, a contact whom the box alone can text hears of no sign of life from it")
    func inactivityLeftToBox() async throws {
        let scene = try await Scene(isCared: false)
        try await scene.town.sos.choices.addContact(
            SOSContact(name: "Dora", phone: nil, email: "dora@example.org", language: "en"), of: scene.person, by: scene.town.person.id)
        scene.town = try scene.town.restarted { $0.text = nil }
        await scene.pass(1)
        #expect(try await scene.report(means: ["call"]).warned == ["heartPause", "inactivity"], "one of them has a mail address")
        #expect(try await scene.report(means: ["text"]).warned == [])
    }

    @Test("SOS-24: whom neither the hub nor a box could write to is nobody to tell; with a box's modem a telephone is enough")
    func writable() async throws {
        let scene = try await Scene(isCared: false, plan: nil), by = scene.town.person.id
        scene.town = try scene.town.restarted { $0.text = nil }
        try await scene.report()
        await #expect(throws: SOSSettingProblem.nobodyToTell) {
            try await scene.town.sos.inactivity.setPlan(Self.plan, of: scene.person, by: by)
        }
        var report = scene.town.report(50)
        (report.sentAt, report.means) = (scene.boottime, ["text"])
        try await scene.town.send(report)
        try await scene.town.sos.inactivity.setPlan(Self.plan, of: scene.person, by: by)
        #expect(try scene.town.sos.store.choice(of: scene.person).inactivity == Self.plan)
    }

    @Test("SOS-24: where hub and box disagree behind a restored backup, it holds where one of them has it; the decision takes it over")
    func restored() {
        let box = SettingsOrigin(hub: nil, version: 3)
        var choice = SOSChoice()
        let copy = SOSCopy(
            origin: box, at: 0, distress: DistressSettings(isOn: true, inactivity: Self.plan), reminders: nil, contacts: [], phone: nil,
            address: nil)
        choice.take(copy)
        #expect(choice.inForce.inactivity == Self.plan)
        #expect(choice.decided(.copy(0), now: 0).inactivity == Self.plan && choice.decided(.all, now: 0).inactivity == Self.plan)
        #expect(choice.decided(.hub, now: 0).inactivity == nil)
    }
}
