/// A day of the proleptic Gregorian calendar, without a time zone.
package struct CivilDay: Sendable, Hashable {
    package let year: Int64, month: Int64, day: Int64

    /// A day counted from 1970-01-01. Years begin in March here, so that the leap day comes last; 400 of them make an era.
    package init(days: Int64) {
        let shifted = days + 719_468
        let era = shifted.flooredQuotient(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let index = (5 * dayOfYear + 2) / 153
        month = index < 10 ? index + 3 : index - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        day = dayOfYear - (153 * index + 2) / 5 + 1
    }

    /// A date as it is written; nil for one that does not exist, and for years outside of 0000 to 9999.
    package init?(year: Int64, month: Int64, day: Int64) {
        guard (0...9999).contains(year), (1...12).contains(month), (1...31).contains(day) else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
        guard CivilDay(days: days) == self else { return nil }
    }

    /// The first day of any year.
    package init(firstOf year: Int64) { (self.year, month, day) = (year, 1, 1) }

    /// Days from 1970-01-01.
    package var days: Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted.flooredQuotient(by: 400)
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
