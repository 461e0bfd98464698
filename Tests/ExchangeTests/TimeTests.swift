import Foundation
import TestSupport
import Testing
import Vitals

@testable import Exchange

@Suite struct TimeTests {
    private func text(_ utc: Milliseconds) -> String {
        var buffer: [UInt8] = [], writer = UTCText()
        writer.append(utc, to: &buffer)
        return String(decoding: buffer, as: UTF8.self)
    }

    @Test(
        "DATA-9: times are written as ISO 8601 in UTC with milliseconds",
        arguments: [
            (someTime, "2026-11-21T03:04:05.678Z"), (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"), (UTCText.range.lowerBound, "0000-01-01T00:00:00.000Z"),
            (UTCText.range.upperBound, "9999-12-31T23:59:59.999Z"), (.min, "0000-01-01T00:00:00.000Z"), (.max, "9999-12-31T23:59:59.999Z"),
        ])
    func ends(utc: Milliseconds, expected: String) { #expect(text(utc) == expected) }

    @Test("DATA-9: a time that was written reads back, also by Foundation, from 1900 to 2200")
    func roundTrip() throws {
        var generator = SeededGenerator(seed: 9), buffer: [UInt8] = [], writer = UTCText()
        for _ in 0..<2000 {
            let utc = Milliseconds.random(in: -2_208_988_800_000..<7_258_118_400_000, using: &generator)
            buffer.removeAll()
            writer.append(utc, to: &buffer)
            let text = String(decoding: buffer, as: UTF8.self)
            #expect(try milliseconds(text) == utc)
            #expect(TimeText.milliseconds(text) == utc)
        }
    }

    @Test(
        "DATA-13: times are read as programs write them",
        arguments: [
            ("2026-11-21T03:04:05.678Z", 678), ("2026-11-21t03:04:05z", 0), ("2026-11-21 03:04:05", 0), ("2026-11-21T03:04:05.5", 500),
            ("2026-11-21T04:04:05.678+01:00", 678), ("2026-11-20T22:34:05.678912-0430", 678), ("2026-11-21T05:04:05,12+02", 120),
            ("2026-11-21T03:04:05.6789123456Z", nil), ("2026-02-29T00:00:00Z", nil), ("2026-11-21T24:00:00Z", nil),
            ("2026-11-21T03:04Z", nil), ("2026-11-21", nil), ("21/11/2026 03:04:05", nil), ("2026-11-21T03:04:05.Z", nil),
            ("2026-11-21T03:04:05Z now", nil), ("2026-13-01T00:00:00Z", nil), ("2026-00-01T00:00:00Z", nil), ("", nil),
        ] as [(String, Milliseconds?)])
    func reads(text: String, fraction: Milliseconds?) {
        #expect(TimeText.milliseconds(text) == fraction.map { someTime - 678 + $0 })
    }

    @Test("DATA-9: numbers are written exactly, with their sign and their places")
    func numbers() {
        func text(_ value: Int64, _ places: Int) -> String {
            var buffer: [UInt8] = []
            buffer.append(fixed: value, places: places)
            return String(decoding: buffer, as: UTF8.self)
        }
        #expect(
            text(0, 0) == "0" && text(0, 2) == "0.00" && text(-5, 1) == "-0.5" && text(5, 7) == "0.0000005" && text(-5, 7) == "-0.0000005")
        #expect(text(-900_000_000, 7) == "-90.0000000" && text(12_345, 2) == "123.45" && text(10, 1) == "1.0")
        #expect(text(.min, 0) == "\(Int64.min)" && text(.max, 7) == "922337203685.4775807")
    }
}
