/// A point on some clock's axis in whole milliseconds. Which clock is said beside it: a ``ClockDomain``, or the name of the field
/// (`utc`: since 1970-01-01T00:00:00Z, leap seconds not counted).
public typealias Milliseconds = Int64

extension Int64 {
    /// The quotient rounded down, also below zero: which minute, hour or day a time is in, before 1970 as well.
    @inlinable package func flooredQuotient(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
