import HubStore
import Synchronization
import Vitals

/// The number of questions for data that wait for the people of a box, which tells them (CONS-2). Each box is looked up once a minute at most: answers
/// to boxes are made by the tens of thousands.
final class WaitingQuestions: Sendable {
    private let notices: NoticeStore
    private let known = Mutex<[AgentID: (count: Int, at: Milliseconds)]>([:])

    static let lifetime: Milliseconds = 60_000
    private static let agentsMax = 200_000

    init(notices: NoticeStore) { self.notices = notices }

    /// nil for none.
    func count(for agent: AgentStore.Agent, now: Milliseconds) throws -> Int? {
        if let entry = known.withLock({ $0[agent.id] }), (0..<Self.lifetime).contains(now - entry.at) {
            return entry.count == 0 ? nil : entry.count
        }
        let count = try notices.questionsForBox(of: agent.people.keys)
        known.withLock { known in
            if known.count >= Self.agentsMax { known.removeAll() }
            known[agent.id] = (count, now)
        }
        return count == 0 ? nil : count
    }
}
