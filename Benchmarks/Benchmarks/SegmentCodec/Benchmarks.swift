import Benchmark
import Foundation
import Segments
import Vitals

/// Runs `body` once and notes how many of `count` samples a second of processor time is good for.
private func measure(_ benchmark: Benchmark, _ what: BenchmarkMetric, count: Int, _ body: () throws -> Void) rethrows {
    let start = clock()
    benchmark.startMeasurement()
    try body()
    benchmark.stopMeasurement()
    let seconds = Double(clock() - start) / Double(CLOCKS_PER_SEC)
    benchmark.measurement(what, Int(Double(count) / max(seconds, 1e-6)))
}

private let samplesPerSecond = BenchmarkMetric.custom("Samples per CPU second", polarity: .prefersLarger, useScalingFactor: false)
/// Thousandths, as metrics are whole numbers.
private let bytesPerSample = BenchmarkMetric.custom("Bytes per 1000 samples", polarity: .prefersSmaller, useScalingFactor: false)

/// What segments are made of: as they are sent (ten seconds) and as they are kept (an hour).
private struct Work {
    let name: String
    let parts: [SampleSet]

    var samples: Int { parts.reduce(0) { $0 + $1.count } }

    func segments() -> [Segment] {
        let (stream, person) = (StreamID(high: 1, low: 2), PersonID(high: 3, low: 4))
        return parts.enumerated().map { number, samples in
            Segment(stream: stream, sequence: UInt64(number), person: person, provenance: .replay, clock: .recorded, samples: samples)
        }
    }
}

let benchmarks: @Sendable () -> Void = {
    Benchmark.defaultConfiguration = .init(
        metrics: [.throughput, .cpuTotal, .peakMemoryResident, samplesPerSecond, bytesPerSample],
        warmupIterations: 1, maxDuration: .seconds(4), maxIterations: 20)
    let source = SampleSource()
    var works: [Work] = []
    for (length, seconds) in [("10 s", 10), ("1 h", 3600)] {
        works.append(Work(name: "\(length), both", parts: source.parts(seconds: seconds, .both)))
        works.append(Work(name: "\(length), heart rate", parts: source.parts(seconds: seconds, .heartRate)))
        works.append(Work(name: "\(length), position", parts: source.parts(seconds: seconds, .position)))
    }
    for work in works where work.samples > 0 {
        Benchmark("Encode \(source.name), \(work.name)") { benchmark in
            let segments = work.segments()
            // Enough of it for the clock.
            let repeats = max(1, 200_000 / work.samples)
            var bytes = 0
            measure(benchmark, samplesPerSecond, count: work.samples * repeats) {
                for _ in 0..<repeats {
                    bytes = 0
                    for segment in segments { bytes += segment.encoded().count }
                }
            }
            benchmark.measurement(bytesPerSample, bytes * 1000 / work.samples)
        }
        Benchmark("Decode \(source.name), \(work.name)") { benchmark in
            let encoded = work.segments().map { $0.encoded() }
            let repeats = max(1, 200_000 / work.samples)
            var samples = 0
            try measure(benchmark, samplesPerSecond, count: work.samples * repeats) {
                for _ in 0..<repeats {
                    for bytes in encoded { samples += try Segment(decoding: bytes).samples.count }
                }
            }
            guard samples == work.samples * repeats else {
                return benchmark.error("\(samples) samples decoded of \(work.samples * repeats)")
            }
        }
    }
}
