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
        guard (1...9999).contains(year), (1...12).contains(month), day >= 1, day <= Self.length(ofMonth: month, year: year) else {
            return nil
        }
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
        // Years that begin in March put the leap day last; eras are of 400 years.
        let days = Int(utc / 86_400_000 - (utc % 86_400_000 < 0 ? 1 : 0)) + 719_468
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shifted + 2) / 5 + 1
        month = shifted < 10 ? shifted + 3 : shifted - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

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

    private static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }
}
