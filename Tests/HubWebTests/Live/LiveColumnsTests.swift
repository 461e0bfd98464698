import Foundation
import HubStore
import Testing
import Vitals

@testable import HubWeb

/// What a live page gets first: two hours as columns.
@Suite struct LiveColumnsTests {
    private static let midnight: Milliseconds = 1_795_392_000_000

    private func json(_ reading: Reading, _ form: LiveForm) throws -> [String: Any] {
        let text = LiveModel(reading, scalars: [], utc: Self.midnight).json(received: .some(nil), form)
        return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    private var columns: LiveForm {
        var form = LiveForm()
        form.isColumns = true
        return form
    }

    /// As `rowsOf` of feed.js does it.
    private func rows(_ packed: Any?, _ steps: [Double]) throws -> [[Double?]] {
        let packed = try #require(packed as? [Any])
        guard let count = packed.first as? Int else { return [] }
        var rows = Array(repeating: [Double?](repeating: nil, count: steps.count), count: count)
        for (place, column) in packed.dropFirst().enumerated() {
            guard let column = column as? [Any] else { continue }
            var value = 0, step = 0
            for index in 0..<count {
                let found: Int? = index < column.count ? column[index] as? Int : 0
                guard let difference = found else { continue }
                if place == 0, index > 0 { step += difference }
                value += place == 0 && index > 0 ? step : difference
                rows[index][place] = Double(value) / steps[place]
            }
        }
        return rows
    }

    private func way(seconds: Int) -> Reading {
        var reading = Reading()
        for second in 0..<seconds {
            let time = Self.midnight + Milliseconds(second) * 1000 + Milliseconds(second * 7 % 31)
            let angle = Double(second) / 300
            reading.heartRates.append(
                HeartRateSample(time: time, beatsPerMinute: UInt16(120 + second / 7 % 40), contact: .detected))
            reading.positions.append(
                PositionSample(
                    time: time, latitude: 454_000_000 + Int32(120_000 * sin(angle)), longitude: 91_000_000 + Int32(120_000 * cos(angle)),
                    altitude: second % 50 == 3 ? nil : Int32(1200 + second / 9), speed: Int32(300 + second % 17),
                    course: Int32(second * 19 % 36_000), horizontalError: 35))
        }
        return reading
    }

    @Test("ACC-18: columns hold the rows, those of samples without one of the values, too")
    func same() throws {
        let reading = way(seconds: 600), packed = try json(reading, columns), plain = try json(reading, LiveForm())
        let hearts = try rows(packed["hr"], [1, 1, 1]), places = try rows(packed["pos"], [1, 1e7, 1e7, 10, 100, 100, 10, 1])
        func numbers(_ key: String) throws -> [[Double?]] {
            try #require(plain[key] as? [[Any]]).map { $0.map { ($0 as? NSNumber)?.doubleValue } }
        }
        #expect(try hearts == numbers("hr") && hearts.count == 600)
        let expected = try numbers("pos")
        #expect(places.count == 600 && expected.count == 600)
        for (one, other) in zip(places, expected) {
            for (a, b) in zip(one, other) { #expect(a == b || abs((a ?? .infinity) - (b ?? -.infinity)) < 1e-9) }
        }
        #expect(try rows(json(Reading(), columns)["pos"], [1]).isEmpty)
    }

    @Test("ACC-18: an hour with a fix and a heart rate each second is less than 130 KB as columns, of 350 KB for a page")
    func size() throws {
        let reading = way(seconds: 3600)
        func bytes(_ form: LiveForm) -> Int {
            LiveModel(reading, scalars: [], utc: Self.midnight).json(received: .some(nil), form).utf8.count
        }
        #expect(bytes(columns) < 130_000 && bytes(LiveForm()) > 2 * bytes(columns))
    }

    @Test("ACC-18: whoever asks whether there is news gets what was measured later, and the last values beside it")
    func since() throws {
        var form = columns
        form.since = Self.midnight + 590_500
        let news = try json(way(seconds: 600), form)
        #expect(try rows(news["hr"], [1, 1, 1]).count == 9)
        form.since = Self.midnight + 700_000
        let nothing = try json(way(seconds: 600), form)
        #expect((nothing["hr"] as? [Any])?.isEmpty == true && (nothing["last"] as? [String: Any])?["pos"] is [Any])
    }
}
