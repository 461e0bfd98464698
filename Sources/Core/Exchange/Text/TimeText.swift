internal import Vitals

/// Reads the time of a date as other programs write it.
enum TimeText {
    /// `2026-11-21T03:04:05.678Z`, also with a blank in place of T, without a fraction, with an offset such as `+01:00` or `+0100`, and
    /// without any zone, which is taken as UTC. A leap second counts as the second before it.
    /// - Returns: UTC milliseconds (more digits, nine at most, are cut off); nil for anything else.
    static func milliseconds(_ text: String) -> Milliseconds? {
        var rest = Substring(text).utf8
        guard let year = digits(4, &rest), skip("-", &rest), let month = digits(2, &rest), skip("-", &rest), let day = digits(2, &rest),
            let date = CivilDay(year: year, month: month, day: day), skip("Tt ", &rest),
            let hour = digits(2, &rest), hour < 24, skip(":", &rest), let minute = digits(2, &rest), minute < 60,
            skip(":", &rest), let second = digits(2, &rest), second <= 60, let fraction = fraction(&rest), let offset = offset(&rest)
        else { return nil }
        let inDay = (hour * 60 + minute - offset) * 60_000 + min(second, 59) * 1000 + fraction
        return date.days * 86_400_000 + inDay
    }

    private static func skip(_ any: StaticString, _ rest: inout Substring.UTF8View) -> Bool {
        let accepted = UnsafeBufferPointer(start: any.utf8Start, count: any.utf8CodeUnitCount)
        guard let first = rest.first, accepted.contains(first) else { return false }
        rest.removeFirst()
        return true
    }

    private static func digits(_ count: Int, _ rest: inout Substring.UTF8View) -> Int64? {
        var value: Int64 = 0
        for _ in 0..<count {
            guard let digit = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            value = value * 10 + Int64(digit - UInt8(ascii: "0"))
            rest.removeFirst()
        }
        return value
    }

    /// Milliseconds behind a point; 0 without one.
    private static func fraction(_ rest: inout Substring.UTF8View) -> Int64? {
        guard skip(".,", &rest) else { return 0 }
        var milliseconds: Int64 = 0, weight: Int64 = 100, count = 0
        while count < 9, let digit = digits(1, &rest) {
            milliseconds += digit * weight
            weight /= 10
            count += 1
        }
        return count > 0 ? milliseconds : nil
    }

    /// Minutes east of UTC; nothing may follow.
    private static func offset(_ rest: inout Substring.UTF8View) -> Int64? {
        if rest.isEmpty { return 0 }
        if skip("Zz", &rest) { return rest.isEmpty ? 0 : nil }
        let east = skip("+", &rest)
        guard east || skip("-", &rest), let hours = digits(2, &rest), hours < 24 else { return nil }
        _ = skip(":", &rest)
        guard let minutes = rest.isEmpty ? 0 : digits(2, &rest), minutes < 60, rest.isEmpty else { return nil }
        return (hours * 60 + minutes) * (east ? 1 : -1)
    }
}
