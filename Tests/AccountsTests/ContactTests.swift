import Accounts
import Testing

@Suite("E-mail addresses and telephone numbers")
struct ContactTests {
    @Test(
        "ACC-4: an address is read, and has one canonical text",
        arguments: [
            ("anna@example.org", "anna@example.org", "anna@example.org"),
            (" Anna.Rossi@Example.ORG ", "Anna.Rossi@example.org", "anna.rossi@example.org"),
            ("a+tag@b.co", "a+tag@b.co", "a+tag@b.co"),
            (
                "o'neil!#$%&*/=?^_`{|}~-@x-y.example.com", "o'neil!#$%&*/=?^_`{|}~-@x-y.example.com",
                "o'neil!#$%&*/=?^_`{|}~-@x-y.example.com"
            ),
            ("a@xn--bcher-kva.example", "a@xn--bcher-kva.example", "a@xn--bcher-kva.example"), ("a@1.2.3d", "a@1.2.3d", "a@1.2.3d"),
        ])
    func addresses(text: String, address: String, canonical: String) throws {
        let email = try EmailAddress(text)
        #expect(email.address == address)
        #expect(email.canonical == canonical)
        #expect(try EmailAddress(email.canonical).canonical == canonical)
    }

    @Test(
        "ACC-1: what is no address is refused",
        arguments: [
            "", "anna", "anna@", "@example.org", "anna@example", "anna@@example.org", "a@b@c.org", ".anna@example.org", "anna.@example.org",
            "an..na@example.org", "an na@example.org", "anna@example..org", "anna@.example.org", "anna@example.org.", "anna@-example.org",
            "anna@example-.org", "anna@exam_ple.org", "anna@127.0.0.1", "anna@[127.0.0.1]", "\"anna\"@example.org", "ànna@example.org",
            "anna@exàmple.org", "anna@example.org\nBcc: b@example.org", "anna@example.org,b@example.org", "anna<b@example.org>",
            "anna@example.org\0", "@\u{301}a@b.co", "a@\u{200B}b.co",
        ])
    func noAddress(text: String) { #expect(throws: FieldError(.formEmail)) { try EmailAddress(text) } }

    @Test("ACC-1: an address has bounds, before the @, between the dots and in all")
    func bounds() throws {
        func local(_ count: Int) -> String { String(repeating: "a", count: count) }
        let long = (0..<3).map { _ in local(61) }.joined(separator: ".")
        #expect(throws: Never.self) { try EmailAddress("\(local(64))@example.org") }
        #expect(throws: FieldError(.formEmail)) { try EmailAddress("\(local(65))@example.org") }
        #expect(throws: Never.self) { try EmailAddress("a@\(local(63)).org") }
        #expect(throws: FieldError(.formEmail)) { try EmailAddress("a@\(local(64)).org") }
        #expect(try EmailAddress("\(local(64))@\(long).co").address.utf8.count == 253)
        #expect(throws: FieldError(.tooLong, limit: 254)) { try EmailAddress("\(local(64))@\(long).comm") }
    }

    @Test(
        "ACC-1: a telephone number is read with its country's code",
        arguments: [
            ("+393331234567", "+393331234567"), ("0039 333 123 4567", "+393331234567"), (" +1 (212) 555-0100 ", "+12125550100"),
            ("+39.02/1234.567", "+39021234567"), ("+1234567", "+1234567"), ("+123456789012345", "+123456789012345"),
        ])
    func numbers(text: String, expected: String) throws { #expect(try PhoneNumber(text).e164 == expected) }

    @Test(
        "ACC-1: what is no telephone number is refused with its reason",
        arguments: [
            ("333 1234567", .noCountryCode), ("02 1234567", .noCountryCode), ("", .noCountryCode), ("+0391234567", .formPhone),
            ("+123456", .formPhone), ("+1234567890123456", .formPhone), ("+44 (0)20 7946 0000", .formPhone),
            ("+39 333 CALL ME", .formPhone),
            ("++393331234567", .formPhone), ("+٣٩٣٣٣١٢٣٤٥٦٧", .formPhone), ("+39333123456\0", .formPhone),
            ("+" + String(repeating: "1 ", count: 30), .tooLong),
        ] as [(String, FieldError.Code)])
    func noNumber(text: String, code: FieldError.Code) {
        #expect { try PhoneNumber(text) } throws: { ($0 as? FieldError)?.code == code }
    }
}
