import Distress
import Foundation
import HubServices
import HubStore
import Synchronization
import Testing
import Vitals

@testable import HubWeb

/// AutomatedSOS at a whole hub under load, only where it is asked for, as ``LoadTests``. The time to the offer is judged, and whether the load
/// was sent. `TRACKME_LOAD` is the percent of people, alarms and crews.
@Suite(.serialized, .enabled(if: ProcessInfo.processInfo.environment["TRACKME_LOAD"] != nil))
struct SOSLoadTests {
    /// Who sees it: the hub itself, in the readings of devices without a detector; or boxes, that report it.
    enum Source: String, CaseIterable, Sendable { case detected, reported }

    @Test(
        "SOS-5, SOS-11: 1,000 alarms at once, 5,000 people sending, 10,000 crews: from the third reading to the offer on the crew's page",
        arguments: Source.allCases)
    func storm(_ source: Source) async throws {
        try await SOSLoadTown.run { town in
            let alarms = SOSLoadTown.alarms, sos = town.town.web.hub.sos
            let pages = (0..<alarms).flatMap { alarm in
                (0..<SOSLoadTown.crewsEach).map { index in Task { try await town.open(alarm, index) } }
            }
            while town.seen.open.withLock({ $0 < pages.count }) { try await Task.sleep(for: .milliseconds(100)) }
            Told.line("\(pages.count) pages of crews are open")
            let others = SOSLoadTown.others
            let senders = Task { await others.run { other, round in try await town.sendReadings(of: other, round: round) } }
            defer { senders.cancel() }
            // Each of them has sent twice: streams are known, and connections open.
            try await Task.sleep(for: .seconds(2 * SOSLoadTown.readings))
            others.restart()
            try await Task.sleep(for: .seconds(SOSLoadTown.readings))
            let before = others.counts
            // Connections are open, and the first two readings are there.
            try await Self.together(alarms) { person in
                switch source {
                case .detected: try await town.send(person, rates: [(1000, 30), (0, 30)], sequence: 1)
                case .reported: try await town.report(person, isAlarm: false, revision: 1)
                }
            }
            try await Task.sleep(for: .seconds(5))
            others.restart()
            let loaded = ContinuousClock.now
            let started = Mutex<[ContinuousClock.Instant?]>(Array(repeating: nil, count: alarms)), answers = Mutex(Times())
            let start = ContinuousClock.now
            async let answered = Self.together(alarms) { person in
                started.withLock { $0[person] = .now }
                switch source {
                case .detected: try await town.send(person, rates: [(0, 30)], sequence: 2)
                case .reported: try await town.report(person, isAlarm: true, revision: 2)
                }
                let took = started.withLock { $0[person] }.map { $0.duration(to: .now).milliseconds }
                answers.withLock { $0.all.append(took ?? .infinity) }
            }
            while town.seen.eventTimes.contains(nil), start.duration(to: .now) < .seconds(60) {
                try await Task.sleep(for: .milliseconds(50))
            }
            let meanwhile = others.counts
            try await answered
            Told.line("\(source): alarms answered: \(answers.withLock(\.self).description)")
            Told.figure("sos_\(source)_answer_p99_ms", answers.withLock { $0.quantile(0.99) })
            while town.seen.pageTimes.contains(nil), start.duration(to: .now) < .seconds(60) {
                try await Task.sleep(for: .milliseconds(50))
            }
            try await Task.sleep(for: .seconds(5))
            let after = others.counts, took = loaded.duration(to: .now).milliseconds / 1000, sent = started.withLock { $0 }
            tell(source, town, sent)
            tellOthers(source, before, meanwhile, after, took)
            try check(town, sos)
            try await awaitContacts(town, sos, since: start)
            tellContacts(source, town, sos)
            senders.cancel()
            for page in pages { page.cancel() }
            await senders.value
            for page in pages { _ = await page.result }
        }
    }

    private func tell(_ source: Source, _ town: SOSLoadTown, _ sent: [ContinuousClock.Instant?]) {
        func times(_ arrived: [ContinuousClock.Instant?]) -> Times {
            Times(
                all: arrived.enumerated().compactMap { place, at in
                    guard let at, let start = sent[place / SOSLoadTown.crewsEach] else { return nil }
                    return start.duration(to: at).milliseconds
                })
        }
        let events = times(town.seen.eventTimes), pages = times(town.seen.pageTimes)
        Told.line("\(source): third reading sent to the offer at a crew's page: \(events.description)")
        Told.line("\(source): third reading sent to the whole page with the case: \(pages.description)")
        Told.figure("sos_\(source)_offer_p99_ms", events.quantile(0.99))
        Told.figure("sos_\(source)_offer_max_ms", events.quantile(1))
        Told.figure("sos_\(source)_page_p99_ms", pages.quantile(0.99))
        Told.figure("sos_\(source)_page_max_ms", pages.quantile(1))
        Told.figure("sos_\(source)_offers_missing", Double(town.seen.eventTimes.count - events.all.count))
        #expect(events.quantile(0.99) < 2000 && events.quantile(1) < 5000, "\(source): \(events.description)")
        #expect(events.all.count == town.seen.eventTimes.count)
    }

    /// Whether the load was there: times under a smaller one say nothing about it. It must be until the last offer has come; what follows, with
    /// thousands of pages and mails at once, takes longer for everybody, and loses nothing.
    private func tellOthers(
        _ source: Source, _ before: OpenLoop.Counts, _ meanwhile: OpenLoop.Counts, _ after: OpenLoop.Counts, _ took: Double
    ) {
        for (name, counts) in [("before the alarms", before), ("until the last offer", meanwhile), ("until the last page", after)] {
            Told.line("\(source): \(name), requests of the others from when they were due: \(counts.answers.description)")
            let missed = "left out \(counts.leftOut), sent late \(counts.late), failed \(counts.failed)"
            Told.line("\(source): \(name), of \(counts.due) due, \(missed)")
            #expect(counts.failed == 0)
        }
        let readings = Double(SOSLoadTown.readings)
        Told.figure("sos_\(source)_readings_per_s", Double(after.answers.all.count) * readings / took)
        Told.figure("sos_\(source)_readings_before_not_in_time", Double(before.notInTime) * readings)
        Told.figure("sos_\(source)_readings_not_in_time", Double(meanwhile.notInTime) * readings)
        Told.figure("sos_\(source)_readings_after_not_in_time", Double(after.notInTime - meanwhile.notInTime) * readings)
        #expect(before.notInTime * 100 <= before.due, "\(source): \(before.notInTime) of \(before.due) requests were not sent in time")
        #expect(meanwhile.notInTime * 100 <= meanwhile.due, "\(source): \(meanwhile.notInTime) of \(meanwhile.due) were not sent in time")
    }

    /// One case each, offered to the three nearest and nobody else.
    private func check(_ town: SOSLoadTown, _ sos: SOSService) throws {
        #expect(try sos.store.counts().all == SOSLoadTown.alarms)
        for alarm in 0..<SOSLoadTown.alarms {
            let item = try #require(sos.openCase(of: town.town.people[alarm].id.person))
            #expect(item.offers.prefix(SOSLoadTown.crewsEach).map(\.account) == town.near[alarm].map(\.account.id))
        }
    }

    /// How long until a contact's mail and text had been taken by whoever takes them.
    private func tellContacts(_ source: Source, _ town: SOSLoadTown, _ sos: SOSService) {
        let cases = (0..<SOSLoadTown.alarms).compactMap { sos.openCase(of: town.town.people[$0].id.person) }
        for channel in [SOSCall.Channel.mail, .text] {
            var times = Times()
            for item in cases {
                if let sent = item.calls.first(where: { $0.channel == channel })?.sentAt { times.all.append(Double(sent - item.opened)) }
            }
            let missing = SOSLoadTown.alarms - times.all.count
            Told.line("\(source): case opened to the contact's \(channel.rawValue) taken: \(times.description), \(missing) missing")
            Told.figure("sos_\(source)_contact_\(channel.rawValue)_p50_ms", times.quantile(0.5))
            Told.figure("sos_\(source)_contact_\(channel.rawValue)_p99_ms", times.quantile(0.99))
            Told.figure("sos_\(source)_contact_\(channel.rawValue)s_missing", Double(missing))
        }
    }

    /// Waits until every contact has both, for a minute at most.
    private func awaitContacts(_ town: SOSLoadTown, _ sos: SOSService, since start: ContinuousClock.Instant) async throws {
        func isTold(_ number: Int) -> Bool {
            let calls = sos.openCase(of: town.town.people[number].id.person)?.calls ?? []
            return [SOSCall.Channel.mail, .text].allSatisfy { channel in calls.first { $0.channel == channel }?.sentAt != nil }
        }
        for number in 0..<SOSLoadTown.alarms {
            while !isTold(number), start.duration(to: .now) < .seconds(60) { try await Task.sleep(for: .milliseconds(200)) }
        }
    }

    static func together(_ count: Int, _ body: @escaping @Sendable (Int) async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count { group.addTask { try await body(number) } }
            try await group.waitForAll()
        }
    }
}
