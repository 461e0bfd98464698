import Accounts
import Alerts
import Database
import Distress
import Exchange
import Foundation
import HubStore
import Logging
import Privacy
import Seams
import SyncProtocol
import Synchronization
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// Falls and seizures that phones and other systems report to the hub.
@Suite(.timeLimit(.minutes(3)))
struct SOSFlagTests {
    private struct Sender {
        let town: SOSTown
        let ingest: DeviceIngest
        let reports: FlagReports
        let device: StoredDevice

        init(_ town: SOSTown, _ kind: StoredDevice.Kind = .osmAnd) throws {
            self.town = town
            let clock = town.hub.clock
            ingest = DeviceIngest(
                store: town.hub.accounts.devices, series: town.hub.series.devices, ingest: town.hub.ingest, logger: SOSTown.quiet,
                now: { clock.now })
            reports = FlagReports(devices: ingest, sos: town.sos)
            device = try Devices(devices: town.hub.accounts.devices).add("phone", kind, of: town.person.id.person, now: clock.now).device
        }

        /// As a phone sends it by OsmAnd's protocol; nobody looks at it yet.
        @discardableResult
        func send(_ alarm: String, ago: Milliseconds = 0) async throws -> SenderReading {
            let time = town.hub.clock.now
            let fields = [("id", "phone"), ("timestamp", "\((time - ago) / 1000)"), ("lat", "45.4642"), ("lon", "9.19"), ("alarm", alarm)]
            let reading = try OsmAnd.read(parameters: fields, now: time)
            try await ingest.receive(reading, from: device)
            return reading
        }

        @discardableResult
        func phone(_ alarm: String, ago: Milliseconds = 0) async throws -> FlagOutcome? {
            let reading = try await send(alarm, ago: ago)
            await town.sos.detection.detect(in: Array(town.hub.bus.arrivedForSOS.take()))
            return try await reports.outcome(of: reading, from: device)?.outcome
        }
    }

    private func questions(_ town: SOSTown) async throws -> Int {
        // They are told behind the decision.
        await town.sos.notices.run {}
        return try town.hub.accounts.notices.notices(of: town.person).count { $0.kind == .sosQuestion }
    }

    private func untold(_ town: SOSTown) throws -> Int {
        try town.hub.accounts.notices.notices(of: town.person).count { $0.kind == .sosUnheard }
    }

    @Test("SOS-2, SOS-24: of a fall that cannot be read yet nobody hears that the person has answered; a moment later the person is asked")
    func unread() async throws {
        let town = try await SOSTown(), phone = try Sender(town), reading = try await phone.send("fallDown")
        let reports = phone.reports, device = phone.device
        let journal = try DatabasePool(path: town.hub.directory.url.appendingPathComponent("journal.sqlite").path)
        try journal.write { try $0.execute(sql: "ALTER TABLE journal RENAME TO away") }
        await #expect(throws: StorageFailure.self) { try await reports.outcome(of: reading, from: device) }
        try journal.write { try $0.execute(sql: "ALTER TABLE away RENAME TO journal") }
        let outcome = try await reports.outcome(of: reading, from: device)?.outcome
        #expect(outcome == .asked(until: town.hub.clock.now + 30_000))
    }

    @Test(
        "SOS-2, SOS-24: a fall that a phone reports asks \"are you OK?\" for 30 s, and then calls, with the position; its retry is no second case"
    )
    func fall() async throws {
        let town = try await SOSTown(), person = town.person.id.person, phone = try Sender(town)
        let began = town.hub.clock.now
        #expect(try await phone.phone("fallDown") == .asked(until: began + 30_000))
        try await town.until { try await questions(town) == 1 }
        #expect(try town.sos.views.view(of: person)?.question?.trigger == .fall)
        // The program had no answer, and sends it again.
        #expect(try await phone.phone("fallDown", ago: 0) == .asked(until: began + 30_000))
        await town.pass(29_000)
        #expect(town.sos.openCase(of: person) == nil && town.outbox.all.isEmpty)
        await town.pass(1000)
        let item = try #require(town.sos.openCase(of: person))
        #expect(item.cause == .fall && item.alarm.position != nil)
        try await town.until { town.outbox.texts(to: "+39025B").count >= 1 }
        #expect(try await phone.phone("fallDown", ago: 30_000) == .open)
        #expect(try town.sos.store.counts() == (1, 1))
        _ = try await town.sos.presses.press(.falseAlarm, for: person)
        #expect(try await phone.phone("fallDown", ago: 30_000) == .answered, "the same fall once more")
        await town.pass(60_000)
        #expect(town.sos.openCase(of: person) == nil)
    }

    @Test("SOS-2: \"I'm OK\" on a page ends a fall's question, and the next fall asks anew")
    func answered() async throws {
        let town = try await SOSTown(), person = town.person.id.person, phone = try Sender(town)
        try await phone.phone("fallDown")
        await town.pass(5000)
        #expect(try await town.sos.presses.press(.ok, for: person))
        #expect(try await phone.phone("fallDown", ago: 5000) == .answered)
        await town.pass(60_000)
        #expect(town.sos.openCase(of: person) == nil && town.outbox.all.isEmpty)
        #expect(try await phone.phone("fallDown") == .asked(until: town.hub.clock.now + 30_000))
    }

    @Test("SOS-24: a phone's fall counts beside a box that watches, which shows the case; \"sos\" beside it asks nobody and calls at once")
    func besideABox() async throws {
        let town = try await SOSTown(), person = town.person.id.person, phone = try Sender(town)
        try await town.send(town.report(1))
        #expect(try await phone.phone("fallDown", ago: 3_600_000) == .asked(until: town.hub.clock.now + 30_000), "heard late, asked now")
        // The box has nothing of its own, and says so: that answers nothing.
        try await town.send(town.report(2))
        await town.pass(30_000)
        let item = try #require(town.sos.openCase(of: person))
        let answer = try await town.send(town.report(3))
        #expect(answer.incident == item.id && answer.open?.abnormalities.map(\.trigger) == [.fall])
        let other = try await SOSTown()
        _ = try await Sender(other).phone("sos,fallDown")
        #expect(other.sos.openCase(of: other.person.id.person)?.cause == .help)
    }

    @Test(
        "SOS-4, SOS-24: the person's box hears of a phone's fall and asks as well; its answer ends the hub's question, another one's does not"
    )
    func askedAtTheBox() async throws {
        let town = try await SOSTown(), person = town.person.id.person, phone = try Sender(town)
        #expect(try await town.send(town.report(1)).flagged == nil)
        try await phone.phone("fallDown")
        let answer = try await town.send(town.report(2)), flagged = try #require(answer.flagged?.first)
        let question = try #require(try town.sos.views.view(of: person)?.question)
        #expect(flagged.flag == "fall" && IncidentID(person: person, first: flagged.key) == question.id, "one name of one question")
        var report = town.report(3)
        report.question = question
        try await town.send(report)
        report = town.report(4)
        report.answered = IncidentID(high: 1, low: 1)
        #expect(try await town.send(report).flagged == [flagged], "an answer to something else")
        #expect(try await questions(town) == 1, "the telephone is told once")
        report = town.report(5)
        report.answered = question.id
        #expect(try await town.send(report).flagged == nil)
        #expect(try town.sos.views.view(of: person)?.question == nil)
        await town.pass(60_000)
        #expect(town.sos.openCase(of: person) == nil)
    }

    @Test(
        "SOS-24: where AutomatedSOS is off, waits, or a fall is 6 h old, reporter and person hear that nobody is asked; the person once an hour"
    )
    func unheard() async throws {
        let town = try await SOSTown(isOn: false), person = town.person.id.person, phone = try Sender(town)
        #expect(try await phone.phone("fallDown") == .unheard(.switchedOff))
        await town.pass(1000)
        #expect(try untold(town) == 1)
        await town.pass(60_000)
        #expect(try await phone.phone("fallDown") == .unheard(.switchedOff))
        await town.pass(60_000)
        let asked = try await questions(town)
        #expect(try untold(town) == 1 && town.sos.openCase(of: person) == nil && asked == 0)
        let kept = try town.hub.series.reader.read(.maintenance(of: person), from: 0, to: .max / 2, now: town.hub.clock.now)
        #expect(kept?.events.count { $0.code == .fall } == 2, "kept as what was reported")

        let late = try await SOSTown(), old = try Sender(late)
        #expect(try await old.phone("fallDown", ago: 6 * 3_600_000 + 60_000) == .late)
        await late.pass(1000)
        #expect(try untold(late) == 1)
        #expect(try await questions(late) == 0)

        let waiting = try await SOSTown(), waits = try Sender(waiting)
        try await waits.phone("fallDown")
        await waiting.pass(31_000)
        let id = try #require(waiting.sos.openCase(of: waiting.person.id.person)?.id)
        _ = waiting.sos.state.withLock { state in
            let time = waiting.hub.clock.now
            return waiting.sos.handle(
                [(.taken(by: Owner("x"), of: id), time), (.finished(by: Owner("x"), of: id), time)], of: waiting.person.id.person, &state)
        }
        await waiting.pass(1000)
        #expect(try await waits.phone("fallDown") == .unheard(.waitingForReactivation))
        #expect(waiting.sos.openCase(of: waiting.person.id.person) == nil)
    }

    @Test("SOS-16: a phone's call for help counts for somebody who never had AutomatedSOS on, and of whom the hub has nothing in memory")
    func helpOfAStranger() async throws {
        let town = try await SOSTown(isOn: false), person = town.person.id.person, phone = try Sender(town)
        // Behind more than is read at once.
        for second in 1..<250 { try await phone.send("lowBattery", ago: Milliseconds(second) * 1000) }
        #expect(town.sos.state.withLock { $0.entries[person] == nil })
        try await phone.phone("sos")
        #expect(town.sos.openCase(of: person)?.isHelp == true)
    }

    @Test("SOS-2, design rule 7: a hub that is started anew within a fall's question calls all the same when nobody answers")
    func restart() async throws {
        let town = try await SOSTown(), phone = try Sender(town)
        try await phone.phone("fallDown")
        try await town.sent()
        let again = try town.restarted()
        await again.pass(45_000)
        try await again.until {
            await again.pass(1000)
            return again.sos.openCase(of: again.person.id.person)?.cause == .fall
        }
    }

    @Test("SOS-2: a detector that reports again and again is slowed down, by device; a call for help never is")
    func rate() async throws {
        let town = try await SOSTown(), detector = try Sender(town, .detector), phone = try Sender(town)
        let now = town.hub.clock.now
        for second in 0..<6 {
            let outcome = try await detector.reports.report(.seizure, noticedAt: now - Milliseconds(second) * 1000, by: detector.device)
            #expect(outcome == .asked(until: now + 30_000))
        }
        await #expect(throws: DeviceIngest.Refusal.self) {
            _ = try await detector.reports.report(.seizure, noticedAt: now - 9000, by: detector.device)
        }
        #expect(try await phone.phone("fallDown") == .asked(until: now + 30_000))
        for second in 1..<30 { try await phone.phone("sos", ago: Milliseconds(second) * 1000) }
        #expect(town.sos.openCase(of: town.person.id.person)?.isHelp == true)
    }
}
