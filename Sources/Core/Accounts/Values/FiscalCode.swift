/// An Italian fiscal code of a person: surname, name, date of birth, sex, place of birth and a check letter in 16 characters
/// (Decreto ministeriale 23 December 1976). Provisional codes of 11 digits are not taken.
///
/// Any one wrong character is found: the check letter cannot tell 0 to 9 from A to J, but their places can. Swapped neighbours are found
/// too, but W and Y.
public struct FiscalCode: Sendable, Hashable, CustomStringConvertible {
    /// 16 capitals and digits. Two people with the same data get different codes, by letters in place of digits (omocodia): those are
    /// kept, because they make the code unique.
    public let code: String
    /// The last two digits of the year of birth.
    public let yearOfCentury: Int
    /// 1 to 12.
    public let month: Int
    /// 1 to 31.
    public let day: Int
    public let isFemale: Bool

    public var description: String { code }

    private static let length = 16
    private static let months = Array("ABCDEHLMPRST".utf8)
    /// Letters that stand for 0 to 9 where two people would have the same code.
    private static let substitutes = Array("LMNPQRSTUV".utf8)
    private static let digitPlaces = [6, 7, 9, 10, 12, 13, 14]
    /// Days of women count from 41.
    private static let womensOffset = 40

    /// - Throws: ``FieldError`` `.characters`, `.formFiscalCode`, `.checkDigit`.
    public init(_ text: String) throws(FieldError) {
        let wrong = FieldError(.formFiscalCode)
        let bytes: [UInt8]
        do { bytes = try Normalisation.compact(text, maximum: Self.length) } catch { throw error.code == .tooLong ? wrong : error }
        guard bytes.count == Self.length else { throw wrong }
        var digits: [Int: Int] = [:]
        for place in Self.digitPlaces {
            guard let digit = bytes[place].digit ?? Self.substitutes.firstIndex(of: bytes[place]) else { throw wrong }
            digits[place] = digit
        }
        func number(_ place: Int) -> Int { digits[place, default: 0] * 10 + digits[place + 1, default: 0] }
        let letters = bytes[0..<6] + [bytes[11], bytes[15]]
        guard letters.allSatisfy({ $0.capital != nil }), let month = Self.months.firstIndex(of: bytes[8]).map({ $0 + 1 }) else {
            throw wrong
        }
        // Places are coded A001 to M999 in Italy, Z and three digits abroad.
        guard bytes[11] <= UInt8(ascii: "M") || bytes[11] == UInt8(ascii: "Z") else { throw wrong }
        let year = number(6), coded = number(9)
        let day = coded > Self.womensOffset ? coded - Self.womensOffset : coded
        // 2000 was a leap year and 1900 was not: the code of a 29 February of a year 00 may be right.
        guard CalendarDate(year: 2000 + year, month: month, day: day) != nil else { throw wrong }
        guard FiscalCode.checkLetter(of: bytes.prefix(15)) == bytes[15] else { throw FieldError(.checkDigit) }
        code = String(decoding: bytes, as: UTF8.self)
        (yearOfCentury, self.month, self.day, isFemale) = (year, month, day, coded > Self.womensOffset)
    }

    /// The other fields that this code contradicts. It is for a warning: the tax office makes mistakes, and people change.
    public func contradictions(dateOfBirth: CalendarDate, gender: Gender) -> [FieldProblem] {
        var found: [FieldProblem] = []
        if (dateOfBirth.year % 100, dateOfBirth.month, dateOfBirth.day) != (yearOfCentury, month, day) {
            found.append(FieldProblem(.dateOfBirth, FieldError(.otherDateOfBirth)))
        }
        if gender == (isFemale ? .male : .female) { found.append(FieldProblem(.gender, FieldError(.otherGender))) }
        return found
    }

    /// Of the characters in odd places (the first, the third, …), from 0 or A. Those in even places count as what they are.
    private static let odd = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23]

    private static func checkLetter(of bytes: ArraySlice<UInt8>) -> UInt8 {
        let sum = bytes.enumerated().reduce(0) { sum, item in
            let value = item.element.digit ?? item.element.capital ?? 0
            return sum + (item.offset.isMultiple(of: 2) ? odd[value] : value)
        }
        return UInt8(ascii: "A") + UInt8(sum % 26)
    }
}
