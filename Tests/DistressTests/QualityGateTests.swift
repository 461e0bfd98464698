import Testing
import Vitals

@testable import Distress

@Suite struct QualityGateTests {
    private func judged(_ samples: [(seconds: Double, rate: UInt16, rr: [UInt16])], contact: SensorContact = .detected) -> [Rejection?] {
        var gate = QualityGate()
        return samples.map { sample in
            let time = Milliseconds(sample.seconds * 1000)
            return gate.judge(
                HeartRateSample(
                    time: time, beatsPerMinute: sample.rate, contact: contact,
                    rrIntervals: sample.rr.map { UInt16(UInt32($0) * 1024 / 1000) }),
                at: time)
        }
    }

    @Test("SOS-3: no contact, zero, and what no person can have")
    func range() {
        #expect(judged([(0, 72, [])], contact: .notDetected) == [.noContact])
        #expect(judged([(0, 0, [])], contact: .unsupported) == [.noContact])
        #expect(judged([(0, 24, []), (20, 25, []), (40, 240, []), (60, 241, [])]) == [.outOfRange(24), nil, nil, .outOfRange(241)])
        #expect(judged([(0, 72, [249])]) == [.rrOutOfRange(248)])
        // A long interval is a missed beat or a pause. The reading is judged by the others, or with it.
        #expect(judged([(0, 72, [2500])]) == [nil])
        #expect(judged([(0, 72, [833, 833]), (1, 72, [2500])]) == [nil, nil])
        #expect(judged([(0, 72, [833, 833]), (1, 43, [2500])]) == [nil, nil])
        #expect(judged([(0, 72, [833, 833]), (1, 110, [2500])]) == [nil, .rrDisagrees(rate: 110, fromRR: 72)])
    }

    @Test("SOS-3: a rate that its own intervals contradict, over any window that sensors average")
    func intervals() {
        #expect(judged([(0, 180, [833, 830])]) == [.rrDisagrees(rate: 180, fromRR: 72)])
        #expect(judged([(0, 72, [833, 830])]) == [nil])
        // The mean of fast and slow beats: a window holds both.
        #expect(judged([(0, 72, [833]), (1, 72, [833]), (2, 100, [400])]) == [nil, nil, nil])
    }

    @Test("SOS-3: a spike is not believed, a leap that stays is, and so is a mean that follows")
    func leaps() {
        #expect(
            judged([(0, 70, []), (1, 180, []), (2, 70, []), (3, 70, [])]) == [nil, .jump(from: 70, to: 180), .jump(from: 180, to: 70), nil])
        #expect(judged([(0, 70, []), (1, 180, []), (2, 181, []), (3, 180, [])]) == [nil, .jump(from: 70, to: 180), nil, nil])
        #expect(judged([(0, 70, []), (1, 110, []), (2, 145, []), (3, 170, [])]) == [nil, .jump(from: 70, to: 110), nil, nil])
        #expect(judged([(0, 70, []), (1, 180, [333, 333])]) == [nil, nil])
        // Two values that change places for ever: three are rejected, then it is believed.
        let swings = judged((0..<6).map { (Double($0), $0 % 2 == 0 ? 70 : 180, []) })
        #expect(swings.map { $0 == nil } == [true, false, false, false, true, false])
    }

    @Test("SOS-3, SOS-18: the same value for a minute without intervals is frozen; with intervals it is a steady heart")
    func frozen() {
        let silent = judged((0...61).map { (Double($0), 70, []) })
        #expect(silent[59] == nil && silent[60] == .frozen(value: 70, seconds: 60))
        #expect(judged((0...90).map { (Double($0), 70, [857]) }).allSatisfy { $0 == nil })
        // A silence does not thaw it.
        #expect(judged((0...61).map { (Double($0), 70, []) } + [(200, 70, [])]).last == .frozen(value: 70, seconds: 71))
    }

    @Test("Stored samples are played in order of time, and call nobody")
    func stored() {
        let person = PersonID(high: 1, low: 1), stream = StreamID(high: 1, low: 2)
        let rates = (0..<60).map { HeartRateSample(time: Milliseconds($0) * 1000, beatsPerMinute: 72, rrIntervals: [853]) }
        let fast = (60..<70).map { HeartRateSample(time: Milliseconds($0) * 1000, beatsPerMinute: 180, rrIntervals: [341, 341, 341]) }
        let scenario = Scenario(
            person: person, stream: stream,
            segments: [(2, SampleSet(heartRates: fast)), (1, SampleSet(heartRates: rates))], settings: DistressSettings(age: 40))
        let report = Replay.run(scenario)
        #expect(
            report.alarms.map(\.id) == [
                IncidentID(person: person, first: SampleKey(stream: stream, sequence: 2, kind: .heartRate, index: 0))
            ])
        #expect(report.deliveries.isEmpty && report.warnings.isEmpty)
    }
}
