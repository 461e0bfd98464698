public import Languages
internal import Vitals

/// An alarm as a letter to somebody who knows the person: who needs help, since when, what to do, and where.
public enum LetterText {
    public struct Letter: Sendable, Hashable {
        /// It stands on locked screens: who it is, and nothing of why.
        public let subject: String
        public let text: String
    }

    /// - Parameters:
    ///   - isAboutPlace: the reader has had a letter without a position, which is known now.
    ///   - withValues: the vital signs that led to the alarm are told. A mail lies readable in mailboxes: it leaves them out unless the person
    ///     chose otherwise.
    public static func letter(
        _ record: SOSRecord, in language: Language, isAboutPlace: Bool = false, withValues: Bool = false
    ) -> Letter {
        let words = language.words
        let name = record.person.name.isEmpty ? words.label(.unknown) : record.person.name
        let heads: (subject: LetterPart, opening: LetterPart) =
            record.isDrill ? (.subjectOfTest, .test) : isAboutPlace ? (.subjectOfPlace, .newPlace) : (.subject, .needsHelp)
        // With an age behind the name a second comma closes it.
        let known = words.person(record), person = known == name ? name : "\(known),"
        let parts = [
            [words.letter(.greeting, record.recipient.name)],
            [words.letter(heads.opening, record.isDrill || isAboutPlace ? name : person) + "."],
            record.isDrill ? [] : facts(record, words, withValues: withValues),
            list(words.letter(.toDo, name), steps(record, words, name).enumerated().map { "\($0 + 1). \($1)" }),
            record.isDrill ? [] : list(words.letter(.place, name), place(record, words, name)),
            [words.letter(.why, name) + "."],
        ]
        let text = parts.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
        return Letter(subject: words.letter(heads.subject, name), text: text + "\n")
    }

    /// News about a case of which the reader has had a letter.
    public static func news(_ sentence: String, _ record: SOSRecord, subject: String, in language: Language) -> Letter {
        let parts = [language.words.letter(.greeting, record.recipient.name), sentence, record.web].compactMap { $0 }
        return Letter(subject: subject, text: parts.joined(separator: "\n\n") + "\n")
    }

    private static func list(_ title: String, _ lines: [String]) -> [String] { lines.isEmpty ? [] : ["\(title):"] + lines }

    private static func facts(_ record: SOSRecord, _ words: Words, withValues: Bool) -> [String] {
        let ago = words.ago(words.duration(max(0, record.sentAt.utc - record.raisedAt)))
        return [
            "\(words.letter(.since, "")): \(record.sentAt.at(record.raisedAt).minute) (\(ago))",
            "\(words.letter(.reason, "")): \(withValues ? words.causeWithValues(record) : words.cause(record.cause))",
        ] + [words.question(record.question).map { "\($0)." }].compactMap { $0 }
    }

    private static func steps(_ record: SOSRecord, _ words: Words, _ name: String) -> [String] {
        if record.isDrill { return record.web.map { ["\(words.letter(.confirm, name)):\n   \($0)"] } ?? [] }
        let call = record.person.phone.map { "\(words.letter(.call, name)): tel:\($0.dialled)" }
        let take = record.web.map { "\(words.letter(.take, name)):\n   \($0)" }
        return [call, take].compactMap { $0 } + ["\(words.letter(.go, name))."]
    }

    private static func place(_ record: SOSRecord, _ words: Words, _ name: String) -> [String] {
        if case .unknown(let reason) = record.place {
            return ["\(words.noPosition(reason)). \(words.letter(.placeFollows, name))."] + [words.home(record)].compactMap(\.self)
        }
        let map = record.place.map.map { "\(words.letter(.map, name)): \($0)" }
        return [words.place(record)] + [map, words.address(record)].compactMap(\.self)
    }
}

/// The phrases of a letter.
enum LetterPart: String, Sendable, CaseIterable {
    case subject, subjectOfTest, subjectOfPlace, greeting, needsHelp, test, newPlace, since, reason, toDo, call, take, go, confirm, place,
        map
    case placeFollows, why
}

extension String {
    /// `+393330000000`, as `tel:` has it (RFC 3966).
    fileprivate var dialled: String { filter { $0 == "+" || $0.isASCII && $0.isNumber } }
}
