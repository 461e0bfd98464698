public import Vitals

/// A day of the Gregorian calendar, without a time zone.
public struct CalendarDate: Sendable, Hashable, Comparable, CustomStringConvertible {
    public let year: Int
    /// 1 to 12.
    public let month: Int
    /// 1 to 31.
    public let day: Int

    /// nil for a day that does not exist.
    public init?(year: Int, month: Int, day: Int) {
        guard year > 0, CivilDay(year: Int64(year), month: Int64(month), day: Int64(day)) != nil else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// Reads YYYY-MM-DD (ISO 8601; what browsers send); nil for anything else.
    public init?(_ text: String) {
        let bytes = Array(text.utf8), dash = UInt8(ascii: "-")
        guard bytes.count == 10, bytes[4] == dash, bytes[7] == dash else { return nil }
        func number(_ range: Range<Int>) -> Int? {
            bytes[range].reduce(0) { number, byte in number.flatMap { number in byte.digit.map { number * 10 + $0 } } }
        }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10) else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// The day in UTC.
    public init(utc: Milliseconds) {
        let civil = CivilDay(days: utc.flooredQuotient(by: 86_400_000))
        (year, month, day) = (Int(civil.year), Int(civil.month), Int(civil.day))
    }

    /// When the day begins in UTC.
    public var utc: Milliseconds { (CivilDay(year: Int64(year), month: Int64(month), day: Int64(day))?.days ?? 0) * 86_400_000 }

    public var description: String {
        func padded(_ number: Int, _ count: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, count - digits.count)) + digits
        }
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
    }

    public static func < (left: Self, right: Self) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }
}
