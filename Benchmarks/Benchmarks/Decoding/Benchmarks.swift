import Benchmark
import Foundation
import Sensing

/// How many of `count` things a second of processor time is good for. `body` runs once.
private func measure(_ benchmark: Benchmark, _ what: String, count: Int, _ body: () throws -> Void) rethrows {
    let start = clock()
    benchmark.startMeasurement()
    try body()
    benchmark.stopMeasurement()
    let seconds = Double(clock() - start) / Double(CLOCKS_PER_SEC)
    benchmark.measurement(.custom(what, polarity: .prefersLarger, useScalingFactor: false), Int(Double(count) / max(seconds, 1e-6)))
}

/// As a program reads a file.
private let chunk = 65_536

private func inChunks(_ bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
    try bytes.withUnsafeBytes { all in
        for start in stride(from: 0, to: all.count, by: chunk) {
            try body(UnsafeRawBufferPointer(rebasing: all[start..<min(all.count, start + chunk)]))
        }
    }
}

let benchmarks: @Sendable () -> Void = {
    let (sentences, notifications) = ("Sentences per CPU second", "Notifications per CPU second")
    Benchmark.defaultConfiguration = .init(
        metrics: [
            .throughput, .cpuTotal, .peakMemoryResident, .custom(sentences, polarity: .prefersLarger, useScalingFactor: false),
            .custom(notifications, polarity: .prefersLarger, useScalingFactor: false),
        ],
        warmupIterations: 1, maxDuration: .seconds(8), maxIterations: 10)

    Benchmark("NMEA decode") { benchmark in
        let log = SyntheticLog(seconds: 50_000)
        // The same bytes for whatever this is compared with.
        if let path = ProcessInfo.processInfo.environment["TRACKME_BENCH_NMEA"] {
            try Data(log.bytes).write(to: URL(fileURLWithPath: path), options: .atomic)
        }
        var fixes = 0
        var decoder = NMEADecoder()
        try measure(benchmark, sentences, count: log.sentences) {
            inChunks(log.bytes) { decoder.feed($0) { _ in fixes += 1 } }
            try decoder.finish { _ in fixes += 1 }
        }
        guard fixes == log.seconds, decoder.report.sentences == log.sentences else {
            return benchmark.error("\(fixes) fixes of \(log.seconds), \(decoder.report.sentences) sentences of \(log.sentences)")
        }
    }

    Benchmark("BLE capture decode") { benchmark in
        let capture = SyntheticCapture(notifications: 500_000)
        if let path = ProcessInfo.processInfo.environment["TRACKME_BENCH_BLE"] {
            try Data(capture.bytes).write(to: URL(fileURLWithPath: path), options: .atomic)
        }
        var measurements = 0
        var reader = BluetoothCaptureReader()
        func take(_ event: CaptureEvent) { if case .measurement = event.event { measurements += 1 } }
        try measure(benchmark, notifications, count: capture.notifications) {
            try inChunks(capture.bytes) { try reader.feed($0, emit: take) }
            try reader.finish(emit: take)
        }
        guard measurements == capture.notifications else {
            return benchmark.error("\(measurements) measurements of \(capture.notifications)")
        }
    }
}
