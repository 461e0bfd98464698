import Alerts
import Distress
import Foundation
import HubStore
import Mail
import Synchronization
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// How messages leave the hub when ways hang, fail, or have too much to carry.
@Suite(.timeLimit(.minutes(3)))
struct SOSSendingTests {
    /// Holds whoever comes, until it opens.
    private final class Gate: Sendable {
        private struct State {
            var isOpen = false
            var held: [String] = [], waiting: [CheckedContinuation<Void, Never>] = []
        }
        private let state = Mutex(State())
        var held: [String] { state.withLock { $0.held } }

        func pass(_ name: String) async {
            await withCheckedContinuation { continuation in
                let isOpen = state.withLock { state in
                    state.held.append(name)
                    if !state.isOpen { state.waiting.append(continuation) }
                    return state.isOpen
                }
                if isOpen { continuation.resume() }
            }
        }

        func open() {
            let waiting = state.withLock { state in
                defer { (state.isOpen, state.waiting) = (true, []) }
                return state.waiting
            }
            for one in waiting { one.resume() }
        }
    }

    /// An open case with one message to each of these, due now.
    private func item(
        _ town: SOSTown, _ number: Int, _ calls: [(SOSCall.Recipient, SOSCall.Channel)], _ message: SOSCall.Message = .alert,
        isTest: Bool = false
    ) throws -> SOSCase {
        var alarm = try town.helpAlarm()
        alarm.id = IncidentID(high: 7, low: UInt64(number))
        var item = SOSCase(alarm, isTest: isTest, opened: town.hub.clock.now)
        for (recipient, channel) in calls { item.calls.add(recipient, channel, message, due: town.hub.clock.now) }
        return item
    }

    private func contact(_ name: String) -> SOSCall.Recipient {
        .contact(0, SOSContact(name: "C", phone: name.hasPrefix("+") ? name : nil, email: name.hasPrefix("+") ? nil : name, language: "en"))
    }

    private func add(_ cases: [SOSCase], _ town: SOSTown) {
        town.sos.state.withLock { state in for item in cases { state.cases[item.id] = item } }
    }

    @Test("SOS-20, SOS-22: mails that all hang delay no room and no text, and go on when they hang no more")
    func hangingMail() async throws {
        let start = try await SOSTown(), gate = Gate()
        let town = try start.restarted(rooms: [TestRoom(name: "room", outbox: start.outbox)])
        town.outbox.before.withLock { $0 = { to in if to.contains("@") { await gate.pass(to) } } }
        let width = town.sos.outlets.mailPool.width
        let cases = try (0..<3 * width).map { number in
            let calls = [
                (contact("c\(number)@example.org"), SOSCall.Channel.mail), (contact("+39\(number)"), .text), (.room("room"), .room),
            ]
            return try item(town, number, calls)
        }
        add(cases, town)
        town.sos.sending.sendDue()
        try await town.until { town.outbox.texts(to: "room").count == 3 * width && town.outbox.all.count == 6 * width }
        try await town.until { gate.held.count == width }
        #expect(town.sos.state.withLock { $0.queue.waiting(by: .mail) } == 2 * width)
        gate.open()
        try await town.until { town.outbox.all.count == 9 * width }
        try await town.sent()
        #expect(Set(town.outbox.tried.withLock { $0 }).count == 6 * width && town.outbox.tried.withLock { $0.count } == 6 * width)
    }

    @Test("SOS-5: of what waits for a full way alarms leave first, then the news of real cases, then tests")
    func urgency() async throws {
        let start = try await SOSTown(), gate = Gate()
        let town = try start.restarted { $0.mailPool.width = 1 }
        town.outbox.before.withLock { $0 = { to in if to.hasPrefix("first") { await gate.pass(to) } } }
        add([try item(town, 1, [(contact("first@example.org"), .mail)])], town)
        town.sos.sending.sendDue()
        try await town.until { gate.held.count == 1 }
        add(
            [
                try item(town, 2, [(contact("test@example.org"), .mail)], isTest: true),
                try item(town, 3, [(contact("news@example.org"), .mail)], .over),
                try item(town, 4, [(contact("alarm@example.org"), .mail)]),
            ], town)
        town.sos.sending.sendDue()
        gate.open()
        try await town.until { town.outbox.all.count == 4 }
        #expect(town.outbox.all.map { $0.to.prefix { $0 != "@" } } == ["first", "alarm", "news", "test"])
    }

    @Test(
        "SOS-5, SOS-7: a mail and a text each of 1,000 alarms at once, with news of real cases and tests among them: each leaves once, and what is more urgent first"
    )
    func thousand() async throws {
        let start = try await SOSTown(), gate = Gate(), width = 8
        let town = try start.restarted { outlets in (outlets.mailPool.width, outlets.textPool.width) = (width, width) }
        town.outbox.before.withLock { $0 = { to in if to.hasPrefix("first") || to.hasPrefix("+390") { await gate.pass(to) } } }
        func both(_ kind: String, _ digit: Int, _ number: Int) -> [(SOSCall.Recipient, SOSCall.Channel)] {
            [(contact("\(kind)\(number)@example.org"), .mail), (contact("+39\(digit)\(number)"), .text)]
        }
        // Every place of both ways is taken.
        add(try (0..<width).map { try item(town, $0, both("first", 0, $0)) }, town)
        town.sos.sending.sendDue()
        try await town.until { gate.held.count == 2 * width }
        var random = SeededGenerator(seed: 7)
        let cases =
            try (0..<1000).map { try item(town, 1000 + $0, both("alarm", 1, $0)) }
            + (0..<200).map { try item(town, 3000 + $0, both("news", 2, $0), .over) }
            + (0..<200).map { try item(town, 4000 + $0, both("test", 3, $0), isTest: true) }
        add(cases.shuffled(using: &random), town)
        town.sos.sending.sendDue()
        gate.open()
        try await town.until { town.outbox.all.count == 2 * (width + cases.count) }
        let tried = town.outbox.tried.withLock(\.self)
        #expect(tried.count == 2 * (width + cases.count) && Set(tried).count == tried.count, "each once")
        for names in [["first", "alarm", "news", "test"], ["+390", "+391", "+392", "+393"]] {
            let ranks = tried.compactMap { to in names.firstIndex(where: to.hasPrefix) }
            #expect(ranks.count == width + cases.count)
            var after = names.indices.map { rank in ranks.count { $0 == rank } }
            let early = ranks.count { rank in
                after[rank] -= 1
                // Those that leave together come in any order.
                return after[..<rank].contains { $0 >= width }
            }
            #expect(early == 0, "\(names)")
        }
    }

    @Test("SOS-5: pages of which very many are woken at once ask for themselves only when messages had as long, and each in its turn")
    func pages() {
        let bus = SOSBus(), person = PersonID(high: 1, low: 1)
        #expect(bus.spread == 0 && bus.turnMax == 0, "one page waits for nothing")
        let streams = (0..<3000).map { _ in bus.watch(person) }
        bus.changed(person)
        #expect(bus.spread > 0 && bus.turnMax == 2 * bus.spread)
        withExtendedLifetime(streams) {}
    }

    @Test(
        "SOS-5: signs of life that wait for a page on a slow line take the place of no change, and a change is one however often it comes")
    func slowPage() async {
        let bus = SOSBus(), person = PersonID(high: 1, low: 1), page = bus.watch(person)
        bus.changed(person)
        for _ in 0..<3 { page.sender.tell(.beat) }
        bus.changed(person)
        var wakes = page.wakes.makeAsyncIterator()
        #expect(await wakes.next() != nil && page.take() == [.changed, .beat] && page.take() == [])
        bus.close()
        #expect(await wakes.next() == nil)
    }

    @Test("SOS-7: a message that takes long is sent once, whatever the clock does meanwhile: its lease outlives it")
    func lease() async throws {
        let town = try await SOSTown(), gate = Gate()
        town.outbox.before.withLock { $0 = { to in await gate.pass(to) } }
        add([try item(town, 1, [(contact("+391"), .text)])], town)
        town.sos.sending.sendDue()
        try await town.until { gate.held.count == 1 }
        let call = town.sos.state.withLock { $0.cases[IncidentID(high: 7, low: 1)]?.calls.first }
        let limit = try #require(town.sos.outlets.textPool.limit)
        #expect(try #require(call).lease >= town.hub.clock.now + limit, "longer than the longest try")
        // Also a machine that stood still for an hour.
        for step: Milliseconds in [1000, 46_000, 3_600_000] { await town.pass(step) }
        gate.open()
        try await town.sent()
        await town.pass(60_000)
        try await town.sent()
        #expect(gate.held == ["+391"] && town.outbox.texts(to: "+391").count == 1)
    }

    @Test("SOS-7: every lease is longer than the longest try of its way")
    func leases() async throws {
        let town = try await SOSTown().restarted(isRoom: true)
        for lane in [SendLane.mail, .text, .room("room")] {
            #expect(town.sos.sending.lease(by: lane) > (town.sos.outlets.pool(of: lane).limit ?? .max))
        }
        for carrier: any MailCarrier in [Sendmail(), SMTPSubmission(try #require(SMTPServer("smtp://localhost:25", isPlain: true)))] {
            #expect(try #require(carrier.alarmPool.limit) > carrier.limit(.alarm) && carrier.alarmPool.width < carrier.alarmsAtOnce)
            for urgency in MailUrgency.allCases { #expect(carrier.lease(urgency) > carrier.limit(urgency)) }
        }
    }

    @Test("SOS-22: what hangs beyond every time-out is given up and tried again, and its place is free")
    func overdue() async throws {
        let start = try await SOSTown(), gate = Gate()
        let town = try start.restarted { $0.mailPool = SendPool(width: 1, limit: 300) }
        town.outbox.before.withLock { $0 = { to in if to.hasPrefix("hanging") { await gate.pass(to) } } }
        add([try item(town, 1, [(contact("hanging@example.org"), .mail), (contact("other@example.org"), .mail)])], town)
        town.sos.sending.sendDue()
        try await town.until { town.outbox.texts(to: "other@example.org").count == 1 }
        try await town.sent()
        let call = try #require(town.sos.state.withLock { $0.cases[IncidentID(high: 7, low: 1)]?.calls.first })
        #expect(call.state == .waiting && call.tries == 1 && call.proof?.hasPrefix("No answer in") == true)
        gate.open()
    }

    @Test("SOS-19: a refusal for good is told at once, with its reason; what a server may have taken is sent three times at most")
    func problems() async throws {
        let town = try await SOSTown()
        town.outbox.before.withLock {
            $0 = { to in
                switch to {
                case "gone@example.org": throw MailProblem.rejected(server: "s", code: 550, said: "unknown")
                case "later@example.org": throw MailProblem.deferred(server: "s", code: 450, said: "later")
                default: throw MailProblem.unanswered(server: "s", why: "silence")
                }
            }
        }
        let names = ["gone@example.org", "later@example.org", "silent@example.org"]
        add([try item(town, 1, names.map { (contact($0), .mail) })], town)
        town.sos.sending.sendDue()
        for _ in 0..<8 {
            try await town.sent()
            await town.pass(DispatchLimits.retryMax)
        }
        try await town.sent()
        let calls = town.sos.state.withLock { $0.cases[IncidentID(high: 7, low: 1)]?.calls ?? [] }
        #expect(calls.map(\.state) == [.failed, .waiting, .failed])
        #expect(calls.first?.tries == 1 && calls.first?.proof?.contains("550: unknown") == true)
        #expect(calls.last?.tries == DispatchLimits.unansweredMax && (calls.dropFirst().first?.tries ?? 0) >= 8)
    }
}
