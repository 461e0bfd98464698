package import Vitals

/// Writes UTC milliseconds as `2026-11-21T03:04:05.678Z` (ISO 8601, RFC 3339; always 24 bytes). It remembers the minute that it wrote
/// last, so that a series costs a few divisions for each sample. Times outside of the years 0000 to 9999 are written as their ends.
package struct UTCText: Sendable {
    package static let range: ClosedRange<Milliseconds> = -62_167_219_200_000...253_402_300_799_999

    private var minute = Milliseconds.min
    /// `2026-11-21T03:04:05.678Z`, of the time that was written last.
    private var text: [UInt8] = []

    package init() {}

    package mutating func append(_ utc: Milliseconds, to buffer: inout [UInt8]) {
        let utc = min(max(utc, Self.range.lowerBound), Self.range.upperBound)
        let minute = utc.flooredQuotient(by: 60_000)
        if minute != self.minute { remember(minute) }
        let inMinute = Int(utc - minute * 60_000)
        text.withUnsafeMutableBufferPointer { text in
            if let start = text.baseAddress { Self.write(inMinute, into: start) }
        }
        buffer.append(contentsOf: text)
    }

    /// Bytes of a time.
    static let count = 24

    /// Writes the seconds of a time into its text, where the minute stands already: a day of seconds has 86,400 times and 1,440 minutes.
    /// - Parameter inMinute: milliseconds since the minute began.
    @inline(__always)
    static func write(_ inMinute: Int, into text: UnsafeMutablePointer<UInt8>) {
        let (second, thousandth) = (inMinute / 1000, inMinute % 1000)
        text[17] = digit(second / 10)
        text[18] = digit(second % 10)
        text[20] = digit(thousandth / 100)
        text[21] = digit(thousandth / 10 % 10)
        text[22] = digit(thousandth % 10)
    }

    @inline(__always)
    private static func digit(_ value: Int) -> UInt8 { UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value) }

    private mutating func remember(_ minute: Int64) {
        self.minute = minute
        let days = minute.flooredQuotient(by: 1440), inDay = minute - days * 1440
        let date = CivilDay(days: days)
        text.removeAll(keepingCapacity: true)
        Self.append(date.year, width: 4, to: &text)
        text.append(UInt8(ascii: "-"))
        Self.append(date.month, width: 2, to: &text)
        text.append(UInt8(ascii: "-"))
        Self.append(date.day, width: 2, to: &text)
        text.append(UInt8(ascii: "T"))
        Self.append(inDay / 60, width: 2, to: &text)
        text.append(UInt8(ascii: ":"))
        Self.append(inDay % 60, width: 2, to: &text)
        text.append(":00.000Z")
    }

    private static func append(_ value: Int64, width: Int, to buffer: inout [UInt8]) {
        var divisor: Int64 = width == 4 ? 1000 : 10
        while divisor > 0 {
            buffer.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / divisor % 10))
            divisor /= 10
        }
    }
}
