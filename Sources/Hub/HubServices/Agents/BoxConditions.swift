public import SyncProtocol
import Synchronization
public import Vitals

/// The last reports of boxes. In memory: a box says it again within five minutes.
public final class BoxConditions: Sendable {
    /// Boxes whose report is kept.
    public static let countMax = 200_000
    /// A box that was not heard of for longer is told as silent: it misses two reports.
    public static let silentAfter: Milliseconds = 660_000

    /// The last report of a box.
    public struct Heard: Sendable, Hashable {
        public var report: BoxCondition
        /// UTC, by the hub's clock.
        public var time: Milliseconds
    }

    private let heard = Mutex<[AgentID: Heard]>([:])

    public init() {}

    /// Keeps a box's report in the place of the one before. Sensors of people whom the box does not serve are left out, and
    /// its settings, which ``BoxSettingsKeeper`` keeps.
    /// - Throws: `ErrorAnswer` for one that cannot be.
    public func take(_ report: BoxCondition, from agent: AgentID, serving people: Set<PersonID>, now: Milliseconds) throws(ErrorAnswer) {
        guard report.isPlausible else {
            throw ErrorAnswer(error: "invalid_request", description: "The report of the box is out of its bounds.")
        }
        var own = report
        own.sensors.removeAll { !people.contains($0.person) }
        // Those are kept sealed, or not at all.
        (own.settings, own.people) = (nil, nil)
        heard.withLock { heard in
            if heard.count < Self.countMax || heard[agent] != nil { heard[agent] = Heard(report: own, time: now) }
        }
    }

    /// nil when the box has said nothing since the hub's start.
    public func last(of agent: AgentID) -> Heard? { heard.withLock { $0[agent] } }

    /// Boxes that have reported and are silent since, the longest first.
    public func silent(now: Milliseconds) -> [(box: AgentID, heard: Heard)] {
        heard.withLock { heard in heard.filter { now - $0.value.time > Self.silentAfter } }.map { ($0.key, $0.value) }
            .sorted { ($0.1.time, $0.0) < ($1.1.time, $1.0) }
    }

    /// How many boxes have reported since the hub's start, and how many of them are silent.
    public func counts(now: Milliseconds) -> (heard: Int, silent: Int) {
        heard.withLock { heard in (heard.count, heard.values.count { now - $0.time > Self.silentAfter }) }
    }

    /// A box was revoked.
    public func forget(_ agent: AgentID) { heard.withLock { _ = $0.removeValue(forKey: agent) } }
}
