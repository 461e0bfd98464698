import Testing
import Vitals

@testable import Distress

/// What an alarm says of the question, where the person switched it off.
@Suite struct WasAskedTests {
    enum Trouble: CaseIterable { case slow, effort, fall, lost }

    private var made = Made(seed: 14)

    @Test(
        "SOS-6: with the question off an alarm says who was asked all the same: about what may be an effort, a fall, what was lost",
        arguments: Trouble.allCases)
    mutating func questionOff(trouble: Trouble) throws {
        let settings = DistressSettings(asksFirst: false, age: 40), isAsked = trouble != .slow
        var watch = DistressWatch(person: made.person, provenance: .live, side: .box, settings: settings, at: 0)
        var effects: [DistressEffect] = []
        for second in 1...400 where watch.incident.alarm == nil {
            if let event = event(trouble, second) { effects += watch.handle(event, at: made.at(second)) }
            effects += watch.handle(.tick, at: made.at(second))
        }
        let alarm = try #require(watch.incident.alarm)
        #expect(effects.askSomebody == isAsked)
        #expect(alarm.wasAsked(asksFirst: false) == isAsked && alarm.wasAsked == (isAsked ? true : nil))
        var older = alarm
        older.wasAsked = nil
        #expect(older.wasAsked(asksFirst: false) == isAsked, "a box of release 0.3.0 does not say; it follows from what led to it")
        #expect(older.wasAsked(asksFirst: true))
    }

    private mutating func event(_ trouble: Trouble, _ second: Int) -> DistressEvent? {
        guard second >= 60 else { return made.reading(72, second) }
        switch trouble {
        case .slow: return made.reading(30, second)
        case .effort: return made.reading(150, second, rr: false)
        case .fall: return second == 60 ? .flagged(.fall, made.key(.event)) : made.reading(72, second)
        case .lost: return second == 60 ? made.reading(30, second) : made.reading(0, second, contact: .notDetected, rr: false)
        }
    }
}
