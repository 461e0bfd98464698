internal import Vitals

/// The IMF-fixdate of the `Date` field (RFC 9110, 5.6.7), such as `Sun, 06 Nov 1994 08:49:37 GMT`.
enum HTTPDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// UTC milliseconds; nil for anything that is no such date.
    static func utc(_ text: String) -> Milliseconds? {
        let parts = text.utf8.count == 29 ? text.split(separator: " ") : []
        guard parts.count == 6, parts[5] == "GMT", let day = number(parts[1], 1...31), let year = number(parts[3], 1970...9999),
            let month = months.firstIndex(of: String(parts[2]))
        else { return nil }
        let time = parts[4].split(separator: ":", omittingEmptySubsequences: false)
        guard time.count == 3, let hour = number(time[0], 0...23), let minute = number(time[1], 0...59),
            let second = number(time[2], 0...60)
        else { return nil }
        return (daysSince1970(year, month + 1, day) * 86_400 + hour * 3600 + minute * 60 + second) * 1000
    }

    private static func number(_ text: Substring, _ range: ClosedRange<Int64>) -> Int64? {
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let value = Int64(text) else { return nil }
        return range.contains(value) ? value : nil
    }

    /// In the Gregorian calendar, with years that begin in March so that the leap day is the last.
    private static func daysSince1970(_ year: Int64, _ month: Int, _ day: Int64) -> Int64 {
        let shifted = month > 2 ? year : year - 1
        let monthFromMarch = Int64((month + 9) % 12)
        let era = shifted / 400, yearOfEra = shifted % 400
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + (153 * monthFromMarch + 2) / 5 + day - 1 - 719_468
    }
}
