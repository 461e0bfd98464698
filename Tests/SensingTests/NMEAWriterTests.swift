import Sensing
import Testing
import Vitals

@Suite struct NMEAWriterTests {
    private func read(_ bytes: [UInt8]) throws -> (fixes: [NMEAFix], report: NMEAReport) {
        var decoder = NMEADecoder(), fixes: [NMEAFix] = []
        decoder.feed(bytes) { fixes.append($0) }
        try decoder.finish { fixes.append($0) }
        return (fixes, decoder.report)
    }

    /// 2026-11-21T07:04:05.678Z
    private let utc: Milliseconds = 1_795_244_645_678

    @Test("EDGE-10: a position becomes the sentences of a receiver, with their checksums")
    func text() throws {
        let sample = PositionSample(
            time: 0, latitude: 457_000_001, longitude: -91_234_567, altitude: -12, speed: 333, course: 9_005, horizontalError: 45)
        let text = String(decoding: try #require(NMEAWriter.sentences(for: sample, utc: utc)), as: UTF8.self)
        #expect(
            text.split(separator: "\r\n").map { $0.prefix { $0 != "*" } } == [
                "$GPRMC,070405.678,A,4542.000006,N,00907.407402,W,6.473,90.05,211126,,,A",
                "$GPGGA,070405.678,4542.000006,N,00907.407402,W,1,,,-1.2,M,,M,,", "$GPGSA,A,3,,,,,,,,,,,,,,,",
                "$GPGST,070405.678,,,,,3.18,3.18,",
            ])
        #expect(text.hasPrefix("$GPRMC,070405.678,A,4542.000006,N,00907.407402,W,6.473,90.05,211126,,,A*74\r\n"))
        #expect(text.utf8.split(separator: 10).allSatisfy { $0.count <= 82 })
    }

    @Test("EDGE-10: every speed, course, altitude and error comes back as it was")
    func values() throws {
        var bytes: [UInt8] = [], samples: [PositionSample] = []
        for value in Int32(0)...15_000 {
            let sample = PositionSample(
                time: utc + Int64(value) * 1000, latitude: value * 7 - 3, longitude: 1_800_000_000 - value * 119,
                altitude: value * 6 - 5000,
                speed: value, course: value * 2 % 36_000, horizontalError: value * value % 9_999_991,
                mode: value % 2 == 0 ? .threeDimensional : .twoDimensional)
            samples.append(sample)
            bytes += try #require(NMEAWriter.sentences(for: sample, utc: sample.time))
        }
        let (fixes, report) = try read(bytes)
        #expect(zip(fixes, samples).first { $0.sample != $1 } == nil)
        #expect(fixes.count == samples.count && report.damaged == 0)
    }

    @Test(
        "EDGE-10: poles, date line, equator and the smallest steps beside them come back as they were",
        arguments: [-900_000_000, -899_999_999, -1, 0, 1, 599_999_999, 900_000_000] as [Int32])
    func places(latitude: Int32) throws {
        for longitude: Int32 in [-1_800_000_000, -1_799_999_999, -999_999_999, -1, 0, 1, 99_999_999, 1_800_000_000] {
            for mode in FixMode.allCases {
                // Without a told mode the altitude decides.
                let sample = PositionSample(time: utc, latitude: latitude, longitude: longitude, mode: mode)
                let (fixes, _) = try read(try #require(NMEAWriter.sentences(for: sample, utc: utc)))
                #expect(fixes.map(\.sample.latitude) == [latitude] && fixes.map(\.sample.longitude) == [longitude])
                #expect(fixes.map(\.sample.mode) == [mode == .unknown ? .twoDimensional : mode])
                #expect(fixes.first?.sample.altitude == nil && fixes.first?.sample.speed == nil && fixes.first?.sample.course == nil)
                #expect(fixes.first?.sample.horizontalError == nil)
            }
        }
    }

    @Test("EDGE-10: every day from 1980 to 2079 comes back with its date, and no other time is written")
    func dates() throws {
        var bytes: [UInt8] = [], expected: [Milliseconds] = []
        for day in stride(from: NMEAWriter.times.lowerBound, to: NMEAWriter.times.upperBound, by: 86_400_000) {
            let time = day + (day / 86_400_000) * 7919 % 86_400_000
            let sample = PositionSample(time: 0, latitude: 1, longitude: 1)
            expected.append(time)
            bytes += try #require(NMEAWriter.sentences(for: sample, utc: time))
        }
        #expect(try read(bytes).fixes.map(\.sample.time) == expected)
        for time in [NMEAWriter.times.lowerBound - 1, NMEAWriter.times.upperBound, 0, -1] {
            #expect(NMEAWriter.sentences(for: PositionSample(time: 0, latitude: 1, longitude: 1), utc: time) == nil)
            #expect(NMEAWriter.noFix(utc: time) == nil)
        }
    }

    @Test("EDGE-10: a receiver without a fix gives no position")
    func noFix() throws {
        let sample = PositionSample(time: utc + 1000, latitude: 1, longitude: 2)
        let bytes = try #require(NMEAWriter.noFix(utc: utc)) + (try #require(NMEAWriter.sentences(for: sample, utc: utc + 1000)))
        let (fixes, report) = try read(bytes)
        #expect(fixes.map(\.sample) == [PositionSample(time: utc + 1000, latitude: 1, longitude: 2, mode: .threeDimensional)])
        #expect(report.voidEpochs == 1 && report.damaged == 0)
    }

    @Test("EDGE-10: values outside of their ranges are not written")
    func refused() {
        func isRefused(_ change: (inout PositionSample) -> Void) -> Bool {
            var sample = PositionSample(time: 0, latitude: 0, longitude: 0)
            change(&sample)
            return NMEAWriter.sentences(for: sample, utc: utc) == nil
        }
        #expect(!isRefused { _ in })
        #expect(isRefused { $0.latitude = 900_000_001 })
        #expect(isRefused { $0.latitude = .min })
        #expect(isRefused { $0.longitude = -1_800_000_001 })
        #expect(isRefused { $0.speed = -1 })
        #expect(isRefused { $0.course = 36_000 })
        #expect(isRefused { $0.horizontalError = .max })
        #expect(!isRefused { $0.altitude = .min })
    }
}
