/// Text of numbers and constants straight into bytes: no `String` for a sample.
extension [UInt8] {
    package mutating func append(_ text: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// A whole number in decimal digits, at most `Int64.max`.
    package mutating func append(number: some FixedWidthInteger) { append(fixed: Int64(clamping: number), places: 0) }

    /// `value` divided by 10 to the power of `places`, with that many digits behind the point: -5 with 1 place is `-0.5`.
    package mutating func append(fixed value: Int64, places: Int) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 24) { digits in
            var start = digits.count, rest = value.magnitude, written = 0
            repeat {
                if written == places, places > 0 {
                    start -= 1
                    digits[start] = UInt8(ascii: ".")
                }
                let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
                start -= 1
                digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
                rest = quotient
                written += 1
            } while rest > 0 || written <= places
            if value < 0 {
                start -= 1
                digits[start] = UInt8(ascii: "-")
            }
            append(contentsOf: digits[start...])
        }
    }

    /// An RR interval of 1/1024 s in milliseconds, rounded to 0.1 ms: fine enough to find the 1024ths again.
    mutating func append(interval: UInt16) { append(fixed: interval.tenthsOfMilliseconds, places: 1) }
}

extension UInt16 {
    /// An RR interval of 1/1024 s in 0.1 ms, rounded.
    var tenthsOfMilliseconds: Int64 { (Int64(self) * 10_000 + 512) / 1024 }
}
