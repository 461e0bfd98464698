import Exchange
import Testing
import Vitals

@Suite struct FHIRDateTests {
    static let day: Milliseconds = 86_400_000
    /// 2026-11-21, UTC.
    static let start: Milliseconds = 1_795_219_200_000

    @Test(
        "CONS-12: a date of a search means all the time that it covers",
        arguments: [
            ("2026-11-21", start, start + day - 1), ("eq2026-11-21", start, start + day - 1),
            ("ge2026-11-21", start, FHIRDateRange.all.upperBound), ("gt2026-11-21", start + day, FHIRDateRange.all.upperBound),
            ("sa2026-11-21", start + day, FHIRDateRange.all.upperBound), ("le2026-11-21", 0, start + day - 1),
            ("lt2026-11-21", 0, start - 1), ("eb2026-11-21", 0, start - 1), ("2026-11", start - 20 * day, start + 10 * day - 1),
            ("2026", start - 324 * day, start + 41 * day - 1), ("9999", 253_370_764_800_000, FHIRDateRange.all.upperBound),
            ("2026-11-21T01:02", start + 3_720_000, start + 3_779_999), ("2026-11-21T01:02:03Z", start + 3_723_000, start + 3_723_999),
            ("2026-11-21T01:02:03.5Z", start + 3_723_500, start + 3_723_599),
            ("2026-11-21T01:02:03.456Z", start + 3_723_456, start + 3_723_456),
            ("2026-11-21T02:02:03+01:00", start + 3_723_000, start + 3_723_999),
        ])
    func spans(text: String, from: Milliseconds, to: Milliseconds) throws {
        #expect(try #require(FHIRDateRange(text), "\(text)").span == from...to, "\(text)")
    }

    @Test("CONS-12: a date before 1970 matches nothing that was sampled before it, and no nonsense is taken for a date")
    func edges() throws {
        #expect(try #require(FHIRDateRange("lt1969")).span == nil)
        #expect(try #require(FHIRDateRange("ge1969")).span == FHIRDateRange.all)
        #expect(try #require(FHIRDateRange("gt9999")).span == nil)
        for text in [
            "", "ge", "ne2026", "ap2026", "2026-13", "2026-02-30", "26", "2026-1-1", "2026-11-21T", "2026-11-21T25:00", "+026",
            "2026-11-21T01",
            "yesterday", "２０２６",
        ] { #expect(FHIRDateRange(text) == nil, "\(text)") }
    }
}
