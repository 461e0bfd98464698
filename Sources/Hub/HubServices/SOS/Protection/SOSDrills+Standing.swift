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
    /// When the last test began that reached everybody, UTC milliseconds; nil for none.
    public let passed: Milliseconds?
    /// Whether a heart rate was being received then; nil for no such test, and where that was not kept.
    public let wasHeartHeard: Bool?
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
        let last = try store.cases(of: person).first { $0.isTest && $0.isDelivered }, passed = last?.opened
        guard let plan = try store.drill(of: person)?.plan else {
            return DrillStanding(everyWeeks: nil, passed: passed, wasHeartHeard: last?.wasHeartHeard, overdueSince: nil)
        }
        let set = try store.changes(of: person).first { $0.what.contains { $0.hasPrefix("drill:") } }?.time ?? 0
        let due = max(passed ?? set, set) + Milliseconds(plan.everyWeeks) * Self.week + Self.grace
        return DrillStanding(
            everyWeeks: plan.everyWeeks, passed: passed, wasHeartHeard: last?.wasHeartHeard, overdueSince: now() >= due ? due : nil)
    }

    /// Tells people, and who looks after them, of tests that are overdue: each once.
    func lookForOverdue() async {
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
    /// Somebody was to be told, and everybody was, by the boxes as well.
    fileprivate var isDelivered: Bool {
        !calls.isEmpty && calls.allSatisfy { $0.state == .sent || $0.state == .acknowledged }
            && boxesTested?.values.contains(false) != true
    }
}
