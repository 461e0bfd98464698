public import Vitals

/// A week, a day or an hour in UTC: what one release tells of (GRP-5).
public struct GroupWindow: Sendable, Hashable, Comparable {
    public enum Length: String, Sendable, Hashable, Codable, CaseIterable {
        /// From Monday, as installed.
        case week
        case day
        case hour

        public var milliseconds: Milliseconds {
            switch self {
            case .week: 7 * 86_400_000
            case .day: 86_400_000
            case .hour: 3_600_000
            }
        }

        /// The most windows that begin in one year.
        public var perYear: Int {
            switch self {
            case .week: 53
            case .day: 366
            case .hour: 366 * 24
            }
        }

        /// How long after its end a window closes, as installed: what arrives later is not in it.
        public var closingDelay: Milliseconds { self == .hour ? 2 * 3_600_000 : 72 * 3_600_000 }

        /// The start of a window: 1970-01-05 was a Monday.
        fileprivate var offset: Milliseconds { self == .week ? 4 * 86_400_000 : 0 }
    }

    public let length: Length
    /// Windows since the first one of 1970.
    public let number: Int64

    public init(_ length: Length, number: Int64) { (self.length, self.number) = (length, number) }

    /// The one that a time lies in.
    public init(_ length: Length, at utc: Milliseconds) {
        self.init(length, number: (utc - length.offset).flooredQuotient(by: length.milliseconds))
    }

    /// UTC.
    public var start: Milliseconds { number * length.milliseconds + length.offset }
    /// UTC, excluded.
    public var end: Milliseconds { start + length.milliseconds }
    public var next: GroupWindow { GroupWindow(length, number: number + 1) }

    /// When it closes, in UTC.
    /// - Parameter delay: nil for the delay as installed.
    public func closes(after delay: Milliseconds? = nil) -> Milliseconds { end + (delay ?? length.closingDelay) }

    /// Days since 1970-01-01 that it touches.
    public var days: Range<Int64> { start.flooredQuotient(by: 86_400_000)..<(end - 1).flooredQuotient(by: 86_400_000) + 1 }

    /// The Gregorian year in which it begins, for ``PersonLedger``.
    public var year: Int { Int(CivilDay(days: start.flooredQuotient(by: 86_400_000)).year) }

    /// When a Gregorian year begins, UTC: the windows of a year are those that begin from then on, and before the next one.
    public static func start(ofYear year: Int) -> Milliseconds { CivilDay(firstOf: Int64(year)).days * 86_400_000 }

    /// The windows that were closed within a time, the oldest first: those that groups begin with when they are turned on.
    public static func closed(_ length: Length, from: Milliseconds, to now: Milliseconds, delay: Milliseconds? = nil) -> [GroupWindow] {
        var windows: [GroupWindow] = [], window = GroupWindow(length, at: from)
        if window.start < from { window = window.next }
        while window.closes(after: delay) <= now {
            windows.append(window)
            window = window.next
        }
        return windows
    }

    public static func < (one: GroupWindow, other: GroupWindow) -> Bool { (one.start, one.end) < (other.start, other.end) }
}
