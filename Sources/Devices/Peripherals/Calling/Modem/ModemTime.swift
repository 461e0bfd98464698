import Vitals

/// ModemManager's times of texts: ISO 8601 with an offset, which may lack its minutes (`2026-11-21T10:15:20+01`).
enum ModemTime {
    /// In UTC milliseconds; nil where it is no such time.
    static func utc(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"), bytes[10] == UInt8(ascii: "T"),
            let year = number(bytes[0..<4]), let month = number(bytes[5..<7]), let day = number(bytes[8..<10]),
            let hour = number(bytes[11..<13]), let minute = number(bytes[14..<16]), let second = number(bytes[17..<19]),
            let offset = offset(bytes[19...]), let first = CivilDay(year: year, month: month, day: 1), (1...31).contains(day), hour < 24,
            minute < 60, second <= 60
        else { return nil }
        let seconds = ((first.days + day - 1) * 24 + hour) * 3600 + minute * 60 + second
        return (seconds - offset * 60) * 1000
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }

    /// `Z`, `+01`, `+0100` or `+01:00`, in minutes east of UTC.
    private static func offset(_ text: ArraySlice<UInt8>) -> Int64? {
        if text.elementsEqual("Z".utf8) { return 0 }
        guard let sign = text.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return nil }
        let digits = text.dropFirst().filter { $0 != UInt8(ascii: ":") }
        guard digits.count == 2 || digits.count == 4, let hours = number(digits[0..<2]), let minutes = number(digits[2...]) else {
            return nil
        }
        return (hours * 60 + minutes) * (sign == UInt8(ascii: "-") ? -1 : 1)
    }
}
