import Foundation
import TestSupport
import Testing
import Vitals

@testable import Distress

/// What must hold for any series. A failure names its seed.
@Suite struct PropertyTests {
    @Test("SOS-18, EDGE-9: from calm, nothing that is not a reading raises a heart alarm", arguments: Seeds.some(16, of: 0..<40))
    func silence(seed: UInt64) {
        var made = Made(seed: seed)
        var watch = made.watch(.live, .hub)
        var effects: [DistressEffect] = []
        for second in 0..<120 {
            effects += watch.handle(made.reading(Int.random(in: 60...100, using: &made.generator), second), at: made.at(second))
        }
        for second in 120..<900 {
            effects += watch.handle(made.nonsense(second), at: made.at(second))
        }
        effects += watch.handle(.tick, at: made.at(2000))
        #expect(!effects.callSomebody, "seed \(seed)")
        #expect(!effects.askSomebody, "seed \(seed)")
        #expect(watch.incident.state == .calm && !watch.protection.isProtected, "seed \(seed)")
    }

    @Test(
        "SOS-18, EDGE-9: from calm, a value that stands still asks nobody, wherever below or above the warning limits it froze",
        arguments: Seeds.some(16, of: 0..<40))
    func frozen(seed: UInt64) {
        var made = Made(seed: seed)
        var watch = made.watch(.live, .hub)
        let value =
            Bool.random(using: &made.generator)
            ? Int.random(in: 42...50, using: &made.generator) : .random(in: 111...129, using: &made.generator)
        var effects: [DistressEffect] = []
        for second in 0..<120 {
            effects += watch.handle(made.reading(Int.random(in: 60...100, using: &made.generator), second), at: made.at(second))
        }
        for second in 120..<1500 { effects += watch.handle(made.reading(value, second, rr: false), at: made.at(second)) }
        #expect(!effects.callSomebody && !effects.askSomebody, "seed \(seed)")
        #expect(watch.protection.reasons.contains(.frozen), "seed \(seed)")
    }

    @Test(
        "SOS-7, SOS-8: once raised, only an answer, a false alarm or an owner who has finished ends it",
        arguments: Seeds.some(16, of: 0..<40))
    func neverLost(seed: UInt64) {
        var made = Made(seed: seed)
        var watch = made.watch(.live, made.generator.next() & 1 == 0 ? .hub : .box)
        for second in 0..<1500 {
            let before = watch.incident.alarm
            let event = made.anything(second)
            _ = watch.handle(event, at: made.at(second))
            guard let before, watch.incident.alarm == nil else { continue }
            #expect(event.mayEnd, "seed \(seed), second \(second): \(event) ended \(before.id)")
        }
    }

    @Test(
        "SOS-9: the first call of an incident alerts, each later one updates, and none comes once it is over",
        arguments: Seeds.some(16, of: 0..<40))
    func messages(seed: UInt64) {
        var made = Made(seed: seed)
        var watch = made.watch(.live, made.generator.next() & 1 == 0 ? .hub : .box)
        var called: Set<IncidentID> = [], over: Set<IncidentID> = []
        for second in 0..<1500 {
            for effect in watch.handle(made.anything(second), at: made.at(second)) {
                switch effect {
                case .deliver(let delivery):
                    let isFirst = called.insert(delivery.alarm.id).inserted
                    #expect(isFirst || delivery.message == .update, "seed \(seed), second \(second)")
                    #expect(!over.contains(delivery.alarm.id), "seed \(seed), second \(second): called after it was over")
                case .tell(.over(let alarm, _)): over.insert(alarm.id)
                default: break
                }
            }
        }
    }

    @Test("SOS-19: a series that is not live calls nobody, whatever is in it", arguments: Seeds.some(16, of: 0..<40))
    func tests(seed: UInt64) {
        var made = Made(seed: seed)
        var watch = made.watch([.replay, .import, .drill][Int(seed % 3)], seed % 2 == 0 ? .hub : .box)
        var isSeen = false
        for second in 0..<1500 {
            let effects = watch.handle(made.anything(second), at: made.at(second))
            #expect(!effects.callSomebody, "seed \(seed), second \(second)")
            if effects.contains(where: { if case .test = $0 { true } else { false } }) { isSeen = true }
        }
        _ = isSeen
    }

    @Test(
        "SOS-9: samples that come twice, and late copies of the first reading, make no second incident",
        arguments: Seeds.some(10, of: 0..<25))
    func twice(seed: UInt64) {
        var made = Made(seed: seed)
        var once = made.watch(.live, .hub), again = once
        var ids: (Set<IncidentID>, Set<IncidentID>) = ([], [])
        var past: [DistressEvent] = []
        for second in 0..<900 {
            let event = made.anything(second)
            ids.0.formUnion(once.handle(event, at: made.at(second)).reported)
            ids.1.formUnion(again.handle(event, at: made.at(second)).reported)
            if event.isSample { past.append(event) }
            for _ in 0..<Int.random(in: 0...2, using: &made.generator) where !past.isEmpty {
                let copy = past[Int.random(in: 0..<past.count, using: &made.generator)]
                ids.1.formUnion(again.handle(copy, at: made.at(second)).reported)
            }
        }
        #expect(ids.0 == ids.1, "seed \(seed)")
        #expect(once.incident.state == again.incident.state, "seed \(seed)")
    }

    @Test("SOS-9: what is at the same time may stand in any order", arguments: Seeds.some(10, of: 0..<25))
    func order(seed: UInt64) {
        var made = Made(seed: seed)
        var events: [Scenario.Timed] = []
        for second in 0..<600 {
            events.append(.init(time: made.at(second), event: made.reading(second < 400 ? 75 : 180, second)))
            events.append(.init(time: made.at(second), event: .position(made.fix(second, speed: 10))))
            if second == 450 { events.append(.init(time: made.at(second), event: made.state(.paused, second))) }
            if second == 460 { events.append(.init(time: made.at(second), event: made.state(.resumed, second))) }
            if second == 500 { events.append(.init(time: made.at(second), event: made.state(.ok, second))) }
        }
        let end = made.at(700)
        let plain = Replay.run(Scenario(provenance: .live, side: .hub, events: events, end: end))
        let mixed = Replay.run(Scenario(provenance: .live, side: .hub, events: events.shuffled(using: &made.generator), end: end))
        #expect(plain == mixed, "seed \(seed)")
        #expect(!plain.alarms.isEmpty)
    }

    @Test("SOS-9: stopped and stored at any moment, it goes on as if nothing had been", arguments: Seeds.some(16, of: 0..<40))
    func stored(seed: UInt64) throws {
        var made = Made(seed: seed)
        var running = made.watch(.live, .box), killed = running
        for second in 0..<600 {
            let event = made.anything(second)
            let expected = running.handle(event, at: made.at(second))
            if Int.random(in: 0..<10, using: &made.generator) == 0 {
                killed = try JSONDecoder().decode(DistressWatch.self, from: JSONEncoder().encode(killed))
            }
            #expect(killed.handle(event, at: made.at(second)) == expected, "seed \(seed), second \(second)")
        }
        #expect(running == killed)
    }

    @Test(
        "SOS-4: at known rest the alarm is raised at the later of 5 s and the third valid reading, whatever sends it",
        arguments: Seeds.some(24, of: 0..<60))
    func letter(seed: UInt64) throws {
        var made = Made(seed: seed)
        var watch = made.watch(.live, .hub)
        let isLow = Bool.random(using: &made.generator), hasRR = Bool.random(using: &made.generator)
        let step = Int.random(in: 1...9, using: &made.generator), onset = 400
        // A rise over some seconds, or a leap.
        let rise = hasRR ? Int.random(in: 1...60, using: &made.generator) : Int.random(in: 5...60, using: &made.generator)
        var beyond: [Milliseconds] = []
        for second in 0..<onset + rise + 60 {
            _ = watch.handle(.position(made.fix(second, speed: 0)), at: made.at(second))
            guard second % step == 0 || second < onset else { continue }
            let share = min(1, max(0, Double(second - onset) / Double(rise)))
            let rate = Int(75 + share * (isLow ? -42.0 : 75.0)) + (isLow ? 0 : second % 2)
            let before = watch.incident.state.name
            _ = watch.handle(made.reading(rate, second, rr: hasRR), at: made.at(second))
            if isLow ? rate <= 40 : rate >= 131, before != "delivering" { beyond.append(made.at(second)) }
        }
        let alarm = try #require(watch.incident.alarm, "seed \(seed)"), found = alarm.abnormalities[0]
        #expect(found.context == .rest, "seed \(seed)")
        let counted = beyond.filter { $0 >= found.first.time }
        let third = try #require(counted.first { $0 >= found.first.time + 2000 && $0 >= counted[min(2, counted.count - 1)] })
        #expect(alarm.raisedAt == max(found.first.time + 5000, third), "seed \(seed), every \(step) s, rise \(rise) s")
    }

    @Test(
        "SOS-4: where nobody knows whether the person moves, no trouble that lasts waits longer than the three minutes",
        arguments: Seeds.some(32, of: 0..<80))
    func minutes(seed: UInt64) throws {
        var made = Made(seed: seed)
        var watch = made.watch(.live, .hub)
        let hasRR = Bool.random(using: &made.generator), step = Int.random(in: 1...8, using: &made.generator)
        let rise = Int.random(in: 1...90, using: &made.generator), lostAt = Int.random(in: 70...500, using: &made.generator)
        var first: Milliseconds?
        for second in 0..<700 where second < 60 || (second % step == 0 && second < lostAt) {
            let share = min(1, max(0, Double(second - 60) / Double(rise)))
            let event = made.reading(Int(75 + share * 80) + second / 7 % 2 + second % 2, second, rr: hasRR)
            for effect in watch.handle(event, at: made.at(second)) { if case .ask = effect { first = first ?? made.at(second) } }
        }
        _ = watch.handle(.tick, at: made.at(900))
        guard let first else { return }
        let alarm = try #require(watch.incident.alarm, "seed \(seed)")
        #expect(
            alarm.raisedAt - first <= DistressConstants.answerTimeGradual, "seed \(seed), every \(step) s, rise \(rise) s, lost \(lostAt)")
    }

    @Test("SOS-9: a state that was stored before contradictions were looked for is read")
    func storedBefore() throws {
        var made = Made(seed: 3)
        var watch = made.watch(.live, .hub)
        for second in 0..<60 { _ = watch.handle(made.reading(second < 50 ? 75 : 38, second), at: made.at(second)) }
        var whole = try #require(try JSONSerialization.jsonObject(with: JSONEncoder().encode(watch)) as? [String: Any])
        var detector = try #require(whole["detector"] as? [String: Any])
        #expect(detector.removeValue(forKey: "contradiction") != nil)
        whole["detector"] = detector
        let read = try JSONDecoder().decode(DistressWatch.self, from: JSONSerialization.data(withJSONObject: whole))
        #expect(read.incident == watch.incident && read.incident.alarm != nil && read.detector.unprotected == watch.detector.unprotected)
    }

    @Test("SOS-9: box and hub, seeing the same samples, name the incident alike", arguments: Seeds.some(20, of: 0..<50))
    func alike(seed: UInt64) {
        var made = Made(seed: seed)
        var box = made.watch(.live, .box), hub = made.watch(.live, .hub)
        for second in 0..<200 {
            let event = made.reading(second < 150 ? Int.random(in: 60...90, using: &made.generator) : 35, second)
            _ = box.handle(event, at: made.at(second))
            // The hub sees it later, on its own axis.
            _ = hub.handle(event, at: made.at(second) + 700)
        }
        #expect(box.incident.alarm != nil)
        #expect(box.incident.alarm?.id == hub.incident.alarm?.id, "seed \(seed)")
    }
}
