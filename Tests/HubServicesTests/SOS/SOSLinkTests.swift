import Accounts
import Distress
import Foundation
import HubStore
import Segments
import SyncProtocol
import Synchronization
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// The links of the chain, each by itself (SOS-18).
@Suite(.timeLimit(.minutes(3)))
struct SOSLinkTests {
    /// What comes from somebody's phone, one segment after the other.
    final class Phone {
        let town: SOSTown
        private let stream = StreamID.random()
        private var sequence: UInt64 = 0

        init(_ town: SOSTown) { self.town = town }

        func send(_ samples: SampleSet) async throws {
            sequence += 1
            let segment = Segment(
                stream: stream, sequence: sequence, person: town.person.id.person, provenance: .live, clock: .wall, samples: samples)
            let session = try town.hub.authenticator.session(bearer: town.box.token, now: town.hub.clock.now, takesExpired: true)
            let body = try SegmentBatch.encode([segment.encoded()])
            _ = try await town.hub.ingest.commit(body.withUnsafeBytes { try town.hub.ingest.receive(session: session, body: $0) })
            _ = town.hub.bus.arrivedForSOS.take()
            await town.sos.detection.detect(in: [town.person.id.person])
        }

        func position() async throws {
            let sample = PositionSample(
                time: town.hub.clock.now, latitude: 454_000_000, longitude: 91_900_000, horizontalError: 100)
            try await send(SampleSet(positions: [sample]))
        }

        func heart(_ rate: UInt16) async throws {
            try await send(
                SampleSet(heartRates: [HeartRateSample(time: town.hub.clock.now, beatsPerMinute: rate, contact: .detected)]))
            await town.pass(1000)
        }
    }

    private func guardian(_ town: SOSTown) throws -> StoredAccount {
        let parent = try SOSTown.account(town.hub, .caregiver, "parent@example.org")
        try town.hub.accounts.consents.setGuardians([parent.id], of: town.person.id.person, adultFrom: .max / 2)
        return parent
    }

    private func told(_ town: SOSTown, _ account: StoredAccount? = nil, _ kind: NoticeKind = .sosUnprotected) throws -> Int {
        try town.hub.accounts.notices.notices(of: account ?? town.person).count { $0.kind == kind }
    }

    @Test(
        "SOS-18, SOS-4: a box that says that it does not watch is told within 60 s, once, also where a phone sends; the hub watches instead",
        arguments: [false, true])
    func detectorDown(isPhoneBeside: Bool) async throws {
        let town = try await SOSTown(), person = town.person.id.person, parent = try guardian(town), phone = Phone(town)
        for _ in 0..<6 where isPhoneBeside {
            try await phone.position()
            await town.pass(10_000)
        }
        try await town.send(town.report(1))
        await town.sos.chain.look()
        // It stands still; what looks at it from outside repeats its last word.
        await town.pass(25_000)
        for step: UInt64 in 0..<14 {
            try await town.send(town.report(2 + step, detectorDown: true))
            if isPhoneBeside { try await phone.position() }
            await town.sos.chain.look()
            if step == 0 { #expect(try told(town) == 0) }
            if step >= 2 { #expect(try told(town) == 1 && told(town, parent) == 1, "45 s after it stood still, and once") }
            await town.pass(10_000)
        }
        #expect(try town.sos.views.view(of: person)?.reasons == ["detectorDown"] && town.sos.openCase(of: person) == nil)

        for rate: UInt16 in [70, 71, 70, 72] { try await phone.heart(rate) }
        #expect(try town.sos.views.view(of: person)?.isProtected == true)
        for rate: UInt16 in [69, 60, 52, 45, 34] { try await phone.heart(rate) }
        for _ in 0..<262 where town.sos.openCase(of: person) == nil { try await phone.heart(33) }
        #expect(town.sos.openCase(of: person) != nil)
    }

    @Test("SOS-18: a box that falls silent is told as soon where a phone goes on sending; a day later its person is one with a phone alone")
    func silentBesidePhone() async throws {
        let town = try await SOSTown(), phone = Phone(town)
        func sending(_ count: Int) async throws {
            for _ in 0..<count {
                try await phone.position()
                await town.pass(60_000)
                await town.sos.chain.look()
            }
        }
        try await sending(6)
        try await town.send(town.report(1))
        await town.sos.chain.look()
        await town.pass(46_000)
        await town.sos.chain.look()
        #expect(try told(town) == 1)
        try await sending(5)
        town.hub.clock.advance(SOSTimings.awayAfter)
        try await sending(8)
        #expect(try told(town) == 1)
        await town.pass(600_000)
        await town.sos.chain.look()
        #expect(try told(town) == 2, "now the phone is silent")
    }

    @Test("SOS-18, SOS-1: the only relative is gone: that nobody could be called is told within 60 s, beside a strap that is not worn")
    func consentEnds() async throws {
        let town = try await SOSTown(isOn: false), person = town.person.id.person, parent = try guardian(town)
        try await town.sos.choices.turnOn(person, consented: true, strict: false, by: town.person.id)
        var revision: UInt64 = 0
        func look(_ count: Int, _ unprotected: [Absence] = []) async throws {
            for _ in 0..<count {
                revision += 1
                try await town.send(town.report(revision, unprotected: unprotected))
                await town.sos.chain.look()
                await town.pass(10_000)
            }
        }
        try await look(3)
        try await look(4, [.notWorn])
        #expect(try told(town) == 1 && told(town, parent) == 1)
        try town.hub.accounts.consents.setGuardians([], of: person, adultFrom: .max / 2)
        try await look(5, [.notWorn])
        #expect(try told(town) == 2 && town.sos.views.view(of: person)?.reasons == ["nobody", "notWorn"])
        // The box dies: worse than the strap.
        await town.pass(40_000)
        await town.sos.chain.look()
        #expect(try told(town) == 3)
        await town.pass(10_000)
        await town.sos.chain.look()
        #expect(try told(town) == 3, "once")
    }

    @Test("SOS-18: a box that stands still for a moment is not told, also while its strap is not worn; one that goes on standing still is")
    func stillForAMoment() async throws {
        let town = try await SOSTown()
        var revision: UInt64 = 0
        func look(_ count: Int, _ unprotected: [Absence] = [], isDown: Bool = false) async throws {
            for _ in 0..<count {
                revision += 1
                try await town.send(town.report(revision, unprotected: unprotected, detectorDown: isDown))
                await town.sos.chain.look()
                await town.pass(10_000)
            }
        }
        try await look(3)
        // Before the strap is told, and after.
        try await look(1, [.notWorn])
        try await look(1, isDown: true)
        #expect(try told(town) == 0)
        try await look(1)
        try await look(2, [.notWorn])
        try await look(1, isDown: true)
        #expect(try told(town) == 0)
        try await look(1, [.notWorn])
        #expect(try told(town) == 1, "it is not worn for 30 s by now")
        try await look(1, isDown: true)
        try await look(2, [.notWorn])
        #expect(try told(town) == 1)
        try await look(2, isDown: true)
        #expect(try told(town) == 2)
    }

    @Test("SOS-18: a position that the box lost is told at once, to person and caregivers, and they stay protected; none that never was")
    func position() async throws {
        let town = try await SOSTown(), person = town.person.id.person, parent = try guardian(town)
        var revision: UInt64 = 0
        func look(_ count: Int, _ weaknesses: [String]?, _ unprotected: [Absence] = [], isOff: Bool? = nil) async throws {
            for _ in 0..<count {
                revision += 1
                var report = town.report(revision, unprotected: unprotected)
                (report.weaknesses, report.isPositionOff) = (weaknesses, isOff)
                try await town.send(report)
                await town.sos.chain.look()
                await town.pass(10_000)
            }
        }
        func lost() throws -> [Int] { [try told(town, nil, .sosNoPosition), try told(town, parent, .sosNoPosition)] }
        // An older box, and one that never had any.
        try await look(2, nil)
        try await look(6, ["noPosition"])
        #expect(try lost() == [0, 0])
        try await look(2, [])
        try await look(1, ["noOwnMeans", "noPosition", "ofTomorrow"])
        #expect(try lost() == [1, 1], "the box has waited for 45 s already")
        let view = try #require(try town.sos.views.view(of: person))
        #expect(view.isProtected && view.weaknesses == ["noPosition", "noOwnMeans"])
        // It comes and goes.
        for _ in 0..<4 {
            try await look(5, [])
            try await look(2, ["noPosition"])
        }
        #expect(try lost() == [1, 1])
        try await look(62, [])
        try await look(3, ["noPosition"], isOff: true)
        try await look(3, nil, [.paused])
        #expect(try lost() == [1, 1] && town.sos.views.view(of: person)?.weaknesses.isEmpty == true)
        try await look(1, ["noPosition"])
        #expect(try lost() == [2, 2])
        #expect(try told(town) == 1 && town.sos.openCase(of: person) == nil && town.outbox.all.isEmpty, "of the pause")
    }

    @Test("SOS-18: a box that does not watch because its person wants that is no broken link, contradictory sensors are one")
    func onPurpose() async throws {
        let town = try await SOSTown()
        var revision: UInt64 = 1
        func look(_ unprotected: [Absence], isDown: Bool) async throws {
            for _ in 0..<4 {
                revision += 1
                try await town.send(town.report(revision, unprotected: unprotected, detectorDown: isDown))
                await town.sos.chain.look()
                await town.pass(10_000)
            }
        }
        try await look([], isDown: false)
        try await look([.switchedOff], isDown: true)
        #expect(try town.sos.views.view(of: town.person.id.person)?.reasons == ["switchedOff"])
        // Told once at once, as what lasts until the person ends it (SOS-21), and as no broken link.
        let link = town.sos.state.withLock { $0.entries[town.person.id.person]?.state.link }
        #expect(try told(town) == 1 && link?.told == nil)
        try await look([.contradictory], isDown: false)
        #expect(try told(town) == 2)
    }

    @Test("SOS-18: a box without a strap is said to be one, and not to be silent or off; another one that has a strap counts")
    func noStrap() async throws {
        let town = try await SOSTown(), person = town.person.id.person
        for (revision, absence) in [Absence.noSignal, .switchedOff].enumerated() {
            var report = town.report(UInt64(revision) + 1, unprotected: [absence], detectorDown: true)
            report.weaknesses = ["noOwnMeans", "noSensor"]
            try await town.send(report)
            let view = try #require(try town.sos.views.view(of: person))
            #expect(view.reasons == ["noSensor"] && !view.weaknesses.contains("noSensor"))
        }
        try await town.send(town.report(3, unprotected: [.noSignal], detectorDown: true))
        #expect(try town.sos.views.view(of: person)?.reasons == ["noSignal"])
    }
}
