import Accounts
import Alerts
import Distress
import Foundation
import HubStore
import Segments
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import HubServices

@Suite(.timeLimit(.minutes(3)))
struct SOSServiceTests {
    @Test("SOS-9, design: one incident whoever tells it, how often, in which order, and over restarts; an older report changes nothing")
    func once() async throws {
        var town = try await SOSTown(), random = SeededGenerator(seed: 7)
        let alarm = try town.helpAlarm()
        let first = try await town.send(town.report(5, alarm))
        #expect(first.isDurable && first.incident == alarm.id && first.outcome == nil && !first.addresseeReached)
        for _ in 0..<60 {
            let revision = UInt64.random(in: 1...20, using: &random)
            if Int.random(in: 0..<8, using: &random) == 0 { town = try town.restarted() }
            // The hub's own page sees the same episode.
            if Int.random(in: 0..<8, using: &random) == 0 { _ = try await town.sos.presses.press(.help, for: town.person.id.person) }
            try await town.send(town.report(revision, alarm))
            await town.pass(1000)
        }
        #expect(try town.sos.store.counts() == (1, 1))
        // A false alarm in a report that was overtaken is no false alarm.
        try await town.send(town.report(2, alarm, outcome: .falseAlarm))
        #expect(try town.sos.store.counts() == (1, 1))
        let over = try await town.send(town.report(50, alarm, outcome: .falseAlarm, unprotected: [.waitingForReactivation]))
        #expect(over.outcome == .falseAlarm)
        // A late copy opens nothing.
        town = try town.restarted()
        #expect(try await town.send(town.report(51, alarm, unprotected: [.waitingForReactivation])).outcome == .falseAlarm)
        #expect(try town.sos.store.counts() == (1, 0))
        #expect(try town.sos.store.incident(alarm.id)?.outcome == .falseAlarm)
    }

    @Test("SOS-20: contacts in order until one takes it; everybody who was told hears that, and when it is over")
    func contacts() async throws {
        let town = try await SOSTown(), alarm = try town.helpAlarm()
        try await town.send(town.report(1, alarm))
        try await town.until { town.outbox.texts(to: "+39025B").count == 1 }
        #expect(town.outbox.texts(to: "+39025C").isEmpty)
        let text = town.outbox.texts(to: "+39025B")[0]
        #expect(
            text.hasPrefix("SOS Ada Made-Up, 7") && text.contains("45.46420,9.19000 +-8 m") && text.contains("https://hub.example/sos/"),
            "\(text)")
        await town.pass(20_000)
        try await town.until { town.outbox.texts(to: "+39025C").count == 1 }

        let item = try #require(town.sos.openCase(of: town.person.id.person))
        let (_, carla) = try #require(town.sos.helpers.contact(link: item.links[1]))
        let (_, bruno) = try #require(town.sos.helpers.contact(link: item.links[0]))
        #expect(await town.sos.helpers.act(.take, carla, on: item.id))
        #expect(await !town.sos.helpers.act(.take, bruno, on: item.id))
        try await town.until { town.outbox.texts(to: "+39025B").contains { $0.contains("taken Carla") } }
        let answer = try await town.send(town.report(2, alarm))
        #expect(answer.addresseeReached && answer.ownerName == "Carla" && answer.owner == Owner("contact:1"))
        await town.pass(300_000)
        #expect(town.outbox.texts(to: "+39025C").filter { $0.contains("SOS Ada Made-Up, 7") }.count == 1, "nobody is called on")

        #expect(await town.sos.helpers.act(.release, carla, on: item.id))
        await town.pass(60_000)
        try await town.until {
            town.outbox.texts(to: "+39025B").contains { $0.contains("UPDATE") || $0.contains("update") || $0.contains("pdate") }
        }
        #expect(await town.sos.helpers.act(.take, bruno, on: item.id))
        #expect(await town.sos.helpers.act(.finish, bruno, on: item.id))
        #expect(try await town.send(town.report(3, alarm)).outcome == .finished(Owner("contact:0")))
        let count = town.outbox.texts(to: "+39025C").count
        try await town.until { town.outbox.texts(to: "+39025C").count >= count }
        #expect(try town.sos.store.counts() == (1, 0))
    }

    @Test("SOS-11: the three nearest are asked; of fifty who accept at once one gets it, the others are released, and it is one owner")
    func race() async throws {
        let town = try await SOSTown(), crews = try town.crews(5), alarm = try town.helpAlarm()
        try await town.send(town.report(1, alarm))
        let item = try #require(town.sos.openCase(of: town.person.id.person))
        #expect(item.offers.map(\.account) == crews.prefix(3).map(\.id))
        let answers = try await withThrowingTaskGroup(of: SOSCrews.Answer.self) { group in
            for index in 0..<50 { group.addTask { try await town.sos.crews.accept(alarm.id, by: crews[index % 3]) } }
            return try await group.reduce(into: [SOSCrews.Answer]()) { $0.append($1) }
        }
        let owner = try #require(town.sos.openCase(of: town.person.id.person)?.owner)
        let winners = crews.filter { Owner.crew($0.id) == owner }
        // The winner asks again and again, and has it.
        #expect(winners.count == 1 && Set(answers) == [.yours, .taken])
        #expect(answers.count { $0 == .yours } == (0..<50).count { crews[$0 % 3].id == winners[0].id })
        let offers = try #require(town.sos.openCase(of: town.person.id.person)).offers
        #expect(offers.count { $0.state == .accepted } == 1 && offers.count { $0.state == .released } == 2)
        #expect(try await town.sos.crews.accept(alarm.id, by: crews[4]) == .gone)
        #expect(try town.restarted().sos.openCase(of: town.person.id.person)?.owner == owner, "it is on the disk")
    }

    @Test("SOS-11: no answer in 15 s, or a rejection, goes to the next nearest; with fewer than three the control room is in at once")
    func next() async throws {
        let town = try await SOSTown(isRoom: true), crews = try town.crews(5), alarm = try town.helpAlarm(), person = town.person.id.person
        func asked() throws -> [AccountID] {
            try #require(town.sos.openCase(of: person)).offers.filter { $0.state == .open }.map(\.account)
        }
        try await town.send(town.report(1, alarm))
        #expect(town.outbox.texts(to: "room").isEmpty)
        await town.sos.crews.reject(alarm.id, by: crews[1].id)
        #expect(try Set(asked()) == Set([crews[0], crews[2], crews[3]].map(\.id)))
        await town.pass(14_000)
        #expect(try asked().count == 3)
        await town.pass(1000)
        #expect(try asked() == [crews[4].id])
        try await town.until { !town.outbox.texts(to: "room").isEmpty }
        let cap = town.outbox.texts(to: "room")[0]
        #expect(cap.contains("<status>Actual</status>") && cap.contains("<msgType>Alert</msgType>"))
        await town.pass(60_000)
        #expect(try Set(asked()).isSuperset(of: [crews[0].id]), "who did not answer is asked again when there is nobody else")
        #expect(try await town.sos.crews.accept(alarm.id, by: crews[0]) == .yours)
        #expect(try await town.send(town.report(2, alarm)).ownerName == "A0, ZA 0")
    }

    @Test("SOS-12, SOS-13, SOS-10: where the ambulance is, that it is there, and a false alarm that reaches it at once")
    func coming() async throws {
        let town = try await SOSTown(), crews = try town.crews(1), alarm = try town.helpAlarm(), person = town.person.id.person
        try await town.send(town.report(1, alarm))
        #expect(try await town.sos.crews.accept(alarm.id, by: crews[0]) == .yours)
        let answer = try await town.send(town.report(2, alarm))
        let coming = try #require(answer.coming)
        #expect(coming.latitude == Int32((SOSTown.milan.latitude + 0.01) * 1e7) && coming.age == 0)
        // 1.1 km, by road 1.6 km at 50 km/h.
        #expect((100_000...120_000).contains(coming.arrivalIn ?? 0), "\(coming)")
        #expect(await town.sos.crews.setStatus(.there, of: alarm.id, by: crews[0].id))
        #expect(try await town.send(town.report(3, alarm)).coming?.arrivalIn == 0)
        let page = town.sos.pages.watch(crews[0].id.person)
        _ = try await town.sos.presses.press(.falseAlarm, for: person)
        var wakes = page.wakes.makeAsyncIterator()
        #expect(await wakes.next() != nil && page.take() == .changed)
        #expect(try await town.send(town.report(4, alarm)).outcome == .falseAlarm)
        #expect(await town.sos.crews.setStatus(.done, of: alarm.id, by: crews[0].id) == false)
        let answered = try await town.send(town.report(5, alarm, outcome: .falseAlarm, unprotected: [.waitingForReactivation]))
        #expect(answered.pressed.map(\.button) == [.falseAlarm] && answered.pressed[0].number > 0)
    }

    @Test("SOS-7: a hub that is killed between alarm and offer, or between offer and message, goes on")
    func resumes() async throws {
        var town = try await SOSTown()
        let crews = try town.crews(3), alarm = try town.helpAlarm(), person = town.person.id.person
        // As it stands on the disk when the process died behind the first commit: no plan, no offer, nobody told.
        var watch = DistressWatch(person: person, provenance: .live, side: .hub, settings: DistressSettings(), at: town.hub.clock.now)
        _ = watch.handle(.reported(alarm), at: town.hub.clock.now)
        var state = SOSWatchState(watch: watch)
        state.journal = 0
        try town.sos.store.save([.init(person: person, state: state, incident: SOSCase(alarm, isTest: false, opened: town.hub.clock.now))])
        town = try town.restarted()
        await town.pass(15_000)
        try await town.until { town.outbox.texts(to: "+39025B").count == 1 }
        #expect(town.sos.openCase(of: person)?.offers.map(\.account) == crews.map(\.id))
        // The second contact's turn comes in another process.
        town = try town.restarted()
        await town.pass(20_000)
        try await town.until { town.outbox.texts(to: "+39025C").count == 1 }
        #expect(try town.sos.store.counts() == (1, 1))
    }

    @Test("SOS-19, design rule 11: a drill and a recording call nobody, by any path; a test on request says that it is one, with proofs")
    func tests() async throws {
        let town = try await SOSTown(isRoom: true), crews = try town.crews(3), person = town.person.id.person
        let replayed = try town.helpAlarm(sequence: 1, provenance: .replay), live = try town.helpAlarm(sequence: 2)
        for report in [
            town.report(1, replayed), town.report(2, replayed, provenance: .replay), town.report(3, live, isDrill: true),
            town.report(4, live, provenance: .drill), town.report(5, live, provenance: .import),
        ] {
            let answer = try await town.send(report)
            #expect(!answer.addresseeReached && (answer.outcome == .test || report.revision == 1))
            await town.pass(60_000)
        }
        #expect(town.outbox.all.isEmpty && town.sos.openCase(of: person) == nil && town.sos.crews.cases(of: crews[0].id).isEmpty)
        #expect(try town.sos.store.counts().open == 0)

        try await town.sos.drills.run(for: person)
        try await town.until { town.outbox.all.count == 3 }
        #expect(town.outbox.texts(to: "room")[0].contains("<status>Test</status>"))
        #expect(town.outbox.texts(to: "+39025B").allSatisfy { $0.contains("TEST") || $0.contains("Test") || $0.contains("DRILL") })
        try await town.until {
            try town.sos.store.cases(of: person).first?.calls.allSatisfy { $0.proof != nil && $0.state == .sent } == true
        }
        #expect(town.sos.crews.cases(of: crews[0].id).isEmpty)
    }

    @Test("SOS-4, SOS-5, EDGE-11: the hub watches where no box does: asks at the first reading, raises after the third and 5 s, once")
    func detects() async throws {
        let town = try await SOSTown(), person = town.person.id.person, start = town.hub.clock.now
        var sequence: UInt64 = 0
        func heart(_ rate: UInt16, provenance: Provenance = .live, stream: StreamID? = nil) async throws {
            sequence += 1
            let sample = HeartRateSample(time: town.hub.clock.now, beatsPerMinute: rate, contact: .detected)
            let segment = Segment(
                stream: stream ?? town.stream, sequence: sequence, person: person, provenance: provenance, clock: .wall,
                samples: SampleSet(heartRates: [sample]))
            let session = try town.hub.authenticator.session(bearer: town.box.token, now: start)
            let body = try SegmentBatch.encode([segment.encoded()])
            _ = try await town.hub.ingest.commit(body.withUnsafeBytes { try town.hub.ingest.receive(session: session, body: $0) })
            #expect(town.hub.bus.arrivedForSOS.take() == [person])
            await town.sos.detection.detect(in: [person])
            await town.pass(1000)
        }
        for rate: UInt16 in [70, 71, 70, 72] { try await heart(rate) }
        #expect(try town.sos.views.view(of: person)?.question == nil)
        // What is no live stream is looked at by nobody.
        for _ in 0..<8 { try await heart(30, provenance: .replay, stream: StreamID.random()) }
        #expect(try town.sos.views.view(of: person)?.question == nil && town.sos.openCase(of: person) == nil)
        for rate: UInt16 in [69, 60, 52, 45] { try await heart(rate) }
        try await heart(34)
        #expect(try town.sos.views.view(of: person)?.question != nil)
        for _ in 0..<12 where town.sos.openCase(of: person) == nil { try await heart(33) }
        for _ in 0..<250 where town.sos.openCase(of: person) == nil { try await heart(33) }
        let item = try #require(town.sos.openCase(of: person))
        #expect(item.cause == .heartRateLow(limit: item.alarm.abnormalities[0].limit))
        try await town.until { town.outbox.texts(to: "+39025B").count == 1 }
        #expect(try town.sos.store.counts() == (1, 1))
        // A box that comes back and watches knows it under the same name or another: one case.
        let answer = try await town.send(town.report(1, try town.helpAlarm(sequence: 900)))
        #expect(answer.incident == item.id)
        #expect(try town.sos.store.counts() == (1, 1))
        #expect(try town.sos.store.incident(try town.helpAlarm(sequence: 900).id)?.id == item.id)
        #expect(town.hub.bus.concernsSOS(person, SampleSet()), "while the case is open its position is looked for")
        try await town.send(town.report(2, try town.helpAlarm(sequence: 900), outcome: .falseAlarm))
        #expect(!town.hub.bus.concernsSOS(person, SampleSet()), "the box watches again")
    }

    @Test("SOS-1, SOS-2: not without consent to calls nor where nobody could be told; limits within safe bounds, logged")
    func settings() async throws {
        let town = try await SOSTown(isOn: false), person = town.person.id.person, by = town.person.id
        await #expect(throws: SOSSettingProblem.noConsent) {
            try await town.sos.choices.turnOn(person, consented: false, strict: false, by: by)
        }
        await #expect(throws: SOSSettingProblem.nobodyToCall) {
            try await town.sos.choices.turnOn(person, consented: true, strict: false, by: by)
        }
        await #expect(throws: SOSSettingProblem.strictNotChosen) {
            try await town.sos.choices.turnOn(person, consented: true, strict: nil, by: by)
        }
        #expect(try town.sos.store.consent(of: person) == nil)
        let contact = SOSContact(name: "Bruno", phone: nil, email: "bruno@example.org", language: "it")
        try await town.sos.choices.addContact(contact, of: person, by: by)
        try await town.sos.choices.turnOn(person, consented: true, strict: false, by: by)
        await #expect(throws: SOSSettingProblem.nobodyToCall) { try await town.sos.choices.removeContact(0, of: person, by: by) }
        await #expect(throws: SOSSettingProblem.self) {
            try await town.sos.choices.setLimits(LimitOverrides(criticalLow: 20), asksFirst: true, of: person, by: by)
        }
        try await town.sos.choices.setLimits(LimitOverrides(criticalLow: 38), asksFirst: false, of: person, by: by)
        #expect(try town.sos.store.changes(of: person).first?.what == ["low: - → 38", "question: off"])
        let session = try town.hub.authenticator.session(bearer: town.box.token, now: town.hub.clock.now)
        let settings = try town.sos.boxSettings.settings(for: session, capsBaselines: true)
        #expect(settings.people.map(\.distress.overrides.criticalLow) == [38] && settings.people[0].distress.isOn)
        #expect(settings.version & 0xFF_FFFF == 3 && settings.people[0].name == "Ada Made-Up" && settings.people[0].birthYear == 1950)
        #expect(try await town.send(town.report(1)).settingsVersion == settings.version)
        try await town.sos.choices.turnOff(person, by: by)
        #expect(
            try town.sos.store.consent(of: person) == nil
                && town.sos.boxSettings.settings(for: session, capsBaselines: true).people[0].distress.isOn == false)
        // Asking for help is consent for that call.
        _ = try await town.sos.presses.press(.help, for: person)
        try await town.until {
            await town.pass(1000)
            return !town.outbox.texts(to: "bruno@example.org").isEmpty
        }
        #expect(town.sos.openCase(of: person)?.ground == .help)
    }

    @Test("SOS-4: who wants the letter chooses it when turning it on or later; it reaches box and hub, and is logged with who did it")
    func strict() async throws {
        let town = try await SOSTown(isOn: false), person = town.person.id.person, by = town.person.id
        let caregiver = try SOSTown.account(town.hub, .person, "cara@example.org").id
        try await town.sos.choices.addContact(
            SOSContact(name: "Bruno", phone: nil, email: "bruno@example.org", language: "it"), of: person, by: by)
        func sent() throws -> Bool? {
            let session = try town.hub.authenticator.session(bearer: town.box.token, now: town.hub.clock.now)
            return try town.sos.boxSettings.settings(for: session, capsBaselines: true).people[0].distress.strict
        }
        #expect(try sent() == nil)
        try await town.sos.choices.turnOn(person, consented: true, strict: true, by: by)
        #expect(try sent() == true && town.sos.store.changes(of: person).first?.what == ["on", "strict: on"])
        #expect(try town.sos.views.view(of: person)?.choice.strict == true)
        try await town.sos.choices.setLimits(LimitOverrides(), asksFirst: true, strict: false, of: person, by: caregiver)
        let change = try #require(try town.sos.store.changes(of: person).first)
        #expect(try sent() == false && change.what == ["strict: off"] && change.by == caregiver)
        // Saving something else leaves it as it is.
        try await town.sos.choices.setLimits(LimitOverrides(), asksFirst: false, of: person, by: by)
        #expect(try sent() == false && town.sos.store.changes(of: person).first?.what == ["question: off"])
    }

    @Test("SOS-2: limits wider than a baseline gives are set only by somebody who was shown what it means")
    func wider() async throws {
        let town = try await SOSTown(), person = town.person.id.person, by = town.person.id
        for overrides in [LimitOverrides(criticalLow: 34), LimitOverrides(criticalHigh: 147)] {
            await #expect(throws: SOSSettingProblem.widerNotConfirmed) {
                try await town.sos.choices.setLimits(overrides, asksFirst: true, of: person, by: by)
            }
        }
        try await town.sos.choices.setLimits(LimitOverrides(criticalLow: 35, criticalHigh: 146), asksFirst: true, of: person, by: by)
        let wide = LimitOverrides(criticalLow: 34, criticalHigh: 147)
        try await town.sos.choices.setLimits(wide, asksFirst: true, isWiderConfirmed: true, of: person, by: by)
        // A box of 0.3.0 gets the cap of a baseline as an override, where nobody has set one.
        let session = try town.hub.authenticator.session(bearer: town.box.token, now: town.hub.clock.now)
        try await town.sos.choices.setLimits(LimitOverrides(criticalHigh: 140), asksFirst: true, of: person, by: by)
        try town.sos.store.change(person, by: nil, now: 1) { choice in
            choice.personal = PersonalLimits(version: 1, computedAt: 0, restingMedian: 44, restingDeviation: 20, days: 14)
            return []
        }
        let town2 = try town.restarted()
        let (old, new) = try (
            town2.sos.boxSettings.settings(for: session, capsBaselines: false),
            town2.sos.boxSettings.settings(for: session, capsBaselines: true)
        )
        #expect(old.people[0].distress.overrides == LimitOverrides(criticalLow: 35, criticalHigh: 140) && old.detector == nil)
        #expect(new.people[0].distress.overrides == LimitOverrides(criticalHigh: 140) && new.detector == 2)
        try await town.sos.choices.setLimits(wide, asksFirst: true, isWiderConfirmed: true, of: person, by: by)
        // Once is enough, as long as they stay.
        try await town.sos.choices.setLimits(wide, asksFirst: false, of: person, by: by)
        #expect(try town.sos.views.view(of: person)?.choice.overrides == wide)
    }

    @Test("SOS-18: what is not watched is said, with its reason; a silent box is noticed within 55 s by the hub's own clock, and told once")
    func protection() async throws {
        let town = try await SOSTown(), person = town.person.id.person
        func reasons() throws -> [String] { try #require(try town.sos.views.view(of: person)).reasons }
        #expect(try reasons() == ["noSignal"])
        try await town.send(town.report(1, unprotected: [.notWorn]))
        #expect(try reasons() == ["notWorn"])
        try await town.send(town.report(2))
        #expect(try reasons().isEmpty)
        await town.pass(40_000)
        await town.sos.chain.look()
        #expect(try reasons().isEmpty)
        await town.pass(6000)
        for _ in 0..<3 { await town.sos.chain.look() }
        #expect(try reasons() == ["silent"])
        let notices = try town.hub.accounts.notices.notices(of: town.person).filter { $0.kind == .sosUnprotected }
        #expect(notices.count == 1)
        try await town.send(town.report(3))
        #expect(try reasons().isEmpty)
    }

    @Test("PERF: the three nearest of 10,000 crews are found in well under a second")
    func nearest() throws {
        let index = CrewIndex(), start = ContinuousClock.now
        let crews = (0..<10_000).map { number in
            OnDutyCrew(
                ambulance: Int64(number), label: AmbulanceLabel(name: "A", plate: "B"), hospital: .random(), account: .random(), since: 0,
                place: CrewPosition(time: 0, latitude: 40 + Double(number) / 1000, longitude: 9, accuracy: nil))
        }
        index.set(crews, now: 0)
        for _ in 0..<10 {
            let found = index.nearest(latitude: 45, longitude: 9, count: 3, now: 0, but: { $0 == crews[5000].account })
            #expect(Set(found.map(\.crew.ambulance)) == [4999, 5001, 4998] || Set(found.map(\.crew.ambulance)) == [4999, 5001, 5002])
        }
        #expect(ContinuousClock.now - start < .seconds(5))
    }
}
