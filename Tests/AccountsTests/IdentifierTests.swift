import Accounts
import Testing

@Suite("Tax identifiers and VAT numbers")
struct IdentifierTests {
    /// Public: a large Italian company's.
    static let example = "00743110157"

    static func code(_ body: () throws(FieldError) -> Void) -> FieldError.Code? {
        do { try body() } catch { return error.code }
        return nil
    }

    static func partitaIVA(_ text: String) -> FieldError.Code? { code { () throws(FieldError) in _ = try PartitaIVA(text) } }

    /// The check digit by trying all ten, with the doubled digits written out.
    static func checkDigits(_ body: String) -> [Int] {
        let doubled = [0, 2, 4, 6, 8, 1, 3, 5, 7, 9]
        return (0...9).filter { check in
            let digits = (body + String(check)).map { $0.wholeNumberValue! }
            return digits.enumerated().map { $0.offset % 2 == 1 ? doubled[$0.element] : $0.element }.reduce(0, +) % 10 == 0
        }
    }

    @Test("ACC-4: a Partita IVA has one right check digit, and a change of any one digit is found")
    func partitaIVA() throws {
        #expect(try PartitaIVA(" 0074311 015-7 ").digits == Self.example)
        var bodies = (0..<300).map { _ in (0..<10).map { _ in String(Int.random(in: 0...9)) }.joined() }
        bodies.append(String(Self.example.prefix(10)))
        for body in bodies where body != "0000000000" {
            let check = try #require(Self.checkDigits(body).first)
            #expect(Self.checkDigits(body).count == 1)
            let number = Array("\(body)\(check)")
            #expect(Self.partitaIVA(String(number)) == nil)
            for place in 0..<11 {
                for digit in "0123456789" where digit != number[place] {
                    var changed = number
                    changed[place] = digit
                    let expected: FieldError.Code = changed.allSatisfy { $0 == "0" } ? .notAssigned : .checkDigit
                    #expect(Self.partitaIVA(String(changed)) == expected)
                }
            }
        }
    }

    @Test("ACC-4: swapped neighbours in a Partita IVA are found, but 09 for 90")
    func swaps() throws {
        for first in 0...9 {
            for second in 0...9 where first != second {
                let body = "123\(first)\(second)67890", swapped = "123\(second)\(first)67890"
                let check = try #require(Self.checkDigits(body).first)
                let found = Self.partitaIVA("\(swapped)\(check)") == .checkDigit
                #expect(found == (first + second != 9 || first * second != 0), "\(first)\(second)")
            }
        }
    }

    @Test(
        "ACC-4: what is no Partita IVA is refused with its reason",
        arguments: [
            ("", .formPartitaIVA), ("0074311015", .formPartitaIVA), ("007431101570", .formPartitaIVA), ("0074311015A", .formPartitaIVA),
            ("00000000000", .notAssigned), ("00743110158", .checkDigit), ("٠٠٧٤٣١١٠١٥٧", .characters),
        ] as [(String, FieldError.Code)])
    func wrongPartitaIVA(text: String, code: FieldError.Code) { #expect(Self.partitaIVA(text) == code) }

    @Test(
        "ACC-4: a social security number is checked by its form",
        arguments: [
            ("123-45-6789", nil), ("123456789", nil), ("899 99 9999", nil), ("001-01-0001", nil), ("667-01-0001", nil),
            ("000-12-3456", .notAssigned), ("666-12-3456", .notAssigned), ("900-12-3456", .notAssigned), ("999-12-3456", .notAssigned),
            ("123-00-6789", .notAssigned), ("123-45-0000", .notAssigned), ("12345678", .formSocialSecurityNumber),
            ("1234567890", .formSocialSecurityNumber), ("12345678A", .formSocialSecurityNumber), ("１２３４５６７８９", .characters),
        ] as [(String, FieldError.Code?)])
    func socialSecurity(text: String, code: FieldError.Code?) {
        #expect(Self.code { () throws(FieldError) in _ = try SocialSecurityNumber(text) } == code)
    }

    @Test(
        "ACC-4: an identifier has one canonical text, however it is typed, and another in another country",
        arguments: [
            ("IT", "rss mra 85t10 a562s", "IT:RSSMRA85T10A562S"), ("US", "123-45-6789", "US:123456789"),
            ("FR", "1 85 12 75 108 123 45", "FR:1851275108123" + "45"), ("ES", "12345678-z", "ES:12345678Z"),
            ("DE", "12/345/678901", "DE:12345678901"), ("IE", "1234567fa", "IE:1234567FA"),
        ])
    func canonical(country: String, text: String, expected: String) throws {
        let identifier = try TaxIdentifier(text, country: Country(country))
        #expect(identifier.canonical == expected)
        #expect(try TaxIdentifier(identifier.text, country: identifier.country) == identifier)
    }

    @Test(
        "ACC-4: an identifier of another country has 5 to 20 letters and digits",
        arguments: [
            ("1234", .formTaxIdentifier), ("ABCDEFG", .formTaxIdentifier), ("123456789012345678901", .tooLong), ("12345Ñ", .characters),
        ]
            as [(String, FieldError.Code)])
    func other(text: String, code: FieldError.Code) throws {
        let germany = try Country("de")
        #expect(Self.code { () throws(FieldError) in _ = try TaxIdentifier(text, country: germany) } == code)
    }

    @Test("ACC-4: countries are those of ISO 3166, without guesses", arguments: ["", "X", "XX", "EU", "UK", "ITA", "I T"])
    func noCountry(text: String) {
        #expect(Self.code { () throws(FieldError) in _ = try Country(text) } == .noSuchCountry)
        #expect(Country.all.count == 249)
    }

    @Test(
        "ACC-4: a VAT number is the same with its prefix and without",
        arguments: [
            ("IT", "00743110157"), ("AT", "U12345678"), ("BE", "0123456789"), ("CY", "12345678L"), ("DE", "123456789"),
            ("ES", "A12345678"), ("ES", "X1234567L"), ("FR", "XX123456789"), ("FR", "FR123456789"), ("GR", "123456789"),
            ("IE", "1234567FA"), ("IE", "1A23456B"), ("NL", "123456789B01"), ("RO", "12"), ("SE", "123456789001"), ("GB", "GD123"),
            ("CH", "E123456789"), ("NO", "123456789MVA"),
        ])
    func vat(country: String, number: String) throws {
        let country = try Country(country)
        let prefix = country.code == "GR" ? "EL" : country.code
        let expected = prefix + number
        #expect(try VATNumber(expected, country: country).canonical == expected)
        #expect(try VATNumber(prefix.lowercased() + " " + number, country: country).canonical == expected)
        #expect(try VATNumber(number, country: country).canonical == expected)
    }

    @Test("ACC-4: a firm of Northern Ireland has one number under two prefixes, and Greece two for one")
    func prefixes() throws {
        #expect(try VATNumber("XI123456789", country: Country("GB")).canonical == "GB123456789")
        #expect(try VATNumber("GR123456789", country: Country("GR")).canonical == "EL123456789")
    }

    @Test(
        "ACC-2: a VAT number of a wrong form is refused",
        arguments: [
            ("IT", "IT00743110158", .checkDigit), ("IT", "DE123456789", .formPartitaIVA), ("AT", "12345678", .formVATNumber),
            ("BE", "2123456789", .formVATNumber), ("DE", "DE12345678", .formVATNumber), ("ES", "12345678", .formVATNumber),
            ("NL", "123456789C01", .formVATNumber), ("RO", "1", .formVATNumber), ("CH", "ABCDE", .formVATNumber),
            ("DE", "DE12345678é", .characters), ("NO", "12345678901234567890123", .tooLong),
        ] as [(String, String, FieldError.Code)])
    func wrongVAT(country: String, text: String, code: FieldError.Code) throws {
        let country = try Country(country)
        #expect(Self.code { () throws(FieldError) in _ = try VATNumber(text, country: country) } == code)
    }
}
