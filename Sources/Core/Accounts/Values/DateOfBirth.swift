/// When somebody was born: not in the future, and not before 1900.
public struct DateOfBirth: Sendable, Hashable {
    public let date: CalendarDate

    private static let earliestYear = 1900

    /// - Parameter today: in the person's place or in UTC; a day more or less makes no harm.
    /// - Throws: ``FieldError`` `.formDate`, `.inTheFuture`, `.tooLongAgo`.
    public init(_ text: String, today: CalendarDate) throws(FieldError) {
        guard let date = CalendarDate(Normalisation.trimmed(text)) else { throw FieldError(.formDate) }
        guard date <= today else { throw FieldError(.inTheFuture) }
        guard date.year >= Self.earliestYear else { throw FieldError(.tooLongAgo, limit: Self.earliestYear) }
        self.date = date
    }

    /// Full years on a day; negative before birth. Who was born on 29 February has a birthday on 1 March in other years.
    public func age(on day: CalendarDate) -> Int {
        day.year - date.year - ((day.month, day.day) < (date.month, date.day) ? 1 : 0)
    }

    /// A parent opens the account of a minor, and consents in their place.
    /// - Parameter ownAge: years, see ``OwnAge``.
    public func needsGuardian(on day: CalendarDate, ownAge: Int) -> Bool { age(on: day) < ownAge }

    /// The day from which on the account is the person's own; nil behind the year 9999.
    public func ownFrom(age: Int) -> CalendarDate? {
        let year = date.year + age
        return CalendarDate(year: year, month: date.month, day: date.day) ?? CalendarDate(year: year, month: date.month + 1, day: 1)
    }
}

/// As the form asks for it (ACC-1).
public enum Gender: String, Sendable, Hashable, CaseIterable {
    case male, female, other

    /// - Throws: ``FieldError`` `.notAChoice`.
    public init(_ text: String) throws(FieldError) {
        guard let gender = Gender(rawValue: text) else { throw FieldError(.notAChoice) }
        self = gender
    }
}
