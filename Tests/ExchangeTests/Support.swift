import Exchange
import Foundation
import TestSupport
import Testing
import Vitals

/// 2026-11-21T03:04:05.678Z.
let someTime: Milliseconds = 1_795_230_245_678

extension SampleWriter {
    /// The whole file, written in pieces of `pieceSize` samples of a kind and taken out of the buffer after each.
    func file(of samples: SampleSet, pieceSize: Int = .max, from provenance: Provenance = .live) throws -> [UInt8] {
        var writer = self, buffer: [UInt8] = [], file: [UInt8] = []
        func flush() {
            file += buffer
            buffer.removeAll()
        }
        writer.begin(&buffer)
        flush()
        for kinds in Self.passes {
            for piece in samples.pieces(of: pieceSize, kinds: Set(kinds)) {
                try writer.append(piece, from: provenance, to: &buffer)
                flush()
            }
        }
        writer.end(&buffer)
        flush()
        return file
    }

    func text(of samples: SampleSet, pieceSize: Int = .max, from provenance: Provenance = .live) throws -> String {
        try #require(String(validating: try file(of: samples, pieceSize: pieceSize, from: provenance), as: UTF8.self))
    }
}

extension SampleSet {
    /// The set in slices of time, as a store is read hour by hour.
    fileprivate func pieces(of size: Int, kinds: Set<DataKind>) -> [SampleSet] {
        let kept = SampleSet(
            heartRates: kinds.contains(.heartRate) ? heartRates : [], positions: kinds.contains(.position) ? positions : [],
            events: kinds.contains(.event) ? events : [], gaps: kinds.contains(.gap) ? gaps : [],
            scalars: scalars.filter { kinds.contains($0.kind) })
        guard size < kept.count, let range = kept.timeRange else { return [kept] }
        let step = (range.upperBound - range.lowerBound) / Milliseconds(kept.count / size) + 1
        return stride(from: range.lowerBound, through: range.upperBound, by: Int(step)).map { start in
            let span = start..<(start + step)
            return SampleSet(
                heartRates: kept.heartRates.filter { span.contains($0.time) }, positions: kept.positions.filter { span.contains($0.time) },
                events: kept.events.filter { span.contains($0.time) }, gaps: kept.gaps.filter { span.contains($0.time) },
                scalars: kept.scalars.filter { span.contains($0.time) })
        }
    }

    /// A temperature, a blood pressure, a stage of sleep and a run indoors, a second apart.
    static func scalars() throws -> SampleSet {
        SampleSet(scalars: [
            try #require(ScalarSample(.activity, time: someTime + 3000, value: 2, end: someTime + 60_000, second: 1)),
            try #require(ScalarSample(.bodyTemperature, time: someTime, value: 3672)),
            try #require(ScalarSample(.sleep, time: someTime + 2000, value: 4, end: someTime + 90_000)),
            try #require(ScalarSample(.bloodPressure, time: someTime + 1000, value: 128, second: 84)),
        ])
    }

    /// Made-up samples with every field at its ends and in between, in the order of time.
    static func madeUp(seed: UInt64, count: Int = 200) -> SampleSet {
        var generator = SeededGenerator(seed: seed), set = SampleSet(), time = someTime
        func some<Value: FixedWidthInteger>(_ range: ClosedRange<Value>) -> Value {
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: range.lowerBound
            case 1: range.upperBound
            default: Value.random(in: range, using: &generator)
            }
        }
        func perhaps<Value>(_ value: Value) -> Value? { Bool.random(using: &generator) ? value : nil }
        for _ in 0..<count {
            time += Milliseconds.random(in: 0...2500, using: &generator)
            switch Int.random(in: 0..<10, using: &generator) {
            case 0:
                set.events.append(
                    StateEvent(time: time, code: StateEvent.Code(rawValue: some(1...25)), value: some(Int64.min...Int64.max)))
            case 1:
                let first = some(UInt64.min...UInt64.max)
                set.gaps.append(
                    GapRecord(
                        time: time, sequences: first...some(first...UInt64.max),
                        reason: GapRecord.Reason.allCases.randomElement(using: &generator)!))
            case 2...5:
                set.heartRates.append(
                    HeartRateSample(
                        time: time, beatsPerMinute: some(0...300), contact: SensorContact.allCases.randomElement(using: &generator)!,
                        energyKilojoules: perhaps(some(0...UInt16.max)),
                        rrIntervals: (0..<Int.random(in: 0...4, using: &generator)).map { _ in some(0...UInt16.max) }))
            default:
                set.positions.append(
                    PositionSample(
                        time: time, latitude: some(-900_000_000...900_000_000), longitude: some(-1_800_000_000...1_800_000_000),
                        altitude: perhaps(some(SampleLimits.altitude)), speed: perhaps(some(SampleLimits.speed)),
                        course: perhaps(some(0...35_999)), horizontalError: perhaps(some(0...Int32.max)),
                        mode: FixMode.allCases.randomElement(using: &generator)!,
                        source: PositionSource.allCases.randomElement(using: &generator)!))
            }
        }
        return set
    }
}

/// A JSON value with a path into it: `json["entry", 0, "resource"]`.
struct Tree {
    let value: Any?

    init(_ value: Any?) { self.value = value }
    init(_ bytes: [UInt8]) throws { value = try JSONSerialization.jsonObject(with: Data(bytes)) }

    subscript(_ path: Any...) -> Tree {
        Tree(
            path.reduce(value) { value, step in
                if let name = step as? String { return (value as? [String: Any])?[name] }
                guard let index = step as? Int, let list = value as? [Any], list.indices.contains(index) else { return nil }
                return list[index]
            })
    }

    var text: String? { value as? String }
    var number: Double? { (value as? NSNumber)?.doubleValue }
    var integer: Int? { (value as? NSNumber)?.intValue }
    var list: [Tree] { (value as? [Any] ?? []).map { Tree($0) } }
    var names: Set<String> { Set((value as? [String: Any] ?? [:]).keys) }
    var exists: Bool { value != nil }
}

/// UTC milliseconds by Foundation's own reading.
func milliseconds(_ text: String?) throws -> Milliseconds {
    let date = try Date(try #require(text), strategy: .iso8601.year().month().day().time(includingFractionalSeconds: true))
    return Milliseconds((date.timeIntervalSince1970 * 1000).rounded())
}
