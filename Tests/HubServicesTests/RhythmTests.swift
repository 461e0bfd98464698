import Accounts
import Distress
import HubStore
import Segments
import SyncProtocol
import Synchronization
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// Notices of an irregular heartbeat, over the real stores: to whom they go, how often, and that AutomatedSOS knows nothing of them.
@Suite(.timeLimit(.minutes(2)))
struct RhythmTests {
    /// What a strap sends, a minute at a time.
    private final class Strap {
        let town: SOSTown
        private let stream: StreamID
        private var heart: MadeHeartbeats
        private var sequence: UInt64 = 0

        init(_ town: SOSTown, stream: StreamID = .random(), seed: UInt64 = 1) {
            (self.town, self.stream, heart) = (town, stream, MadeHeartbeats(seed: seed, from: town.hub.clock.now))
        }

        /// - Parameter isDetected: the hub's own detector is told as well.
        func send(_ kind: MadeHeartbeats.Kind, mean: Double = 800, isDetected: Bool = false) async throws {
            let samples = SampleSet(heartRates: heart.samples(kind, seconds: 60, mean: mean))
            await town.pass(60_000)
            sequence += 1
            let segment = Segment(
                stream: stream, sequence: sequence, person: town.person.id.person, provenance: .live, clock: .wall, samples: samples)
            let session = try town.hub.authenticator.session(bearer: town.box.token, now: town.hub.clock.now, takesExpired: true)
            let body = try SegmentBatch.encode([segment.encoded()])
            _ = try await town.hub.ingest.commit(body.withUnsafeBytes { try town.hub.ingest.receive(session: session, body: $0) })
            if isDetected { await town.sos.detection.detect(in: [town.person.id.person]) }
        }
    }

    private func service(_ town: SOSTown) -> RhythmService { RhythmService(sos: town.sos, logger: SOSTown.quiet) }

    private func wants(_ town: SOSTown, _ tells: Bool = true) async throws {
        try await town.sos.choices.setTellsRhythm(tells, of: town.person.id.person, by: town.person.id)
    }

    private func told(_ town: SOSTown, _ account: StoredAccount? = nil) throws -> [StoredNotice] {
        try town.hub.accounts.notices.notices(of: account ?? town.person).filter { $0.kind == .irregularRhythm }
    }

    @Test("SOS-24: an irregular heartbeat is told to the person alone, whose box watches, also one of 0.3.0; nobody is called or asked")
    func told() async throws {
        let town = try await SOSTown(), person = town.person.id.person, strap = Strap(town), rhythm = service(town)
        let parent = try SOSTown.account(town.hub, .caregiver, "parent@example.org")
        try town.hub.accounts.consents.setGuardians([parent.id], of: person, adultFrom: .max / 2)
        try await wants(town)
        let begun = town.hub.clock.now
        for minute: UInt64 in 0..<20 {
            // The words of release 0.3.0.
            try await town.send(town.report(1 + minute))
            try await strap.send(.fibrillation)
            rhythm.look()
        }
        await town.look()
        let notice = try #require(try told(town).first)
        #expect(try told(town).count == 1)
        #expect(try told(town, parent).isEmpty && town.hub.accounts.notices.notices(of: parent).isEmpty, "not even who looks after them")
        let begin = try #require(notice.arguments["begin"].flatMap(Milliseconds.init)),
            end = try #require(notice.arguments["end"].flatMap(Milliseconds.init))
        #expect(begin >= begun && end - begin >= 600_000 && end <= town.hub.clock.now, "\(notice.arguments)")
        #expect(town.outbox.all.isEmpty && town.sos.openCase(of: person) == nil)
        let answer = try await town.send(town.report(30)), view = try #require(try town.sos.views.view(of: person))
        #expect(answer.rhythm?.ago == town.hub.clock.now - end)
        #expect(view.question == nil && view.isProtected && view.rhythm?.told?.to == end)
        // It is no message of an emergency: those have names that begin with "sos.", and leave first.
        #expect(NoticeKind.irregularRhythm.ways == [.mail, .push] && NoticeKind.irregularRhythm.roles == [.person])
        await town.pass(86_400_000)
        #expect(try await town.send(town.report(31)).rhythm == nil, "a day later")
    }

    @Test(
        "SOS-24: nothing is looked at before the person wants it, after they turn it off, or with AutomatedSOS off; each change is logged")
    func optIn() async throws {
        let town = try await SOSTown(), person = town.person.id.person, strap = Strap(town), rhythm = service(town)
        func minutes(_ count: Int) async throws {
            for _ in 0..<count { try await strap.send(.fibrillation) }
            rhythm.look()
            await town.look()
        }
        try await minutes(20)
        #expect(try told(town).isEmpty && town.sos.views.view(of: person)?.rhythm == nil)
        let session = try town.hub.authenticator.session(bearer: town.box.token, now: town.hub.clock.now, takesExpired: true)
        let before = try town.sos.boxSettings.settings(for: session, capsBaselines: true).people
        try await wants(town)
        #expect(try town.sos.store.changes(of: person).first?.what == ["rhythm: on"])
        #expect(try town.sos.boxSettings.settings(for: session, capsBaselines: true).people.map(\.distress) == before.map(\.distress))
        try await wants(town, false)
        try await minutes(20)
        #expect(try told(town).isEmpty && town.sos.views.view(of: person)?.rhythm == nil)
        #expect(try town.sos.store.changes(of: person).first?.what == ["rhythm: off"])
        try await wants(town)
        try await town.sos.choices.turnOff(person, by: town.person.id)
        try await minutes(20)
        #expect(try told(town).isEmpty)
    }

    @Test("SOS-24: once a day, over a restart of the hub; what was told and counted is known to the next one")
    func restart() async throws {
        var town = try await SOSTown()
        try await wants(town)
        let strap = Strap(town), rhythm = service(town)
        for _ in 0..<20 { try await strap.send(.fibrillation) }
        rhythm.look()
        await town.look()
        try await town.sent()
        let before = try #require(try town.sos.views.view(of: town.person.id.person)?.rhythm)
        #expect(try told(town).count == 1 && before.isIrregular && before.judged > 900_000)
        town = try town.restarted()
        #expect(try town.sos.views.view(of: town.person.id.person)?.rhythm == before)
        let next = Strap(town, seed: 2), again = service(town)
        for kind in [MadeHeartbeats.Kind.sinus(breathing: 0.02), .fibrillation] {
            for _ in 0..<25 {
                try await next.send(kind)
                again.look()
            }
        }
        await town.look()
        #expect(try told(town).count == 1)
        #expect(try town.sos.views.view(of: town.person.id.person)?.rhythm?.isIrregular == true, "it was found again, and not told")
    }

    @Test("SOS-24, SOS-4, SOS-5: what the detector decides, asks and raises is the same with the notices on and off")
    func sameDecisions() async throws {
        let stream = StreamID(high: 7, low: 7), towns = [try await SOSTown(), try await SOSTown()]
        try await wants(towns[1])
        let straps = towns.map { Strap($0, stream: stream) }, rhythms = towns.map(service)
        var alarms = 0
        func step(_ kind: MadeHeartbeats.Kind, _ mean: Double, minutes: Int) async throws {
            for _ in 0..<minutes {
                for place in towns.indices {
                    try await straps[place].send(kind, mean: mean, isDetected: true)
                    rhythms[place].look()
                    await towns[place].look()
                }
                let entries = towns.map { town in town.sos.state.withLock { $0.entries[town.person.id.person] } }
                #expect(entries[0]?.state.watch.detector == entries[1]?.state.watch.detector)
                #expect(entries[0]?.state.watch.incident.state.name == entries[1]?.state.watch.incident.state.name)
                #expect(entries[0]?.state.watch.nextDeadline == entries[1]?.state.watch.nextDeadline)
                let cases = towns.map { $0.sos.openCase(of: $0.person.id.person) }
                #expect(cases[0]?.alarm.raisedAt == cases[1]?.alarm.raisedAt && cases[0]?.cause == cases[1]?.cause)
                alarms += cases[0] == nil ? 0 : 1
            }
        }
        try await step(.fibrillation, 800, minutes: 15)
        #expect(try told(towns[1]).count == 1 && told(towns[0]).isEmpty, "it was told in one of them")
        #expect(alarms == 0)
        // Much too slow, in the midst of it: asked, and raised.
        try await step(.fibrillation, 1800, minutes: 4)
        #expect(alarms > 0)
        for town in towns { _ = try await town.sos.presses.press(.falseAlarm, for: town.person.id.person) }
        try await step(.sinus(breathing: 0.02), 800, minutes: 12)
        try await step(.fibrillation, 800, minutes: 12)
        #expect(towns[0].sos.openCase(of: towns[0].person.id.person) == nil)
    }
}
