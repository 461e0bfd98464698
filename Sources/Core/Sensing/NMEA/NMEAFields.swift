/// Walks over the comma-separated fields of a sentence, and reads numbers out of them with integers only.
struct NMEAFields {
    private var position: Int
    private let end: Int
    private(set) var isExhausted = false

    /// `range`: behind the address field's comma up to the `*` or the end.
    init(_ range: Range<Int>) {
        position = range.lowerBound
        end = range.upperBound
    }

    /// The next field, empty behind the last one.
    mutating func next(_ bytes: RawSpan) -> Range<Int> {
        guard position <= end, !isExhausted else { return end..<end }
        let start = position
        while position < end, bytes.byte(at: position) != UInt8(ascii: ",") { position += 1 }
        defer { position += 1 }
        if position >= end { isExhausted = true }
        return start..<position
    }

    mutating func skip(_ count: Int, _ bytes: RawSpan) {
        for _ in 0..<count { _ = next(bytes) }
    }

    /// The field's only character; 0 for an empty field and for a longer one.
    mutating func letter(_ bytes: RawSpan) -> UInt8 {
        let field = next(bytes)
        return field.count == 1 ? bytes.byte(at: field.lowerBound) : 0
    }
}

/// A decimal number as its digits: value = mantissa / 10^decimals.
struct NMEADecimal {
    var mantissa: Int64
    var decimals: Int

    /// nil for an empty field, anything but digits with one point and a sign, or more than 17 digits.
    init?(_ bytes: RawSpan, _ field: Range<Int>) {
        var position = field.lowerBound
        guard position < field.upperBound else { return nil }
        let isNegative = bytes.byte(at: position) == UInt8(ascii: "-")
        if isNegative || bytes.byte(at: position) == UInt8(ascii: "+") { position += 1 }
        var value: Int64 = 0, digits = 0, point = -1
        while position < field.upperBound {
            let byte = bytes.byte(at: position)
            if byte == UInt8(ascii: "."), point < 0 {
                point = digits
            } else {
                let digit = byte &- UInt8(ascii: "0")
                guard digit <= 9, digits < 17 else { return nil }
                value = value &* 10 &+ Int64(digit)
                digits += 1
            }
            position += 1
        }
        guard digits > 0 else { return nil }
        mantissa = isNegative ? -value : value
        decimals = point < 0 ? 0 : digits - point
    }

    /// The value times 10^places, rounded half away from zero; nil where that is more than 12 digits.
    func scaled(_ places: Int) -> Int64? {
        let limit: Int64 = 1_000_000_000_000
        if decimals <= places {
            let (value, overflow) = mantissa.multipliedReportingOverflow(by: Self.powers[places - decimals])
            return overflow || value.magnitude > limit ? nil : value
        }
        let divisor = Self.powers[decimals - places]
        let value = (mantissa + (mantissa < 0 ? -divisor / 2 : divisor / 2)) / divisor
        return value.magnitude > limit ? nil : value
    }

    private static let powers: [Int64] = (0...18).map { (0..<$0).reduce(Int64(1)) { power, _ in power * 10 } }
}

extension NMEAFields {
    /// hhmmss with decimals as milliseconds of the day (more decimals are cut); nil when empty; `malformed` when it cannot be.
    mutating func timeOfDay(_ bytes: RawSpan, _ isMalformed: inout Bool) -> Int32? {
        let field = next(bytes)
        guard !field.isEmpty else { return nil }
        guard let number = NMEADecimal(bytes, field), number.mantissa >= 0, field.count >= 6 else {
            isMalformed = true
            return nil
        }
        var whole = number.mantissa, scale: Int64 = 1
        for _ in 0..<number.decimals { scale *= 10 }
        let fraction = whole % scale
        whole /= scale
        let hours = whole / 10_000, minutes = whole / 100 % 100, seconds = whole % 100
        // 60 is a leap second.
        guard hours < 24, minutes < 60, seconds <= 60, number.decimals <= 12 else {
            isMalformed = true
            return nil
        }
        return Int32(((hours * 60 + minutes) * 60 + seconds) * 1000 + fraction * 1000 / scale)
    }

    /// (d)ddmm.mmmm and its hemisphere in 1e-7 degrees, with the number of decimals of the minutes; nil when both are empty.
    mutating func angle(
        _ bytes: RawSpan, positive: UInt8, negative: UInt8, max: Int64, _ isMalformed: inout Bool
    ) -> (value: Int32, decimals: Int)? {
        let field = next(bytes), hemisphere = letter(bytes)
        if field.isEmpty { return nil }
        guard let number = NMEADecimal(bytes, field), number.mantissa >= 0, hemisphere == positive || hemisphere == negative,
            // Minutes in 1e-9, which 17 digits can hold for three digits of degrees.
            number.decimals <= 12, let scaled = Self.nano(number)
        else {
            isMalformed = true
            return nil
        }
        let degrees = scaled / 100_000_000_000, minutes = scaled % 100_000_000_000
        let value = degrees * 10_000_000 + (minutes + 3_000) / 6_000
        guard minutes < 60_000_000_000, value <= max * 10_000_000 else {
            isMalformed = true
            return nil
        }
        return (Int32(hemisphere == positive ? value : -value), number.decimals)
    }

    private static func nano(_ number: NMEADecimal) -> Int64? {
        var value = number.mantissa
        for _ in number.decimals..<Swift.max(9, number.decimals) {
            let (next, overflow) = value.multipliedReportingOverflow(by: 10)
            if overflow { return nil }
            value = next
        }
        for _ in 9..<Swift.max(9, number.decimals) { value /= 10 }
        return value
    }

    /// A number times 10^places; nil when empty; `malformed` when it is none.
    mutating func number(_ places: Int, _ bytes: RawSpan, _ isMalformed: inout Bool) -> Int64? {
        let field = next(bytes)
        if field.isEmpty { return nil }
        guard let value = NMEADecimal(bytes, field)?.scaled(places) else {
            isMalformed = true
            return nil
        }
        return value
    }
}
