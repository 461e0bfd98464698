import Accounts
import Foundation
import History
import Testing
import Vitals

@testable import HubServices
@testable import HubWeb

/// The days, the axes and the picture of a plot, without a hub.
struct HealthPlotTests {
    private static let hour: Milliseconds = 3_600_000
    private static let rome = TimeZone(identifier: "Europe/Rome") ?? .gmt
    /// 2026-10-25 12:00 in Rome: the day on which the clocks go back, a Sunday.
    private static let noon: Milliseconds = 1_792_926_000_000

    private static func span(_ length: HealthSpan.Length) -> HealthSpan { HealthSpan(length, around: noon, in: rome) }

    @Test("DATA-5: a day of 25 hours is one, a week begins on Monday, and months and years are those of the calendar")
    func days() throws {
        let day = Self.span(.day), week = Self.span(.week), month = Self.span(.month), year = Self.span(.year)
        #expect(day.to - day.from == 25 * Self.hour && day.days == 1 && day.query == "span=day&day=2026-10-25")
        #expect("\(week.firstDay)" == "2026-10-19" && "\(week.lastDay)" == "2026-10-25" && week.days == 7)
        #expect("\(month.firstDay)" == "2026-10-01" && "\(month.lastDay)" == "2026-10-31" && month.days == 31)
        #expect("\(year.firstDay)" == "2026-01-01" && "\(year.lastDay)" == "2026-12-31" && year.days == 365)
        #expect(Self.span(.all).from == 0 && Self.span(.all).to == day.to && Self.span(.all).shifted(-1) == nil)
        #expect(try #require(day.shifted(1)).from == day.to && day.shifted(1)?.days == 1)
        #expect(day.shifted(-1)?.to == day.from && week.shifted(-1)?.to == week.from)
        #expect(month.shifted(-1)?.query == "span=month&day=2026-09-01" && year.shifted(1)?.query == "span=year&day=2027-01-01")
    }

    @Test("DATA-5: days that somebody chose move by their number")
    func chosen() throws {
        let first = try #require(CalendarDate("2026-10-20")), last = try #require(CalendarDate("2026-10-29"))
        let span = try #require(HealthSpan(from: first, to: last, in: Self.rome))
        #expect(span.days == 10 && span.query == "from=2026-10-20&to=2026-10-29")
        #expect(span.shifted(-1)?.query == "from=2026-10-10&to=2026-10-19" && span.shifted(1)?.query == "from=2026-10-30&to=2026-11-08")
        #expect(HealthSpan(from: last, to: first, in: Self.rome) == nil)
        #expect(HealthSpan(from: first, to: first, in: Self.rome)?.named.length == .day && span.named == span)
        #expect(span.beginning(with: Self.noon).query == "from=2026-10-25&to=2026-10-29")
    }

    @Test("DATA-5: what somebody draws out of a plot is of whole minutes, ten at least, and of days where it is longer than two")
    func hours() throws {
        let begin = Self.noon + 12_345, hours = try #require(HealthSpan(begin: begin, end: begin + 2 * Self.hour, in: Self.rome))
        #expect(hours.from == Self.noon && hours.to == Self.noon + 2 * Self.hour + 60_000 && hours.length == .hours && hours.days == 1)
        #expect(hours.query == "span=hours&begin=\(hours.from)&end=\(hours.to)" && hours.shifted(1)?.from == hours.to)
        #expect(hours.shifted(-1)?.to == hours.from && hours.shifted(-1)?.length == .hours)
        let short = try #require(HealthSpan(begin: Self.noon, end: Self.noon + 1, in: Self.rome))
        #expect(short.to - short.from == 600_000 && (short.from..<short.to).contains(Self.noon))
        let night = try #require(HealthSpan(begin: Self.noon + 10 * Self.hour, end: Self.noon + 14 * Self.hour, in: Self.rome))
        #expect(night.days == 2 && HealthBucket(.readings, night) == .minute && HealthBucket(.amounts, night) == .hour)
        let long = try #require(HealthSpan(begin: Self.noon, end: Self.noon + 49 * Self.hour, in: Self.rome))
        #expect(long.length == .any && long.days == 3 && HealthSpan(begin: 5, end: 5, in: Self.rome) == nil)
        let words = HealthWords(texts: Texts.of("en"))
        #expect(words.days(short).hasSuffix(", 11:55 to 12:05") && words.days(night).contains("22:00 to 26 October 2026, 02:00"))
        for span in [hours, short, night] {
            let marks = words.marks(span)
            #expect((1...5).contains(marks.count) && marks.allSatisfy { (span.from..<span.to).contains($0.time) }, "\(marks)")
            #expect(marks.allSatisfy { $0.time % 300_000 == 0 })
        }
    }

    @Test("a plot has some hundred points at most, whatever the days", arguments: [1, 2, 7, 14, 31, 366, 400, 20_000])
    func buckets(days: Int) throws {
        let last = HealthSpan.day(Self.noon, Self.rome), ago = Milliseconds(days - 1) * 24 * Self.hour
        let first = HealthSpan.day(Self.noon - ago, Self.rome)
        let span = try #require(HealthSpan(from: first, to: last, in: Self.rome))
        for measure in [RollupRule.Measure.readings, .amounts, .seconds] {
            let length: [HealthBucket: Double] = [.tenMinutes: 1 / 144, .hour: 1 / 24, .day: 1, .month: 30]
            let count = Double(days) / (length[HealthBucket(measure, span)] ?? 1)
            #expect(count <= 700, "\(measure)")
            #expect(measure == .readings || HealthBucket(measure, span) != .tenMinutes)
        }
        let marks = HealthWords(texts: Texts.of("en")).marks(span)
        #expect((2...10).contains(marks.count) && marks.allSatisfy { (span.from..<span.to).contains($0.time) }, "\(marks)")
        #expect(Set(marks.map(\.time)).count == marks.count)
    }

    @Test("marks of an axis are round, hold all values, and amounts begin at 0")
    func scale() {
        let heart = HealthScale(52, 171, isFromZero: false)
        #expect(heart.marks == [50, 100, 150, 200])
        let weight = HealthScale(72.5, 72.5, isFromZero: false)
        #expect(weight.bottom <= 72.5 && weight.top >= 72.5 && weight.top > weight.bottom)
        #expect(HealthScale(3000, 9000, isFromZero: true).bottom == 0 && HealthScale(0, 0, isFromZero: true).top > 0)
        for high in [0.3, 1, 7, 999, 12_345] { #expect(HealthScale(0, high, isFromZero: true).marks.count <= 6, "\(high)") }
    }

    private func point(_ begin: Milliseconds, _ values: [Int64], _ kind: DataKind, until end: Milliseconds) throws -> HealthPoint {
        let rule = try #require(RollupRule(kind))
        var rollup = Rollup()
        for value in values { rollup.take(value, by: rule) }
        return try #require(HealthPoint(.init(time: begin, rollup: rollup), until: end, kind, rule))
    }

    private func drawing(_ points: [HealthPoint], _ kind: DataKind) throws -> String {
        HealthDrawing(
            kind: kind, measure: try #require(RollupRule(kind)).measure, points: points, span: Self.span(.day), times: [],
            number: { "\($0)" }
        ).svg(label: "a <b>")
    }

    @Test("DATA-5: points beside each other are a line, one alone is a dot, and between them is nothing")
    func gaps() throws {
        let from = Self.span(.day).from
        let points = try ([0, 1, 5] as [Milliseconds]).map { hour in
            try point(from + hour * Self.hour, [60, 70, 80], .heartRate, until: from + (hour + 1) * Self.hour)
        }
        let svg = try drawing(points, .heartRate)
        #expect(svg.contains("aria-label=\"a &lt;b&gt;\"") && svg.components(separatedBy: "class=\"band\"").count == 2)
        let band = try #require(svg.firstMatch(of: /class="band" d="([^"]+)"/)).output.1
        #expect(band.split(separator: "z").count == 2)
        #expect(try #require(svg.firstMatch(of: /class="mean" d="([^"]+)"/)).output.1.split(separator: "L").count == 2)
        #expect(svg.contains(/class="mean dots" d="M\d+ \d+h0"/))
        // The day has 25 hours, each of them 72 units.
        #expect(band.contains("M200 ") && band.contains("H344V") && band.contains("M560 "))
    }

    @Test("hours of states stand on each other, and being in bed is not added to sleeping")
    func states() throws {
        let rule = try #require(RollupRule(.sleep)), from = Self.span(.day).from
        var rollup = Rollup()
        rollup.take(0, times: 8 * 3600, by: rule)
        rollup.take(4, times: 2 * 3600, by: rule)
        rollup.take(3, times: 5 * 3600, by: rule)
        let night = try #require(HealthPoint(.init(time: from, rollup: rollup), until: from + Self.hour, .sleep, rule))
        #expect(night.high == 7 && night.states.map(\.hours) == [8, 5, 2])
        let svg = try drawing([night], .sleep)
        #expect(svg.contains("class=\"state3\"") && svg.contains("class=\"state4\"") && !svg.contains("class=\"state0\""))
        var bed = Rollup()
        bed.take(0, times: 3600, by: rule)
        let lain = try #require(HealthPoint(.init(time: from, rollup: bed), until: from + Self.hour, .sleep, rule))
        #expect(try lain.high == 1 && drawing([lain], .sleep).contains("class=\"state0\""))
    }

    @Test("ACC-12: what the page names by kind, state of the address and length has a text in each language")
    func words() {
        for texts in Texts.all {
            for length in HealthSpan.Length.allCases where ![.any, .hours].contains(length) {
                #expect(texts.find("health.span_\(length.rawValue)") != nil)
            }
            for length in HealthSpan.Length.allCases where length != .all {
                for way in ["previous", "next"] { #expect(texts.find("health.\(way)_\(length.rawValue)") != nil) }
            }
            for source in Provenance.allCases { #expect(texts.find("health.source_\(source.name)") != nil) }
            #expect(texts.find("health.point_minute") != nil && texts.find("health.point_tenMinutes") != nil)
            for bucket in ["hour", "day", "month"] {
                for mark in ["point", "bar"] { #expect(texts.find("health.\(mark)_\(bucket)") != nil) }
            }
        }
    }
}
