import Foundation
import Groups
import TestSupport
import Testing
import Vitals

private let day: Milliseconds = 86_400_000

@Suite struct CellTests {
    @Test("GRP-1: age limits go to the nearest bands, as the documents' questions mean them")
    func bands() {
        func years(_ from: Int?, _ through: Int?) -> ClosedRange<Int> {
            let bands = AgeBand.nearest(from: from, through: through).sorted()
            #expect(bands.map { Int($0.number) } == Array(Int(bands[0].number)...Int(bands[bands.count - 1].number)), "without gaps")
            return bands[0].from...(bands[bands.count - 1].through ?? 200)
        }
        #expect(years(30, 35) == 30...34 && years(25, 40) == 25...39 && years(6, 19) == 5...19 && years(20, 30) == 20...29)
        #expect(years(nil, nil) == 0...200 && years(nil, 17) == 0...19 && years(65, nil) == 65...200)
        #expect(years(31, 32) == 30...34 && years(33, 33) == 35...39 && years(99, 120) == 100...200 && years(130, nil) == 100...200)
        #expect(years(40, 20) == 40...44, "one band at least")
        #expect(years(.min, .max) == 0...200)
        for age in [0, 4, 5, 34, 35, 99, 100, 130] {
            let band = AgeBand(age: age)
            #expect(band.from <= age && (band.through ?? .max) >= age)
        }
        #expect(AgeBand.all.count == 21 && AgeBand(age: -3).number == 0)
    }

    @Test("GRP-5: windows are weeks from Monday, days and hours in UTC, and close later")
    func windows() throws {
        let parser = ISO8601DateFormatter()
        func utc(_ text: String) throws -> Milliseconds { Milliseconds(try #require(parser.date(from: text)).timeIntervalSince1970 * 1000) }
        let friday = try utc("2026-11-27T21:25:00Z")
        let week = GroupWindow(.week, at: friday)
        #expect(try week.start == utc("2026-11-23T00:00:00Z") && week.end == utc("2026-11-30T00:00:00Z"))
        #expect(try week.closes() == utc("2026-12-03T00:00:00Z") && week.closes(after: 0) == week.end && week.days.count == 7)
        #expect(GroupWindow(.week, at: week.start) == week && GroupWindow(.week, at: week.end) == week.next)
        let today = GroupWindow(.day, at: friday)
        #expect(try today.start == utc("2026-11-27T00:00:00Z") && today.closes() == today.end + 3 * day && today.days.count == 1)
        let hour = GroupWindow(.hour, at: friday)
        #expect(try hour.start == utc("2026-11-27T21:00:00Z") && hour.closes() == hour.end + 2 * 3_600_000 && hour.days == today.days)
        #expect(GroupWindow(.week, at: -1).start == -3 * day, "before 1970 as well")
        #expect(today < hour && week < today)
    }

    @Test("GRP-4: the year of a window is the one in which it begins, and no year has more windows than are planned for")
    func years() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
        var perYear: [Int: Int] = [:]
        for number in Int64(-800)...5_000 {
            let week = GroupWindow(.week, number: number)
            let year = calendar.component(.year, from: Date(timeIntervalSince1970: Double(week.start) / 1000))
            #expect(week.year == year)
            perYear[year, default: 0] += 1
        }
        #expect(perYear.values.max() == GroupWindow.Length.week.perYear)
        for number in stride(from: Int64(-3_000), to: 60_000, by: 17) {
            let window = GroupWindow(.day, number: number)
            #expect(window.year == calendar.component(.year, from: Date(timeIntervalSince1970: Double(window.start) / 1000)))
        }
    }

    @Test("GRP-5: turned on, groups begin with the closed windows of the past year")
    func backfill() {
        let now = 1_795_814_700_000 as Milliseconds
        let windows = GroupWindow.closed(.week, from: now - 365 * day, to: now)
        #expect(windows.count == 51 && windows.allSatisfy { $0.closes() <= now && $0.start >= now - 365 * day })
        #expect(windows.last.map { $0.next.closes() > now } == true && zip(windows, windows.dropFirst()).allSatisfy { $0.next == $1 })
    }

    @Test("GRP-4: a new account, one without data, an objection, a child without a parent's yes do not count")
    func eligibility() {
        let window = GroupWindow(.week, number: 2_900)
        let grown = Eligibility(created: window.end - 30 * day, daysWithData: 7, age: 18)
        #expect(grown.counts(in: window))
        func counts(_ change: (inout Eligibility) -> Void) -> Bool {
            var changed = grown
            change(&changed)
            return changed.counts(in: window)
        }
        #expect(!counts { $0.created += 1 } && !counts { $0.daysWithData = 6 } && !counts { $0.age = 17 } && !counts { $0.age = nil })
        #expect(!counts { $0.hasObjected = true } && !counts { ($0.hasObjected, $0.hasParentsYes) = (true, true) })
        #expect(counts { ($0.age, $0.hasParentsYes) = (9, true) })
        #expect(!counts { ($0.age, $0.hasParentsYes) = (nil, true) })
    }

    @Test("GRP-1: positions fall into 15 places around a region, or elsewhere; a person into one")
    func positions() throws {
        let grid = try #require(PositionGrid(south: 464_900_000, west: 65_800_000, north: 466_000_000, east: 67_300_000))
        #expect(grid.bin(latitude: 464_900_000, longitude: 65_800_000) == 0 && grid.bin(latitude: 465_999_999, longitude: 67_299_999) == 14)
        #expect(grid.bin(latitude: 466_000_000, longitude: 66_000_000) == 15 && grid.bin(latitude: 0, longitude: 0) == 15)
        #expect(grid.bin(of: []) == nil)
        #expect(grid.bin(of: [(0, 0), (465_999_999, 67_299_999), (465_999_999, 67_299_999)]) == 14)
        #expect(grid.bin(of: [(0, 0), (464_900_000, 65_800_000)]) == 0, "of equals the first")
        #expect(PositionGrid(south: 1, west: 0, north: 1, east: 1) == nil && PositionGrid(south: 0, west: 2, north: 1, east: 1) == nil)
        let whole = try #require(PositionGrid(south: -900_000_000, west: -1_800_000_000, north: 900_000_000, east: 1_800_000_000))
        #expect(whole.bin(latitude: 899_999_999, longitude: 1_799_999_999) == 14 && whole.bin(latitude: 0, longitude: 0) == 7)
    }
}
