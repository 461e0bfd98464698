import Accounts
import Foundation
import HubStore
import Privacy
import Runs
import Synchronization
import TestSupport
import Testing
import Vitals

@testable import HubServices

@Suite struct RunOrganiserTests {
    @Test(
        "RUN-1: an organiser who accepted the disclaimer creates a run with a code to hand out; everybody else, and nothing less, does not")
    func creates() throws {
        let town = try RunTown(), plan = town.plan(), course = RunTown.course()
        #expect(try runProblem { _ = try town.organising.create(plan, course: course, accepted: nil, by: town.organiser) } == .disclaimer)
        let crew = try RunTown.account("crew@example.org", [.responder], town.hub)
        #expect(
            try runProblem {
                _ = try town.organising.create(plan, course: course, accepted: OrganiserService.disclaimerVersion, by: crew)
            }
                == .notAnOrganiser)
        let run = try town.draft()
        #expect(run.code.wholeMatch(of: /[A-HJKMNP-TV-Z2-9]{6}/) != nil && run.state == .draft)
        #expect(try town.hub.accounts.acceptances.accepted(by: town.organiser.row).map(\.document) == [OrganiserService.disclaimer])
        #expect(try town.store.course(of: run.id) == course)
        // A draft is its organiser's alone.
        #expect(try town.finder.run(code: run.code) == nil && town.finder.find("citta").isEmpty && town.finder.upcoming().isEmpty)
        #expect(try town.finder.run(code: run.code, for: town.organiser)?.id == run.id)
        #expect(try town.organising.runs(organisedBy: town.organiser).map(\.id) == [run.id])
    }

    @Test("ACC-3: persons and organisations organise with the account that they have, and a person can run in a run of their own")
    func ownAccount() async throws {
        let town = try RunTown(), course = RunTown.course(), version = OrganiserService.disclaimerVersion
        let club = try RunTown.account("office@example.org", [.organisation], town.hub)
        for account in [town.ada, club] {
            let draft = try town.organising.create(town.plan(), course: course, accepted: version, by: account)
            let run = try town.organising.publish(draft.id, by: account)
            #expect(run.organiser == account.id && run.state == .scheduled)
            #expect(try town.organising.runs(organisedBy: account).map(\.id) == [run.id])
            #expect(try runProblem { _ = try town.organising.cancel(run.id, reason: "", by: town.organiser) } == .unknown)
        }
        let own = try #require(try town.organising.runs(organisedBy: town.ada).first)
        _ = try await town.enrolments.enrol(town.ada.id.person, in: own.id, by: town.ada)
        #expect(try town.enrolments.runs(of: town.ada.id.person, for: town.ada).map(\.run.id) == [own.id])
    }

    @Test("ACC-3: where organisations alone organise, nobody else makes a run, and who has some keeps them")
    func organisationsAlone() throws {
        let town = try RunTown(), club = try RunTown.account("office@example.org", [.organisation], town.hub), kept = try town.published()
        let all = town.organising
        let strict = OrganiserService(
            store: all.store, notices: all.notices, accounts: all.accounts, audit: all.audit, checkIns: all.checkIns,
            obstacles: all.obstacles, organisers: .organisations, operators: all.operators, time: all.time)
        func create(by account: StoredAccount) throws -> StoredRun {
            try strict.create(
                town.plan(), course: RunTown.course(), accepted: OrganiserService.disclaimerVersion, by: account)
        }
        for account in [town.ada, town.organiser] { #expect(try runProblem { _ = try create(by: account) } == .notAnOrganiser) }
        #expect(try create(by: club).organiser == club.id)
        #expect(try strict.cancel(kept.id, reason: "rain", by: town.organiser).state == .cancelled)
    }

    @Test("RUN-1, RUN-2: all that is wrong is told at once, the course's reasons with it")
    func faults() throws {
        let town = try RunTown()
        var plan = town.plan()
        (plan.name, plan.purpose, plan.timeZone, plan.most, plan.youngest) = (" \u{0007}", "", "Mars/Base", 0, 200)
        (plan.ends, plan.closes) = (plan.starts - 1, plan.starts + 1)
        plan.waves = [Wave(name: "Late", gun: plan.starts + day)]
        let short = CoursePlan(points: Array(RunTown.course().points.prefix(1)))
        let problem = try runProblem { _ = try town.draft(plan, course: short) }
        guard case .faults(let faults) = problem else {
            Issue.record("\(String(describing: problem))")
            return
        }
        #expect(faults.prefix(8) == [.nameMissing, .purposeMissing, .timeZone, .ends, .closes, .most, .youngest, .waves])
        guard case .course(let reasons) = faults.last else {
            Issue.record("no reasons of the course")
            return
        }
        #expect(reasons.map(\.code) == [.tooFewPoints])
        plan = town.plan(in: -1)
        #expect(try runProblem { _ = try town.draft(plan) } == .faults([.starts]))
        #expect(try runProblem { _ = try town.draft(town.plan(lasting: 8 * day)) } == .faults([.duration]))
    }

    @Test("RUN-1: an organiser has so many runs that are not over, and no more")
    func bounded() throws {
        let town = try RunTown()
        for _ in 0..<RunsStore.openRunsMax { _ = try town.draft() }
        #expect(try runProblem { _ = try town.draft() } == .tooMany)
        town.clock.advance(2 * day)
        _ = try town.draft()
    }

    @Test("RUN-2: another run near by at the same time is a warning; one by invitation is not named, and one elsewhere or later is none")
    func conflicts() throws {
        let town = try RunTown(), run = try town.published(), secret = try town.published(town.plan("Secret", isPublic: false))
        _ = try town.published(town.plan("Later", in: day + 2 * hour))
        _ = try town.published(town.plan("Elsewhere"), course: RunTown.course(latitude: 455_000_000))
        let near = RunTown.course(latitude: 454_000_000 - 90_000 - 30_000)
        let warnings = try town.organising.warnings(town.plan("Mine"), course: near, but: nil)
        #expect(
            Set(warnings) == [
                .conflict(code: run.code, starts: run.plan.starts, ends: run.plan.ends),
                .conflict(code: nil, starts: secret.plan.starts, ends: secret.plan.ends),
            ])
        #expect(try town.organising.warnings(run.plan, course: RunTown.course(), but: run.id).count == 1)
    }

    @Test("RUN-3: runs are listed, and found by code, name, place and nearby, without an account; signs of SQL are only signs")
    func finds() throws {
        let town = try RunTown(), run = try town.published(), other = try town.published(town.plan("100%_Trail", in: 2 * day))
        let hidden = try town.published(town.plan("Hidden", in: 3 * day, isPublic: false))
        #expect(try town.finder.upcoming().map(\.id) == [run.id, other.id])
        let typed = " \(run.code.prefix(3).lowercased())-\(run.code.suffix(3))"
        #expect(try town.finder.run(code: typed)?.id == run.id && town.finder.find(typed).map(\.id) == [run.id])
        #expect(try town.finder.run(code: hidden.code) == nil && town.finder.find("hidden").isEmpty)
        #expect(try town.finder.find("CITTA bergamo").map(\.id) == [run.id])
        #expect(try town.finder.find("bergamo").map(\.id) == [run.id, other.id])
        #expect(try town.finder.find("%").map(\.id) == [other.id] && town.finder.find("_trail").map(\.id) == [other.id])
        for query in ["", " ", "nothing such", "' OR 1=1 --", "\\", String(repeating: "x ", count: 5000)] {
            #expect(try town.finder.find(query).isEmpty, "\(query.prefix(20))")
        }
        let place = CoursePoint(latitude: 454_500_000, longitude: 90_000_000)
        #expect(try town.finder.nearby(place, within: 5000).map(\.run.id) == [run.id, other.id])
        #expect(try town.finder.nearby(place, within: 3000).isEmpty)
        #expect(try town.finder.nearby(place, within: .max).count == 2)
        #expect(try town.finder.nearby(CoursePoint(latitude: .max, longitude: 0), within: 5000).isEmpty)
        town.clock.advance(day + 2 * hour)
        // What is over is found, and not listed.
        #expect(try town.finder.upcoming().map(\.id) == [other.id] && town.finder.find("citta").map(\.id) == [run.id])
    }

    @Test("RUN-17: everybody enrolled is told what changed, once; who withdrew is not, and nothing changes when it has begun")
    func edits() async throws {
        let town = try RunTown(), run = try town.published(), bob = try town.runner("Bob"), eve = try town.runner("Eve")
        for runner in [town.ada, bob, eve] { try await town.enrol(runner, in: run) }
        try town.enrolments.withdraw(eve.id.person, from: run.id, by: eve)
        var plan = run.plan
        plan.starts += hour
        plan.ends += hour
        let moved = try town.organising.edit(
            run.id, revision: run.revision, plan, course: RunTown.course(latitude: 454_010_000), by: town.organiser)
        try await town.settle()
        for runner in [town.ada, bob] {
            #expect(try town.told(runner) == [.runChanged])
            let arguments = try #require(try town.notice(.runChanged, to: runner))
            #expect(arguments["changes"] == "times,course" && arguments["from"] == String(plan.starts) && arguments["run"] == plan.name)
        }
        #expect(try town.told(eve).isEmpty)
        // What concerns nobody who is enrolled is not told.
        plan.most = 50
        let smaller = try town.organising.edit(run.id, revision: moved.revision, plan, by: town.organiser)
        try await town.settle()
        #expect(try town.told(bob) == [.runChanged])
        let stale = try runProblem { _ = try town.organising.edit(run.id, revision: moved.revision, plan, by: town.organiser) }
        #expect(stale == .changedMeanwhile)
        plan.most = 1
        let fewer = try runProblem { _ = try town.organising.edit(run.id, revision: smaller.revision, plan, by: town.organiser) }
        #expect(fewer == .faults([.mostBelowEnrolled(2)]))
        let stranger = try RunTown.account("other@example.org", [.organiser], town.hub)
        #expect(try runProblem { _ = try town.organising.edit(run.id, revision: smaller.revision, run.plan, by: stranger) } == .unknown)
        town.clock.advance(day + hour)
        plan.most = 60
        let late = try runProblem { _ = try town.organising.edit(run.id, revision: smaller.revision, plan, by: town.organiser) }
        #expect(late == .state(.live))
    }

    @Test("RUN-2: a course is held against the map once for a form, and by itself where nobody looked before")
    func checkedOnce() throws {
        let town = try RunTown(), plan = town.plan(), course = RunTown.course(), counter = ObstacleCounter()
        let organising = OrganiserService(
            store: town.store, notices: town.store.notices, accounts: town.hub.accounts, audit: town.audit, checkIns: town.checkIns,
            obstacles: CourseMap(near: { _ in counter.none() }), organisers: .all,
            operators: town.organising.operators, time: town.time)
        func create(isChecked: Bool) throws -> StoredRun {
            try organising.create(
                plan, course: course, accepted: OrganiserService.disclaimerVersion, isChecked: isChecked, by: town.organiser)
        }
        #expect(organising.faults(plan, course: course).isEmpty && counter.count == 1)
        let run = try create(isChecked: true)
        let changed = try organising.edit(run.id, revision: run.revision, plan, course: course, isChecked: true, by: town.organiser)
        #expect(counter.count == 1)
        _ = try create(isChecked: false)
        _ = try organising.edit(run.id, revision: changed.revision, plan, course: course, by: town.organiser)
        #expect(counter.count == 3)
    }

    @Test("RUN-6: cancelled by the organiser, with everybody told once, over a restart in the middle; nothing leaves that state")
    func cancels() async throws {
        var town = try RunTown()
        let run = try town.published(), bob = try town.runner("Bob")
        for runner in [town.ada, bob] { try await town.enrol(runner, in: run) }
        #expect(try town.organising.cancel(run.id, reason: "storm", by: town.organiser).state == .cancelled)
        town = try town.restarted()
        try await town.settle()
        for account in [town.ada, bob, town.organiser] {
            #expect(try town.told(account) == [.runCancelled])
            #expect(try town.notice(.runCancelled, to: account)?["reason"] == "storm")
        }
        #expect(try runProblem { _ = try town.organising.cancel(run.id, reason: "", by: town.organiser) } == .state(.cancelled))
        #expect(try runProblem { _ = try town.organising.publish(run.id, by: town.organiser) } == .state(.cancelled))
        #expect(try runProblem { _ = try town.organising.finish(run.id, by: town.organiser) } == .state(.cancelled))
        try await town.advance(to: run.plan.ends + day)
        #expect(try town.state(run) == .cancelled && town.told(bob) == [.runCancelled])
        #expect(try town.audit.verify().rows == 2)
    }

    @Test(
        "RUN-6, RUN-18: who is off the list for want of a position alone reads messages and is told of the end; who did not check in is not",
        arguments: [true, false])
    func withoutPosition(isCalledOff: Bool) async throws {
        let town = try RunTown(), run = try town.published(), ada = town.ada, bob = try town.runner("Bob")
        for runner in [ada, bob] { try await town.enrol(runner, in: run) }
        try await town.advance(to: run.checkInOpens)
        _ = try town.checkIns.checkIn(ada.id.person, to: run.id, publicHeartRate: false, by: ada)
        try await town.advance(to: run.plan.starts)
        #expect(try town.store.enrolments.enrolments(in: run.id).map(\.state) == [.noPosition, .notCheckedIn])
        try town.organising.message("Look at the sky", to: run.id, by: town.organiser)
        try await town.settle()
        if isCalledOff {
            _ = try town.organising.cancel(run.id, reason: "storm", by: town.organiser)
        } else {
            _ = try town.organising.finish(run.id, by: town.organiser)
        }
        try await town.settle()
        let kinds: Set<NoticeKind> = [.runStarted, .runTakenOff, .runMessage, .runCancelled, .runFinished]
        #expect(try town.told(ada).filter(kinds.contains) == [isCalledOff ? .runCancelled : .runFinished, .runMessage, .runTakenOff])
        #expect(try town.told(bob).filter(kinds.contains) == [.runTakenOff])
    }

    @Test("RUN-6: scheduled, live and finished by time, done by a hub that was down over all of it as well, and told to everybody")
    func byTime() async throws {
        var town = try RunTown()
        let run = try town.published(), bob = try town.runner("Bob")
        try await town.enrol(bob, in: run)
        town.clock.advance(day + 3 * hour)
        #expect(run.state(at: town.now) == .finished)
        town = try town.restarted()
        try await town.settle()
        #expect(try town.state(run) == .finished)
        #expect(try town.told(town.organiser) == [.runFinished, .runStarted])
        // Who never checked in is off the list, and is told that alone.
        #expect(try town.told(bob) == [.runTakenOff])
        #expect(try town.notice(.runTakenOff, to: bob)?["reason"] == "checkIn")
        let stored = try #require(try town.store.run(run.id))
        #expect(stored.began == run.plan.starts && stored.ended == run.plan.ends && stored.enrolled == 0)
        #expect(try town.store.timers.lateTimers(by: 0, now: .max / 2) == 0)
    }

    @Test("design rule 9: what is due comes again when it failed, and at once after a restart")
    func lease() async throws {
        let town = try RunTown(), run = try town.published()
        town.clock.advance(day)
        let due = try town.store.timers.dueTimers(10, lease: 30_000, now: town.now)
        #expect(due.map(\.kind) == [.checkIn, .start] && due.allSatisfy { $0.run == run.id })
        #expect(try town.store.timers.dueTimers(10, lease: 30_000, now: town.now).isEmpty)
        town.clock.advance(30_000)
        #expect(try town.store.timers.dueTimers(10, lease: 30_000, now: town.now).count == 2)
        let again = try town.restarted()
        try await again.settle()
        #expect(try again.state(run) == .live)
    }

    @Test("RUN-1: the permission document is a PDF or a picture by what is in it, of some size, and its organiser's")
    func document() throws {
        let town = try RunTown(), run = try town.draft()
        func set(_ bytes: [UInt8]) throws -> RunProblem? {
            try runProblem {
                try town.organising.setDocument(
                    .init(name: "permit\n.pdf", type: "text/html", bytes: bytes), of: run.id, by: town.organiser)
            }
        }
        #expect(try set([]) == .document(.size) && set(Array("<html>".utf8)) == .document(.type))
        #expect(try set(Array("%PDF-".utf8) + [UInt8](repeating: 0, count: OrganiserService.documentMax)) == .document(.size))
        #expect(try set(Array("%PDF-1.7".utf8)) == nil)
        let kept = try town.organising.document(of: run.id, for: town.organiser)
        #expect(kept == .init(name: "permit .pdf", type: "application/pdf", bytes: Array("%PDF-1.7".utf8)))
        #expect(try runProblem { _ = try town.organising.document(of: run.id, for: town.ada) } == .unknown)
    }

    @Test("RUN-18: the organiser sees names as they enrol, writes to everybody, not without end")
    func names() async throws {
        let town = try RunTown(), run = try town.published(), bob = try town.runner("Bob")
        for runner in [town.ada, bob] { try await town.enrol(runner, in: run) }
        let list = try town.results.participants(in: run.id, for: town.organiser)
        #expect(list.map(\.name) == ["Ada Up", "Bob Up"] && list.map(\.enrolment.bib) == [1, 2] && list.allSatisfy { $0.health == nil })
        #expect(try runProblem { _ = try town.results.participants(in: run.id, for: bob) } == .unknown)
        try town.organising.message(" Meet at\nthe gate. ", to: run.id, by: town.organiser)
        try await town.settle()
        #expect(try town.notice(.runMessage, to: bob)?["text"] == "Meet at\nthe gate." && town.told(town.organiser).isEmpty)
        #expect(try runProblem { try town.organising.message("", to: run.id, by: town.organiser) } == .message)
        for _ in 1..<OrganiserService.messagesDailyMax { try town.organising.message("Again", to: run.id, by: town.organiser) }
        #expect(
            try runProblem { try town.organising.message("Again", to: run.id, by: town.organiser) }
                == .dailyLimit(OrganiserService.messagesDailyMax))
    }
}

/// Counts how often obstacles are asked for.
private final class ObstacleCounter: Sendable {
    private let asked = Mutex(0)
    var count: Int { asked.withLock { $0 } }

    func none() -> [Obstacle] {
        asked.withLock { $0 += 1 }
        return []
    }
}
