import Foundation
import Testing
import Vitals

@testable import Exchange

/// Scalars in GPX: those whose row of the table of kinds names an element of the extension.
@Suite struct GPXScalarTests {
    private func positions(_ times: [Milliseconds], speed: Int32? = nil) -> [PositionSample] {
        times.map { PositionSample(time: someTime + $0, latitude: 454_642_035, longitude: 91_899_820, speed: speed) }
    }

    private func scalar(_ kind: DataKind, _ time: Milliseconds, _ value: Int64) throws -> ScalarSample {
        try #require(ScalarSample(kind, time: someTime + time, value: value))
    }

    private func measured(_ file: [UInt8]) throws -> [[String: String]] {
        try GPXReader(file).tracks.flatMap { $0 }.flatMap { $0 }.map { $0.measured.filter { $0.key != "TrackPointExtension" } }
    }

    @Test("DATA-1, DATA-9: a GPX point carries the cadence that is nearest within two seconds, whole, and none beyond 254")
    func cadence() throws {
        let samples = SampleSet(
            positions: positions([0, 1000, 4000, 8000, 12_000]),
            scalars: [
                try scalar(.cadence, -1500, 845), try scalar(.cadence, 900, 854), try scalar(.cadence, 8000, 2546),
                try scalar(.cadence, 12_000, 2544),
            ])
        for size in [1, .max] {
            let file = try GPXWriter(name: "A run", created: someTime).file(of: samples, pieceSize: size)
            #expect(try measured(file) == [["cad": "85"], ["cad": "85"], [:], [:], ["cad": "254"]], "\(size)")
        }
    }

    @Test("DATA-9: a position's own speed goes before that of a sensor, which stands where there is none")
    func speed() throws {
        let scalars = [try scalar(.speed, 0, 345)]
        let own = try GPXWriter(name: "", created: someTime).text(of: SampleSet(positions: positions([0], speed: 271), scalars: scalars))
        #expect(own.contains("<gpxtpx:speed>2.71<") && !own.contains("3.45"))
        let measured = try GPXWriter(name: "", created: someTime).text(of: SampleSet(positions: positions([0]), scalars: scalars))
        #expect(measured.contains("<gpxtpx:speed>3.45<"))
    }

    @Test("DATA-1, DATA-9: a scalar kind is in GPX when its row names an element, and left out when not", arguments: DataKind.scalars)
    func table(kind: DataKind) throws {
        let samples = SampleSet(positions: positions([0]), scalars: [try scalar(kind, 0, kind.entry.range.lowerBound + 1)])
        let text = try GPXWriter(name: "", created: someTime).text(of: samples)
        #expect(text.contains("TrackPointExtension>") == (kind.entry.trackPoint != nil))
        #expect(GPXWriter.passes.joined().contains(kind) == (kind.entry.trackPoint != nil))
        if let element = kind.entry.trackPoint { #expect(text.contains("<gpxtpx:\(element.rawValue)>")) }
    }

    @Test("DATA-1, DATA-9: a new kind with an element appears by its row alone, in the order of the schema")
    func newKind() throws {
        // Made up: these kinds have no element.
        let elements: [DataKind: KindEntry.TrackPointElement] = [
            .bodyTemperature: .airTemperature, .weight: .waterTemperature, .height: .depth, .cadence: .cadence, .oxygenSaturation: .speed,
        ]
        var writer = GPXWriter(name: "", created: someTime, elements: elements), buffer: [UInt8] = []
        writer.begin(&buffer)
        let scalars = [
            try scalar(.cadence, 0, 900), try scalar(.bodyTemperature, 0, 2150), try scalar(.weight, 0, 1875), try scalar(.height, 0, 105),
            try scalar(.oxygenSaturation, 0, 977), try scalar(.steps, 0, 5),
        ]
        let rate = HeartRateSample(time: someTime, beatsPerMinute: 140, contact: .detected)
        writer.append(SampleSet(heartRates: [rate], positions: positions([0]), scalars: scalars), from: .live, to: &buffer)
        writer.end(&buffer)
        let expected = ["atemp": "21.50", "wtemp": "18.75", "depth": "10.5", "cad": "90"]
        let point = try #require(try GPXReader(buffer).tracks.first?.first?.first)
        #expect(point.measured.filter { $0.key != "TrackPointExtension" } == expected && point.heartRate == 140)
        #expect(point.position.speed == 9770)
    }

    @Test("DATA-9: GPX without such scalars is as it was before there were any")
    func without() throws {
        let samples = SampleSet(positions: positions([0, 1000], speed: 300))
        let other = SampleSet(positions: samples.positions, scalars: [try scalar(.bodyTemperature, 0, 3700)])
        let writer = GPXWriter(name: "A run", created: someTime)
        #expect(try writer.file(of: samples) == writer.file(of: other))
    }
}
