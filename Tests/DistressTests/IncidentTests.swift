import Foundation
import Testing
import Vitals

@testable import Distress

/// What the life of an incident is told by others: about which case, in which order, from which clock.
@Suite struct IncidentTests {
    private var made = Made(seed: 7)
    private var watch: DistressWatch

    init() { watch = made.watch(.live, .hub) }

    private mutating func alarm(_ provenance: Provenance = .live, at time: Milliseconds) -> Alarm {
        let reading = Reading(time: time, value: 180, key: made.key(.heartRate))
        let found = Abnormality(
            trigger: .heartRateHigh, tier: .critical, limit: 131, context: .rest, first: reading, latest: reading, worst: 180, count: 3)
        return Alarm(
            id: IncidentID(person: made.person, first: reading.key), person: made.person, provenance: provenance, raisedAt: time,
            abnormalities: [found])
    }

    private mutating func beat(_ rate: Int, _ seconds: ClosedRange<Int>) -> [DistressEffect] {
        var effects: [DistressEffect] = []
        for second in seconds { effects += watch.handle(made.reading(rate, second), at: made.at(second)) }
        return effects
    }

    @Test("SOS-19: a drill that the other side reports leaves a live suspicion alone")
    mutating func drill() {
        _ = beat(72, 0...30)
        _ = beat(180, 31...33)
        let effects = watch.handle(.reported(alarm(.drill, at: made.at(33))), at: made.at(33))
        #expect(effects.contains { if case .test = $0 { true } else { false } })
        #expect(beat(180, 34...37).reported.count == 1)
        #expect(watch.incident.alarm?.aliases == [])
    }

    @Test("SOS-4: a box that slept through its question asks again, and calls only when that is not answered", arguments: [false, true])
    mutating func slept(isAnswered: Bool) {
        let effects = beat(72, 0...30) + beat(180, 31...33)
        let asked = effects.compactMap { if case .ask(let question) = $0 { question } else { nil } }
        #expect(asked.count == 1)
        let awake = watch.handle(.awoke(after: 60_000), at: made.at(95))
        #expect(awake.reported.isEmpty)
        let again = awake.compactMap { if case .ask(let question) = $0 { question } else { nil } }
        #expect(again.map(\.id) == asked.map(\.id) && again.first?.answerBy == made.at(100))
        #expect(watch.handle(.tick, at: made.at(99)).reported.isEmpty)
        if isAnswered { _ = watch.handle(made.state(.ok, 99), at: made.at(99)) }
        #expect(watch.handle(.tick, at: made.at(101)).reported.count == (isAnswered ? 0 : 1))
    }

    @Test("SOS-4: a sleep that ended before the question's time changes nothing")
    mutating func sleptShortly() {
        _ = beat(72, 0...30) + beat(180, 31...33)
        #expect(watch.handle(.awoke(after: 1000), at: made.at(34)).isEmpty)
        #expect(watch.handle(.tick, at: made.at(37)).reported.count == 1)
    }

    @Test(
        "SOS-20: while answers may be on the network, no question counts as unanswered, whatever else comes; then at once",
        arguments: [false, true])
    mutating func answersOnTheirWay(isAnswered: Bool) {
        _ = beat(72, 0...30) + beat(180, 31...33)
        watch.awaitAnswers(until: made.at(105))
        #expect(watch.nextDeadline.map { $0 <= made.at(105) } == true)
        #expect(beat(180, 95...104).reported.isEmpty)
        if isAnswered { _ = watch.handle(made.state(.ok, 104), at: made.at(104)) }
        #expect(watch.handle(.tick, at: made.at(105)).reported.count == (isAnswered ? 0 : 1))
    }

    @Test(
        "SOS-20: a warning waits for answers that are on the network, too; and nobody waits where nothing is asked",
        arguments: [false, true])
    mutating func warningOnItsWay(isAnswered: Bool) {
        watch.awaitAnswers(until: made.at(10))
        #expect(watch.incident.answersUntil == nil)
        let key = made.key(.event),
            silence = Abnormality(
                trigger: .inactivity, tier: .warning, limit: nil, context: .unknown,
                first: Reading(time: made.at(1), value: 0, key: key), latest: Reading(time: made.at(1), value: 0, key: key), worst: 0,
                count: 1,
                isLost: false, answerTime: 60_000)
        _ = watch.handle(.inactive(silence), at: made.at(1))
        watch.awaitAnswers(until: made.at(110))
        func warned(_ effects: [DistressEffect]) -> Bool { effects.contains { if case .warn = $0 { true } else { false } } }
        #expect(!warned(watch.handle(.tick, at: made.at(105))))
        if isAnswered { _ = watch.handle(made.state(.ok, 106), at: made.at(106)) }
        #expect(warned(watch.handle(.tick, at: made.at(110))) != isAnswered)
    }

    @Test("SOS-8, SOS-19: a drill does not reactivate monitoring")
    mutating func drillWhileWaiting() {
        _ = watch.handle(made.state(.help, 1), at: made.at(1))
        _ = watch.handle(.taken(by: Owner("a")), at: made.at(2))
        _ = watch.handle(.finished(by: Owner("a")), at: made.at(2))
        _ = watch.handle(.reported(alarm(.drill, at: made.at(3))), at: made.at(3))
        #expect(watch.incident.state.name == "waiting")
    }

    @Test("SOS-21: answered before anybody had taken it, monitoring goes on; after somebody took it, it waits", arguments: [false, true])
    mutating func watchedOn(isTaken: Bool) {
        _ = watch.handle(made.state(.help, 1), at: made.at(1))
        if isTaken { _ = watch.handle(.taken(by: Owner("a")), at: made.at(2)) }
        let effects = watch.handle(made.state(.falseAlarm, 3), at: made.at(3))
        #expect(effects.contains { if case .tell(.over(_, .falseAlarm)) = $0 { true } else { false } })
        #expect(watch.incident.state.name == (isTaken ? "waiting" : "calm"))
        #expect(watch.protection.reasons.contains(.waitingForReactivation) == isTaken)
        #expect(watch.incident.answered?.outcome == (isTaken ? nil : .falseAlarm))
        // For as long as the limit is silent, and no longer.
        _ = watch.handle(.tick, at: made.at(4) + DistressConstants.silence)
        #expect(watch.incident.answered == nil)
    }

    @Test("SOS-21: whoever had it and gave it back was not sent: answered then, monitoring goes on")
    mutating func givenBack() {
        _ = watch.handle(made.state(.help, 1), at: made.at(1))
        _ = watch.handle(.taken(by: Owner("a")), at: made.at(2))
        _ = watch.handle(.released(by: Owner("a")), at: made.at(3))
        _ = watch.handle(made.state(.ok, 4), at: made.at(4))
        #expect(watch.incident.state.name == "calm" && watch.incident.answered?.outcome == .answeredLate)
    }

    @Test("SOS-21: a copy of what was answered that comes late opens nothing, also once it is long ago")
    mutating func lateCopy() throws {
        _ = watch.handle(made.state(.help, 1), at: made.at(1))
        let alarm = try #require(watch.incident.alarm)
        _ = watch.handle(made.state(.ok, 4), at: made.at(4))
        _ = watch.handle(.reported(alarm), at: made.at(5))
        _ = watch.handle(.reported(alarm), at: made.at(5) + 2 * DistressConstants.silence)
        #expect(watch.incident.state.name == "calm")
    }

    @Test("SOS-21: a state of release 0.3.0 that waits although nobody had taken the case watches on when it is read")
    mutating func waitingOfBefore() throws {
        _ = beat(72, 0...30)
        _ = beat(180, 31...45)
        _ = watch.handle(.taken(by: Owner("a")), at: made.at(46))
        _ = watch.handle(made.state(.falseAlarm, 46), at: made.at(46))
        let waits = try JSONDecoder().decode(DistressWatch.self, from: try JSONEncoder().encode(watch))
        #expect(waits.protection.reasons == [.waitingForReactivation])
        var read = try JSONDecoder().decode(DistressWatch.self, from: try withoutOwner(watch))
        #expect(read.protection.isProtected && read.incident.answered?.outcome == .falseAlarm)
        // What was answered then is silent for the rest of its time.
        for second in 47...60 { _ = read.handle(made.reading(180, second), at: made.at(second)) }
        #expect(read.incident.state.name == "calm")
    }

    /// The stored form of a watch that waits though nobody had the case.
    private func withoutOwner(_ watch: DistressWatch) throws -> Data {
        func removing(_ path: ArraySlice<String>, _ value: Any) throws -> Any {
            var object = try #require(value as? [String: Any]), rest = path
            let key = rest.removeFirst(), inner = try #require(object[key])
            object[key] = rest.isEmpty ? nil : try removing(rest, inner)
            return object
        }
        let whole = try JSONSerialization.jsonObject(with: JSONEncoder().encode(watch))
        return try JSONSerialization.data(withJSONObject: try removing(["incident", "state", "waiting", "_0", "owner"], whole))
    }

    @Test("SOS-21: a warning that nobody heard because of a case counts anew once that was answered")
    mutating func warningBehindACase() {
        for second in 0...590 { _ = watch.handle(made.reading(115, second), at: made.at(second)) }
        _ = watch.handle(made.state(.help, 591), at: made.at(591))
        for second in 592...620 { _ = watch.handle(made.reading(115, second), at: made.at(second)) }
        _ = watch.handle(made.state(.ok, 621), at: made.at(621))
        var asked = 0
        for second in 622...1300 {
            asked += watch.handle(made.reading(115, second), at: made.at(second)).count { if case .ask = $0 { true } else { false } }
        }
        #expect(asked == 1)
    }

    @Test("SOS-20: a late word about another incident neither takes, releases nor ends this one")
    mutating func otherIncident() throws {
        _ = watch.handle(made.state(.help, 1), at: made.at(1))
        let other = alarm(at: 0).id, this = try #require(watch.incident.alarm?.id)
        for event: DistressEvent in [.finished(by: Owner("a"), of: other), .taken(by: Owner("a"), of: other)] {
            _ = watch.handle(event, at: made.at(2))
            #expect(watch.incident.state.name == "delivering")
        }
        _ = watch.handle(.taken(by: Owner("a"), of: this), at: made.at(3))
        _ = watch.handle(.released(by: Owner("a"), of: other), at: made.at(4))
        #expect(watch.incident.state.name == "taken")
        _ = watch.handle(.finished(by: Owner("a"), of: this), at: made.at(5))
        #expect(watch.incident.state.name == "waiting")
    }

    @Test("SOS-9: the hub's word that it reached somebody about another incident does not stop the box's own calls")
    mutating func otherReached() {
        watch = made.watch(.live, .box)
        _ = watch.handle(.otherSide(.reachable), at: 0)
        _ = watch.handle(made.state(.help, 1), at: made.at(1))
        _ = watch.handle(.otherSide(.addresseeReached, of: alarm(at: 0).id), at: made.at(2))
        let effects = watch.handle(.tick, at: made.at(3))
        #expect(effects.contains { if case .deliver = $0 { true } else { false } })
    }

    @Test("SOS-20: a control room ends what somebody else has taken; a stranger does not")
    mutating func authority() {
        _ = watch.handle(made.state(.help, 1), at: made.at(1))
        _ = watch.handle(.taken(by: Owner("a")), at: made.at(2))
        _ = watch.handle(.finished(by: Owner("b")), at: made.at(3))
        #expect(watch.incident.state.name == "taken")
        _ = watch.handle(.finished(by: Owner("room"), withAuthority: true), at: made.at(4))
        #expect(watch.incident.state.name == "waiting")
    }

    @Test("SOS-8, SOS-10: an alarm from another clock can be answered, and monitoring reactivated")
    mutating func otherAxis() {
        _ = watch.handle(.reported(alarm(at: 1_700_000_000_000)), at: made.at(5))
        _ = watch.handle(.taken(by: Owner("a")), at: made.at(5))
        _ = watch.handle(made.state(.falseAlarm, 6), at: made.at(6))
        #expect(watch.incident.state.name == "waiting")
        _ = watch.handle(made.state(.reactivated, 7), at: made.at(7))
        #expect(watch.incident.state.name == "calm")
    }

    @Test("SOS-6: a later round tells where the person is now, and an older fix replaces no newer one")
    mutating func position() {
        var fix = made.fix(0, speed: 0)
        _ = watch.handle(.position(fix), at: 0)
        _ = watch.handle(made.state(.help, 1), at: made.at(1))
        fix.latitude += 5000
        fix.time = made.at(10)
        _ = watch.handle(.position(fix), at: made.at(10))
        _ = watch.handle(.position(made.fix(4, speed: 0)), at: made.at(11))
        let later = watch.handle(.tick, at: made.at(16)).compactMap { if case .deliver(let delivery) = $0 { delivery } else { nil } }
        #expect(later.map(\.alarm.position?.latitude) == [fix.latitude])
        #expect(watch.incident.alarm?.position?.time == made.at(10))
    }

    @Test("SOS-6: the newer position is the better one; one of unknown age gives way, and a set place to what was found a moment ago")
    func betterPlace() {
        func place(_ time: Milliseconds, _ source: PositionSource = .gnss, isAgeUnknown: Bool? = nil, latitude: Int32 = 1) -> LastPosition {
            var place = LastPosition(PositionSample(time: time, latitude: latitude, longitude: 2, source: source))
            place.isAgeUnknown = isAgeUnknown
            return place
        }
        let now: Milliseconds = 10_000_000, ago = now - LastPosition.foundFor
        #expect(place(2).isBetter(than: place(1), at: now) && !place(1).isBetter(than: place(1), at: now))
        #expect(place(1).isBetter(than: place(2, isAgeUnknown: true), at: now))
        #expect(!place(2, isAgeUnknown: true).isBetter(than: place(1), at: now))
        #expect(place(1, .fixed).isBetter(than: place(2, isAgeUnknown: true), at: now))
        #expect(!place(9, isAgeUnknown: true).isBetter(than: place(1, isAgeUnknown: true), at: now), "the same, told once more")
        #expect(place(9, isAgeUnknown: true, latitude: 7).isBetter(than: place(1, isAgeUnknown: true), at: now))
        #expect(place(ago).isBetter(than: place(now, .fixed), at: now) && !place(now, .fixed).isBetter(than: place(ago), at: now))
        #expect(place(1, .fixed).isBetter(than: place(ago - 1), at: now) && !place(ago - 1).isBetter(than: place(1, .fixed), at: now))
    }

    @Test("SOS-3: a second sensor does not tear the first one's run, and is heard when the first one is silent")
    mutating func twoSensors() {
        func other(_ rate: Int, _ second: Int) -> DistressEvent {
            .heartRate(
                HeartRateSample(time: made.at(second) + 500, beatsPerMinute: UInt16(rate), rrIntervals: [UInt16(61_440 / rate)]),
                SampleKey(stream: StreamID(high: 9, low: 9), sequence: UInt64(second), kind: .heartRate, index: 0))
        }
        var effects: [DistressEffect] = []
        for second in 0...40 {
            effects += watch.handle(made.reading(second < 31 ? 72 : 185, second), at: made.at(second))
            effects += watch.handle(other(80, second), at: made.at(second) + 500)
        }
        #expect(effects.reported.count == 1)
        watch = made.watch(.live, .hub)
        _ = beat(72, 100...130)
        var late: [DistressEffect] = []
        for second in 131...160 { late += watch.handle(other(185, second), at: made.at(second) + 500) }
        #expect(late.reported.count == 1)
    }

    @Test(
        "SOS-18: two sensors that one box cannot tell apart: nobody is called protected, with RR intervals or without",
        arguments: [true, false])
    mutating func interleaved(rr: Bool) {
        _ = beat(80, 0...30)
        #expect(watch.protection.isProtected)
        for second in 31...60 {
            _ = watch.handle(made.reading(80 + second % 2, second, rr: rr), at: made.at(second))
            _ = watch.handle(made.reading(185 - second % 2, second, rr: rr), at: made.at(second) + 500)
        }
        #expect(watch.protection.reasons.contains(.contradictory))
        _ = beat(80, 61...120)
        #expect(watch.protection.isProtected)
    }

    @Test("SOS-18: an effort, a leap that stays, and single spikes contradict nothing")
    mutating func noContradiction() {
        for second in 0...600 {
            let rate = second < 200 ? 75 + second / 2 : second < 300 ? 75 : 170
            _ = watch.handle(made.reading(second % 30 == 0 ? rate + 60 : rate, second, rr: false), at: made.at(second))
            #expect(!watch.protection.reasons.contains(.contradictory), "second \(second)")
        }
    }

    @Test("SOS-3: no time is so odd that the sums overflow")
    mutating func oddTimes() {
        for time in [Int64.min, Int64.max, 0] {
            for sampleTime in [Int64.min, Int64.max, 0] {
                var fix = made.fix(0, speed: 0)
                fix.time = sampleTime
                _ = watch.handle(
                    .heartRate(HeartRateSample(time: sampleTime, beatsPerMinute: 180), made.key(.heartRate)), at: time)
                _ = watch.handle(.position(fix), at: time)
                _ = watch.handle(.cadence(perMinute: .max), at: time)
                _ = watch.handle(.cadence(perMinute: .max), at: time)
                _ = watch.handle(made.state(.help, 0), at: time)
            }
        }
        #expect(watch.incident.alarm != nil)
    }
}
