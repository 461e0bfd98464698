import Accounts
import Foundation
import Vitals

/// The days that a page of somebody's health shows, as the reader's clock counts them.
struct HealthSpan: Sendable, Hashable {
    enum Length: String, Sendable, CaseIterable {
        case day, week, month, year, all
        /// From one day to another.
        case any
        /// A part of a day, or of two: what somebody drew out of a plot.
        case hours

        fileprivate var component: Calendar.Component {
            switch self {
            case .day, .all, .any, .hours: .day
            case .week: .weekOfYear
            case .month: .month
            case .year: .year
            }
        }
    }

    let length: Length
    /// UTC milliseconds, included.
    let from: Milliseconds
    /// Not included.
    let to: Milliseconds
    let zone: TimeZone

    /// The day, week, month or year in which a time lies; all until the end of that day.
    init(_ length: Length, around time: Milliseconds, in zone: TimeZone) {
        let found = Self.calendar(zone).interval(length.component, around: time)
        self.init(length, length == .all ? 0 : found.lowerBound, found.upperBound, zone)
    }

    /// 1900-01-01. Nobody has values of before.
    private static let earliest: Milliseconds = -2_208_988_800_000

    /// - Returns: nil where the last day comes before the first, and where that is before 1900.
    init?(from first: CalendarDate, to last: CalendarDate, in zone: TimeZone) {
        let calendar = Self.calendar(zone)
        guard first <= last, first.year >= 1900, let begin = calendar.noon(first), let end = calendar.noon(last) else { return nil }
        self.init(.any, calendar.interval(.day, around: begin).lowerBound, calendar.interval(.day, around: end).upperBound, zone)
    }

    /// Ten minutes: nobody sees more in less.
    static let hoursMin: Milliseconds = 600_000
    /// Two days; what is longer is days.
    static let hoursMax: Milliseconds = 2 * 86_400_000

    /// What somebody drew out of a plot: whole minutes of ``hoursMax`` at most, else whole days.
    /// - Parameters:
    ///   - begin: UTC milliseconds, included.
    ///   - end: not included.
    /// - Returns: nil where the end comes not after the beginning, and for years before 1900 or above 9999.
    init?(begin: Milliseconds, end: Milliseconds, in zone: TimeZone) {
        guard begin < end, begin >= Self.earliest, end <= 253_402_300_800_000 else { return nil }
        let minute: Milliseconds = 60_000, calendar = Self.calendar(zone)
        let middle = begin + (end - begin) / 2, half = max(Self.hoursMin, end - begin) / 2
        let (from, to) = ((middle - half) / minute * minute, (middle + half + minute - 1) / minute * minute)
        guard to - from <= Self.hoursMax else {
            let days = calendar.interval(.day, around: begin).lowerBound..<calendar.interval(.day, around: end - 1).upperBound
            self = HealthSpan(.any, days.lowerBound, days.upperBound, zone).named
            return
        }
        self.init(.hours, from, to, zone)
    }

    private init(_ length: Length, _ from: Milliseconds, _ to: Milliseconds, _ zone: TimeZone) {
        (self.length, self.from, self.to, self.zone) = (length, from, to, zone)
    }

    /// A calendar whose weeks begin on Monday.
    static func calendar(_ zone: TimeZone) -> Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        calendar.firstWeekday = 2
        return calendar
    }

    /// The same from the day on in which a time lies.
    func beginning(with time: Milliseconds) -> HealthSpan {
        HealthSpan(length, min(Self.calendar(zone).interval(.day, around: time).lowerBound, to), to, zone)
    }

    /// Another span of the same length, so many before or behind this one; nil for all, and before 1900.
    func shifted(_ count: Int) -> HealthSpan? {
        let calendar = Self.calendar(zone)
        switch length {
        case .all: return nil
        case .day, .week, .month, .year:
            guard let begin = calendar.date(byAdding: length.component, value: count, to: Date(milliseconds: from)),
                begin.milliseconds >= Self.earliest
            else { return nil }
            return HealthSpan(length, around: begin.milliseconds, in: zone)
        case .hours:
            let step = Milliseconds(count) * (to - from)
            return HealthSpan(begin: from + step, end: to + step, in: zone)
        case .any:
            let step = count * max(1, days)
            guard let begin = calendar.date(byAdding: .day, value: step, to: Date(milliseconds: from)),
                let end = calendar.date(byAdding: .day, value: step, to: Date(milliseconds: to)), begin.milliseconds >= Self.earliest
            else { return nil }
            return HealthSpan(.any, begin.milliseconds, end.milliseconds, zone)
        }
    }

    /// The day, week, month or year that it is; itself where it is none.
    var named: HealthSpan {
        let lengths: [Length] = [.day, .week, .month, .year]
        return lengths.map { HealthSpan($0, around: from, in: zone) }.first { $0.from == from && $0.to == to } ?? self
    }

    /// How many days, where one of 23 or 25 hours is one; of hours that of the days in which they lie.
    var days: Int {
        guard length != .hours else { return firstDay == lastDay ? 1 : 2 }
        return Int(((Double(to) - Double(from)) / 86_400_000).rounded())
    }

    var firstDay: CalendarDate { Self.day(from, zone) }
    var lastDay: CalendarDate { Self.day(to - 1, zone) }

    static func day(_ time: Milliseconds, _ zone: TimeZone) -> CalendarDate {
        let parts = calendar(zone).dateComponents([.year, .month, .day], from: Date(milliseconds: time))
        return CalendarDate(year: parts.year ?? 0, month: parts.month ?? 0, day: parts.day ?? 0) ?? CalendarDate(utc: time)
    }

    /// The span as an address names it.
    var query: String {
        switch length {
        case .all: "span=all"
        case .any: "from=\(firstDay)&to=\(lastDay)"
        case .hours: "span=hours&begin=\(from)&end=\(to)"
        case .day, .week, .month, .year: "span=\(length.rawValue)&day=\(firstDay)"
        }
    }
}

extension Calendar {
    /// The day, month and so on in which a time lies: UTC milliseconds, the end not included.
    func interval(_ component: Component, around time: Milliseconds) -> Range<Milliseconds> {
        let found = dateInterval(of: component, for: Date(milliseconds: time))
        return found.map { $0.start.milliseconds..<$0.end.milliseconds } ?? time..<time + 86_400_000
    }

    /// A time that lies in the day in every zone.
    func noon(_ day: CalendarDate) -> Milliseconds? {
        date(from: DateComponents(year: day.year, month: day.month, day: day.day, hour: 12))?.milliseconds
    }
}

extension Date {
    /// - Parameter milliseconds: UTC.
    init(milliseconds: Milliseconds) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }

    var milliseconds: Milliseconds { Milliseconds((timeIntervalSince1970 * 1000).rounded()) }
}
