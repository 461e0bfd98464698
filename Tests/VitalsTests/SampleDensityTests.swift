import TestSupport
import Testing
import Vitals

struct SampleDensityTests {
    private func kept(_ times: [Milliseconds], max: Int = SampleDensity.heartRatesMax) -> [Milliseconds] {
        var gate = DensityGate(max: max)
        return times.filter { gate.admits($0) }
    }

    @Test("PERF-6: a source at the bound loses nothing: 16 heart rates and 100 positions a second, for an hour")
    func atTheBound() {
        let rates = (0..<57_600).map { Milliseconds($0) * 10_000 / 160 }, positions = (0..<360_000).map { Milliseconds($0) * 10 }
        #expect(kept(rates).count == rates.count)
        #expect(kept(positions, max: SampleDensity.positionsMax).count == positions.count)
        #expect(SampleDensity.peak(of: rates) == 160)
        #expect(SampleDensity.peak(of: positions.shuffled()) == 1000)
    }

    @Test("PERF-6: a burst within the bound is kept whole, and one sample more is left out")
    func burst() {
        #expect(kept(.init(repeating: 5000, count: 160)).count == 160)
        #expect(kept(.init(repeating: 5000, count: 161)).count == 160)
        #expect(kept(.init(repeating: 0, count: 160) + [9_999, 10_000]).last == 10_000)
    }

    @Test("PERF-6: no 10 s hold more than the bound, however samples come", arguments: 0..<40 as Range<UInt64>)
    func never(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var time: Milliseconds = 1_800_000_000_000
        let times = (0..<20_000).map { _ in
            time += [0, 0, 1, 5, 60, 62, 63, 300, 12_000][Int.random(in: 0..<9, using: &random)] * (seed.isMultiple(of: 2) ? 1 : 0)
            time += seed.isMultiple(of: 2) ? 0 : Milliseconds.random(in: 0...20, using: &random)
            return time
        }
        let kept = kept(times)
        #expect(SampleDensity.peak(of: kept) <= 160)
        #expect(!kept.isEmpty)
    }

    @Test("PERF-6: what goes on of a source that is too dense is spread over time, with no hole after its first 10 s")
    func spread() {
        let kept = kept((0..<64_000).map { Milliseconds($0) * 1000 / 640 })
        let later = kept.filter { $0 >= 10_000 }
        #expect(later.count > 1300, "of 90 s at 16 a second")
        #expect(zip(later, later.dropFirst()).allSatisfy { $1 - $0 <= 200 })
    }

    @Test("PERF-6: a clock that jumps back does not stop a source")
    func backwards() {
        let times = (0..<100).map { 1_000_000 + Milliseconds($0) * 1000 } + (0..<100).map { Milliseconds($0) * 1000 }
        #expect(kept(times).count == times.count)
        // A little back, as sentences of two receivers come.
        #expect(kept((0..<1000).map { Milliseconds($0) * 1000 + ($0.isMultiple(of: 2) ? 900 : -900) }).count == 1000)
    }
}
