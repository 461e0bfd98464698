import Accounts
import Alerts
import Distress
import Exchange
import Foundation
import HubStore
import Logging
import Segments
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// Phones and senders without an agent.
@Suite(.timeLimit(.minutes(3)))
struct SOSSenderTests {
    private struct Phone {
        let town: SOSTown
        let ingest: DeviceIngest
        let device: StoredDevice

        init(_ town: SOSTown) throws {
            self.town = town
            var logger = Logger(label: "test")
            logger.logLevel = .critical
            let clock = town.hub.clock
            ingest = DeviceIngest(
                store: town.hub.accounts.devices, series: town.hub.series.devices, ingest: town.hub.ingest, logger: logger,
                now: { clock.now })
            device = try Devices(devices: town.hub.accounts.devices).add("phone", .osmAnd, of: town.person.id.person, now: clock.now).device
        }

        func send(_ fields: [(String, String)] = [], ago: Milliseconds = 0) async throws {
            let time = town.hub.clock.now, stamp = ("timestamp", "\((time - ago) / 1000)")
            let all = [("id", "phone"), stamp, ("lat", "45.\(time / 1000 % 1000)"), ("lon", "9.2")] + fields
            try await ingest.receive(OsmAnd.read(parameters: all, now: time), from: device)
            await town.sos.detection.detect(in: Array(town.hub.bus.arrivedForSOS.take()))
        }
    }

    private func lost(_ town: SOSTown) throws -> Int {
        try town.hub.accounts.notices.notices(of: town.person).count { $0.kind == .sosUnprotected }
    }

    @Test("SOS-18: a phone's own rhythm says when it is lost: told within 60 s of that, once, to person and caregivers, and never an alarm")
    func rhythm() async throws {
        var town = try await SOSTown()
        let parent = try SOSTown.account(town.hub, .caregiver, "parent@example.org")
        try town.hub.accounts.consents.setGuardians([parent.id], of: town.person.id.person, adultFrom: .max / 2)
        var phone = try Phone(town)
        for _ in 0..<10 {
            try await phone.send()
            await town.pass(10_000)
            await town.sos.chain.look()
        }
        #expect(try lost(town) == 0)
        for _ in 0..<3 {
            await town.pass(10_000)
            await town.sos.chain.look()
        }
        await town.pass(5000)
        await town.sos.chain.look()
        #expect(try lost(town) == 1, "45 s after its last word")
        #expect(try town.hub.accounts.notices.notices(of: parent).count { $0.kind == .sosUnprotected } == 1)
        // Not again with each look, nor with a restart.
        town = try town.restarted()
        for _ in 0..<20 {
            await town.pass(10_000)
            await town.sos.chain.look()
        }
        #expect(try lost(town) == 1 && town.sos.openCase(of: town.person.id.person) == nil && town.outbox.all.isEmpty)
        // It comes back, holds, and is lost again.
        phone = try Phone(town)
        for _ in 0..<30 {
            try await phone.send()
            await town.pass(10_000)
            await town.sos.chain.look()
        }
        await town.pass(60_000)
        await town.sos.chain.look()
        #expect(try lost(town) == 2)
    }

    @Test("SOS-18: who sends seldom is lost after twice the longest of the last pauses; without a rhythm nothing is said")
    func seldom() async throws {
        var rhythm = SOSRhythm(at: 0)
        for minute in 1...3 { rhythm.heard(at: Milliseconds(minute) * 600_000) }
        #expect(rhythm.patience == nil)
        rhythm.heard(at: 3_000_000)
        #expect(rhythm.patience == Milliseconds(2_400_000))
        // An outage is not learned, a burst of what was kept is none.
        rhythm.heard(at: 3_000_000 + 4 * 3_600_000)
        for step in 0..<50 { rhythm.heard(at: 3_000_000 + 4 * 3_600_000 + Milliseconds(step)) }
        #expect(rhythm.patience == Milliseconds(2_400_000))
        var fast = SOSRhythm(at: 0)
        for second in 1...20 { fast.heard(at: Milliseconds(second) * 1000) }
        #expect(fast.patience == SOSRhythm.silenceMin)
    }

    @Test("SOS-16: a phone's call for help counts beside a box that watches, also when it comes late; history does not, and nothing twice")
    func help() async throws {
        let town = try await SOSTown(), person = town.person.id.person, phone = try Phone(town)
        try await town.send(town.report(1))
        try await phone.send([("alarm", "sos")], ago: 8 * 3_600_000)
        #expect(town.sos.openCase(of: person) == nil, "that is history")
        try await phone.send([("alarm", "sos")], ago: 30 * 60_000)
        let item = try #require(town.sos.openCase(of: person))
        #expect(item.cause == .help && item.alarm.position != nil)
        try await phone.send([("alarm", "sos")], ago: 0)
        #expect(try town.sos.store.counts() == (1, 1))
        try await town.until { town.outbox.texts(to: "+39025B").count >= 1 }
        // The box hears of it, and of its end.
        #expect(try await town.send(town.report(2)).incident == item.id)
    }
}
