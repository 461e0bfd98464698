import Accounts
import Database
import Foundation
import Groups
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubStore

/// An organisation that asks about groups, another one, and an operator.
private struct AskingOfGroups {
    let fixture: HubFixture
    let clinic: StoredAccount, rival: StoredAccount, boss: StoredAccount

    var store: GroupRequestStore { fixture.accounts.consents.groupRequests }
    var organisation: OrganisationID { OrganisationID(clinic.id) }

    init(_ engine: Engine = .files) throws {
        fixture = try HubFixture(engine)
        (clinic, rival) = (try fixture.account("Clinic", [.organisation]), try fixture.account("Rival", [.organisation]))
        boss = try fixture.account("Boss", [.operator])
    }

    static let tree = RegionTree([])

    func request(
        _ kinds: Set<DataKind> = [.sleep], sexes: Set<CellSex> = [.female], purpose: String = "Sleep study",
        term: GroupRequest.Term = .lasting(1_000_000), mails: Bool = false, now: Milliseconds = 10
    ) throws -> GroupRequest {
        let ask = try GroupAsk(kinds: kinds, sexes: sexes, in: Self.tree)
        return try GroupRequest(ask: ask, purpose: purpose, term: term, past: 1, mails: mails, created: now)
    }

    func state(_ id: GroupRequestID) throws -> GroupRequest.State? { try store.request(id)?.request.state }
    func notices(of account: StoredAccount) throws -> [String] { try fixture.accounts.notices.notices(of: account).map(\.name) }

    func window(_ number: Int64) -> GroupDelivery {
        GroupDelivery(window: GroupWindow(.day, number: number), at: 50, results: [GroupResult(.sleep, .refused)])
    }

    func handover(_ numbers: Int64..., isSpent: Bool = false, isComplete: Bool = false) -> GroupRequestStore.Handover {
        .init(
            windows: numbers.map { (window($0), Array("window \($0)".utf8)) }, isSpent: isSpent, isComplete: isComplete, next: 99,
            token: "token")
    }

    func due(at now: Milliseconds) throws -> [[UInt8]] {
        try fixture.accounts.timers.dueTimers(9, lease: 0, now: now).filter { $0.kind == .groupRequest }.map(\.subject)
    }

    /// What waits for the organisation's webhook.
    func posted() throws -> [String] {
        let due = try fixture.accounts.webhooks.dueWebhooks(9, now: .max / 2)
        let claimed = try fixture.accounts.webhooks.claimDeliveries(due.map { ($0, 99) }, lease: 0, now: .max / 2)
        return claimed.flatMap(\.deliveries).map { String(decoding: $0.payload, as: UTF8.self) }
    }
}

@Suite struct GroupRequestTests {
    @Test("CONS-11: an operator looks at the first request about a group of each kind before it leaves", arguments: Engine.allCases)
    func checked(engine: Engine) throws {
        let asking = try AskingOfGroups(engine), store = asking.store
        let first = try store.ask(asking.request(), by: asking.clinic, now: 10)
        #expect(try asking.state(first.id) == .awaitingOperator && store.countAwaitingOperator() == 1)
        #expect(try asking.notices(of: asking.boss) == ["group.check"] && asking.due(at: 20).isEmpty)
        let waiting = try #require(try store.awaitingOperator().first)
        #expect(waiting.stored == first && waiting.asker?.id == asking.clinic.id)
        #expect(throws: AskerChanged.self) { try store.approve(first.id, seen: "another", now: 20) }
        #expect(try asking.state(first.id) == .awaitingOperator)

        let second = try store.ask(asking.request(sexes: [.male], now: 11), by: asking.clinic, now: 11)
        try store.approve(first.id, seen: asking.clinic.checkMark, now: 20)
        #expect(try asking.state(first.id) == .active(since: 20, until: 1_000_020))
        #expect(try asking.state(second.id) == .active(since: 20, until: 1_000_020), "of the same kind")
        #expect(try Set(asking.due(at: 20)) == [first.id.bytes, second.id.bytes])
        #expect(try asking.notices(of: asking.clinic) == ["group.answered", "group.answered"])

        let third = try store.ask(asking.request(sexes: [.other]), by: asking.clinic, now: 30)
        #expect(third.request.state == .active(since: 30, until: 1_000_030), "nobody has to look at it again")
        for other in [try asking.request([.weight]), try asking.request(purpose: "Advertising")] {
            #expect(try store.ask(other, by: asking.clinic, now: 30).request.state == .awaitingOperator)
        }
        #expect(
            try store.ask(asking.request(), by: asking.rival, now: 30).request.state == .awaitingOperator,
            "the leave is of one organisation")
        try store.refuse(try #require(store.awaitingOperator().first).stored.id, now: 31)
        #expect(try store.countAwaitingOperator() == 2)
        #expect(try asking.fixture.reopened().accounts.consents.groupRequests.request(third.id) == third)
    }

    @Test("CONS-11: an organisation that changed its proof is looked at again")
    func changed() throws {
        let asking = try AskingOfGroups(), first = try asking.store.ask(asking.request(), by: asking.clinic, now: 10)
        try asking.store.approve(first.id, now: 20)
        var details = asking.clinic.details
        details[Field.proof.rawValue] = "Another register"
        #expect(try asking.fixture.accounts.setDetails(details, of: asking.clinic, now: 30))
        #expect(try asking.store.ask(asking.request(sexes: [.male]), by: asking.clinic, now: 40).request.state == .awaitingOperator)
    }

    @Test(
        "ACC-20: a leave for groups does not count of who is suspended, and lapses after a year; no window is delivered meanwhile",
        arguments: Engine.allCases)
    func suspended(engine: Engine) throws {
        let asking = try AskingOfGroups(engine), store = asking.store, organisations = asking.fixture.accounts.organisations
        func leaves(_ sexes: Set<CellSex>, now: Milliseconds) throws -> Bool {
            try store.ask(asking.request(sexes: sexes, now: now), by: asking.clinic, now: now).request.state != .awaitingOperator
        }
        let first = try store.ask(asking.request(), by: asking.clinic, now: 10).id
        try store.approve(first, now: 20)
        #expect(try organisations.overseen(now: 20).first { $0.account.id == asking.clinic.id }?.approvals == 1)
        _ = try organisations.setSuspended(true, asking.clinic.id, now: 30)
        let stored = try #require(try store.request(first))
        #expect(try !leaves([.male], now: 31) && store.isHeld(stored))
        #expect(try store.deliver(asking.handover(1), to: first, now: 32)?.new == 0)
        #expect(try asking.due(at: 98).isEmpty && asking.due(at: 99) == [first.bytes], "it is looked at again")
        _ = try organisations.setSuspended(false, asking.clinic.id, now: 33)
        #expect(try store.deliver(asking.handover(1), to: first, now: 34)?.new == 1)
        let end = 20 + OrganisationStore.approvalLifetime
        #expect(try leaves([.other], now: 35) && leaves([.female, .other], now: end - 1) && !leaves([.female, .male], now: end))
        #expect(try organisations.overseen(now: end).first { $0.account.id == asking.clinic.id }?.approvals == 0)
    }

    @Test("GRP-5, CONS-9: each window is delivered once, to webhooks and by mail, until the end", arguments: Engine.allCases)
    func delivered(engine: Engine) throws {
        let asking = try AskingOfGroups(engine), store = asking.store
        _ = try #require(
            try asking.fixture.accounts.webhooks.addWebhook("https://example.org/", secret: "s", to: asking.organisation, now: 1))
        let id = try store.ask(asking.request(mails: true), by: asking.clinic, now: 10).id
        #expect(try store.deliver(asking.handover(1), to: id, now: 15)?.new == 0, "nothing leaves before it was approved")
        try store.approve(id, now: 20)
        #expect(try store.deliver(asking.handover(1, 2), to: id, now: 30)?.new == 2)
        #expect(try asking.due(at: 98).isEmpty && asking.due(at: 99) == [id.bytes])
        #expect(try store.deliver(asking.handover(2), to: id, now: 31)?.new == 0, "a window stays as it was delivered")
        let stored = try #require(try store.request(id, of: asking.organisation))
        #expect(try store.deliveries(of: stored) == [asking.window(2), asking.window(1)])
        #expect(try store.delivered(to: stored, .day) == [GroupWindow(.day, number: 1), GroupWindow(.day, number: 2)])
        let mails = try asking.fixture.accounts.notices.dueMails(9, lease: 0, now: 200).filter { $0.kind == "group.window" }
        #expect(mails.count == 1 && mails[0].arguments["token"] == "token" && mails[0].arguments["request"] == id.description)

        #expect(throws: GroupRequestProblem.notYours) { try store.end(id, by: OrganisationID(asking.rival.id), now: 40) }
        #expect(try store.end(id, by: asking.organisation, now: 40).request.state == .over(.ended, at: 40))
        #expect(throws: GroupRequestProblem.over) { try store.end(id, by: asking.organisation, now: 41) }
        #expect(try store.deliver(asking.handover(3), to: id, now: 50)?.new == 0 && asking.due(at: 999).isEmpty)
        let last = "{\"type\":\"group-ended\",\"request\":\"\(id)\",\"reason\":\"ended\"}"
        #expect(try asking.posted() == ["window 1", "window 2", last])
    }

    @Test("GRP-4, GRP-5: a subscription ends with notice when its time is over, or when the budget is used up")
    func ends() throws {
        let asking = try AskingOfGroups(), store = asking.store
        let timed = try store.ask(asking.request(), by: asking.clinic, now: 10).id
        try store.approve(timed, now: 20)
        let spent = try store.ask(asking.request(sexes: [.male]), by: asking.clinic, now: 30).id
        try store.deliver(asking.handover(1, isSpent: true), to: spent, now: 40)
        #expect(try asking.state(spent) == .over(.budgetSpent, at: 40))
        try store.deliver(asking.handover(), to: timed, now: 2_000_000)
        guard case .active? = try asking.state(timed) else { throw CocoaError(.featureUnsupported) }
        // Its last window comes after the end.
        #expect(try store.deliver(asking.handover(7, isComplete: true), to: timed, now: 2_000_001)?.new == 1)
        #expect(try asking.state(timed) == .over(.ranOut, at: 1_000_020))
        let told = try asking.fixture.accounts.notices.notices(of: asking.clinic).compactMap { $0.arguments["state"] }
        #expect(told == ["groupRanOut", "groupSpent", "groupApproved"])
        let once = try store.ask(asking.request(sexes: [.female, .male], term: .once), by: asking.clinic, now: 50)
        #expect(
            try store.deliver(asking.handover(), to: once.id, now: 51)?.stored.request.state == once.request.state,
            "no window is closed yet")
        #expect(try store.deliver(asking.handover(1), to: once.id, now: 52)?.stored.request.state == .over(.fulfilled, at: 52))
    }

    @Test("CONS-9: the same request is not taken twice, others' are not shown, and what does not open holds up no list")
    func lists() throws {
        let asking = try AskingOfGroups(), store = asking.store
        let first = try store.ask(asking.request(), by: asking.clinic, now: 10)
        #expect(throws: GroupRequestProblem.alreadyAsked(first.id)) { try store.ask(asking.request(now: 12), by: asking.clinic, now: 12) }
        #expect(throws: GroupRequestProblem.notYours) { try store.ask(asking.request(), by: asking.boss, now: 12) }
        let second = try store.ask(asking.request(sexes: [.male], now: 13), by: asking.clinic, now: 13)
        #expect(try store.requests(of: asking.organisation).items == [second, first])
        #expect(try store.requests(of: OrganisationID(asking.rival.id)).items.isEmpty)
        #expect(try store.request(first.id, of: OrganisationID(asking.rival.id)) == nil)
        #expect(try store.asked(since: 0).items.isEmpty, "nothing has left yet")
        try store.approve(first.id, now: 20)
        let asked = try store.asked(since: 0)
        #expect(try asked.items.map(\.name) == ["Clinic", "Clinic"] && store.asked(since: 14).items.isEmpty)
        let newest = try store.asked(since: 0, count: 1)
        #expect(newest.items.map(\.request.created) == [13] && newest.lookedBackTo == 13, "that there are older ones is told")
        #expect(try asked.lookedBackTo == nil && store.asked(since: 0, count: 2).lookedBackTo == nil)
        try asking.fixture.accounts.pool.write { db in
            try db.execute(sql: "UPDATE group_request SET envelope = zeroblob(60) WHERE request = ?", arguments: [Data(first.id.bytes)])
        }
        let page = try store.requests(of: asking.organisation)
        #expect(page.items.map(\.id) == [second.id] && page.unreadable == 1)
        #expect(asking.fixture.keys.unreadable.rows.contains { $0.kind == .groupRequest })
    }

    @Test("DATA-11: requests, deliveries and leaves go with the organisation's account")
    func deleted() throws {
        let asking = try AskingOfGroups(), id = try asking.store.ask(asking.request(), by: asking.clinic, now: 10).id
        try asking.store.approve(id, now: 20)
        try asking.store.deliver(asking.handover(1), to: id, now: 30)
        try asking.fixture.accounts.deletePerson(asking.clinic.id.person, now: 40)
        try asking.fixture.accounts.eraseRows(of: asking.clinic.id.person)
        for table in ["group_request", "group_delivery", "group_approval"] {
            let count = try asking.fixture.accounts.pool.read { try $0.fetchOne(Int.self, sql: "SELECT count(*) FROM \(table)") }
            #expect(count == 0, "\(table)")
        }
        #expect(try asking.store.deliver(asking.handover(2), to: id, now: 50) == nil && asking.due(at: 99).isEmpty)
    }
}
