import Accounts
import Foundation
import HubStore
import Logging
import Privacy
import Runs
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// Check-ins as boxes see and answer them.
@Suite struct BoxCheckInTests {
    /// A town on the day of a run, with Ada's box.
    private struct Day {
        let town: RunTown
        let run: StoredRun
        let lists: BoxCheckIns
        let box: AgentStore.Agent

        init(enrols: Bool = true) async throws {
            town = try RunTown()
            run = try town.published()
            if enrols { try await town.enrol(town.ada, in: run) }
            try await town.advance(to: run.checkInOpens)
            lists = BoxCheckIns(accounts: town.hub.accounts, series: town.hub.series.reader, enrolments: town.store.enrolments)
            box = try await Self.box(of: [town.ada.id.person], in: town)
        }

        static func box(of people: [PersonID], in town: RunTown) async throws -> AgentStore.Agent {
            let id = try await town.hub.enrol(people).id
            return try #require(try town.hub.accounts.agents.agent(id))
        }

        /// As a box gets it that has not asked for a minute.
        func shown(to box: AgentStore.Agent? = nil) throws -> [CheckIn] {
            let box = box ?? self.box
            lists.forget(box.id)
            return try lists.list(for: box, now: town.now)?.items ?? []
        }

        func question() throws -> CheckIn { try #require(try shown().first) }

        func say(_ answer: CheckInAnswer.Choice, _ id: ConsentID, from box: AgentStore.Agent? = nil) throws -> CheckInReply {
            try town.checkIns.answer(CheckInAnswer(id: id, answer: answer), from: box ?? self.box)
        }

        func ledger() throws -> [LedgerEntry] {
            try town.consents.ledger(of: town.ada.id.person, for: town.ada.id).entries.filter {
                if case .consent = $0.what { true } else { false }
            }
        }

        func followers() throws -> [Consent] {
            try town.consents.followers(of: town.ada.id.person, for: town.ada.id).items.map(\.consent)
        }
    }

    @Test(
        "RUN-5, CONS-2: the box of one adult learns of an open check-in all that is to be known before a tap; a public heart rate is not on it"
    )
    func shown() async throws {
        let day = try await Day(), run = day.run, items = try day.shown()
        let item = try #require(items.first)
        #expect(items.count == 1 && item.run == run.plan.name && item.code == run.code && item.organiser == day.town.organiser.name)
        #expect(item.kinds == [.position, .heartRate] && item.until == run.plan.ends && item.lapses == run.plan.starts)
        #expect(item.standing == .open && item.purpose.contains(run.plan.name))
        // What an answer to the box holds is remembered for a minute, but not beyond the start.
        #expect(try day.lists.list(for: day.box, now: run.plan.starts) == nil)
        // By the real pipeline, and only where the box shows it.
        let ingest = try Ingest(
            authenticator: day.town.hub.authenticator, accounts: day.town.hub.accounts, series: day.town.hub.series, bus: day.town.hub.bus,
            checkIns: day.lists, logger: Logger(label: "test"), now: { day.town.now })
        let batch = PreparedBatch(agent: day.box)
        for shows in [true, false] {
            let answer = try JSONDecoder().decode(SyncAnswer.self, from: Data(try await ingest.commit(batch, showsCheckIns: shows)))
            #expect(answer.checkIns?.items == (shows ? [item] : nil) && answer.questions == 2)
        }
    }

    @Test(
        "RUN-5, CONS-2: one tap accepts: the organiser reads from then on, My Followers and the audit log say that it was at the box; twice is once"
    )
    func accepts() async throws {
        let day = try await Day(), town = day.town, id = try day.question().id
        #expect(try day.say(.accept, id) == CheckInReply(id: id, utc: town.now, outcome: .withoutPosition))
        let access = try #require(try day.followers().first { $0.id == id }?.access(at: town.now))
        #expect(access.by == town.ada.id && access.since == town.now)
        #expect(
            try town.checkIns.checkIn(of: town.ada.id.person, to: day.run.id)
                == .init(since: town.now, isHeartRatePublic: false, position: nil)
        )
        #expect(try town.results.participants(in: day.run.id, for: town.organiser).first?.health != nil)
        let line = try #require(try day.ledger().first)
        #expect(line.what == .consent(.accepted, by: town.ada.id) && line.box == day.box.id && line.consent == id)
        let audit = try town.audit.verify().rows
        // The reply was lost, and the box asks again.
        town.clock.advance(60_000)
        #expect(try day.say(.accept, id).outcome == .withoutPosition)
        #expect(try day.ledger().count(where: { $0.box != nil }) == 1 && town.audit.verify().rows == audit)
        #expect(try day.followers().first { $0.id == id }?.access(at: town.now) == access)
        #expect(try day.say(.refuse, id) == CheckInReply(id: id, utc: town.now, outcome: .no, why: .acceptedBefore))
        // On the hub's page nothing is marked as said at a box.
        let open = try #require(try day.followers().first { $0.request.scope.kinds == [.heartRate] })
        try town.consents.answer(open.id, .accept, by: town.ada.id)
        #expect(try day.ledger().first?.box == nil)
    }

    @Test(
        "RUN-5: without a position there is no check-in: the box is told so as long as none has come, and when the start took them off the list"
    )
    func position() async throws {
        let day = try await Day(), town = day.town, id = try day.question().id
        #expect(try day.say(.accept, id).outcome == .withoutPosition && day.question().standing == .withoutPosition)
        try await town.position(of: town.ada, at: day.run.plan.starts - 120_000)
        #expect(try day.say(.accept, id).outcome == .accepted && day.question().standing == .accepted)
        try await town.advance(to: day.run.plan.starts)
        #expect(try day.question().standing == .accepted)
        let other = try await Day()
        _ = try other.say(.accept, other.question().id)
        try await other.town.advance(to: other.run.plan.starts)
        #expect(try other.town.store.enrolments.enrolment(of: other.town.ada.id.person, in: other.run.id)?.state == .noPosition)
        #expect(try other.question().standing == .withoutPosition)
    }

    @Test("RUN-5: not now: denied, nothing is held against anybody, and the hub's page checks in until the start all the same")
    func refuses() async throws {
        let day = try await Day(), town = day.town, id = try day.question().id
        for _ in 0..<2 { #expect(try day.say(.refuse, id).outcome == .refused) }
        #expect(try day.ledger().first?.box == day.box.id && day.ledger().count(where: { $0.box != nil }) == 1)
        #expect(try day.shown().isEmpty)
        #expect(try day.say(.accept, id).why == .refusedBefore)
        try await town.checkedIn(town.ada, to: day.run)
        #expect(try town.checkIns.checkIn(of: town.ada.id.person, to: day.run.id).since != nil)
        #expect(try day.shown().map(\.standing) == [.accepted], "and the box says so")
    }

    @Test("RUN-5: nothing is applied once the run has started, also where no timer came round; an accepted one is still said to be")
    func lapsed() async throws {
        let day = try await Day(), town = day.town, id = try day.question().id
        town.clock.advance(day.run.plan.starts - town.now)
        #expect(try day.say(.accept, id) == CheckInReply(id: id, utc: town.now, outcome: .no, why: .lapsed))
        try await town.settle()
        #expect(try day.say(.accept, id).why == .lapsed && day.say(.refuse, id).why == .lapsed)
        #expect(try town.store.enrolments.enrolment(of: town.ada.id.person, in: day.run.id)?.state == .notCheckedIn && day.shown().isEmpty)
        #expect(try day.followers().allSatisfy { $0.access(at: town.now) == nil } && day.ledger().allSatisfy { $0.box == nil })
        let intime = try await Day(), kept = try intime.question().id
        _ = try intime.say(.accept, kept)
        try await intime.town.advance(to: intime.run.plan.starts)
        #expect(try intime.say(.accept, kept).outcome == .withoutPosition)
        try await intime.town.advance(to: intime.run.plan.ends)
        #expect(try intime.say(.accept, kept).why == .over)
    }

    @Test("RUN-5, RUN-17: what was moved, called off, left or taken back is refused with its reason, before its consents ended too")
    func gone() async throws {
        var day = try await Day()
        var id = try day.question().id, plan = day.run.plan
        plan.ends += hour
        let revision = try #require(try day.town.store.run(day.run.id)).revision
        _ = try day.town.organising.edit(day.run.id, revision: revision, plan, by: day.town.organiser)
        #expect(try day.say(.accept, id).why == .withdrawn && day.shown().isEmpty)
        try await day.town.settle()
        #expect(try day.say(.accept, id).why == .withdrawn)
        let anew = try day.question()
        #expect(anew.id != id && anew.until == plan.ends)
        #expect(try day.say(.accept, anew.id).outcome == .withoutPosition)
        try day.town.consents.answer(anew.id, .revoke, by: day.town.ada.id)
        #expect(try day.say(.accept, anew.id).why == .takenBack && day.shown().isEmpty)

        day = try await Day()
        id = try day.question().id
        _ = try day.town.organising.cancel(day.run.id, reason: "", by: day.town.organiser)
        #expect(try day.say(.accept, id).why == .withdrawn && day.shown().isEmpty)

        day = try await Day()
        id = try day.question().id
        _ = try day.town.store.enrolments.withdraw(day.town.ada.id.person, from: day.run.id, now: day.town.now).get()
        #expect(try day.say(.accept, id).why == .notEnrolled && day.shown().isEmpty)
    }

    @Test("RUN-5, ACC-17: a box of several, of a minor, or of who has no account that works shows nothing and answers nothing")
    func others() async throws {
        let day = try await Day(), town = day.town, id = try day.question().id, bob = try town.runner("Bob")
        let family = try await Day.box(of: [town.ada.id.person, bob.id.person], in: town)
        let bobs = try await Day.box(of: [bob.id.person], in: town)
        let made = try await Day.box(of: [town.hub.person], in: town)
        for box in [family, bobs, made] {
            #expect(try day.shown(to: box).isEmpty)
            #expect(try day.say(.accept, id, from: box).why == .notHere)
        }
        // Neither another question of hers, nor one that there is not.
        let open = try #require(try day.followers().first { $0.request.scope.kinds == [.heartRate] })
        #expect(try day.say(.accept, open.id).why == .notHere && day.say(.accept, .random()).why == .notHere)
        let asked = try town.consents.askAsCaregiver(
            try ConsentAddress("ada@example.org"), by: bob, kinds: [.heartRate, .position], purpose: "To look after her")
        try await town.settle()
        #expect(try day.say(.accept, asked.id).why == .notHere && day.shown().map(\.id) == [id])
        try town.hub.accounts.consents.setGuardians([bob.id], of: town.ada.id.person, adultFrom: .max)
        #expect(try day.shown().isEmpty && day.say(.accept, id).why == .notHere)
        #expect(try day.followers().allSatisfy { $0.access(at: town.now) == nil })
    }

    @Test("RUN-5, CONS-2: who wants to be told of questions elsewhere is not asked on the box, and sees there that they are checked in")
    func elsewhere() async throws {
        let day = try await Day(), town = day.town, id = try day.question().id
        try town.hub.accounts.notices.setNoticeWays([.asked: .mail], of: town.ada)
        #expect(try day.shown().isEmpty)
        try town.consents.answer(id, .accept, by: town.ada.id)
        #expect(try day.shown().map(\.standing) == [.withoutPosition])
        // A revoked box learns nothing.
        _ = try town.hub.accounts.agents.revokeAgent(day.box.id, now: town.now)
        let revoked = try #require(try town.hub.accounts.agents.agent(day.box.id))
        #expect(try day.shown(to: revoked).isEmpty && day.say(.accept, id, from: revoked).why == .notHere)
    }
}
