import Foundation
import Mail
import Testing

@Suite("Messages of mail")
struct MailMessageTests {
    static func message(
        subject: String = "Confirm", text: String = "Hello.\n", name: String? = "TrackMe", id: String = "1234@hub.example",
        unsubscribe: String? = nil, date: Int64 = 1_750_000_000_123
    ) throws(MailProblem) -> MailMessage {
        try MailMessage(
            from: MailAddress("hub@example.org", name: name), to: MailAddress("anna@example.org"), subject: subject, text: text, date: date,
            id: id, unsubscribe: unsubscribe)
    }

    @Test("ACC-5: a message has the lines of RFC 5322")
    func plain() throws {
        let message = try MailMessage(
            from: MailAddress("hub@example.org", name: "TrackMe"), to: MailAddress("anna@example.org"), subject: "Confirm your address",
            text: "Open this link:\nhttps://hub.example/c/abc=1\n", date: 1_750_000_000_123, id: "1234@hub.example",
            unsubscribe: "https://hub.example/u")
        let expected = """
            From: TrackMe
             <hub@example.org>
            To: anna@example.org
            Subject: Confirm your address
            Date: Sun, 15 Jun 2025 15:06:40 +0000
            Message-ID: <1234@hub.example>
            Auto-Submitted: auto-generated
            List-Unsubscribe: <https://hub.example/u>
            MIME-Version: 1.0
            Content-Type: text/plain; charset=utf-8
            Content-Transfer-Encoding: quoted-printable

            Open this link:
            https://hub.example/c/abc=3D1

            """
        #expect(String(decoding: message.encoded, as: UTF8.self) == expected)
    }

    @Test(
        "ACC-5: dates are written in UTC",
        arguments: [
            (0, "Thu, 1 Jan 1970 00:00:00 +0000"), (951_782_399_999, "Mon, 28 Feb 2000 23:59:59 +0000"),
            (951_782_400_000, "Tue, 29 Feb 2000 00:00:00 +0000"), (4_107_542_399_000, "Sun, 28 Feb 2100 23:59:59 +0000"),
            (4_107_542_400_000, "Mon, 1 Mar 2100 00:00:00 +0000"),
        ])
    func dates(date: Int64, expected: String) throws {
        let mail = try ParsedMail(Self.message(date: date).encoded)
        #expect(mail.headers["Date"] == expected)
    }

    @Test(
        "ACC-12: subjects of any letters and length arrive as they were",
        arguments: [
            "Conferma", "È già confermato: però…", "=?UTF-8?Q?x?=", " a ", "🙂", String(repeating: "è", count: 200),
            String(repeating: "lungo ", count: 30) + "x", "a\u{301}b, <c>; \"d\"", "",
        ])
    func subjects(subject: String) throws {
        let mail = try ParsedMail(Self.message(subject: subject).encoded)
        #expect(mail.decoded("Subject") == subject)
    }

    @Test(
        "ACC-12: names with signs that mean something in a header arrive as they were",
        arguments: ["TrackMe", "D'Angelo, Anna <x@y.z>", "Società \"Prova\"", "a@b", "(comment)"])
    func names(name: String) throws {
        let from = try #require(ParsedMail(Self.message(name: name).encoded).decoded("From"))
        #expect(from == name + " <hub@example.org>")
    }

    static let bodies = [
        "", "\n", "Hello", "Hello\n\n\nthere\n", "È già.\n", ".\n..\n.x\n", "From me\nFrom: you\nFranco\n",
        "ends with a space \nand a tab\t\n",
        "= == =3D\n", String(repeating: "a", count: 75) + ".", String(repeating: "a", count: 76) + "\n", String(repeating: "a", count: 500),
        String(repeating: "a", count: 75) + "From here", String(repeating: "🙂", count: 100), String(repeating: " ", count: 200),
        "nul\0 and \u{7F}\n",
    ]

    @Test("ACC-12: a text arrives as it was, in short lines of ASCII", arguments: bodies)
    func texts(text: String) throws {
        let bytes = try Self.message(text: text).encoded
        let mail = ParsedMail(bytes)
        #expect(mail.text == (text.isEmpty || text.hasSuffix("\n") ? text : text + "\n"))
        for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
            #expect(line.count <= 78 && line.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x09 })
            #expect(line != [0x2E] && !line.starts(with: "From ".utf8) && line.last != 0x20 && line.last != 0x09)
        }
    }

    @Test("ACC-5: lines end alike, however the text was made")
    func lineEnds() throws {
        #expect(try ParsedMail(Self.message(text: "a\r\nb\rc\n\r\nd").encoded).text == "a\nb\nc\n\nd\n")
    }

    static let breaks = ["\n", "\r", "\r\n", "\0", "\u{0B}", "\u{0C}", "\u{85}", "\u{2028}", "\u{2029}", "\u{1B}", "\u{7F}"]

    @Test("ACC-5: nothing that ends a line gets into a header", arguments: breaks)
    func injection(end: String) throws {
        let extra = "\(end)Bcc: eve@example.org"
        #expect(throws: MailProblem.unfit(.address)) { try MailAddress("anna@example.org" + extra) }
        #expect(throws: MailProblem.unfit(.address)) { try MailAddress(extra + "@example.org") }
        #expect(throws: MailProblem.unfit(.name)) { try MailAddress("anna@example.org", name: "Anna" + extra) }
        #expect(throws: MailProblem.unfit(.subject)) { try Self.message(subject: "Confirm" + extra) }
        #expect(throws: MailProblem.unfit(.subject)) { try Self.message(subject: "Confirm" + end) }
        #expect(throws: MailProblem.unfit(.id)) { try Self.message(id: "1@hub" + extra) }
        #expect(throws: MailProblem.unfit(.unsubscribe)) { try Self.message(unsubscribe: "https://hub.example/" + extra) }
        let mail = try ParsedMail(Self.message(text: "Hello" + extra + "\n\nSubject: other\n").encoded)
        #expect(mail.headers.count == 9 && mail.headers["Bcc"] == nil && mail.headers["Subject"] == "Confirm")
    }

    @Test(
        "ACC-5: an address is one address",
        arguments: [
            "", "a", "@", "a@", "@b", "a@b@c", "a@b,c@d", "a@b c@d", "<a@b>", "a@b;", "\"a\"@b", "è@b", "a@b>", "a(c)@b", "x:a@b",
            "-bs@x\\",
        ])
    func addresses(address: String) { #expect(throws: MailProblem.unfit(.address)) { try MailAddress(address) } }

    @Test("ACC-5: every part has its bounds")
    func bounds() throws {
        func long(_ count: Int) -> String { String(repeating: "a", count: count) }
        #expect(throws: MailProblem.unfit(.address)) { try MailAddress(long(250) + "@b.co") }
        #expect(throws: MailProblem.unfit(.name)) { try MailAddress("a@b", name: long(101)) }
        #expect(throws: MailProblem.unfit(.subject)) { try Self.message(subject: long(201)) }
        #expect(throws: MailProblem.unfit(.text)) { try Self.message(text: long(300_000)) }
        #expect(throws: MailProblem.unfit(.date)) { try Self.message(date: -1) }
        #expect(throws: MailProblem.unfit(.date)) { try Self.message(date: .max) }
        #expect(throws: MailProblem.unfit(.id)) { try Self.message(id: "x") }
        #expect(throws: MailProblem.unfit(.id)) { try Self.message(id: "x@y>") }
        #expect(throws: MailProblem.unfit(.unsubscribe)) { try Self.message(unsubscribe: "javascript:x") }
    }
}
