import TestSupport
import Testing
import Vitals

@testable import Distress

/// An irregular rhythm over ten minutes at rest, and what is none.
struct HeartRhythmTests {
    private static let strap = StreamID(high: 1, low: 1)

    private func fixes(_ seconds: Range<Int>, speed: Int32) -> [PositionSample] {
        stride(from: seconds.lowerBound, to: seconds.upperBound, by: 5).map {
            PositionSample(time: Milliseconds($0) * 1000, latitude: 450_000_000, longitude: 70_000_000, speed: speed)
        }
    }

    @discardableResult
    private func play(
        _ rhythm: inout HeartRhythm, _ samples: [HeartRateSample], _ positions: [PositionSample] = [], of stream: StreamID = strap
    ) -> [IrregularRhythm] {
        var positions = positions[...]
        return samples.compactMap { sample in
            while let position = positions.first, position.time <= sample.time {
                rhythm.take(position)
                positions.removeFirst()
            }
            return rhythm.take(sample, of: stream)
        }
    }

    private func told(_ kind: MadeHeartbeats.Kind, seconds: Int = 1800, mean: Double = 800) -> [IrregularRhythm] {
        (0..<10).flatMap { (seed: UInt64) in
            var heart = MadeHeartbeats(seed: seed, from: 0), rhythm = HeartRhythm()
            return play(&rhythm, heart.samples(kind, seconds: seconds, mean: mean))
        }
    }

    @Test("SOS-24: a rhythm that is irregular for ten minutes at rest is told once, with its ten minutes; a shorter one is not")
    func fibrillation() {
        let found = told(.fibrillation)
        #expect(found.count == 10, "each of ten hearts, once in half an hour")
        for one in found { #expect((600_000...900_000).contains(one.to - one.from) && (65...85).contains(one.rate), "\(one)") }
        #expect(told(.fibrillation, seconds: 590).isEmpty)
    }

    @Test("SOS-24: breathing, early beats that are made up for, and beats that the strap misses are no irregular rhythm")
    func sinus() {
        #expect(told(.sinus(breathing: 0.05)).isEmpty && told(.sinus(breathing: 0.01), mean: 600).isEmpty)
        #expect(told(.ectopy(percent: 8)).isEmpty)
        #expect(told(.missed(percent: 4)).isEmpty)
    }

    @Test("SOS-24: nothing is said of somebody who moves, or whose heart races while nothing tells of movement")
    func rest() {
        func notices(_ speed: Int32?, mean: Double) -> Int {
            var heart = MadeHeartbeats(seed: 1, from: 0), rhythm = HeartRhythm()
            let samples = heart.samples(.fibrillation, seconds: 2400, mean: mean)
            return play(&rhythm, samples, speed.map { fixes(0..<2400, speed: $0) } ?? []).count
        }
        #expect(notices(0, mean: 800) == 1 && notices(nil, mean: 800) == 1)
        #expect(notices(300, mean: 800) == 0, "a run")
        #expect(notices(nil, mean: 540) == 0 && notices(0, mean: 540) == 1, "111 a minute: at rest only if fixes say so")
    }

    @Test("SOS-24: it is told anew only after ten regular minutes, and at most once a day, over a restart too")
    func onceADay() {
        var heart = MadeHeartbeats(seed: 3, from: 0), rhythm = HeartRhythm(), hours: [Int] = []
        func go(_ kind: MadeHeartbeats.Kind, hours length: Int) {
            hours += play(&rhythm, heart.samples(kind, seconds: length * 3600)).map { Int($0.to / 3_600_000) }
        }
        go(.fibrillation, hours: 30)
        #expect(hours == [0], "as long as it lasts")
        go(.sinus(breathing: 0.02), hours: 1)
        #expect(!rhythm.standing.isIrregular)
        go(.fibrillation, hours: 1)
        #expect(hours == [0, 31])
        go(.sinus(breathing: 0.02), hours: 1)
        rhythm = HeartRhythm(rhythm.standing)
        go(.fibrillation, hours: 1)
        #expect(hours == [0, 31] && rhythm.standing.isIrregular, "the same day")
        go(.sinus(breathing: 0.02), hours: 24)
        go(.fibrillation, hours: 1)
        #expect(hours == [0, 31, 58])
    }

    @Test("SOS-24: segments with too few clean intervals judge nothing, and are counted; so is what a hole or lost contact cuts off")
    func unclear() {
        var heart = MadeHeartbeats(seed: 4, from: 0), rhythm = HeartRhythm()
        play(&rhythm, heart.samples(.missed(percent: 45), seconds: 1200))
        #expect(rhythm.standing.judged < 300_000 && rhythm.standing.unclear > 600_000, "\(rhythm.standing)")
        var cut = HeartRhythm(), other = MadeHeartbeats(seed: 5, from: 0), told = 0
        for _ in 0..<60 {
            told += play(&cut, other.samples(.fibrillation, seconds: 60)).count
            guard let last = other.samples(.fibrillation, seconds: 1).last else { continue }
            let lost = HeartRateSample(time: last.time, beatsPerMinute: 0, contact: .notDetected)
            told += play(&cut, [lost]).count
        }
        #expect(told == 0 && cut.standing.judged == 0 && cut.standing.unclear > 3_000_000, "\(cut.standing)")
    }

    @Test("SOS-24: one sensor is listened to; another one beside it, late readings and readings without intervals change nothing")
    func sources() {
        var heart = MadeHeartbeats(seed: 6, from: 0), beside = MadeHeartbeats(seed: 7, from: 500)
        let samples = heart.samples(.sinus(breathing: 0.02), seconds: 1800), others = beside.samples(.fibrillation, seconds: 1800)
        var alone = HeartRhythm(), both = HeartRhythm()
        play(&alone, samples)
        for (own, other) in zip(samples, others) {
            #expect(both.take(own, of: Self.strap) == nil && both.take(other, of: StreamID(high: 2, low: 2)) == nil)
            var late = other
            late.time = own.time - 5000
            #expect(both.take(late, of: Self.strap) == nil)
        }
        #expect(both == alone && alone.standing.judged > 1_600_000)
        var optical = HeartRhythm()
        #expect(play(&optical, others.map { HeartRateSample(time: $0.time, beatsPerMinute: $0.beatsPerMinute) }).isEmpty)
        #expect(optical.standing == .init(), "no interval, nothing to judge")
    }

    @Test("SOS-24: the three measures are those of Dash 2009: each alone says nothing")
    func measures() {
        var generator = SeededGenerator(seed: 8)
        let random = (0..<128).map { _ in Int.random(in: 550...1050, using: &generator) }
        #expect(HeartRhythm.isIrregular(random))
        #expect(!HeartRhythm.isIrregular(random.map { 800 + ($0 - 800) / 5 }), "the same, with small differences")
        #expect(
            !HeartRhythm.isIrregular((0..<128).map { $0 % 2 == 0 ? 700 : 900 }), "two intervals in turn: no entropy, each a turning point")
        #expect(!HeartRhythm.isIrregular(random.sorted()), "a slope")
        let logarithms = [0.001: -6.907_755_278_982_137, 1: 0, 2: 0.693_147_180_559_945, 112: 4.718_498_871_295_094]
        for (value, expected) in logarithms { #expect(abs(HeartRhythm.logarithm(value) - expected) < 1e-9, "\(value)") }
    }
}
