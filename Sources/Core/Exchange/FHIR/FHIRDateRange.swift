public import Vitals

/// A `date` parameter of a search (FHIR R4, search, 3.1.1.4.5 and 3.1.1.4.6): `2026`, `ge2026-11`, `lt2026-11-21T03:04Z`. A value that
/// is not precise means all the time that it covers, in UTC where it names no zone.
public struct FHIRDateRange: Sendable, Hashable {
    /// The instants that match; nil when there is none.
    public let span: ClosedRange<Milliseconds>?

    /// From 1970 to the end of the year 9999.
    public static let all: ClosedRange<Milliseconds> = 0...UTCText.range.upperBound

    /// - Returns: nil for what is no date, and for the comparisons `ne` and `ap`, which would be no range or none that one could rely on.
    public init?(_ text: String) {
        let comparison = text.prefix { $0.isLetter }
        guard let value = Self.instants(String(text.dropFirst(comparison.count))) else { return nil }
        let all = Self.all
        let (from, to): (Milliseconds, Milliseconds)
        switch comparison {
        case "", "eq": (from, to) = (value.lowerBound, value.upperBound)
        case "ge": (from, to) = (value.lowerBound, all.upperBound)
        case "gt", "sa": (from, to) = (value.upperBound + 1, all.upperBound)
        case "le": (from, to) = (all.lowerBound, value.upperBound)
        case "lt", "eb": (from, to) = (all.lowerBound, value.lowerBound - 1)
        default: return nil
        }
        let lower = max(from, all.lowerBound), upper = min(to, all.upperBound)
        span = lower <= upper ? lower...upper : nil
    }

    /// All that a date or an instant covers.
    private static func instants(_ text: String) -> ClosedRange<Milliseconds>? {
        let characters = text.utf8.count
        if characters > 10 { return instant(text) }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        let widths = [4, 2, 2].prefix(parts.count)
        guard (1...3).contains(parts.count), parts.map(\.utf8.count) == Array(widths) else { return nil }
        let numbers = parts.compactMap { part in
            part.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int64(part) : nil
        }
        guard numbers.count == parts.count else { return nil }
        let year = numbers[0], month = numbers.count > 1 ? numbers[1] : 1, day = numbers.count > 2 ? numbers[2] : 1
        guard let first = CivilDay(year: year, month: month, day: day) else { return nil }
        let next: Int64
        switch numbers.count {
        case 1: next = days(year + 1, 1)
        case 2: next = month == 12 ? days(year + 1, 1) : days(year, month + 1)
        default: next = first.days + 1
        }
        return first.days * 86_400_000...next * 86_400_000 - 1
    }

    /// The first of a month; that of the year 10000 ends the last one.
    private static func days(_ year: Int64, _ month: Int64) -> Int64 {
        CivilDay(year: year, month: month, day: 1)?.days ?? (UTCText.range.upperBound + 1) / 86_400_000
    }

    /// A date with a time of at least hours and minutes.
    private static func instant(_ text: String) -> ClosedRange<Milliseconds>? {
        guard let mark = text.firstIndex(of: "T") else { return nil }
        let time = text[text.index(after: mark)...]
        let end = time.firstIndex { "Z+-".contains($0) } ?? time.endIndex
        let clock = time[..<end], zone = time[end...]
        let hasSeconds = clock.count { $0 == ":" } == 2
        guard let start = TimeText.milliseconds(String(text[...mark] + clock) + (hasSeconds ? "" : ":00") + String(zone)) else {
            return nil
        }
        let digits = clock.split(separator: ".").dropFirst().first?.count ?? 0
        let fine: [Milliseconds] = [1000, 100, 10]
        let precision = hasSeconds ? fine.dropFirst(digits).first ?? 1 : 60_000
        return start...start + precision - 1
    }
}
