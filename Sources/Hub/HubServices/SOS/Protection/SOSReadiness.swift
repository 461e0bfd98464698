import Alerts
import Synchronization
import Vitals

/// Why an alarm may come to nothing in this hub (SOS-22).
public enum SOSFault: Sendable, Hashable, CustomStringConvertible {
    /// Due work is not looked at: the process stands still, or has not begun.
    case standsStill
    /// Decisions are not stored.
    case notStored
    /// Every way out fails.
    case noWay
    /// The number of people with AutomatedSOS on who have lost their last way.
    case peopleWithoutWay(Int)

    /// The hub itself would see to no alarm, whosever. Of single people without a way operators are told otherwise: an alarm that is always on would
    /// hide that the hub has died.
    var isOfHub: Bool { if case .peopleWithoutWay = self { false } else { true } }

    public var description: String {
        switch self {
        case .standsStill: "alarms are not looked at"
        case .notStored: "alarms are not stored"
        case .noWay: "no way out works"
        case .peopleWithoutWay(let count): "people whom no way out would serve: \(count)"
        }
    }
}

/// When the regular looks of ``SOSService`` came back last, by a clock that nobody sets.
final class SOSPulse: Sendable {
    enum Look: Sendable, CaseIterable {
        case deadlines, links

        /// Not back for so long: it hangs. Milliseconds.
        var patience: Milliseconds {
            switch self {
            case .deadlines: 10_000
            case .links: 45_000
            }
        }
    }

    private let clock: @Sendable () -> Milliseconds
    private let beats = Mutex<[Look: Milliseconds]>([:])

    init(clock: @escaping @Sendable () -> Milliseconds) { self.clock = clock }

    func beat(_ look: Look) { beats.withLock { $0[look] = clock() } }

    var isAlive: Bool {
        let time = clock()
        return beats.withLock { beats in Look.allCases.allSatisfy { look in beats[look].map { time - $0 < look.patience } ?? false } }
    }
}

extension SOSService {
    /// Why this hub's part of an alarm may come to nothing; empty while it works.
    public var faults: [SOSFault] {
        var faults: [SOSFault] = []
        if !pulse.isAlive { faults.append(.standsStill) }
        if writer.isFailing { faults.append(.notStored) }
        let known = ways.all.map(\.health)
        if !known.isEmpty, known.allSatisfy(\.isFailing) { faults.append(.noWay) }
        let people = reachability.unreached.count
        if people > 0 { faults.append(.peopleWithoutWay(people)) }
        return faults
    }
}
