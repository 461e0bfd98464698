import Accounts
import Testing

@Suite("Dates, names and places")
struct PersonalDataTests {
    let today = CalendarDate(year: 2025, month: 6, day: 15)!

    @Test("ACC-1: the days of four hundred years follow each other, and are read as they are written")
    func calendar() throws {
        var last = CalendarDate(utc: -2_208_988_800_000)  // 1900-01-01
        #expect(last.description == "1900-01-01")
        for day in 1..<146_097 {
            let next = CalendarDate(utc: -2_208_988_800_000 + Int64(day) * 86_400_000 + Int64(day % 86_400_000))
            #expect(next > last)
            #expect(CalendarDate(next.description) == next)
            last = next
        }
        #expect(last.description == "2299-12-31")
        #expect(CalendarDate(utc: -1).description == "1969-12-31")
        #expect(CalendarDate(utc: 1_750_000_000_000).description == "2025-06-15")
    }

    @Test(
        "ACC-1: what is no day is no date",
        arguments: [
            "", "1985", "1985-02-29", "1900-02-29", "1985-13-01", "1985-00-10", "1985-04-31", "10/12/1985", "1985-1-1", "+985-01-01",
            "1985-01-01T00", "1985-01-0١",
        ])
    func noDate(text: String) { #expect(throws: FieldError(.formDate)) { try DateOfBirth(text, today: today) } }

    @Test("ACC-1: a date of birth is neither in the future nor before 1900")
    func plausible() throws {
        #expect(try DateOfBirth(" 2025-06-15 ", today: today).age(on: today) == 0)
        #expect(try DateOfBirth("1900-01-01", today: today).age(on: today) == 125)
        #expect(throws: FieldError(.inTheFuture)) { try DateOfBirth("2025-06-16", today: today) }
        #expect(throws: FieldError(.tooLongAgo, limit: 1900)) { try DateOfBirth("1899-12-31", today: today) }
    }

    @Test(
        "ACC-17: who is not yet 18 needs a guardian, until the birthday",
        arguments: [("2007-06-15", false), ("2007-06-16", true), ("2007-06-14", false), ("2020-01-01", true), ("1950-01-01", false)])
    func guardian(text: String, needed: Bool) throws {
        #expect(try DateOfBirth(text, today: today).needsGuardian(on: today, ownAge: 18) == needed)
    }

    @Test("ACC-17: who was born on 29 February is of age on 1 March of an ordinary year")
    func leapDay() throws {
        let born = try DateOfBirth("2004-02-29", today: today)
        #expect(born.needsGuardian(on: try #require(CalendarDate("2022-02-28")), ownAge: 18))
        #expect(!born.needsGuardian(on: try #require(CalendarDate("2022-03-01")), ownAge: 18))
    }

    @Test(
        "ACC-1: a name is kept in one form",
        arguments: [
            (" Anna  Maria ", "Anna Maria"), ("Jose\u{301}", "Jos\u{E9}"), ("D\u{2019}Angelo", "D\u{2019}Angelo"),
            ("O'Neil-Smith Jr.", "O'Neil-Smith Jr."),
            ("李", "李"), ("Anna\u{A0}\u{2003}Maria\t", "Anna Maria"), ("محمد", "محمد"), ("می\u{200C}نا", "می\u{200C}نا"), ("Ș", "S\u{326}"),
        ])
    func names(text: String, expected: String) throws {
        let line = try Line(text, length: Line.nameLength)
        #expect(Array(line.text.unicodeScalars) == Array(try Line(expected, length: Line.nameLength).text.unicodeScalars))
        #expect(line.text == expected)
    }

    @Test("ACC-1: the composed form is the same in its bytes")
    func composed() throws {
        #expect(Array(try Line("Jose\u{301}", length: Line.nameLength).text.utf8) == Array("Jos\u{E9}".utf8))
    }

    @Test(
        "ACC-1: a name has no line breaks, nothing hidden, and a letter or a digit",
        arguments: [
            "An\nna", "An\rna", "An\tna", "An\0na", "An\u{7F}na", "An\u{202E}na", "An\u{200B}na", "An\u{FEFF}na", "An\u{2028}na",
            "\u{E000}a", "-", "...", "🙂", "An\u{AD}na",
        ])
    func noName(text: String) { #expect(throws: FieldError(.characters)) { try Line(text, length: Line.nameLength) } }

    @Test("ACC-1: the length of a text is counted in characters, and marks upon marks are bounded")
    func lengths() throws {
        let family = "é" + String(repeating: "e\u{301}", count: 99)
        #expect(try Line(family, length: Line.nameLength).text.count == 100)
        #expect(throws: FieldError(.tooLong, limit: 100)) { try Line(family + "e", length: Line.nameLength) }
        #expect(throws: FieldError(.tooLong, limit: 100)) {
            try Line("e" + String(repeating: "\u{301}", count: 5000), length: Line.nameLength)
        }
        #expect(throws: FieldError(.tooShort, limit: 2)) { try Line("A", length: Line.residenceLength) }
        #expect(throws: FieldError(.tooLong, limit: 100)) { try Line(String(repeating: "a", count: 1_000_000), length: Line.nameLength) }
    }

    @Test("ACC-2: a purpose keeps its lines, which end alike")
    func paragraph() throws {
        let text = try Paragraph(" One line.\r\nAnother one.\rA third.\n", length: Paragraph.purposeLength).text
        #expect(text == "One line.\nAnother one.\nA third.")
        #expect(throws: FieldError(.characters)) { try Paragraph("Something\u{202E} hidden", length: Paragraph.purposeLength) }
        #expect(throws: FieldError(.tooShort, limit: 10)) { try Paragraph("Research", length: Paragraph.purposeLength) }
    }

    @Test("ACC-9: organisations, responders and operators need a second factor")
    func roles() {
        #expect(Role.allCases.filter(\.needsSecondFactor) == [.organisation, .responder, .operator, .member])
        #expect(Role.allCases.filter(\.signsUp) == [.person, .organisation, .organiser, .caregiver])
    }
}
