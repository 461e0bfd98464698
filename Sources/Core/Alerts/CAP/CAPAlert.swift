internal import Exchange
public import Languages
internal import Vitals

/// An alarm in the Common Alerting Protocol 1.2 (OASIS, 2010), with its texts in every language of ``Language``.
public enum CAPAlert {
    /// RFC 7303; CAP 1.2 registers none of its own.
    public static let mediaType = "application/cap+xml"
    /// RFC 8876, 4.2: in a SIP MESSAGE.
    public static let sipMediaType = "application/EmergencyCallData.cap+xml"
    static let namespace = "urn:oasis:names:tc:emergency:cap:1.2"

    /// - Parameter language: that of the place; its block comes first.
    public static func xml(_ record: SOSRecord, language: Language) -> [UInt8] {
        var document = XMLDocument()
        document.element("alert", attributes: ["xmlns": namespace]) { alert in
            envelope(record, &alert)
            for language in language.andOthers {
                alert.element("info") { CAPInfo(record: record, language: language).write(&$0) }
            }
        }
        return document.bytes
    }

    /// The receiver's name for the message: with the sender and the time it is unique for ever (CAP 1.2, 3.2.1).
    public static func identifier(incident: String, number: Int) -> String { "\(incident)-\(number)" }

    private static func envelope(_ record: SOSRecord, _ alert: inout XMLDocument) {
        alert.element("identifier", identifier(incident: record.incident, number: record.number))
        alert.element("sender", token(record.sender.address))
        alert.element("sent", record.sentAt.capText)
        alert.element("status", status(record.status))
        alert.element("msgType", record.kind.rawValue.capitalisedASCII)
        alert.element("source", "TrackMe")
        // A message about a person is for its recipient only (CAP 1.2, 3.2.1 `scope`, `addresses`).
        alert.element("scope", "Private")
        alert.element("addresses", address(record.recipient))
        alert.element("note", note(record))
        alert.element("references", references(record))
        alert.element("incidents", ([record.incident] + record.aliases).joined(separator: " "))
    }

    private static func status(_ status: SOSRecord.Status) -> String {
        switch status {
        case .actual: "Actual"
        case .exercise: "Exercise"
        case .test: "Test"
        }
    }

    /// Where there is something to be said about the message itself: it is a test, it is withdrawn, it is late.
    private static func note(_ record: SOSRecord) -> String? {
        let words = Language.english.words
        let notes =
            (record.isDrill ? [words[.drill]] : []) + (record.kind == .cancel ? [words.ending(record.ending)] : [])
            + [words.taken(record)].compactMap { $0 } + words.notes(record)
        return notes.isEmpty ? nil : notes.joined(separator: ". ")
    }

    private static func references(_ record: SOSRecord) -> String {
        record.references.map { reference in
            let identifier = identifier(incident: record.incident, number: reference.number)
            return "\(token(reference.sender.address)),\(identifier),\(reference.sentAt.capText)"
        }.joined(separator: " ")
    }

    /// A sender must not hold blanks, commas, `<` and `&`.
    static func token(_ text: String) -> String {
        let token = String(text.map { $0.isWhitespace || ",<>&\"".contains($0) ? "-" : $0 })
        return token.isEmpty ? "unknown" : token
    }

    /// One of several is told apart by blanks; quotation marks hold one with a blank together.
    static func address(_ party: SOSRecord.Party) -> String {
        let text = (party.address.isEmpty ? party.name : party.address).filter { $0 != "\"" }
        if text.isEmpty { return "unknown" }
        return text.contains(" ") ? "\"\(text)\"" : text
    }
}

extension String {
    /// `alert` becomes `Alert`.
    fileprivate var capitalisedASCII: String { prefix(1).uppercased() + dropFirst() }
}
