import Accounts
import Database
import Foundation
import HubStore
import Privacy
import Runs
import Segments
import TestSupport
import Testing
import Vitals

@testable import HubServices

@Suite struct RunCheckInTests {
    private func refusal(_ act: () throws -> Void) throws -> CheckInService.Refusal? {
        do {
            try act()
            return nil
        } catch let refusal as CheckInService.Refusal { return refusal }
    }

    private func questions(_ town: RunTown, _ account: StoredAccount) throws -> [Consent] {
        try town.consents.followers(of: account.id.person, for: account.id).items.map(\.consent).filter {
            if case .pending = $0.state { true } else { false }
        }
    }

    @Test(
        "RUN-5: on the day each enrolled person is asked for position and heart rate until the end, and apart from that for a public heart rate"
    )
    func asks() async throws {
        let town = try RunTown(), run = try town.published(), bob = try town.runner("Bob")
        for runner in [town.ada, bob] { try await town.enrol(runner, in: run) }
        try await town.advance(to: run.checkInOpens - 1)
        #expect(try questions(town, bob).isEmpty)
        try await town.advance(to: run.checkInOpens)
        for runner in [town.ada, bob] {
            let asked = try questions(town, runner).map(\.request)
            #expect(Set(asked.map(\.scope.kinds)) == [[.position, .heartRate], [.heartRate]])
            #expect(asked.allSatisfy { $0.scope.asker == .organiser(town.organiser.id) && $0.scope.term == .until(run.plan.ends) })
            #expect(asked.allSatisfy { $0.scope.purpose.contains(run.code) })
            #expect(try town.told(runner) == [.asked, .asked])
        }
        // Who comes later is asked at once.
        let eve = try town.runner("Eve")
        try await town.enrol(eve, in: run)
        try await town.settle()
        #expect(try questions(town, eve).count == 2)
        // Nobody is asked twice, also not by a hub that was killed behind the question.
        let again = try town.restarted()
        try again.store.timers.setTimer(.checkIn, of: run, due: 0)
        let stored = try #require(try again.store.enrolments.enrolment(of: bob.id.person, in: run.id))
        try again.store.enrolments.consentsEnded([stored], of: run)
        try await again.settle()
        #expect(try questions(again, bob).count == 2 && again.store.enrolments.enrolment(of: bob.id.person, in: run.id) == stored)
    }

    @Test(
        "RUN-5, RUN-9: who accepted and has a position runs; the organiser reads position and heart rate until the end, and of the run afterwards"
    )
    func runs() async throws {
        let town = try RunTown(), run = try town.published(), ada = town.ada
        try await town.enrol(ada, in: run)
        try await town.advance(to: run.checkInOpens)
        let question = try #require(try questions(town, ada).first { $0.request.scope.kinds.contains(.position) })
        // One tap on the box, or on the page of questions.
        try town.consents.answer(question.id, .accept, by: ada.id)
        #expect(try town.checkIns.checkIn(of: ada.id.person, to: run.id) == .init(since: town.now, isHeartRatePublic: false, position: nil))
        try await town.advance(to: run.plan.starts - 60_000)
        try await town.position(of: ada)
        #expect(try town.checkIns.checkIn(of: ada.id.person, to: run.id).position == town.now)
        try await town.advance(to: run.plan.starts)
        let enrolment = try #require(try town.store.enrolments.enrolment(of: ada.id.person, in: run.id))
        #expect(try enrolment.state == .checkedIn && town.state(run) == .live && town.told(ada).first == .runStarted)
        let health = try #require(try town.results.participants(in: run.id, for: town.organiser).first?.health)
        #expect(health.grant.kinds == [.position, .heartRate] && health.grant.ground == .run(question.id))
        #expect(try town.results.publicGrants(enrolment).map(\.kinds) == [[.position]])
        try await town.advance(to: run.plan.ends)
        #expect(try town.state(run) == .finished && town.told(ada).first == .runFinished)
        let after = try #require(try town.results.participants(in: run.id, for: town.organiser).first?.health)
        #expect(after.access.until == run.plan.ends)
        let reading = try town.hub.series.reader.read(after.grant, from: after.access.since, to: run.plan.ends, now: town.now)
        #expect(reading?.positions.count == 1)
        // Afterwards it can be taken back, and it is over after a month for whoever kept it.
        #expect(try town.hub.accounts.reading(after.grant, now: town.now + Consent.runReadFor) { true } == nil)
        try town.consents.answer(question.id, .revoke, by: ada.id)
        #expect(try town.hub.series.reader.read(after.grant, from: 0, to: .max / 2, now: town.now) == nil)
        #expect(try town.results.participants(in: run.id, for: town.organiser).first?.health == nil)
        #expect(try town.results.publicGrants(enrolment).isEmpty)
    }

    @Test("RUN-5: a public heart rate is a question of its own: alone it lets nobody on the list, and without it nobody sees a heart rate")
    func publicHeartRate() async throws {
        let town = try RunTown(), run = try town.published(), bob = try town.runner("Bob")
        for runner in [town.ada, bob] { try await town.enrol(runner, in: run) }
        try await town.advance(to: run.checkInOpens)
        let open = try #require(try questions(town, bob).first { $0.request.scope.kinds == [.heartRate] })
        try town.consents.answer(open.id, .accept, by: bob.id)
        try await town.checkedIn(town.ada, to: run, publicHeartRate: true)
        for runner in [town.ada, bob] { try await town.position(of: runner, at: run.plan.starts - 60_000) }
        try await town.advance(to: run.plan.starts)
        #expect(try town.store.enrolments.enrolment(of: bob.id.person, in: run.id)?.state == .notCheckedIn)
        #expect(try town.notice(.runTakenOff, to: bob)?["reason"] == "checkIn")
        let ada = try #require(try town.store.enrolments.enrolment(of: town.ada.id.person, in: run.id))
        #expect(try town.results.publicGrants(ada).map(\.kinds) == [[.position], [.heartRate]])
        try town.consents.answer(#require(ada.publicHeartRate), .revoke, by: town.ada.id)
        #expect(try town.results.publicGrants(ada).map(\.kinds) == [[.position]])
    }

    @Test("RUN-5: a position older than half an hour is none, also where it is the newest one")
    func oldPosition() async throws {
        let town = try RunTown(), run = try town.published(), ada = town.ada
        try await town.enrol(ada, in: run)
        try await town.advance(to: run.checkInOpens)
        try await town.checkedIn(ada, to: run)
        let seen = town.now
        try await town.advance(to: seen + CheckInService.positionAge)
        #expect(try town.checkIns.checkIn(of: ada.id.person, to: run.id).position == seen)
        try await town.advance(to: seen + CheckInService.positionAge + 1)
        let later = try town.checkIns.checkIn(of: ada.id.person, to: run.id)
        #expect(later.since != nil && later.position == nil)
    }

    @Test("RUN-5, RUN-14: without a position nobody is on the list at the start; who has one later is on it again, and is told")
    func position() async throws {
        let town = try RunTown(), run = try town.published(), ada = town.ada
        try await town.enrol(ada, in: run)
        try await town.advance(to: run.checkInOpens)
        // One from before the check-in, which nobody consented to, does not count.
        try await town.position(of: ada)
        town.clock.advance(1000)
        _ = try town.checkIns.checkIn(ada.id.person, to: run.id, publicHeartRate: false, by: ada)
        try await town.advance(to: run.plan.starts)
        #expect(try town.store.enrolments.enrolment(of: ada.id.person, in: run.id)?.state == .noPosition)
        #expect(try town.notice(.runTakenOff, to: ada)?["reason"] == "position" && town.store.run(run.id)?.enrolled == 0)
        #expect(try town.results.publicGrants(#require(try town.store.enrolments.enrolment(of: ada.id.person, in: run.id))).isEmpty)
        try await town.advance(to: town.now + 90_000)
        try await town.position(of: ada)
        let again = try town.restarted()
        try await again.advance(to: again.now + 60_000)
        #expect(try again.store.enrolments.enrolment(of: ada.id.person, in: run.id)?.state == .checkedIn)
        #expect(try again.told(ada).first == .runBack && again.store.run(run.id)?.enrolled == 1)
    }

    @Test("RUN-5, RUN-14: a position of the run brings back, also where a strap went on for hours behind the last one")
    func strap() async throws {
        let town = try RunTown(), run = try town.published(), ada = town.ada, person = ada.id.person
        try await town.enrol(ada, in: run)
        try await town.advance(to: run.checkInOpens)
        _ = try town.checkIns.checkIn(person, to: run.id, publicHeartRate: false, by: ada)
        try await town.advance(to: run.plan.starts)
        #expect(try town.store.enrolments.enrolment(of: person, in: run.id)?.state == .noPosition)
        town.clock.advance(hour)
        let box = try await town.hub.enrol([person])
        let strap = SampleSet(heartRates: [HeartRateSample(time: run.plan.starts + hour, beatsPerMinute: 120)])
        _ = try await town.hub.send(
            [
                town.hub.segment(1, stream: .random(), person: person, time: run.plan.starts + 600_000),
                Segment(stream: .random(), sequence: 1, person: person, provenance: .live, clock: .wall, samples: strap).encoded(),
            ], token: box.token)
        try await town.advance(to: town.now + 60_000)
        #expect(try town.store.enrolments.enrolment(of: person, in: run.id)?.state == .checkedIn)
    }

    @Test("RUN-6: one runner's row that does not open any more holds up nobody's run")
    func damaged() async throws {
        let town = try RunTown(), run = try town.published(), bob = try town.runner("Bob")
        for runner in [bob, town.ada] { try await town.enrol(runner, in: run) }
        try await town.advance(to: run.checkInOpens)
        for runner in [bob, town.ada] { try await town.checkedIn(runner, to: run) }
        try await town.position(of: town.ada, at: run.plan.starts - 60_000)
        let path = town.hub.directory.url.appendingPathComponent("runs.sqlite").path
        let database = try DatabasePool(path: path)
        try database.write { try $0.execute(sql: "UPDATE enrolment SET envelope = zeroblob(60) WHERE bib = 1") }
        try await town.advance(to: run.plan.starts)
        #expect(try town.state(run) == .live && town.store.enrolments.enrolment(of: town.ada.id.person, in: run.id)?.state == .checkedIn)
        let state = try database.read { try $0.fetchOne(Int64.self, sql: "SELECT state FROM enrolment WHERE bib = 1") }
        #expect(state == EnrolmentState.noPosition.rawValue)
        #expect(try town.notice(.runTakenOff, to: bob)?["reason"] == "unreadable" && town.notice(.runTakenOff, to: town.ada) == nil)
        #expect(try town.results.startList(of: run.id, for: town.organiser).damaged == 1)
        try await town.advance(to: run.plan.ends)
        #expect(try town.state(run) == .finished)
    }

    @Test("RUN-9, RUN-18: an enrolment that does not open any more behind the start is told to the operator, once, by numbers alone")
    func damagedLater() async throws {
        let log = KeptLog(), town = try RunTown(logger: log.logger), run = try town.published(), bob = try town.runner("Bob")
        for runner in [bob, town.ada] { try await town.enrol(runner, in: run, .init(publicName: "Zaphod")) }
        try await town.advance(to: run.checkInOpens)
        for runner in [bob, town.ada] { try await town.checkedIn(runner, to: run) }
        for runner in [bob, town.ada] { try await town.position(of: runner, at: run.plan.starts - 60_000) }
        try await town.advance(to: run.plan.starts)
        let live = town.liveRuns()
        func names() throws -> [String] { try town.results.participants(in: run.id, for: town.organiser).map(\.name) }
        func told() -> [String] { log.lines.filter { $0.contains("enrolment") } }
        func damaged() async throws -> Int? {
            let reader = try live.watchPeople(run, from: "192.0.2.1"), waiting = Task { await reader.next() }
            while !reader.isAsking { await Task.yield() }
            live.tick()
            return try RunLiveEvent(#require(await waiting.value)).json["damaged"] as? Int
        }
        live.tick()
        #expect(try names() == ["Bob Up", "Ada Up"] && live.live(run.id)?.runners.count == 2 && told().isEmpty)
        #expect(try await damaged() == 0)
        let row = try #require(try town.store.enrolments.enrolment(of: bob.id.person, in: run.id)).row
        let path = town.hub.directory.url.appendingPathComponent("runs.sqlite").path
        try DatabasePool(path: path).write {
            try $0.execute(sql: "UPDATE enrolment SET envelope = zeroblob(60) WHERE bib = 1")
        }
        for _ in 0..<3 {
            town.clock.advance(1000)
            live.tick()
            #expect(try names() == ["Ada Up"] && live.live(run.id)?.runners.count == 1)
        }
        #expect(
            told() == ["error an enrolment is damaged and on no list; restore it from the backup enrolment=\(row) run=\(run.id)"],
            "\(log.lines)")
        #expect(try await damaged() == 1, "the organiser is told that somebody is missing")
        #expect(try town.results.startList(of: run.id, for: town.organiser).damaged == 1)
        // Who was deleted is no damage.
        try town.deletion.deletePerson(town.ada.id.person, by: town.ada.id, now: town.now)
        live.tick()
        #expect(try names().isEmpty && told().count == 1 && live.live(run.id)?.damaged == 1)
    }

    @Test("RUN-5: refused before its time, behind the start, of a cancelled or unknown run, of somebody else, and of who is not enrolled")
    func refusals() async throws {
        let town = try RunTown(), run = try town.published(), ada = town.ada, bob = try town.runner("Bob")
        func checkIn(_ person: StoredAccount, by account: StoredAccount) throws -> CheckInService.Refusal? {
            try refusal { _ = try town.checkIns.checkIn(person.id.person, to: run.id, publicHeartRate: false, by: account) }
        }
        #expect(try refusal { _ = try town.checkIns.checkIn(ada.id.person, to: .random(), publicHeartRate: false, by: ada) } == .unknown)
        #expect(try checkIn(ada, by: ada) == .notEnrolled)
        try await town.enrol(ada, in: run)
        #expect(try checkIn(ada, by: ada) == .tooEarly(run.checkInOpens) && checkIn(ada, by: bob) == .notYours)
        town.clock.advance(day)
        #expect(try checkIn(ada, by: ada) == .started)
        town.clock.advance(2 * hour)
        #expect(try checkIn(ada, by: ada) == .finished)
        let other = try town.published(town.plan("Other"))
        try await town.enrol(ada, in: other)
        _ = try town.organising.cancel(other.id, reason: "", by: town.organiser)
        #expect(try refusal { _ = try town.checkIns.checkIn(ada.id.person, to: other.id, publicHeartRate: false, by: ada) } == .cancelled)
        // Nobody is there any more who would read it.
        try town.deletion.deletePerson(town.organiser.id.person, by: town.organiser.id, now: town.now)
        try town.deletion.work(now: town.now)
        #expect(try checkIn(ada, by: ada) == .unknown)
    }

    @Test("RUN-5, CONS-13: who lets nobody ask checks in all the same, by their own hand")
    func ownHand() async throws {
        let town = try RunTown(), run = try town.published(), ada = town.ada
        try town.consents.setPolicy(AccessPolicy(anybody: []), of: ada.id.person, by: ada.id)
        try await town.enrol(ada, in: run)
        try await town.advance(to: run.checkInOpens)
        #expect(try questions(town, ada).isEmpty)
        try await town.checkedIn(ada, to: run)
        try await town.position(of: ada, at: run.plan.starts - 60_000)
        try await town.advance(to: run.plan.starts)
        #expect(try town.store.enrolments.enrolment(of: ada.id.person, in: run.id)?.state == .checkedIn)
    }

    @Test("RUN-4, CONS-6: who withdraws is read by nobody from then on, not even of what was; the cancelled run's consents end too")
    func takesBack() async throws {
        let town = try RunTown(), run = try town.published(), ada = town.ada, bob = try town.runner("Bob")
        for runner in [ada, bob] { try await town.enrol(runner, in: run) }
        try await town.advance(to: run.checkInOpens)
        for runner in [ada, bob] { try await town.checkedIn(runner, to: run, publicHeartRate: true) }
        let list = try town.results.participants(in: run.id, for: town.organiser), open = town.results.publicGrants
        let grants = list.compactMap { $0.health?.grant }
        #expect(grants.count == 2)
        try town.enrolments.withdraw(ada.id.person, from: run.id, by: ada)
        #expect(try town.hub.accounts.reading(grants[0], now: town.now) { true } == nil)
        #expect(try town.hub.accounts.reading(grants[1], now: town.now) { true } == true)
        #expect(try open(list[0].enrolment).isEmpty)
        #expect(try town.consents.followers(of: ada.id.person, for: ada.id).items.allSatisfy { $0.consent.isOver(at: town.now) })
        _ = try town.organising.cancel(run.id, reason: "", by: town.organiser)
        try await town.settle()
        #expect(try town.consents.followers(of: bob.id.person, for: bob.id).items.allSatisfy { $0.consent.isOver(at: town.now) })
        #expect(try town.told(ada).first != .runCancelled && town.told(bob).first == .runCancelled)
    }

    @Test("RUN-17, RUN-5: other times void the check-in: what was agreed to for the old ones ends, and everybody is asked anew")
    func moved() async throws {
        let town = try RunTown(), run = try town.published(), ada = town.ada
        try await town.enrol(ada, in: run)
        try await town.advance(to: run.checkInOpens)
        try await town.checkedIn(ada, to: run)
        let old = try #require(try town.store.enrolments.enrolment(of: ada.id.person, in: run.id)?.checkIn)
        var plan = run.plan
        plan.ends += hour
        _ = try town.organising.edit(run.id, revision: try #require(try town.store.run(run.id)).revision, plan, by: town.organiser)
        try await town.settle()
        let asked = try questions(town, ada)
        #expect(asked.count == 2 && asked.allSatisfy { $0.request.scope.term == .until(plan.ends) && $0.id != old })
        #expect(try town.checkIns.checkIn(of: ada.id.person, to: run.id).since == nil)
        try await town.checkedIn(ada, to: run)
        try await town.position(of: ada, at: run.plan.starts - 60_000)
        try await town.advance(to: run.plan.starts)
        #expect(try town.store.enrolments.enrolment(of: ada.id.person, in: run.id)?.state == .checkedIn)
    }

    @Test("RUN-6: a start by hand can be taken back for a minute: the list is as it was, everybody is told, and it starts as planned")
    func takesStartBack() async throws {
        let town = try RunTown(), run = try town.published(), ada = town.ada, bob = try town.runner("Bob")
        for runner in [ada, bob] { try await town.enrol(runner, in: run) }
        try await town.advance(to: run.checkInOpens + hour)
        try await town.checkedIn(ada, to: run)
        #expect(try runProblem { _ = try town.organising.takeBackStart(of: run.id, by: town.organiser) } == .startStands)
        _ = try town.organising.begin(run.id, by: town.organiser)
        #expect(try runProblem { _ = try town.organising.takeBackStart(of: run.id, by: ada) } == .unknown)
        try await town.settle()
        func states() throws -> [EnrolmentState?] {
            try [ada, bob].map { try town.store.enrolments.enrolment(of: $0.id.person, in: run.id)?.state }
        }
        #expect(try states() == [.checkedIn, .notCheckedIn])
        town.clock.advance(OrganiserService.takeBackMax - 1)
        let back = try town.organising.takeBackStart(of: run.id, by: town.organiser)
        #expect(back.state == .scheduled && back.began == nil && back.enrolled == 2)
        #expect(try states() == [.enrolled, .enrolled])
        try await town.settle()
        for account in [ada, bob, town.organiser] {
            #expect(try town.notice(.runChanged, to: account)?["changes"] == "startTakenBack")
        }
        // Nobody is asked anew who was, and it starts by time.
        #expect(try questions(town, bob).count == 2 && town.checkIns.checkIn(of: ada.id.person, to: run.id).since != nil)
        try await town.position(of: ada, at: run.plan.starts - 60_000)
        try await town.advance(to: run.plan.starts)
        #expect(try town.state(run) == .live && states() == [.checkedIn, .notCheckedIn])
    }

    @Test("RUN-6: a start stands behind a minute, and behind the planned time")
    func startStands() async throws {
        for wait in [OrganiserService.takeBackMax, 10_000] {
            let town = try RunTown(), run = try town.published()
            try await town.advance(to: run.plan.starts - (wait == 10_000 ? wait : hour))
            _ = try town.organising.begin(run.id, by: town.organiser)
            town.clock.advance(wait)
            #expect(try runProblem { _ = try town.organising.takeBackStart(of: run.id, by: town.organiser) } == .startStands)
            #expect(try town.state(run) == .live)
        }
    }

    @Test("RUN-6: the organiser starts early, not before check-in, and finishes early: consents end with it")
    func early() async throws {
        let town = try RunTown(), run = try town.published(), ada = town.ada
        try await town.enrol(ada, in: run)
        #expect(try runProblem { _ = try town.organising.begin(run.id, by: town.organiser) } == .tooEarly(run.checkInOpens))
        try await town.advance(to: run.checkInOpens + hour)
        try await town.checkedIn(ada, to: run)
        let live = try town.organising.begin(run.id, by: town.organiser)
        #expect(live.state == .live && live.began == town.now)
        #expect(try town.store.enrolments.enrolment(of: ada.id.person, in: run.id)?.state == .checkedIn)
        town.clock.advance(hour)
        #expect(try town.organising.finish(run.id, by: town.organiser).ended == town.now)
        try await town.settle()
        let consents = try town.consents.followers(of: ada.id.person, for: ada.id).items.map(\.consent)
        #expect(consents.count == 2 && consents.allSatisfy { $0.isOver(at: town.now) })
        // What was recorded until then can be read.
        #expect(try town.results.participants(in: run.id, for: town.organiser).first?.health != nil)
    }

    @Test("RUN-5, ACC-17: for a minor a parent is asked, in the parent's language, and checks in")
    func minor() async throws {
        let town = try RunTown(), run = try town.published(), parent = try town.runner("Parent")
        let parentID = parent.id
        try town.hub.accounts.notices.setLanguage("it", of: parent, now: town.now)
        try town.hub.accounts.consents.setGuardians([parentID], of: town.ada.id.person, adultFrom: .max)
        _ = try await town.enrolments.enrol(town.ada.id.person, in: run.id, by: parent)
        try await town.advance(to: run.checkInOpens)
        #expect(try town.told(parent) == [.askedWard, .askedWard] && town.told(town.ada).isEmpty)
        let asked = try town.consents.followers(of: town.ada.id.person, for: parent.id).items.map(\.consent.request.scope.purpose)
        #expect(asked.count == 2 && asked.allSatisfy { $0.hasPrefix("[it] ") })
        _ = try town.checkIns.checkIn(town.ada.id.person, to: run.id, publicHeartRate: false, by: parent)
        let own = try refusal { _ = try town.checkIns.checkIn(town.ada.id.person, to: run.id, publicHeartRate: true, by: town.ada) }
        #expect(own == .notYours)
        #expect(try town.checkIns.checkIn(of: town.ada.id.person, to: run.id).since == town.now)
    }
}
