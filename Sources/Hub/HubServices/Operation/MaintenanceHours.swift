public import Foundation
public import Vitals

/// The hours of each day in which a hub may be down for maintenance, by the clock of its time zone.
public struct MaintenanceHours: Sendable, Hashable, CustomStringConvertible {
    /// Minutes after midnight.
    public let begin: Int
    /// The same; less than ``begin`` where midnight lies between.
    public let end: Int
    private let zone: TimeZone

    private static let day = 1440

    /// Reads `HH:MM-HH:MM`; nil for anything else, and for no time at all.
    /// - Parameter zone: whose clock counts.
    public init?(_ text: String, zone: TimeZone = .current) {
        let times = text.split(separator: "-", omittingEmptySubsequences: false).map { Self.minutes($0) }
        guard times.count == 2, let begin = times[0], let end = times[1], begin != end else { return nil }
        (self.begin, self.end, self.zone) = (begin, end, zone)
    }

    private static func minutes(_ text: Substring) -> Int? {
        guard let match = text.wholeMatch(of: /([0-9]{2}):([0-9]{2})/), let hour = Int(match.1), let minute = Int(match.2),
            hour < 24, minute < 60
        else { return nil }
        return hour * 60 + minute
    }

    /// Whether a time lies wholly within the hours of one night or day.
    /// - Parameters:
    ///   - from: UTC milliseconds.
    ///   - to: the same.
    public func contain(_ from: Milliseconds, _ to: Milliseconds) -> Bool {
        let length = (end - begin + Self.day) % Self.day, local = from + zone.offset(at: from)
        let minute = Int(local.flooredQuotient(by: 60_000)) % Self.day
        let into = (minute - begin + Self.day) % Self.day
        return into < length && Milliseconds(into) * 60_000 + local % 60_000 + (to - from) <= Milliseconds(length) * 60_000
    }

    public var description: String {
        func clock(_ minutes: Int) -> String {
            func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
            return "\(two(minutes / 60)):\(two(minutes % 60))"
        }
        return "\(clock(begin))-\(clock(end))"
    }
}
