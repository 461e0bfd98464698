import Accounts
import Foundation
import HubStore
import Runs
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// New runs that an operator looks at before they are published (`hub.runs.check`).
@Suite struct RunCheckTests {
    private struct Scene {
        let town: RunTown
        let boss: StoredAccount

        init() throws {
            town = try RunTown()
            boss = try RunTown.account("boss@example.org", [.operator], town.hub)
        }

        func checks(_ rule: RunCheckRule) -> RunChecks {
            let clock = town.clock
            return RunChecks(store: town.store, accounts: town.hub.accounts, audit: town.audit, rule: rule, now: { clock.now })
        }

        /// Organising where this rule holds.
        func organising(_ rule: RunCheckRule) -> OrganiserService {
            let all = town.organising
            return OrganiserService(
                store: all.store, notices: all.notices, accounts: all.accounts, audit: all.audit, checkIns: all.checkIns,
                obstacles: all.obstacles, organisers: all.organisers, operators: checks(rule), time: all.time)
        }

        func told(_ account: StoredAccount) throws -> [String] {
            try town.hub.accounts.notices.notices(of: account).map(\.name)
        }
    }

    private func problem(_ work: () throws -> Void) throws -> RunChecks.Problem? {
        do {
            try work()
            return nil
        } catch let problem as RunChecks.Problem { return problem }
    }

    @Test("OPS-1: an organiser's first run waits for an operator, and is published when one accepts it; the next one does not wait")
    func first() throws {
        let scene = try Scene(), town = scene.town, organising = scene.organising(.first), checks = scene.checks(.first)
        let draft = try town.draft()
        #expect(try organising.publish(draft.id, by: town.organiser).state == .draft)
        #expect(try organising.publish(draft.id, by: town.organiser).state == .draft)
        #expect(try scene.told(scene.boss) == ["run.check"], "once")
        #expect(try checks.standing(of: draft) == .waits(town.now) && checks.countWaiting() == 1)
        let waiting = try checks.waiting(for: scene.boss)
        #expect(waiting.map(\.run.id) == [draft.id] && waiting.first?.hasDocument == false)
        #expect(try problem { _ = try checks.waiting(for: town.organiser) } == .notYours)
        #expect(try problem { try checks.accept(draft.id, revision: draft.revision, by: town.organiser) } == .notYours)
        #expect(try problem { try checks.accept(draft.id, revision: draft.revision + 1, by: scene.boss) } == .changed)
        #expect(try town.store.run(draft.id)?.state == .draft)
        try checks.accept(draft.id, revision: draft.revision, by: scene.boss)
        #expect(try town.store.run(draft.id)?.state == .scheduled && checks.countWaiting() == 0)
        #expect(try scene.told(town.organiser) == ["run.checkAccepted"])
        #expect(try problem { try checks.accept(draft.id, revision: draft.revision, by: scene.boss) } == .changed, "once")
        #expect(try AuditSearch(town.audit).lines().map(\.action) == ["run.accepted"])
        let second = try town.draft()
        #expect(try organising.publish(second.id, by: town.organiser).state == .scheduled)
        let third = try town.draft()
        #expect(try scene.organising(.each).publish(third.id, by: town.organiser).state == .draft)
        let fourth = try town.draft()
        #expect(try scene.organising(.none).publish(fourth.id, by: town.organiser).state == .scheduled)
    }

    @Test("OPS-1: a run that is not accepted stays a draft with the reason, and its organiser asks again")
    func refused() throws {
        let scene = try Scene(), town = scene.town, organising = scene.organising(.each), checks = scene.checks(.each)
        let draft = try town.draft()
        _ = try organising.publish(draft.id, by: town.organiser)
        func refuse(_ reason: String) throws -> RunChecks.Problem? {
            try problem { try checks.refuse(draft.id, revision: draft.revision, reason: reason, by: scene.boss) }
        }
        #expect(try refuse(" ") == .reason(FieldError(.missing)))
        #expect(
            try refuse(String(repeating: "x", count: RunChecks.reasonMax + 1)) == .reason(FieldError(.tooLong, limit: RunChecks.reasonMax)))
        #expect(try refuse("The permission is of last year.") == nil)
        #expect(try checks.standing(of: draft) == .refused(reason: "The permission is of last year."))
        #expect(try town.store.run(draft.id)?.state == .draft && scene.told(town.organiser) == ["run.checkRefused"])
        #expect(try organising.publish(draft.id, by: town.organiser).state == .draft && checks.countWaiting() == 1)
        #expect(try scene.told(scene.boss) == ["run.check", "run.check"])
    }

    @Test("OPS-1: what is changed while it waits, waits no more: an operator accepts what they saw")
    func changed() throws {
        let scene = try Scene(), town = scene.town, organising = scene.organising(.each), checks = scene.checks(.each)
        let draft = try town.draft()
        _ = try organising.publish(draft.id, by: town.organiser)
        var plan = draft.plan
        plan.name = "Another run"
        let edited = try organising.edit(draft.id, revision: draft.revision, plan, by: town.organiser)
        #expect(try checks.standing(of: edited) == .none && checks.waiting(for: scene.boss).isEmpty)
        for revision in [draft.revision, edited.revision] {
            #expect(try problem { try checks.accept(draft.id, revision: revision, by: scene.boss) } == .changed)
        }
        _ = try organising.publish(draft.id, by: town.organiser)
        #expect(try checks.countWaiting() == 1)
        let document = RunsStore.Document(name: "permit.pdf", type: "", bytes: Array("%PDF-1.7 made up".utf8))
        try organising.setDocument(document, of: draft.id, by: town.organiser)
        #expect(try checks.countWaiting() == 0 && checks.standing(of: edited) == .none, "the document is another one")
        _ = try organising.publish(draft.id, by: town.organiser)
        #expect(try checks.waiting(for: scene.boss).map(\.hasDocument) == [true])
        try checks.accept(draft.id, revision: edited.revision, by: scene.boss)
        #expect(try town.store.run(draft.id)?.state == .scheduled)
    }
}
