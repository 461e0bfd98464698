import Testing
import Vitals

@testable import Distress

/// What whoever reports a fall or a seizure is told of it.
@Suite struct FlagOutcomeTests {
    private let person = PersonID(high: 1, low: 1), stream = StreamID(high: 2, low: 2)

    private func watch(isOn: Bool = true) -> DistressWatch {
        DistressWatch(
            person: person, provenance: .live, side: .hub, settings: DistressSettings(isOn: isOn, asksFirst: false, age: 70), at: 0)
    }

    private func flag(_ code: StateEvent.Code, _ watch: inout DistressWatch, at time: Milliseconds, index: UInt32 = 0) -> FlagOutcome {
        let key = SampleKey(stream: stream, sequence: 1, kind: .event, index: index)
        _ = watch.handle(.event(StateEvent(time: time, code: code), key), at: time)
        return watch.flagOutcome
    }

    private func press(_ code: StateEvent.Code, _ watch: inout DistressWatch, at time: Milliseconds) {
        let key = SampleKey(stream: stream, sequence: 2, kind: .event, index: UInt32(time))
        _ = watch.handle(.event(StateEvent(time: time, code: code), key), at: time)
    }

    @Test("SOS-2: a stored fall or seizure is a flagged event, and every other stored event is not", arguments: 0...40)
    func codes(number: UInt16) {
        let code = StateEvent.Code(rawValue: number)
        let key = SampleKey(stream: stream, sequence: 1, kind: .event, index: 0),
            event = DistressEvent.event(.init(time: 1, code: code), key)
        switch number {
        case 21: #expect(event == .flagged(.fall, key))
        case 22: #expect(event == .flagged(.seizure, key))
        default: #expect(event == .state(.init(time: 1, code: code), key) && Flag(code) == nil)
        }
        for flag in Flag.allCases { #expect(Flag(flag.code) == flag && flag.code.isSOS) }
    }

    @Test(
        "SOS-2, SOS-24: a fall is asked about for 30 s, also with the question off; then there is an alarm, and another fall begins no second one"
    )
    func asked() throws {
        var watch = watch()
        #expect(flag(.fall, &watch, at: 1000) == .asked(until: 31_000))
        #expect(flag(.fall, &watch, at: 5000, index: 1) == .asked(until: 31_000), "the same question")
        _ = watch.handle(.tick, at: 30_999)
        #expect(watch.incident.alarm == nil)
        _ = watch.handle(.tick, at: 31_000)
        let alarm = try #require(watch.incident.alarm)
        #expect(alarm.abnormalities.map(\.trigger) == [.fall])
        #expect(flag(.seizure, &watch, at: 40_000, index: 2) == .open)
        #expect(watch.incident.alarm?.id == alarm.id)
        // The same event once more, after the end: nothing new.
        press(.falseAlarm, &watch, at: 50_000)
        #expect(flag(.fall, &watch, at: 1000) == .answered && watch.incident.alarm == nil)
        // A new one asks again at once: nobody's falls are silenced.
        #expect(flag(.fall, &watch, at: 60_000, index: 3) == .asked(until: 90_000))
        press(.ok, &watch, at: 61_000)
        #expect(watch.flagOutcome == .answered)
    }

    @Test("SOS-24: where nobody is asked about a fall, its reporter hears why: off, paused, or waiting to be reactivated")
    func unheard() {
        var off = watch(isOn: false)
        #expect(flag(.fall, &off, at: 1000) == .unheard(.switchedOff))
        var paused = watch()
        press(.paused, &paused, at: 500)
        #expect(flag(.fall, &paused, at: 1000) == .unheard(.paused))
        var waiting = watch()
        #expect(flag(.fall, &waiting, at: 1000) == .asked(until: 31_000))
        _ = waiting.handle(.tick, at: 31_000)
        _ = waiting.handle(.taken(by: Owner("crew")), at: 32_000)
        _ = waiting.handle(.finished(by: Owner("crew")), at: 33_000)
        #expect(flag(.fall, &waiting, at: 40_000, index: 5) == .unheard(.waitingForReactivation))
        press(.reactivated, &waiting, at: 50_000)
        #expect(flag(.fall, &waiting, at: 60_000, index: 6) == .asked(until: 90_000))
    }
}
