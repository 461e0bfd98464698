public import Languages
internal import Vitals

/// An alarm as it is said on the telephone: for a speech program, sentence by sentence, the most important first.
public enum SpokenText {
    /// All that one call says: who it is about and how to take it, then the rest, and everything once more.
    ///
    /// The key counts while it is said as well as after it. A call about a case that is over, or that somebody has taken, asks for no key.
    public static func call(_ record: SOSRecord, in language: Language) -> [String] {
        let words = language.words
        let question = [words.opening(record.kind, words.person(record), record.ending), words[.isSomebodyThere], words.yes(.key)]
        let once = record.asksWhoIsThere ? question.map { "\($0)." } : sentences(record, in: language, withKey: true)
        return once + [repeated(in: language)] + once
    }

    /// Sentences, each at most 300 characters. Digits that must be written down stand apart, so that each is said alone.
    /// - Parameter withKey: says which key takes the alarm, right after whom it is about.
    public static func sentences(_ record: SOSRecord, in language: Language, withKey: Bool = false) -> [String] {
        let words = language.words
        var sentences = record.isDrill ? [words[.drillSpoken]] : []
        sentences.append(words.opening(record.kind, words.person(record), record.ending))
        if withKey, record.wantsAnswer { sentences.append(words.answer(.key, isDrill: record.isDrill)) }
        if record.kind == .cancel {
            sentences.append(words[.standDown])
        } else {
            sentences += [words.taken(record)].compactMap { $0 }
            let ago = record.lastReadingAge.map { words.ago(words.duration($0)) }
            sentences.append(words.spokenCause(record.cause, record.lastReading, ago: ago))
            sentences += [words.question(record.question)].compactMap { $0 }
            sentences += place(record, words)
            sentences += [words.address(record)].compactMap(\.self)
        }
        if let phone = record.person.phone { sentences.append("\(words.label(.phone)): \(apart(phone))") }
        if record.kind != .cancel { sentences += [words.before(record)].compactMap { $0 } }
        sentences += words.notes(record)
        return sentences.map { "\($0.prefix(1).uppercased())\($0.dropFirst())." }
    }

    /// The words to the person who pressed the key and has it now.
    public static func thanks(for record: SOSRecord, in language: Language) -> String {
        let words = language.words
        return "\(record.isDrill ? words[.drillThanks] : record.asksWhoIsThere ? words[.thereThanks] : words[.thanks])."
    }

    /// The words to a person who pressed the key when somebody else had it already, or it was over.
    public static func late(in language: Language) -> String { "\(language.words[.lateThanks])." }

    /// The word between two repetitions.
    public static func repeated(in language: Language) -> String { "\(language.words[.repeated])." }

    private static func place(_ record: SOSRecord, _ words: Words) -> [String] {
        switch record.place {
        case .unknown(let reason): return [words.noPosition(reason), words.home(record)].compactMap(\.self)
        case .known(let position):
            let latitude = degrees(position.latitude, .north, .south, words), longitude = degrees(position.longitude, .east, .west, words)
            return [
                "\(words.label(.position)): \(latitude), \(longitude)",
                [words.accuracy(position.accuracyMetres), words.age(record) ?? words.position(position.source)].joined(separator: ", "),
            ]
        }
    }

    /// Four places are 11 m, and short enough to be written down.
    private static func degrees(_ value: Int32, _ positive: Direction, _ negative: Direction, _ words: Words) -> String {
        let parts = value.degreesText(places: 4).split(separator: ".")
        let whole = parts[0].drop { $0 == "-" }
        return words.spokenDegrees(String(whole), apart(String(parts[1])), value < 0 ? negative : positive)
    }

    private static func apart(_ digits: String) -> String {
        digits.filter { !$0.isWhitespace }.map(String.init).joined(separator: " ")
    }
}
