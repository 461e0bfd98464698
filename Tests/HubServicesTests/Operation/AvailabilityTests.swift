import HubStore
import Testing
import Vitals

@testable import HubServices

struct AvailabilityTests {
    private static let day: Milliseconds = 86_400_000
    /// 2026-11-15T00:00Z.
    private static let now: Milliseconds = 1_794_700_800_000

    private func outage(_ begin: Milliseconds, _ length: Milliseconds, _ kind: Outage.Kind = .unplanned) -> Outage {
        Outage(service: .data4Help, begin: begin, end: begin + length, kind: kind)
    }

    @Test("OPS-7: months begin at midnight of their first day, UTC, over the end of the year")
    func months() {
        let november = Self.now - 14 * Self.day
        #expect(AvailabilityMonth.begin(0, before: Self.now) == november)
        #expect(AvailabilityMonth.begin(-1, before: Self.now) == november + 30 * Self.day)
        #expect(AvailabilityMonth.begin(1, before: Self.now) == november - 31 * Self.day)
        // To November of 2025: a year of 365 days.
        #expect(AvailabilityMonth.begin(12, before: Self.now) == november - 365 * Self.day)
    }

    @Test("OPS-7, PERF-4: availability is of the measured time, without what was announced; an outage counts in each month that it touches")
    func figures() throws {
        let begin = Self.now - 14 * Self.day, end = begin + 30 * Self.day
        func month(_ measured: ClosedRange<Milliseconds>, _ outages: [Outage]) -> AvailabilityMonth? {
            AvailabilityMonth(from: begin, to: end, measured: measured, outages)
        }
        #expect(month(begin - 9...begin, []) == nil && month(end...end + 9, []) == nil)
        #expect(month(begin - Self.day...end + Self.day, [])?.available == 10_000)
        let half = try #require(month(begin + 10 * Self.day...begin + 20 * Self.day, [outage(begin + 15 * Self.day, 5 * Self.day)]))
        #expect(half.measured == 10 * Self.day && half.unplanned == 5 * Self.day && half.available == 5000)
        let straddling = try #require(month(begin - Self.day...end, [outage(begin - Self.day, 4 * Self.day)]))
        #expect(straddling.unplanned == 3 * Self.day && straddling.available == 9000)
        let planned = try #require(month(begin...end, [outage(begin, 10 * Self.day, .planned), outage(begin + 10 * Self.day, Self.day)]))
        #expect(planned.planned == 10 * Self.day && planned.available == 9500)
        let set = try #require(month(begin...end, [outage(begin, 10 * Self.day, .unmeasured), outage(begin + 10 * Self.day, Self.day)]))
        #expect(set.measured == 20 * Self.day && set.available == 9500)
        #expect(month(begin...end, [outage(begin, 1)])?.available == 9999, "one millisecond is not always")
        #expect(month(begin...end, [outage(begin, 30 * Self.day)])?.available == 0)
        #expect(month(begin...end, [outage(begin, 30 * Self.day, .planned)])?.available == 10_000)
    }
}
