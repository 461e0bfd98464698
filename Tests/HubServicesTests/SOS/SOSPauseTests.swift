import Accounts
import Distress
import HubStore
import Privacy
import SyncProtocol
import Synchronization
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// A hub that stands still, and one whose clock is set: nobody is told that protection was interrupted when it was not, and no crew loses its case.
@Suite("SOS-18, SOS-20: clocks and pauses of the hub", .timeLimit(.minutes(3)))
struct SOSPauseTests {
    private static let hour: Milliseconds = 3_600_000

    private func told(_ town: SOSTown, _ kind: NoticeKind = .sosUnprotected) throws -> Int {
        try town.hub.accounts.notices.notices(of: town.person).count { $0.kind == kind }
    }

    /// The hub looks as it does each second, and each ten seconds.
    private func look(_ town: SOSTown) async {
        town.sos.lookAtPauses()
        await town.look()
        await town.sos.chain.look()
        await town.sos.owners.releaseGone()
    }

    private func pass(_ town: SOSTown, seconds: Int) async {
        for _ in 0..<seconds {
            town.hub.clock.advance(1000)
            town.ticks?.advance(1000)
            await look(town)
        }
    }

    @Test(
        "a box that goes on watching is not told as silent behind a pause; one that stays silent is, within 60 s",
        arguments: [60_000, hour])
    func box(missed: Milliseconds) async throws {
        let town = try await SOSTown()
        for revision: UInt64 in 1...3 {
            try await town.send(town.report(revision))
            await pass(town, seconds: 30)
        }
        town.hub.clock.advance(missed)
        await look(town)
        await pass(town, seconds: 29)
        try await town.send(town.report(4))
        await pass(town, seconds: 30)
        #expect(try told(town) == 0)
        await pass(town, seconds: 35)
        #expect(try told(town) == 1)
    }

    @Test(
        "behind a start or a pause of the hub pages say what was known, until a report is due; a box that was silent before is silent",
        arguments: [true, false])
    func shown(isStart: Bool) async throws {
        var town = try await SOSTown()
        func reasons() throws -> [String]? { try town.sos.views.view(of: town.person.id.person)?.reasons }
        func interrupt() async throws {
            try await town.sent()
            town.hub.clock.advance(Self.hour)
            if isStart { town = try town.restarted() } else { town.sos.lookAtPauses() }
        }
        try await town.send(town.report(1))
        await pass(town, seconds: 10)
        try await interrupt()
        #expect(try reasons() == [])
        await pass(town, seconds: 30)
        #expect(try reasons() == [])
        await pass(town, seconds: 20)
        #expect(try reasons() == ["silent"] && told(town) == 1)
        try await interrupt()
        #expect(try reasons() == ["silent"])
    }

    @Test("a phone whose heart rate the hub watches is not told as silent behind a pause", arguments: [60_000, hour])
    func phone(missed: Milliseconds) async throws {
        let town = try await SOSTown(), phone = SOSLinkTests.Phone(town)
        func send(_ count: Int) async throws {
            for index in 0..<count {
                // Never the same for long: that would be a frozen sensor.
                try await phone.heart(UInt16(70 + index % 3))
                await pass(town, seconds: 3)
            }
        }
        try await send(8)
        town.hub.clock.advance(missed)
        await look(town)
        await pass(town, seconds: 9)
        try await send(20)
        #expect(try told(town) == 0)
        await pass(town, seconds: 60)
        #expect(try told(town) > 0, "now it is silent, and the hub's own pause is none of its rhythm")
    }

    @Test(
        "a crew on its way keeps its case over a pause, and loses it when nothing is heard of it for 5 minutes", arguments: [60_000, hour])
    func crew(missed: Milliseconds) async throws {
        let town = try await SOSTown(), crew = try #require(town.crews(1).first), alarm = try town.helpAlarm()
        try await town.send(town.report(1, alarm))
        await pass(town, seconds: 1)
        _ = try await town.sos.crews.accept(alarm.id, by: crew)
        town.hub.clock.advance(missed)
        await look(town)
        await pass(town, seconds: 200)
        #expect(town.sos.openCase(of: town.person.id.person)?.owner == .crew(crew.id))
        await pass(town, seconds: 110)
        #expect(town.sos.openCase(of: town.person.id.person)?.owner == nil)
    }

    @Test("whoever is asked whether somebody is there has the time that was left behind a pause, and all of it behind a restart")
    func asked() async throws {
        var town = try await SOSTown()
        let person = town.person.id.person
        try await town.send(town.report(1, try town.helpAlarm()))
        let item = try #require(town.sos.openCase(of: person)), owner = Owner.contact(0)
        #expect(await town.sos.helpers.act(.take, .contact(0, name: "Bruno"), on: item.id))
        func passAsking(seconds: Int) async {
            for _ in 0..<seconds {
                await pass(town, seconds: 1)
                await town.sos.owners.askDue()
            }
        }
        await passAsking(seconds: 605)
        #expect(town.sos.openCase(of: person)?.answerOwnerBy != nil)
        town.hub.clock.advance(Self.hour)
        await look(town)
        await town.sos.owners.askDue()
        await passAsking(seconds: 100)
        #expect(town.sos.openCase(of: person)?.owner == owner)
        try await town.sent()
        town.hub.clock.advance(600_000)
        town = try town.restarted()
        await passAsking(seconds: 170)
        #expect(town.sos.openCase(of: person)?.owner == owner)
        await passAsking(seconds: 20)
        #expect(town.sos.openCase(of: person)?.owner == nil)
    }

    @Test("an offer and the order of contacts keep the time that was left", arguments: [60_000, hour])
    func offers(missed: Milliseconds) async throws {
        let town = try await SOSTown()
        _ = try town.crews(4)
        try await town.send(town.report(1, try town.helpAlarm()))
        await pass(town, seconds: 5)
        func item() throws -> SOSCase { try #require(town.sos.openCase(of: town.person.id.person)) }
        let before = try item(), second = try #require(before.contacts?.last?.phone)
        #expect(before.offers.open == 3)
        town.hub.clock.advance(missed)
        await look(town)
        await pass(town, seconds: 5)
        #expect(try item().offers.filter { $0.state == .open }.map(\.account) == before.offers.map(\.account))
        #expect(town.outbox.texts(to: second).isEmpty, "the first contact still has 10 s")
        await pass(town, seconds: 6)
        #expect(try item().offers.count { $0.state == .expired } == 3)
    }

    @Test(
        "a question of the hub's own that was open during a pause is raised only where no answer came behind it", arguments: [true, false])
    func question(isAnswered: Bool) async throws {
        let town = try await SOSTown(), person = town.person.id.person, phone = SOSLinkTests.Phone(town)
        for rate: UInt16 in [70, 60, 50, 45, 36] { try await phone.heart(rate) }
        #expect(try town.sos.views.view(of: person)?.question != nil)
        town.hub.clock.advance(60_000)
        await look(town)
        #expect(town.sos.openCase(of: person) == nil)
        await pass(town, seconds: 5)
        if isAnswered { _ = try await town.sos.presses.press(.ok, for: person) }
        await pass(town, seconds: 40)
        #expect((town.sos.openCase(of: person) == nil) == isAnswered)
    }

    @Test(
        "a reading that comes first behind a pause raises nothing that the person answered meanwhile; without an answer the alarm comes 10 s later",
        arguments: [true, false], [true, false])
    func readingFirst(isAnswered: Bool, isNoticed: Bool) async throws {
        let town = try await SOSTown(), person = town.person.id.person, phone = SOSLinkTests.Phone(town)
        for rate: UInt16 in [70, 60, 50, 45, 36, 35, 34] { try await phone.heart(rate) }
        try #require(try town.sos.views.view(of: person)?.question != nil)
        // As its run does: what waited in the network may come before the hub's next look.
        town.sos.state.withLock { $0.listening.isLooking = true }
        town.sos.lookAtPauses()
        town.hub.clock.advance(60_000)
        if isNoticed { town.sos.lookAtPauses() }
        // Each takes a second.
        for rate: UInt16 in [33, 34, 33, 34, 33, 34, 33, 34] { try await phone.heart(rate) }
        #expect(town.sos.openCase(of: person) == nil, "8 s behind the pause")
        if isAnswered { _ = try await town.sos.presses.press(.ok, for: person) }
        await pass(town, seconds: 3)
        #expect((town.sos.openCase(of: person) == nil) == isAnswered)
        await pass(town, seconds: 30)
        #expect((town.sos.openCase(of: person) == nil) == isAnswered)
    }

    @Test("help that is asked for right behind a pause is called at once")
    func helpFirst() async throws {
        let town = try await SOSTown(), person = town.person.id.person, phone = SOSLinkTests.Phone(town)
        for rate: UInt16 in [70, 60, 50, 45, 36, 35, 34] { try await phone.heart(rate) }
        town.hub.clock.advance(60_000)
        await look(town)
        _ = try await town.sos.presses.press(.help, for: person)
        #expect(town.sos.openCase(of: person)?.isHelp == true)
    }

    @Test("behind a clock that was set back by an hour phones are still heard, and a heart in trouble still asks and calls")
    func setBack() async throws {
        let town = try await SOSTown(ticks: ManualClock()), person = town.person.id.person, phone = SOSLinkTests.Phone(town)
        func send(_ rate: UInt16, _ count: Int) async throws {
            for index in 0..<count {
                try await phone.heart(rate + UInt16(index % 3))
                await pass(town, seconds: 3)
            }
        }
        try await send(70, 8)
        town.hub.clock.advance(-Self.hour)
        await look(town)
        try await send(70, 20)
        #expect(try told(town) == 0)
        #expect(try town.sos.views.view(of: person)?.isProtected == true)
        try await send(60, 1)
        for rate: UInt16 in [52, 45, 36, 35, 34, 33, 33, 33, 33, 33] { try await phone.heart(rate) }
        await pass(town, seconds: 6)
        #expect(town.sos.openCase(of: person) != nil)
    }

    @Test("a hub that is started anew behind a clock that was set back goes on with its case, at its time")
    func restartedBehind() async throws {
        var town = try await SOSTown(ticks: ManualClock())
        try await town.send(town.report(1, try town.helpAlarm()))
        await pass(town, seconds: 5)
        try await town.sent()
        let second = try #require(town.sos.openCase(of: town.person.id.person)?.contacts?.last?.phone)
        town.hub.clock.advance(-Self.hour)
        town = try town.restarted()
        await pass(town, seconds: 10)
        #expect(town.outbox.texts(to: second).isEmpty)
        // At seven eighths of a second each.
        await pass(town, seconds: 16)
        try await town.sent()
        #expect(!town.outbox.texts(to: second).isEmpty)
    }

    @Test(
        "what was over at the box ends the hub's case under another name, also where the hub's clock was set forward in between; not where help was asked for since",
        arguments: [false, true])
    func setForward(isPressedAgain: Bool) async throws {
        let town = try await SOSTown(ticks: ManualClock()), person = town.person.id.person
        _ = try await town.sos.presses.press(.help, for: person)
        await pass(town, seconds: 5)
        town.hub.clock.advance(Self.hour)
        await pass(town, seconds: 5)
        if isPressedAgain {
            await pass(town, seconds: 90)
            _ = try await town.sos.presses.press(.help, for: person)
        }
        let alarm = try town.helpAlarm().shifted(by: isPressedAgain ? -100_000 : -10_000)
        try await town.send(town.report(1, alarm, outcome: .falseAlarm))
        #expect((town.sos.openCase(of: person) != nil) == isPressedAgain)
    }

    @Test(
        "an alarm of a case that was over before the hub's clock was set forward opens no second one where the box shows the step; a later one does",
        arguments: [true, false])
    func setForwardBehindEnd(isSame: Bool) async throws {
        let town = try await SOSTown(ticks: ManualClock()), person = town.person.id.person
        try await town.send(town.report(1))
        _ = try await town.sos.presses.press(.help, for: person)
        await pass(town, seconds: 5)
        _ = try await town.sos.presses.press(.falseAlarm, for: person)
        await pass(town, seconds: 5)
        town.hub.clock.advance(Self.hour)
        await pass(town, seconds: 20)
        // 30 s later by the box's clock; raised 26 s or 6 s ago.
        var report = town.report(2, try town.helpAlarm().shifted(by: isSame ? 5000 : 25_000))
        report.sentAt += 30_000
        try await town.send(report)
        #expect((town.sos.openCase(of: person) == nil) == isSame)
    }

    @Test(
        "an alarm whose report waited while the hub stood still is decided about when its box's clock is known: the case that was over, or a new one",
        arguments: [true, false])
    func waited(isSame: Bool) async throws {
        let town = try await SOSTown(ticks: ManualClock()), person = town.person.id.person
        // The box's clock says 2 s. The hub never hears it before it stands still.
        _ = try await town.sos.presses.press(.help, for: person)
        await pass(town, seconds: 5)
        _ = try await town.sos.presses.press(.falseAlarm, for: person)
        await pass(town, seconds: 5)
        town.hub.clock.advance(60_000)
        town.ticks?.advance(60_000)
        town.sos.lookAtPauses()
        // Raised at 3 s, while the case ran that was over at 7 s, or at 42 s; it is 72 s now.
        let alarm = try town.helpAlarm().shifted(by: isSame ? 1000 : 40_000)
        func send(_ revision: UInt64, sentAt: Milliseconds) async throws -> SOSAnswer {
            var report = town.report(revision, alarm)
            report.sentAt = sentAt
            return try await town.send(report)
        }
        let late = try await send(1, sentAt: 60_000)
        #expect(!late.isDurable && late.outcome == nil && town.sos.openCase(of: person) == nil)
        await pass(town, seconds: 1)
        let second = try await send(2, sentAt: 73_000)
        let ended: Outcome? = isSame ? .falseAlarm : nil
        #expect(second.isDurable == isSame && second.outcome == ended && town.sos.openCase(of: person) == nil)
        await pass(town, seconds: 2)
        let third = try await send(3, sentAt: 75_000)
        #expect(third.isDurable && (town.sos.openCase(of: person) == nil) == isSame)
        #expect(try town.sos.store.cases(of: person).count == (isSame ? 1 : 2))
    }

    @Test("readings of before a clock was set back raise nothing anew behind a restart")
    func readAgain() async throws {
        var town = try await SOSTown(ticks: ManualClock())
        let person = town.person.id.person, phone = SOSLinkTests.Phone(town)
        for rate: UInt16 in [70, 60, 50, 45, 36, 35, 34, 33, 33, 33, 33, 33] { try await phone.heart(rate) }
        await pass(town, seconds: 30)
        try #require(town.sos.openCase(of: person) != nil)
        _ = try await town.sos.presses.press(.falseAlarm, for: person)
        try await town.sent()
        for rate: UInt16 in [33, 34, 33, 34, 33, 34, 33, 34] {
            try await phone.heart(rate)
            await pass(town, seconds: 1)
        }
        town.hub.clock.advance(-Self.hour)
        town = try town.restarted()
        await town.sos.detection.detect(in: [person])
        await pass(town, seconds: 30)
        #expect(try town.sos.store.cases(of: person).count == 1)
    }
}
