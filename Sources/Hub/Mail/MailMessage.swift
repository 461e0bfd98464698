/// A message of text to one reader (RFC 5322), in the form in which a `sendmail` takes it. What it is made of is checked, so that no value
/// can end a header line and begin another.
public struct MailMessage: Sendable, Hashable {
    public let from: MailAddress, to: MailAddress
    public let subject: String
    /// Lines end with LF, CR or both.
    public let text: String
    /// Milliseconds since 1970-01-01T00:00:00Z.
    public let date: Int64
    /// Unique in the world, without < and >: "random@host".
    public let id: String
    /// Where one click ends such messages (RFC 2369): an https: or mailto: address.
    public let unsubscribe: String?
    /// A program wrote it (RFC 3834): nobody's absence note shall answer.
    public let isAutomatic: Bool

    private static let subjectMaximum = 200, idMaximum = 200, unsubscribeMaximum = 900
    /// In bytes of UTF-8.
    private static let textMaximum = 256 << 10
    /// 9999-12-31: the last year with four digits.
    private static let lastDate: Int64 = 253_402_300_799_999

    /// - Throws: ``MailProblem/unfit(_:)`` with the part that cannot stand in a message.
    public init(
        from: MailAddress, to: MailAddress, subject: String, text: String, date: Int64, id: String, unsubscribe: String? = nil,
        isAutomatic: Bool = true
    ) throws(MailProblem) {
        guard HeaderText.isClean(subject), subject.count <= Self.subjectMaximum else { throw .unfit(.subject) }
        guard text.utf8.count <= Self.textMaximum else { throw .unfit(.text) }
        guard (0...Self.lastDate).contains(date) else { throw .unfit(.date) }
        let sides = id.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard sides.count == 2, sides.allSatisfy({ !$0.isEmpty }), HeaderText.isToken(id), id.utf8.count <= Self.idMaximum else {
            throw .unfit(.id)
        }
        if let unsubscribe {
            guard ["https:", "mailto:"].contains(where: unsubscribe.hasPrefix), HeaderText.isToken(unsubscribe),
                unsubscribe.utf8.count <= Self.unsubscribeMaximum
            else { throw .unfit(.unsubscribe) }
        }
        (self.from, self.to, self.subject, self.text) = (from, to, subject, text)
        (self.date, self.id, self.unsubscribe, self.isAutomatic) = (date, id, unsubscribe, isAutomatic)
    }

    /// The message in ASCII, with LF at the end of each line as programs of Unix expect it; the mail system makes CR LF of it.
    public var encoded: [UInt8] {
        var headers = [
            "From: \(from.header)", "To: \(to.header)", "Subject: \(HeaderText.encoded(subject, unstructured: true))",
            "Date: \(MailDate.text(date))", "Message-ID: <\(id)>",
        ]
        if isAutomatic { headers.append("Auto-Submitted: auto-generated") }
        if let unsubscribe { headers.append("List-Unsubscribe: <\(unsubscribe)>") }
        headers += ["MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: quoted-printable"]
        return Array((headers.joined(separator: "\n") + "\n\n").utf8) + QuotedPrintable.encoded(text)
    }
}
