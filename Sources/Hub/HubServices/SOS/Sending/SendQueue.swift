import Distress
import HubStore
public import Vitals

/// A way out of the hub. Each has places of its own, so that what hangs on one delays no other.
enum SendLane: Sendable, Hashable {
    case mail, text, voice, notice
    /// A control room's own line, by the room's name.
    case room(String)
}

/// The number of messages that one lane carries at a time, and for how long each.
public struct SendPool: Sendable, Hashable {
    /// Messages at a time.
    public var width: Int
    /// Milliseconds after which a message is given up, longer than every time-out of what carries it. nil: it ends when the disk lets it.
    public var limit: Milliseconds?

    /// Places for at least one message.
    public init(width: Int, limit: Milliseconds?) { (self.width, self.limit) = (max(1, width), limit) }
}

/// The order of leaving: real before test, alarm before update.
enum SendUrgency: Int, Sendable, Comparable {
    /// Somebody hears of a real case for the first time.
    case alarm
    /// The outcome of a real case.
    case news
    case drill

    static func < (first: Self, second: Self) -> Bool { first.rawValue < second.rawValue }
}

/// The messages that are due, over all lanes, and those on their way. It holds names; what a message is, and whether it is still to be sent,
/// stands in its case. A message that is in it is not taken a second time.
struct SendQueue: Sendable {
    struct Key: Sendable, Hashable {
        let incident: IncidentID
        /// ``HubStore/SOSCall/number``.
        let call: Int
    }

    private struct Entry: Sendable {
        let key: Key
        let urgency: SendUrgency
        let due: Milliseconds
        /// In which order they came.
        let order: UInt64

        /// Whether it leaves before another.
        func precedes(_ other: Entry) -> Bool { (urgency.rawValue, due, order) < (other.urgency.rawValue, other.due, other.order) }
    }

    private struct Lane: Sendable {
        /// The next one last.
        var waiting: [Entry] = []
        var underWay = 0
    }

    private var lanes: [SendLane: Lane] = [:]
    /// All that wait or are under way, with their lanes.
    private var known: [Key: SendLane] = [:]
    private var order: UInt64 = 0

    /// Puts a message in its place. One that is known already stays where it is.
    mutating func add(_ key: Key, by lane: SendLane, urgency: SendUrgency, due: Milliseconds) {
        guard known[key] == nil else { return }
        known[key] = lane
        order += 1
        let entry = Entry(key: key, urgency: urgency, due: due, order: order)
        var low = 0, high = lanes[lane]?.waiting.count ?? 0
        while low < high {
            let middle = (low + high) / 2
            if lanes[lane]?.waiting[middle].precedes(entry) == true { high = middle } else { low = middle + 1 }
        }
        lanes[lane, default: Lane()].waiting.insert(entry, at: low)
    }

    /// Takes the most urgent message of all lanes that have room. It is under way until ``end(_:)``.
    mutating func next(width: (SendLane) -> Int) -> (key: Key, lane: SendLane)? {
        var best: (entry: Entry, lane: SendLane)?
        for (name, lane) in lanes {
            guard let entry = lane.waiting.last, lane.underWay < width(name), best.map({ entry.precedes($0.entry) }) ?? true else {
                continue
            }
            best = (entry, name)
        }
        guard let best else { return nil }
        lanes[best.lane]?.waiting.removeLast()
        lanes[best.lane]?.underWay += 1
        return (best.entry.key, best.lane)
    }

    /// A message that was under way has left, failed, or is not needed any more.
    mutating func end(_ key: Key) {
        guard let lane = known.removeValue(forKey: key) else { return }
        lanes[lane]?.underWay -= 1
        if let rest = lanes[lane], rest.underWay <= 0, rest.waiting.isEmpty { lanes[lane] = nil }
    }

    func underWay(by lane: SendLane) -> Int { lanes[lane]?.underWay ?? 0 }
    func waiting(by lane: SendLane) -> Int { lanes[lane]?.waiting.count ?? 0 }
    var isEmpty: Bool { known.isEmpty }
    /// Messages on their way, notices apart.
    var sending: Int { lanes.reduce(0) { $0 + ($1.key == .notice ? 0 : $1.value.underWay) } }
}
