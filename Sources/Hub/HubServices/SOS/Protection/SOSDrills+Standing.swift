import Distress
import EmergencyDispatch
import HubStore
import Logging
public import Vitals

/// How the regular test of a person's chain stands (SOS-22): the person sees the interval and the last test that reached everybody, and is told when
/// it is overdue.
public struct DrillStanding: Sendable, Hashable {
    /// Weeks from one planned test to the next; nil without a plan.
    public let everyWeeks: Int?
    /// When the last test began that reached everybody while the heart was heard, UTC milliseconds; nil for none.
    public let passed: Milliseconds?
    /// A heart rate was being received then; nil for no such test, and where that was not kept.
    public let wasHeartHeard: Bool?
    /// When a later test began that reached everybody and does not count, as no heart rate was being received; nil for none.
    public var unheardAt: Milliseconds?
    /// Since when a test is overdue; nil where none is.
    public let overdueSince: Milliseconds?
}

extension SOSDrills {
    /// How often it is looked for tests that are overdue, and how long one may be late before that is told.
    static let overdueEvery: Duration = .seconds(3600)
    static let grace: Milliseconds = 86_400_000
    private static let week: Milliseconds = 7 * 86_400_000

    /// How the regular test of a person's chain stands now.
    public func standing(of person: PersonID) throws -> DrillStanding {
        var last: SOSCase?, unheardAt: Milliseconds?
        for item in try store.cases(of: person) {
            guard try hasReachedEverybody(item) else { continue }
            guard item.wasHeartHeard == false else {
                last = item
                break
            }
            unheardAt = unheardAt ?? item.opened
        }
        let passed = last?.opened
        guard let plan = try store.drill(of: person)?.plan else {
            return DrillStanding(
                everyWeeks: nil, passed: passed, wasHeartHeard: last?.wasHeartHeard, unheardAt: unheardAt, overdueSince: nil)
        }
        let set = try store.changes(of: person).first { $0.what.contains { $0.hasPrefix("drill:") } }?.time ?? 0
        let due = max(passed ?? set, set) + Milliseconds(plan.everyWeeks) * Self.week + Self.grace
        return DrillStanding(
            everyWeeks: plan.everyWeeks, passed: passed, wasHeartHeard: last?.wasHeartHeard, unheardAt: unheardAt,
            overdueSince: now() >= due ? due : nil)
    }

    // MARK: Relatives

    private func hasReachedEverybody(_ item: SOSCase) throws -> Bool {
        guard item.isTest, item.isDelivered else { return false }
        return try (now() - item.opened < Self.testShown ? unreached(in: item) : item.unreached ?? []).isEmpty
    }

    /// Relatives for whom a test was written down, and to whom it cannot leave: their mail has failed, and so has each of their browsers. Whoever
    /// said that it arrived was reached.
    private func unreached(in item: SOSCase) throws -> [AccountID] {
        try item.calls.compactMap { call in
            guard case .account(let account) = call.recipient, call.state == .sent, let reader = try accounts.account(account) else {
                return nil
            }
            return try reachability.isReached(reader, accounts.notices.outWays(.sosTest, to: reader)) ? nil : account
        }
    }

    /// It stands with the tests of the last day: of older ones nobody knows it any more.
    private func noteUnreached() {
        for test in sos.state.withLock({ $0.recentTests(at: now()) }) {
            do {
                let found = try unreached(in: test)
                guard found != test.unreached ?? [] else { continue }
                sos.state.withLock { state in
                    guard var item = state.cases[test.id] ?? state.tests[test.id] else { return }
                    item.unreached = found.isEmpty ? nil : found
                    state.keepTest(item)
                    writer.add(item.person, state: nil, cases: [item])
                }
            } catch { logger.error("whom a test reached cannot be read; it is tried again", metadata: ["error": "\(error)"]) }
        }
    }

    // MARK: Overdue

    /// Tells people, and who looks after them, of tests that are overdue: each once.
    func lookForOverdue() async {
        noteUnreached()
        let people = sos.state.withLock { state in state.entries.filter { $0.value.choice.isOn && $0.value.isConsented }.map(\.key) }
        for person in people {
            do {
                let since = try standing(of: person).overdueSince
                sos.state.withLock { state in
                    guard var entry = state.entries[person], entry.state.overdueDrill != since else { return }
                    entry.state.overdueDrill = since
                    if since != nil { return owedNotices.owe(.drillOverdue, about: person, &entry, &state) }
                    entry.isDirty = true
                    sos.store(person, &entry, [], &state)
                }
            } catch { logger.error("whether a test is overdue cannot be read; it is tried again", metadata: ["error": "\(error)"]) }
        }
        await owedNotices.tell()
        _ = await writer.flush()
    }
}

extension SOSCase {
    /// Somebody was to be told, and each message left, or was written down for the page; the boxes have reached everybody as well.
    fileprivate var isDelivered: Bool {
        !calls.isEmpty && calls.allSatisfy { $0.state == .sent || $0.state == .acknowledged }
            && boxesTested?.values.contains(false) != true
    }
}
