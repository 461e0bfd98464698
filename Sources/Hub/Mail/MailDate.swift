/// RFC 5322, 3.3.
enum MailDate {
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// In UTC.
    /// - Parameter milliseconds: since 1970-01-01T00:00:00Z, not negative.
    static func text(_ milliseconds: Int64) -> String {
        let seconds = Int(milliseconds / 1000)
        let days = seconds / 86_400, second = seconds % 86_400
        func padded(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
        let time = [second / 3600, second / 60 % 60, second % 60].map(padded).joined(separator: ":")
        let (year, month, day) = civil(days)
        return "\(weekdays[days % 7]), \(day) \(months[month - 1]) \(year) \(time) +0000"
    }

    /// Years that begin in March put the leap day last; eras are of 400 years.
    private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = shifted / 146_097, dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let part = (5 * dayOfYear + 2) / 153
        let month = part < 10 ? part + 3 : part - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * part + 2) / 5 + 1)
    }
}
