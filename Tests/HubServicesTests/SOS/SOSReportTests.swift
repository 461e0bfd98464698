import Accounts
import Distress
import Foundation
import HubStore
import Logging
import Seams
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// What boxes tell, in the wrong order, twice, from two boxes, and against itself.
@Suite(.timeLimit(.minutes(3)))
struct SOSReportTests {
    private func guardian(_ town: SOSTown) throws -> StoredAccount {
        let parent = try SOSTown.account(town.hub, .caregiver, "parent@example.org")
        try town.hub.accounts.consents.setGuardians([parent.id], of: town.person.id.person, adultFrom: .max / 2)
        return parent
    }

    private func warning(_ town: SOSTown) -> Warning {
        let reading = Reading(time: 900, value: 118, key: SampleKey(stream: town.stream, sequence: 7, kind: .heartRate, index: 0))
        let found = Abnormality(
            trigger: .heartRateHigh, tier: .warning, limit: 111, context: .unknown, first: reading, latest: reading, worst: 121, count: 9,
            isLost: false, answerTime: 0)
        return Warning(id: IncidentID(high: 5, low: 6), abnormality: found, at: 1000)
    }

    @Test("SOS-4, ACC-15: a question that a box asks reaches the person's closed phone, once, and the next one again")
    func asked() async throws {
        let town = try await SOSTown()
        func told() throws -> Int { try town.hub.accounts.notices.notices(of: town.person).count { $0.kind == .sosQuestion } }
        func report(_ revision: UInt64, _ question: UInt64?) async throws {
            var report = town.report(revision)
            report.question = question.map {
                Question(id: IncidentID(high: 1, low: $0), tier: .critical, trigger: .heartRateLow, askedAt: 2000, answerBy: 7000)
            }
            try await town.send(report)
            await town.sos.notices.run {}
        }
        try await report(1, 7)
        #expect(try told() == 1)
        try await report(2, 7)
        try await report(3, nil)
        #expect(try told() == 1)
        try await report(4, 8)
        #expect(try told() == 2)
    }

    @Test("SOS-6, ACC-8: a changed telephone and address reach the box with its next report")
    func profile() async throws {
        let town = try await SOSTown(), known = try await town.send(town.report(1)).settingsVersion
        var details = town.person.details
        (details["phone"], details["residence"]) = ("+390212345678", "Via Nuova 2, Milano")
        try town.hub.accounts.setDetails(details, of: town.person, now: 0)
        var revision: UInt64 = 1
        try await town.until {
            revision += 1
            return try await town.send(town.report(revision)).settingsVersion != known
        }
        let session = try town.hub.authenticator.session(bearer: town.box.token, now: town.hub.clock.now)
        let own = try #require(try town.sos.boxSettings.settings(for: session, capsBaselines: true).people.first)
        #expect(own.phone == "+390212345678" && own.address == "Via Nuova 2, Milano")
    }

    @Test("SOS-6, ACC-8: a changed telephone reaches the box also where the hub is killed right behind the commit, and is told once")
    func profileOverKill() async throws {
        var town = try await SOSTown(), known = try await town.send(town.report(1)).settingsVersion
        // Nobody listens there.
        let beside = try HubDirectory(town.hub.directory.url)
        try AccountStore(beside, keys: KeyStore(beside, environment: [:])).setDetails(
            town.person.details.merging(["phone": "+390212345678"]) { $1 }, of: town.person, now: town.hub.clock.now)
        town = try town.restarted()
        #expect(try await town.send(town.report(2)).settingsVersion == known, "not told yet")
        town.hub.clock.advance(6000)
        func fire() async throws -> Int {
            try await TimerService(
                store: town.hub.accounts.timers, handlers: town.sos.choices.timers, logger: .init(label: "test"),
                time: MonotonicUTC { [clock = town.hub.clock] in clock.now }
            ).fire()
        }
        #expect(try await fire() == 1)
        let told = try await town.send(town.report(3)).settingsVersion
        #expect(told != known)
        #expect(try await fire() == 0)
        try town.hub.accounts.notices.setLanguage("it", of: town.person, now: town.hub.clock.now)
        known = told
        var revision: UInt64 = 3
        try await town.until {
            revision += 1
            return try await town.send(town.report(revision)).settingsVersion != known
        }
        town.hub.clock.advance(6000)
        try await town.until { try await fire() == 0 }
    }

    @Test("SOS-2: a box's warning reaches caregivers once, however often it is told, and over a kill before the notice left")
    func warnings() async throws {
        var town = try await SOSTown()
        let parent = try guardian(town)
        var report = town.report(1)
        report.warning = warning(town)
        try await town.send(report)
        // Killed before it left: it is owed on the disk.
        town = try town.restarted()
        func told() throws -> [StoredNotice] { try town.hub.accounts.notices.notices(of: parent).filter { $0.kind == .sosWarning } }
        #expect(try told().isEmpty)
        await town.pass(1000)
        #expect(try told().map { $0.arguments["value"] } == ["121/min"])
        (report.revision, report.sentAt) = (2, 4000)
        try await town.send(report)
        town = try town.restarted()
        (report.revision, report.sentAt) = (3, 5000)
        try await town.send(report)
        await town.pass(60_000)
        #expect(try told().count == 1 && town.sos.openCase(of: town.person.id.person) == nil)
    }

    @Test("SOS-24: a pause of the heart without an answer reaches caregivers and contacts once, over a kill, and no crew or room")
    func pause() async throws {
        var town = try await SOSTown(isRoom: true)
        let parent = try guardian(town)
        var report = town.report(1)
        let reading = Reading(time: 900, value: 17, key: SampleKey(stream: town.stream, sequence: 8, kind: .heartRate, index: 0))
        let found = Abnormality(
            trigger: .heartPause, tier: .warning, limit: 20, context: .unknown, first: reading, latest: reading, worst: 17, count: 1)
        report.warning = Warning(id: IncidentID(high: 5, low: 7), abnormality: found, at: 61_000)
        try await town.send(report)
        town = try town.restarted(isRoom: true)
        await town.pass(1000)
        let choice = try #require(try town.sos.views.view(of: town.person.id.person)).choice
        let numbers = choice.contacts.compactMap(\.phone)
        try await town.until { numbers.allSatisfy { town.outbox.texts(to: $0).count == 1 } }
        #expect(
            numbers.count == 2
                && town.outbox.texts(to: numbers[0]).allSatisfy { $0.contains("about 3 seconds") && $0.contains("Ada Made-Up") })
        (report.revision, report.sentAt) = (2, 4000)
        try await town.send(report)
        await town.pass(120_000)
        let told = try town.hub.accounts.notices.notices(of: parent).filter { $0.kind == .sosPause }.map { $0.arguments["value"] }
        #expect(told == ["3"] && town.outbox.all.count == 2 && town.sos.openCase(of: town.person.id.person) == nil)
    }

    @Test("design rule 11: a replayed or drilled report protects nobody, and takes the place of no record of a real case")
    func notLive() async throws {
        let town = try await SOSTown(), person = town.person.id.person, alarm = try town.helpAlarm()
        try await town.send(town.report(1, provenance: .replay))
        #expect(try town.sos.views.view(of: person)?.isProtected == false)
        try await town.send(town.report(2, alarm))
        try await town.send(town.report(3, alarm, outcome: .falseAlarm))
        await town.pass(1000)
        try await town.until { try town.sos.store.incident(alarm.id)?.calls.allSatisfy { $0.state != .waiting } == true }
        let calls = try #require(try town.sos.store.incident(alarm.id)).calls.count
        try await town.send(town.report(4, alarm, isDrill: true))
        try await town.send(town.report(5, try town.helpAlarm(provenance: .replay)))
        let kept = try #require(try town.sos.store.incident(alarm.id))
        #expect(!kept.isTest && kept.outcome == .falseAlarm && kept.calls.count == calls && calls > 0)
    }

    @Test("SOS-20: a crew that gave the case back does not get it again because its box had not heard of that")
    func echo() async throws {
        let town = try await SOSTown(), crews = try town.crews(2), alarm = try town.helpAlarm(), person = town.person.id.person
        try await town.send(town.report(1, alarm))
        #expect(try await town.sos.crews.accept(alarm.id, by: crews[0]) == .yours)
        #expect(await town.sos.crews.setStatus(nil, of: alarm.id, by: crews[0].id))
        var report = town.report(2, alarm)
        report.owner = .crew(crews[0].id)
        try await town.send(report)
        #expect(town.sos.openCase(of: person)?.owner == nil && town.sos.openCase(of: person)?.crew == nil)
        // Whoever answered the box itself is the owner.
        (report.revision, report.owner) = (3, Owner("tel:+39021"))
        try await town.send(report)
        #expect(town.sos.openCase(of: person)?.owner == Owner("tel:+39021"))
    }

    @Test(
        "SOS-8, SOS-20: two boxes of one person have one case; what ends it ends it on both, and the other box's calm reactivates nothing")
    func twoBoxes() async throws {
        let town = try await SOSTown(), person = town.person.id.person
        let other = try await town.hub.enrol([person])
        func sendOther(_ report: SOSReport) async throws -> SOSAnswer {
            try await town.sos.reports.take(report, from: town.hub.authenticator.session(bearer: other.token, now: town.hub.clock.now))
        }
        let first = try town.helpAlarm(sequence: 1), second = try town.helpAlarm(sequence: 2), boot = BootID.random()
        try await town.send(town.report(1, first))
        #expect(try await sendOther(town.report(1, second, boot: boot)).incident == first.id)
        #expect(await town.sos.helpers.act(.take, .contact(0, name: "Bruno"), on: first.id))
        try await town.send(town.report(2, first, outcome: .falseAlarm, unprotected: [.waitingForReactivation]))
        let answer = try await sendOther(town.report(2, second, boot: boot))
        #expect(answer.outcome == .falseAlarm && answer.incident == first.id)
        // Another case in between: the end of the first is still known.
        await town.pass(10_000)
        _ = try await sendOther(town.report(3, boot: boot))
        #expect(try town.sos.views.view(of: person)?.isWaiting == true, "the box that had the case waits")
        try await town.send(town.report(3, first, outcome: .falseAlarm))
        #expect(try town.sos.views.view(of: person)?.isWaiting == false)
    }

    @Test("SOS-20: that the person answered while somebody has the case is told once, however often the box says it")
    func okOnce() async throws {
        let town = try await SOSTown(), person = town.person.id.person, alarm = try town.helpAlarm()
        try await town.send(town.report(1, alarm))
        try await town.until { town.sos.openCase(of: person)?.calls.contains { $0.isContact(0) && $0.state == .sent } == true }
        let bruno = SOSHelper.contact(0, name: "Bruno")
        #expect(await town.sos.helpers.act(.take, bruno, on: alarm.id))
        for revision in 2...5 {
            try await town.send(town.report(UInt64(revision), alarm, outcome: .answeredLate))
            await town.pass(30_000)
        }
        let calls = try #require(town.sos.openCase(of: person)).calls
        #expect(calls.count { $0.isContact(0) && $0.message == .personAnswered } == 1)
        // Given back, there is nobody for whom it would have to stay open.
        #expect(await town.sos.helpers.act(.release, bruno, on: alarm.id))
        try await town.send(town.report(6, alarm, outcome: .answeredLate))
        #expect(town.sos.openCase(of: person) == nil)
    }

    @Test("SOS-20: an alarm that somebody took before the hub heard of it is told as taken, and so is its end; crews are asked")
    func takenBefore() async throws {
        let town = try await SOSTown(), parent = try guardian(town), person = town.person.id.person, alarm = try town.helpAlarm()
        _ = try town.crews(1)
        var report = town.report(1, alarm)
        report.owner = Owner("tel:+39025B")
        try await town.send(report)
        let item = try #require(town.sos.openCase(of: person))
        try #require(item.calls.map(\.message) == [.taken, .taken, .taken])
        #expect(item.offers.map(\.state) == [.open] && item.ownerName == "Bruno")
        try await town.until { town.sos.openCase(of: person)?.calls.allSatisfy { $0.state == .sent } == true }
        #expect(town.outbox.texts(to: "+39025C").map { $0.contains("taken Bruno") } == [true])
        #expect(try town.hub.accounts.notices.notices(of: parent).count { $0.kind == .sosTaken } == 1)
        try await town.send(town.report(2, alarm, outcome: .finished(Owner("tel:+39025B"))))
        await town.pass(1000)
        // The crew that was asked hears it, too.
        try await town.until { try town.sos.store.incident(alarm.id)?.calls.count { $0.message == .over && $0.state == .sent } == 4 }
    }

    @Test("SOS-9: a late report of a boot that is over counts only when it tells of an alarm that nobody ever heard of")
    func lateBoot() async throws {
        let town = try await SOSTown(), person = town.person.id.person, old = town.boot, next = BootID.random()
        let known = try town.helpAlarm(sequence: 1), unknown = try town.helpAlarm(sequence: 2)
        try await town.send(town.report(1, known))
        try await town.send(town.report(2, known, outcome: .falseAlarm))
        try await town.send(town.report(1, boot: next))
        try await town.send(town.report(3, known, boot: old))
        #expect(town.sos.openCase(of: person) == nil)
        try await town.send(town.report(4, unknown, boot: old))
        #expect(town.sos.openCase(of: person)?.id == unknown.id)
    }

    @Test("SOS-7: caregivers are told again in later rounds, also without consent to calls, until they answer", arguments: [true, false])
    func caregiversAgain(isConsented: Bool) async throws {
        let town = try await SOSTown(isOn: isConsented), person = town.person.id.person, parent = try guardian(town)
        let alarm = try town.helpAlarm()
        try await town.send(town.report(1, alarm))
        func told() throws -> Int { try town.hub.accounts.notices.notices(of: parent).count { $0.kind == .sosRaised } }
        func calls() -> [SOSCall] { town.sos.openCase(of: person)?.calls.filter { $0.recipient == .account(parent.id) } ?? [] }
        try await town.until { calls().contains { $0.state == .sent } }
        await town.pass(DispatchLimits.repeatPause)
        #expect(calls().map(\.message) == [.alert, .update])
        try await town.until { try told() == 2 }
        #expect(await town.sos.helpers.act(.seen, .account(parent.id, name: "Parent"), on: alarm.id))
        await town.pass(DispatchLimits.repeatPause)
        #expect(calls().count == 2)
    }

    @Test("SOS-20: a caregiver whose right ends in the middle of a case hears no more of it, and has it no more")
    func consentEnds() async throws {
        let town = try await SOSTown(), person = town.person.id.person, parent = try guardian(town), alarm = try town.helpAlarm()
        try await town.send(town.report(1, alarm))
        func told(_ kind: NoticeKind) throws -> Int { try town.hub.accounts.notices.notices(of: parent).count { $0.kind == kind } }
        try await town.until { try told(.sosRaised) == 1 }
        #expect(await town.sos.helpers.act(.take, .account(parent.id, name: "Parent"), on: alarm.id))
        try await town.until { try told(.sosTaken) == 1 }
        await town.sos.owners.releaseGone()
        #expect(town.sos.openCase(of: person)?.owner == .account(parent.id))
        try town.hub.accounts.consents.setGuardians([], of: person, adultFrom: .max / 2)
        await town.sos.owners.releaseGone()
        #expect(town.sos.openCase(of: person)?.owner == nil, "it is offered to others")
        let count = try town.hub.accounts.notices.notices(of: parent).count
        try await town.send(town.report(2, alarm, outcome: .falseAlarm))
        await town.pass(1000)
        try await town.until { try town.sos.store.incident(alarm.id)?.calls.allSatisfy { $0.state != .waiting } == true }
        #expect(try town.hub.accounts.notices.notices(of: parent).count == count)
    }
}
