import Distress
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// The order in which messages leave, as a value.
struct SendQueueTests {
    private typealias Key = SendQueue.Key
    private static func key(_ incident: UInt64, _ call: Int = 1) -> Key { Key(incident: IncidentID(high: 0, low: incident), call: call) }

    @Test("SOS-5: real before test, alarm before update, and among equals who was due first, over all lanes")
    func order() {
        var queue = SendQueue()
        queue.add(Self.key(1), by: .mail, urgency: .drill, due: 1)
        queue.add(Self.key(2), by: .mail, urgency: .news, due: 2)
        queue.add(Self.key(3), by: .text, urgency: .news, due: 1)
        queue.add(Self.key(4), by: .room("a"), urgency: .alarm, due: 9)
        queue.add(Self.key(5), by: .mail, urgency: .alarm, due: 8)
        queue.add(Self.key(6), by: .mail, urgency: .alarm, due: 8)
        var taken: [UInt64] = []
        while let next = queue.next(width: { _ in 10 }) { taken.append(next.key.incident.low) }
        #expect(taken == [5, 6, 4, 3, 2, 1])
        for number in taken { queue.end(Self.key(number)) }
        #expect(queue.isEmpty)
    }

    @Test("SOS-20: a lane that is full holds up no other, and goes on when one of its own ends")
    func lanes() {
        var queue = SendQueue()
        for number: UInt64 in 0..<100 { queue.add(Self.key(number), by: .mail, urgency: .alarm, due: 0) }
        queue.add(Self.key(1000), by: .room("a"), urgency: .drill, due: 100)
        func width(_ lane: SendLane) -> Int { lane == .mail ? 3 : 1 }
        #expect((0..<4).compactMap { _ in queue.next(width: width)?.lane } == [.mail, .mail, .mail, .room("a")])
        #expect(queue.next(width: width) == nil && queue.underWay(by: .mail) == 3 && queue.waiting(by: .mail) == 97)
        queue.end(Self.key(1))
        #expect(queue.next(width: width)?.key == Self.key(3) && queue.next(width: width) == nil)
    }

    @Test("SOS-7: a message that waits or is under way is not taken a second time; afterwards it may be due again")
    func once() {
        var queue = SendQueue()
        for _ in 0..<3 { queue.add(Self.key(1), by: .text, urgency: .alarm, due: 0) }
        #expect(queue.waiting(by: .text) == 1)
        #expect(queue.next(width: { _ in 5 })?.key == Self.key(1))
        for _ in 0..<3 { queue.add(Self.key(1), by: .text, urgency: .alarm, due: 0) }
        #expect(queue.next(width: { _ in 5 }) == nil && queue.underWay(by: .text) == 1)
        queue.end(Self.key(1))
        queue.end(Self.key(1))
        queue.add(Self.key(1), by: .text, urgency: .news, due: 7)
        #expect(queue.next(width: { _ in 5 })?.key == Self.key(1))
    }

    @Test("SOS-5: whatever comes in whatever order, each leaves once, and never a less urgent one of a lane first", arguments: 0..<50)
    func any(seed: UInt64) {
        var random = SeededGenerator(seed: seed), queue = SendQueue()
        let lanes: [SendLane] = [.mail, .text, .room("a"), .room("b")], urgencies: [SendUrgency] = [.alarm, .news, .drill]
        var waiting: [SendLane: [Key: (SendUrgency, Milliseconds)]] = [:], underWay: [(Key, SendLane)] = [], left: Set<Key> = [],
            number: UInt64 = 0
        for _ in 0..<600 {
            if Bool.random(using: &random), let lane = lanes.randomElement(using: &random),
                let urgency = urgencies.randomElement(using: &random)
            {
                number += 1
                let due = Milliseconds.random(in: 0..<50, using: &random)
                queue.add(Self.key(number), by: lane, urgency: urgency, due: due)
                waiting[lane, default: [:]][Self.key(number)] = (urgency, due)
            } else if Bool.random(using: &random), !underWay.isEmpty {
                queue.end(underWay.remove(at: .random(in: 0..<underWay.count, using: &random)).0)
            } else if let next = queue.next(width: { _ in 4 }) {
                let mine = waiting[next.lane]?.removeValue(forKey: next.key)
                #expect(mine != nil && left.insert(next.key).inserted, "seed \(seed)")
                if let mine { #expect(waiting[next.lane]?.values.allSatisfy { $0 >= mine } == true, "seed \(seed)") }
                underWay.append((next.key, next.lane))
                #expect(underWay.count { $0.1 == next.lane } <= 4, "seed \(seed)")
            }
        }
    }
}
