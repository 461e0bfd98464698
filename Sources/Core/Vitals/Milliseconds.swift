/// A point on some clock's axis in whole milliseconds. Which clock is said beside it: a ``ClockDomain``, or the name of the field
/// (`utc`: since 1970-01-01T00:00:00Z, leap seconds not counted).
public typealias Milliseconds = Int64
