internal import Vitals

/// Numbers and times out of the bytes of a file.
enum ImportText {
    private static let powers: [Double] = (0..<18).reduce(into: [1]) { powers, _ in powers.append((powers.last ?? 1) * 10) }

    /// A decimal number, such as `72`, `-0.5` and `1.2e3`; nil for anything else, and for what is not finite.
    static func number(_ bytes: ArraySlice<UInt8>) -> Double? {
        var mantissa: Int64 = 0, digits = 0, places = -1, at = bytes.startIndex
        let isNegative = bytes.first == UInt8(ascii: "-")
        if isNegative { at += 1 }
        while at < bytes.endIndex {
            let byte = bytes[at]
            if (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte), digits < 15 {
                mantissa = mantissa * 10 + Int64(byte - UInt8(ascii: "0"))
                digits += 1
                if places >= 0 { places += 1 }
            } else if byte == UInt8(ascii: "."), places < 0 {
                places = 0
            } else {
                return slowNumber(bytes)
            }
            at += 1
        }
        guard digits > 0, places != 0 else { return nil }
        // Both are exact, so the quotient is what a reader of decimals gives.
        let value = Double(mantissa) / powers[max(places, 0)]
        return isNegative ? -value : value
    }

    private static func slowNumber(_ bytes: ArraySlice<UInt8>) -> Double? {
        guard (1...40).contains(bytes.count), bytes.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }) else { return nil }
        return Double(String(decoding: bytes, as: UTF8.self)).flatMap { $0.isFinite ? $0 : nil }
    }

    /// A decimal number without an exponent in 10^-`places`, exactly; nil for anything else, and for one with more digits behind the point.
    static func fixed(_ bytes: ArraySlice<UInt8>, places: Int) -> Int64? {
        var value: Int64 = 0, behind: Int?, digits = 0
        let isNegative = bytes.first == UInt8(ascii: "-")
        for byte in isNegative ? bytes.dropFirst() : bytes {
            if byte == UInt8(ascii: "."), behind == nil, digits > 0 {
                behind = 0
                continue
            }
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte), shift(&value, Int64(byte - UInt8(ascii: "0")), isNegative) else {
                return nil
            }
            (digits, behind) = (digits + 1, behind.map { $0 + 1 })
        }
        guard digits > 0, behind != 0, (behind ?? 0) <= places else { return nil }
        for _ in (behind ?? 0)..<places {
            guard shift(&value, 0, isNegative) else { return nil }
        }
        return value
    }

    /// Puts a digit behind a number. Negative ones grow downwards, so that the least number has a text, too.
    private static func shift(_ value: inout Int64, _ digit: Int64, _ isNegative: Bool) -> Bool {
        let (product, isTooLarge) = value.multipliedReportingOverflow(by: 10)
        let (sum, overflow) = product.addingReportingOverflow(isNegative ? -digit : digit)
        value = sum
        return !isTooLarge && !overflow
    }

    /// An instant with its zone: `2024-05-01 07:00:00 +0200`, `2026-11-21T03:04:05.678Z`. A leap second counts as the second before it.
    /// - Returns: UTC milliseconds (more digits are cut off); nil for anything else, also for a time without a zone.
    static func time(_ bytes: ArraySlice<UInt8>) -> Milliseconds? {
        var cursor = ByteCursor(bytes)
        guard let year = cursor.digits(4), cursor.skip("-"), let month = cursor.digits(2), cursor.skip("-"), let day = cursor.digits(2),
            let date = CivilDay(year: year, month: month, day: day), cursor.skip("T") || cursor.skip(" "),
            let hour = cursor.digits(2), hour < 24, cursor.skip(":"), let minute = cursor.digits(2), minute < 60, cursor.skip(":"),
            let second = cursor.digits(2), second <= 60, let fraction = cursor.fraction()
        else { return nil }
        _ = cursor.skip(" ")
        guard let offset = cursor.offset() else { return nil }
        return date.days * 86_400_000 + (hour * 60 + minute - offset) * 60_000 + min(second, 59) * 1000 + fraction
    }

    static func time(_ text: String) -> Milliseconds? { time(Array(text.utf8)[...]) }
}

/// Goes through bytes that are to have a fixed form.
struct ByteCursor {
    private let bytes: ArraySlice<UInt8>
    private var at: Int

    init(_ bytes: ArraySlice<UInt8>) { (self.bytes, at) = (bytes, bytes.startIndex) }

    var isAtEnd: Bool { at == bytes.endIndex }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard at < bytes.endIndex, UInt32(bytes[at]) == character.value else { return false }
        at += 1
        return true
    }

    /// The number of digits, 17 at most.
    mutating func digits(_ count: Int) -> Int64? {
        guard bytes.endIndex - at >= count else { return nil }
        var value: Int64 = 0
        for index in at..<at + count {
            let digit = bytes[index] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            value = value * 10 + Int64(digit)
        }
        at += count
        return value
    }

    /// Milliseconds behind a point; 0 without one.
    mutating func fraction() -> Int64? {
        guard skip(".") else { return 0 }
        var milliseconds: Int64 = 0, weight: Int64 = 100, count = 0
        while count < 12, let digit = digits(1) {
            milliseconds += digit * weight
            weight /= 10
            count += 1
        }
        return count > 0 ? milliseconds : nil
    }

    /// Minutes east of UTC, as `Z`, `+0200` or `+02:00`; nothing may follow.
    mutating func offset() -> Int64? {
        if skip("Z") { return isAtEnd ? 0 : nil }
        let isEast = skip("+")
        guard isEast || skip("-"), let hours = digits(2), hours < 24 else { return nil }
        _ = skip(":")
        guard let minutes = digits(2), minutes < 60, isAtEnd else { return nil }
        return (hours * 60 + minutes) * (isEast ? 1 : -1)
    }
}
