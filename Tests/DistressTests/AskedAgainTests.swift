import Testing
import Vitals

@testable import Distress

/// What was asked while the machine slept, stood still, or was off, is asked again before anybody is told of it.
@Suite struct AskedAgainTests {
    private var made = Made(seed: 11)
    private var watch: DistressWatch

    init() { watch = made.watch(.live, .hub) }

    private mutating func beat(_ rate: Int, _ seconds: ClosedRange<Int>) -> [DistressEffect] {
        var effects: [DistressEffect] = []
        for second in seconds { effects += watch.handle(made.reading(rate, second), at: made.at(second)) }
        return effects
    }

    @Test("SOS-4: a machine that stands still again and again asks again three times, and then calls all the same")
    mutating func standsStill() {
        _ = beat(72, 0...30) + beat(180, 31...33)
        var asked = 0, second = 33
        for _ in 0..<3 {
            second += 6
            let awake = watch.handle(.awoke(after: 5000), at: made.at(second))
            asked += awake.count { if case .ask = $0 { true } else { false } }
            #expect(awake.reported.isEmpty)
        }
        #expect(asked == 3 && watch.handle(.awoke(after: 5000), at: made.at(second + 6)).reported.count == 1)
    }

    /// A pause of the heart of 3.5 s behind a resting one, and what it brought.
    private mutating func pause(at second: Int) -> [DistressEffect] {
        let sample = HeartRateSample(time: made.at(second), beatsPerMinute: 64, contact: .detected, rrIntervals: [3584])
        return beat(72, 0...second - 4)
            + [second - 3, second - 2, second - 1].flatMap {
                watch.handle(made.reading(72, $0, rr: false), at: made.at($0))
            } + watch.handle(.heartRate(sample, made.key(.heartRate)), at: made.at(second))
    }

    private func asked(_ effects: [DistressEffect]) -> [Question] {
        effects.compactMap { if case .ask(let asked) = $0 { asked } else { nil } }
    }
    private func warned(_ effects: [DistressEffect]) -> [Trigger] {
        effects.compactMap { if case .warn(let warning) = $0 { warning.abnormality.trigger } else { nil } }
    }

    @Test("SOS-24, SOS-4: a pause that was slept through is asked about again, with the time that was left, before anybody is told of it")
    mutating func sleptWarning() {
        let question = asked(pause(at: 34)).first
        #expect(question?.trigger == .heartPause && question?.answerBy == made.at(94))
        // Asleep from the tenth second of the question on, for an hour.
        let awake = watch.handle(.awoke(after: 3_600_000), at: made.at(3644))
        #expect(warned(awake).isEmpty && asked(awake).map(\.answerBy) == [made.at(3694)] && asked(awake).map(\.id) == [question?.id])
        #expect(warned(watch.handle(.tick, at: made.at(3693))).isEmpty)
        #expect(warned(watch.handle(.tick, at: made.at(3694))) == [.heartPause])
    }

    @Test("SOS-24: a sleep that ended before the warning's time takes nothing of it, and it is not said again; what was awake counts")
    mutating func sleptWarningShortly() {
        _ = pause(at: 34)
        #expect(asked(watch.handle(.awoke(after: 20_000), at: made.at(60))).isEmpty)
        #expect(warned(watch.handle(.tick, at: made.at(113))).isEmpty)
        #expect(warned(watch.handle(.tick, at: made.at(114))) == [.heartPause])
    }

    /// What another start of the machine does with it, by its own clock.
    private mutating func again(_ settings: DistressSettings = DistressSettings(age: 40), at now: Milliseconds = 5000) -> [DistressEffect] {
        let kept = watch
        watch = DistressWatch(person: made.person, provenance: .live, side: .box, settings: settings, at: now)
        return watch.askAgain(what: kept, shiftedBy: now - made.at(100), at: now)
    }

    @Test(
        "SOS-2, SOS-24, SOS-7: a fall, a seizure or a pause that was asked about as the machine went off is asked about again under its id",
        arguments: [Trigger.fall, .seizure, .heartPause])
    mutating func offWhileAsking(trigger: Trigger) throws {
        watch = made.watch(.live, .box)
        let before: [DistressEffect]
        switch trigger {
        case .heartPause: before = pause(at: 84)
        default: before = watch.handle(.flagged(trigger == .fall ? .fall : .seizure, made.key(.event)), at: made.at(84))
        }
        let old = try #require(asked(before).first), effects = again(), question = try #require(asked(effects).first)
        let isPause = trigger == .heartPause
        #expect(question.id == old.id && question.trigger == trigger)
        #expect(question.askedAt == 5000 && question.answerBy == (isPause ? 65_000 : 35_000))
        #expect(!watch.handle(.tick, at: question.answerBy - 1).callSomebody)
        let due = watch.handle(.tick, at: question.answerBy)
        if isPause { #expect(warned(due) == [.heartPause]) } else { #expect(due.reported == [old.id]) }
        // It began before this start.
        let first = isPause ? nil : watch.incident.alarm?.startedAt
        #expect(isPause || first == made.at(84) + 5000 - made.at(100))
    }

    @Test("SOS-2, SOS-24: what is asked again is answered like any question, and asked of nobody who has turned AutomatedSOS off")
    mutating func answeredBehindARestart() {
        watch = made.watch(.live, .box)
        _ = watch.handle(.flagged(.fall, made.key(.event)), at: made.at(84))
        let before = watch
        #expect(asked(again(DistressSettings(isOn: false, age: 40))).isEmpty && watch.incident.state.name == "calm")
        watch = before
        #expect(asked(again()).count == 1)
        _ = watch.handle(made.state(.ok, 9), at: made.at(9))
        #expect(watch.incident.state.name == "calm" && !watch.handle(.tick, at: made.at(60)).callSomebody)
    }

    @Test(
        "SOS-3, SOS-7: three critical readings are asked about again behind a restart; one alone, or what may be an effort's, by the next reading",
        arguments: [(31...33, true), (31...31, false)])
    mutating func readings(seconds: ClosedRange<Int>, isAsked: Bool) {
        watch = made.watch(.live, .box)
        _ = beat(72, 0...30) + beat(180, seconds)
        #expect(asked(again()).map(\.answerBy) == (isAsked ? [10_000] : []))
        #expect(watch.handle(.tick, at: 10_000).reported.count == (isAsked ? 1 : 0))
    }

    @Test("SOS-24: a machine that goes off again and again tells of a pause at last")
    mutating func pauseAgainAndAgain() {
        watch = made.watch(.live, .box)
        _ = pause(at: 84)
        for _ in 0..<3 {
            let effects = again()
            #expect(asked(effects).map(\.answerBy) == [65_000])
        }
        _ = again()
        #expect(warned(watch.handle(.tick, at: 5000)) == [.heartPause])
    }

    @Test("SOS-7: a machine that goes off again and again calls at last")
    mutating func offAgainAndAgain() throws {
        watch = made.watch(.live, .box)
        _ = watch.handle(.flagged(.fall, made.key(.event)), at: made.at(84))
        for _ in 0..<3 {
            let effects = again()
            #expect(asked(effects).map(\.answerBy) == [35_000])
        }
        _ = again()
        #expect(watch.handle(.tick, at: 5000).reported.count == 1)
    }
}
