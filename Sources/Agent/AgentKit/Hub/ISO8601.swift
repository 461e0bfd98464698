internal import Vitals

/// UTC milliseconds as `2026-11-21T03:04:05.678Z` (ISO 8601, RFC 3339), for any year from 0000 to 9999.
enum ISO8601 {
    static func string(_ utc: Milliseconds) -> String {
        let day: Milliseconds = 86_400_000
        let days = utc >= 0 ? utc / day : -((-utc + day - 1) / day)
        let inDay = utc - days * day
        let (year, month, dayOfMonth) = civil(days)
        func padded(_ value: Milliseconds, _ width: Int) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(0, width - text.count)) + text
        }
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(dayOfMonth, 2))T\(padded(inDay / 3_600_000, 2)):"
            + "\(padded(inDay / 60_000 % 60, 2)):\(padded(inDay / 1000 % 60, 2)).\(padded(inDay % 1000, 3))Z"
    }

    /// The proleptic Gregorian date of a day counted from 1970-01-01: years begin in March, eras have 400 of them.
    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let index = (5 * dayOfYear + 2) / 153
        let month = index < 10 ? index + 3 : index - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * index + 2) / 5 + 1)
    }
}
