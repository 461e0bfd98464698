import Foundation
import HubServices
import Testing
import Vitals

struct MaintenanceHoursTests {
    private static let hour: Milliseconds = 3_600_000

    private func hours(_ text: String, _ offset: Int = 0) throws -> MaintenanceHours {
        let zone = try #require(TimeZone(secondsFromGMT: offset))
        return try #require(MaintenanceHours(text, zone: zone))
    }

    @Test("PERF-4: maintenance lies wholly within the hours that were set, also over midnight")
    func within() throws {
        let day = 20_000 * 24 * Self.hour, night = try hours("02:00-05:00")
        #expect(night.contain(day + 2 * Self.hour, day + 5 * Self.hour) && night.contain(day + 3 * Self.hour, day + 4 * Self.hour))
        #expect(
            !night.contain(day + 2 * Self.hour - 1, day + 3 * Self.hour) && !night.contain(day + 4 * Self.hour, day + 5 * Self.hour + 1))
        #expect(!night.contain(day + 5 * Self.hour, day + 5 * Self.hour + 1), "they are over")
        #expect(!night.contain(day + 3 * Self.hour, day + 27 * Self.hour), "until the next day")
        let late = try hours("23:00-01:00")
        #expect(late.contain(day + 23 * Self.hour, day + 25 * Self.hour) && late.contain(day, day + Self.hour))
        #expect(!late.contain(day + 22 * Self.hour, day + 24 * Self.hour) && !late.contain(day, day + 2 * Self.hour))
    }

    @Test("PERF-4: the hours are those of the hub's time zone")
    func zone() throws {
        let day = 20_000 * 24 * Self.hour, hours = try hours("02:00-03:00", 2 * 3600)
        #expect(hours.contain(day, day + Self.hour) && !hours.contain(day + 2 * Self.hour, day + 3 * Self.hour))
        #expect(hours.description == "02:00-03:00")
    }

    @Test(
        "PERF-4: hours are written as HH:MM-HH:MM",
        arguments: ["", "2-5", "02:00", "02:00-02:00", "24:00-25:00", "02:60-03:00", "02:00-03:00-04:00", "a"])
    func wrong(text: String) { #expect(MaintenanceHours(text) == nil) }
}
