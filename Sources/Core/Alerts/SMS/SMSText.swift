public import Languages
internal import Vitals

/// An alarm as a short message for people.
public enum SMSText {
    /// What fits into `partsMax` messages (1 to 10): first what happened to whom and where, then as much of the rest as there is room for.
    ///
    /// The first two clauses and how to answer are always there: with one message and a long name in a script that GSM 03.38 lacks, the name
    /// is cut.
    /// - Parameters:
    ///   - answer: how the reader says that they will help; nil where no answer counts. It is left out where none is wanted.
    ///   - withValues: the vital signs that led to the alarm are told, as crews and control rooms need them.
    public static func text(
        _ record: SOSRecord, in language: Language, partsMax: Int = 2, answer: AnswerWay? = nil, withValues: Bool = true
    ) -> String {
        let partsMax = min(max(partsMax, 1), 10), words = language.words
        let how = record.wantsAnswer || record.asksWhoIsThere ? answer : nil, reason = why(record, words, withValues)
        let rest = details(record, words, reason, isLinked: how?.isPage == true, withValues: withValues)
        let end = how.map { ". \(record.asksWhoIsThere ? words.yes($0) : words.answer($0, isDrill: record.isDrill))" } ?? ""
        var nameLength = 60
        var text = needed(record, words, reason, nameLength) + end
        while SMSLength(text).parts > partsMax, nameLength > 0 {
            nameLength -= 5
            text = needed(record, words, reason, nameLength) + end
        }
        func add(_ detail: String) -> Bool {
            let longer = "\(text). \(detail)", fits = SMSLength(longer).parts <= partsMax
            if fits { text = longer }
            return fits
        }
        // Where somebody lives is all that tells where to go: a long address is cut rather than left out.
        if record.kind != .cancel, let address = record.lastResort {
            _ = [address, String(address.prefix(80)), String(address.prefix(40))].contains { add(words.lives(at: $0).gsmPunctuation) }
        }
        for detail in rest { _ = add(detail) }
        return text
    }

    /// The parts that are left out last: mark of a test, what it is, who, why, where.
    private static func needed(_ record: SOSRecord, _ words: Words, _ reason: String, _ nameLength: Int) -> String {
        var name = String(record.person.name.gsmPunctuation.prefix(nameLength))
        if let age = record.person.age(at: record.sentAt) { name += name.isEmpty ? "\(age)" : ", \(age)" }
        var head = record.isDrill ? "\(words[.drill]): " : "SOS "
        switch record.kind {
        case .alert: break
        case .update: head += "\(words[.update]) "
        case .cancel: return "\(head)\(words.ending(record.ending)): \(name)"
        }
        if record.asksWhoIsThere { return "\(head)\(name): \(words[.isSomebodyThere].gsmPunctuation)" }
        if let taken = words.taken(record, max: nameLength) { return "\(head)\(name): \(taken.gsmPunctuation). \(place(record, words))" }
        return "\(head)\(name): \(reason). \(place(record, words))"
    }

    private static func why(_ record: SOSRecord, _ words: Words, _ withValues: Bool) -> String {
        let age = record.lastReadingAge.map { ", \(words.ago(Span($0).short))" } ?? ""
        return "\(words.cause(record.cause))\(withValues ? value(record) : "")\(age)"
    }

    private static func value(_ record: SOSRecord) -> String {
        guard let reading = record.lastReading else { return "" }
        let limit = record.cause.limitText.map { ">\($0)" } ?? ""
        switch (reading.value, record.cause) {
        case (.heartRate(let rate), .heartRateLow(let limit?)): return " \(rate)/min (<\(limit))"
        case (.heartRate(let rate), _): return " \(rate)/min" + (limit.isEmpty ? "" : " (\(limit))")
        case (.bodyTemperature(let tenths), _): return " \(tenths.tenthsText) C"
        }
    }

    private static func place(_ record: SOSRecord, _ words: Words) -> String {
        guard let position = record.place.position else {
            if case .unknown(let reason) = record.place { return words.noPosition(reason) }
            return ""
        }
        let accuracy = position.accuracyMetres.map { " +-\($0) m" } ?? ""
        let age = words.age(record, isShort: true) ?? words.position(position.source)
        return "\(position.latitudeText),\(position.longitudeText)\(accuracy), \(age)"
    }

    /// - Parameters:
    ///   - reason: what is the matter.
    ///   - isLinked: the page's address stands there already.
    private static func details(
        _ record: SOSRecord, _ words: Words, _ reason: String, isLinked: Bool, withValues: Bool
    ) -> [String] {
        let person = record.person, isOpen = record.kind != .cancel
        let link = isLinked ? record.place.map : record.web ?? record.place.map
        let details: [String?] =
            [
                person.phone.map { "Tel \($0)" }, record.takenBy == nil ? nil : reason,
                isOpen ? words.question(record.question) : nil,
                isOpen ? link : isLinked ? nil : record.web, isOpen ? words.address(record) : nil,
            ] + words.notes(record).filter { $0 != words[.isSomebodyThere] } + [
                isOpen && withValues ? words.before(record) : nil, "\(words.label(.incident)) \(record.incident)",
            ]
        return details.compactMap { $0?.gsmPunctuation }
    }
}

extension AnswerWay {
    fileprivate var isPage: Bool { if case .page = self { true } else { false } }
}

extension String {
    /// Typographic marks as GSM 03.38 has them: one curly apostrophe would halve the room.
    fileprivate var gsmPunctuation: String {
        String(
            map { character in
                switch character {
                case "\u{2018}", "\u{2019}", "\u{201B}", "`", "\u{B4}": "'"
                case "\u{201C}", "\u{201D}", "\u{201E}": "\""
                case "\u{2010}"..."\u{2015}": "-"
                case "\u{A0}", "\u{202F}": " "
                default: character
                }
            })
    }
}
