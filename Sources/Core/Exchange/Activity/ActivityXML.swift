internal import Vitals

/// The shared part of the readers of GPX and TCX.
extension XMLScanner {
    /// The next tag; nil at the end, or where nothing can be read any more. What is missing then is noted.
    mutating func next(_ problems: inout ActivityProblems) -> Tag? {
        do throws(Problem) {
            if let tag = try next() {
                for prefix in undeclaredPrefixes(tag) { problems.note(.prefix, byte: tag.at, prefix) }
                return tag
            }
            if !open.isEmpty { problems.note(.cut, byte: bytes.count, open.joined(separator: "/")) }
        } catch .tooDeep {
            problems.note(.markup, byte: at)
        } catch {
            problems.note(.cut, byte: bytes.count, open.joined(separator: "/"))
        }
        if let firstFault { problems.note(.markup, byte: firstFault, count: faults) }
        return nil
    }

    /// The text as a time, UTC; nil where it is none, or before there were sensors.
    var time: Milliseconds? {
        TimeText.milliseconds(String(decoding: trimmed, as: UTF8.self)).flatMap { $0 >= SampleLimits.earliest ? $0 : nil }
    }

    /// The text as a number in 10^-`places`; nil outside of `range`.
    func value<Value: FixedWidthInteger>(places: Int = 0, in range: ClosedRange<Value>) -> Value? {
        number(places: places).flatMap { Value(exactly: $0) }.flatMap { range.contains($0) ? $0 : nil }
    }
}
