import Accounts
import Testing

@Suite("Italian fiscal codes")
struct FiscalCodeTests {
    /// A public example; it is nobody's.
    static let example = "RSSMRA85T10A562S"
    static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")

    /// The check letter by another route than the code's: the letters in the order of their values in odd places.
    static func checkLetter(_ code: some Collection<Character>) -> Character {
        let order = Array("BAKPLCQDREVOSFTGUHMINJWZYX"), letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
        var sum = 0
        for (index, character) in code.prefix(15).enumerated() {
            let letter = character.wholeNumberValue.map { letters[$0] } ?? character
            sum += (index % 2 == 0 ? order : letters).firstIndex(of: letter)!
        }
        return letters[sum % 26]
    }

    static func withCheckLetter(_ body: String) -> String { body + String(checkLetter(body)) }

    static func mistake(_ text: String) -> FieldError? {
        do {
            _ = try FiscalCode(text)
            return nil
        } catch { return error }
    }

    @Test(
        "ACC-4: a right code is read, however it is typed",
        arguments: [example, "rssmra85t10a562s", " RSS MRA 85T10 A562S\n", "RSS-MRA-85T10-A562S"])
    func right(text: String) throws {
        let code = try FiscalCode(text)
        #expect(code.code == Self.example)
        #expect((code.yearOfCentury, code.month, code.day, code.isFemale) == (85, 12, 10, false))
    }

    @Test("ACC-4: the check letter is the one that another computation gives")
    func otherComputation() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            func digits(_ count: Int) -> String { (0..<count).map { _ in String(Int.random(in: 0...9, using: &generator)) }.joined() }
            let letters = String((0..<6).map { _ in Self.alphabet[Int.random(in: 0..<26, using: &generator)] })
            let month = "ABCDEHLMPRST".randomElement(using: &generator)!
            let day = ["01", "28", "41", "68", "17", "55"].randomElement(using: &generator)!
            let body = "\(letters)\(digits(2))\(month)\(day)\("ABHMZ".randomElement(using: &generator)!)\(digits(3))"
            #expect(Self.mistake(Self.withCheckLetter(body)) == nil, "\(body)")
            for letter in Self.alphabet.prefix(26) where letter != Self.checkLetter(body) {
                #expect(Self.mistake(body + String(letter))?.code == .checkDigit, "\(body)\(letter)")
            }
        }
    }

    @Test(
        "ACC-4: every other character in any one place is found, in plain codes and in those with substitutes",
        arguments: [
            example, withCheckLetter("RSSMRA85T10A56N"), withCheckLetter("VRDGNNULHSMFNRN"), withCheckLetter("XXXXXX00B29Z999"),
        ])
    func substitution(code: String) {
        #expect(Self.mistake(code) == nil)
        for place in 0..<16 {
            for other in Self.alphabet {
                var changed = Array(code)
                guard changed[place] != other else { continue }
                changed[place] = other
                #expect(Self.mistake(String(changed)) != nil, "\(String(changed))")
            }
        }
    }

    @Test("ACC-4: swapped neighbours are found, but W and Y")
    func swaps() {
        func isFound(_ body: String, _ place: Int) -> Bool {
            var swapped = Array(Self.withCheckLetter(body))
            swapped.swapAt(place, place + 1)
            return Self.mistake(String(swapped)) != nil
        }
        for first in Self.alphabet.prefix(26) {
            for second in Self.alphabet.prefix(26) where first != second {
                let isMissed = Set([first, second]) == ["W", "Y"]
                #expect(isFound("\(first)\(second)SMRA85T10A562", 0) != isMissed, "\(first)\(second)")
                #expect(isFound("R\(first)\(second)MRA85T10A562", 1) != isMissed, "\(first)\(second)")
            }
        }
        for first in "0123456789LMNPQRSTUV" {
            for second in "0123456789LMNPQRSTUV" where first != second {
                #expect(isFound("RSSMRA85T10A5\(first)\(second)", 13), "\(first)\(second)")
            }
        }
        for place in [5, 7, 8, 10, 11, 14] { #expect(isFound("RSSMRA85T10A562", place)) }
    }

    @Test(
        "ACC-4: what is no fiscal code is refused with its reason",
        arguments: [
            ("", .formFiscalCode), ("RSSMRA85T10A562", .formFiscalCode), ("RSSMRA85T10A562SS", .formFiscalCode),
            ("RSSMRA85T10A562É", .characters), ("RSSMRA85T10A562?", .characters), ("RSSMRA85T10A562T", .checkDigit),
            (withCheckLetter("1SSMRA85T10A562"), .formFiscalCode), (withCheckLetter("RSSMRA85F10A562"), .formFiscalCode),
            (withCheckLetter("RSSMRA85T00A562"), .formFiscalCode), (withCheckLetter("RSSMRA85T32A562"), .formFiscalCode),
            (withCheckLetter("RSSMRA85T40A562"), .formFiscalCode), (withCheckLetter("RSSMRA85T72A562"), .formFiscalCode),
            (withCheckLetter("RSSMRA85D31A562"), .formFiscalCode), (withCheckLetter("RSSMRA85B29A562"), .formFiscalCode),
            (withCheckLetter("RSSMRA85T10N562"), .formFiscalCode), ("00743110157", .formFiscalCode),
        ] as [(String, FieldError.Code)])
    func wrong(text: String, code: FieldError.Code) { #expect(Self.mistake(text)?.code == code) }

    @Test(
        "ACC-4: days of women count from 41, and 29 February needs a leap year",
        arguments: [("85T50", 10, true), ("84B29", 29, false), ("00B69", 29, true)])
    func days(text: String, day: Int, isFemale: Bool) throws {
        let code = try FiscalCode(Self.withCheckLetter("RSSMRA\(text)A562"))
        #expect(code.day == day)
        #expect(code.isFemale == isFemale)
    }

    @Test("ACC-4: letters in place of digits make another code, with the same date")
    func substitutes() throws {
        let plain = try FiscalCode(Self.example), other = try FiscalCode(Self.withCheckLetter("RSSMRA85T10A56N"))
        let all = try FiscalCode(Self.withCheckLetter("RSSMRAURTMLARSN"))
        #expect(plain != other && other != all)
        #expect(all.yearOfCentury == 85 && all.month == 12 && all.day == 10)
    }

    @Test("ACC-1: a date of birth or a gender that the code contradicts is a warning")
    func contradictions() throws {
        let code = try FiscalCode(Self.example)
        let right = try #require(CalendarDate("1985-12-10")), wrong = try #require(CalendarDate("1985-10-12"))
        #expect(code.contradictions(dateOfBirth: right, gender: .male).isEmpty)
        #expect(code.contradictions(dateOfBirth: right, gender: .other).isEmpty)
        #expect(code.contradictions(dateOfBirth: right, gender: .female) == [FieldProblem(.gender, FieldError(.otherGender))])
        #expect(code.contradictions(dateOfBirth: wrong, gender: .male) == [FieldProblem(.dateOfBirth, FieldError(.otherDateOfBirth))])
    }
}
