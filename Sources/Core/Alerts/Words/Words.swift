internal import Languages
internal import Vitals

/// The phrases that alarms are put together from, in one language (`Assets/en.json`). Sentences end without a full stop.
struct Words: Sendable {
    static let tables = TextTables(.alarms, english: PackageResources.en_json, italian: PackageResources.it_json)

    let language: Language
    private let table: TextTable

    init(_ language: Language) { self.init(Self.tables[language]) }

    init(_ table: TextTable) { (self.table, language) = (table, table.language) }

    /// A phrase without values.
    subscript(_ phrase: Phrase) -> String { table[phrase.rawValue] }

    private func filled(_ key: String, _ values: [String: String]) -> String { table.filled(key, values) }

    // MARK: What happened

    func ending(_ ending: SOSRecord.Ending?) -> String {
        switch ending {
        case .falseAlarm: table["ending.falseAlarm"]
        case .testOver: table["ending.testOver"]
        case .over, nil: table["ending.over"]
        }
    }

    /// In a few words, without a number.
    func cause(_ cause: SOSCause) -> String { table["cause.\(cause.code)"] }

    /// To a contact, where no ambulance is called.
    func pause(of person: String, seconds: Int) -> String { filled("pause", ["name": person, "n": "\(seconds)"]) }

    func inactivity(of person: String, _ missing: InactivityText.Missing, hours: Int) -> String {
        filled("inactivity.\(missing.rawValue)", ["name": person, "duration": table.counted("duration.hour", hours)])
    }

    func activity(of person: String) -> String { filled("activity", ["name": person]) }

    func question(_ question: SOSRecord.Question) -> String? {
        switch question {
        case .notAsked: nil
        case .unanswered: table["question.unanswered"]
        case .help: table["question.help"]
        }
    }

    /// In an update.
    func raised(_ ago: String) -> String { filled("raised", ["ago": ago]) }

    func late(_ duration: String) -> String { filled("late", ["duration": duration]) }

    /// `name`: empty where it is not known.
    func taken(_ name: String, isRecipient: Bool) -> String {
        if isRecipient { return table["taken.byReader"] }
        return name.isEmpty ? table["taken.bySomebody"] : filled("taken.byName", ["name": name])
    }

    // MARK: Values

    func limit(_ text: String) -> String { filled("limit", ["limit": decimal(text)]) }

    /// `182 per minute`.
    func value(_ value: SOSReading.Value) -> String {
        switch value {
        case .heartRate(let rate): filled("value.heartRate", ["n": "\(rate)"])
        case .bodyTemperature(let tenths): filled("value.bodyTemperature", ["n": decimal(tenths.tenthsText)])
        }
    }

    /// With the language's decimal mark.
    private func decimal(_ text: String) -> String { text.split(separator: ".").joined(separator: table["value.decimal"]) }

    /// The range of the earlier readings.
    func before(_ rates: ClosedRange<Int>, _ duration: Milliseconds) -> String {
        filled("before", ["duration": self.duration(duration), "low": "\(rates.lowerBound)", "high": "\(rates.upperBound)"])
    }

    func years(_ age: Int) -> String { table.counted("years", age) }

    func duration(_ milliseconds: Milliseconds) -> String {
        let span = Span(milliseconds)
        return table.counted("duration.\(span.unit.rawValue)", span.count)
    }

    func ago(_ duration: String) -> String { filled("ago", ["duration": duration]) }

    // MARK: Where

    /// Of a position of which nobody knows how old it is.
    func ageUnknown(atLeast duration: String) -> String { filled("ageUnknown", ["duration": duration]) }

    /// Where no position is known.
    func lives(at address: String) -> String { filled("lives", ["address": address]) }

    func accuracy(_ metres: Int?) -> String { metres.map { table.counted("accuracy", $0) } ?? table["accuracyUnknown"] }

    func noPosition(_ reason: SOSPlace.Reason) -> String {
        switch reason {
        case .noFix: table["noPosition.noFix"]
        case .switchedOff: table["noPosition.switchedOff"]
        case .receiverLost: table["noPosition.receiverLost"]
        }
    }

    func position(_ source: PositionSource) -> String {
        switch source {
        case .gnss: table["position.gnss"]
        case .fixed: table["position.fixed"]
        case .network: table["position.network"]
        }
    }

    // MARK: On the telephone

    func opening(_ kind: SOSRecord.Kind, _ person: String, _ ending: SOSRecord.Ending?) -> String {
        switch kind {
        case .alert: filled("opening.alert", ["name": person])
        case .update: filled("opening.update", ["name": person])
        case .cancel: filled("opening.cancel", ["name": person, "ending": self.ending(ending)])
        }
    }

    /// - Parameter ago: how old the reading is, where it is one of the past.
    func spokenCause(_ cause: SOSCause, _ reading: SOSReading?, ago: String?) -> String {
        guard let reading, let key = cause.spoken else { return filled("spoken.reason", ["cause": self.cause(cause)]) }
        let text = filled(ago == nil ? key : "\(key)Before", ["value": value(reading.value), "ago": ago ?? ""])
        guard let limit = cause.limitText else { return text }
        return "\(text). \(filled("spoken.limit", ["limit": decimal(limit)]))"
    }

    /// `digits`: the digits behind the decimal point with blanks between them.
    func spokenDegrees(_ whole: String, _ digits: String, _ direction: Direction) -> String {
        filled("degrees.\(direction.rawValue)", ["whole": whole, "digits": digits])
    }

    // MARK: To the reader

    /// How to say that one will help, or of a test that it arrived.
    func answer(_ way: AnswerWay, isDrill: Bool) -> String { say(isDrill ? "answerTest" : "answer", way) }

    /// How to say that somebody is there.
    func yes(_ way: AnswerWay) -> String { say("yes", way) }

    private func say(_ key: String, _ way: AnswerWay) -> String {
        switch way {
        case .key: table["\(key).key"]
        case .reply: table["\(key).reply"]
        case .page(let address): filled("\(key).page", ["address": address])
        }
    }

    func letter(_ part: LetterPart, _ name: String) -> String {
        if case .greeting = part, name.isEmpty { return table["letter.greetingNobody"] }
        return filled("letter.\(part.rawValue)", ["name": name])
    }

    func label(_ label: Label) -> String { table["label.\(label.rawValue)"] }
}

/// Phrases without values.
enum Phrase: String, Sendable {
    /// The prefix of a message that nobody is to act on.
    case drill, drillSpoken
    case event, update
    case backDated, clockUnsure
    /// In messages about a case that somebody took a while ago.
    case isSomebodyThere
    case repeated
    /// On the telephone, to whoever pressed the key; for the word that somebody is with the person; of a test; and where somebody else had it.
    case thanks, thereThanks, drillThanks, lateThanks
    case instruction
    /// Where no position is known, but where the person lives.
    case homeInstruction
    case drillInstruction, standDown
    /// A sign of life, as an event and in a sentence.
    case heartbeatEvent, heartbeat
}

enum Direction: String, Sendable, CaseIterable { case north, south, east, west }

enum Label: String, Sendable, CaseIterable {
    case person, born, phone, languages, address, position, readings, firstReading, raised, incident, page, unknown
}

extension SOSCause {
    /// The sentence that says it with a reading.
    fileprivate var spoken: String? {
        switch self {
        case .heartRateHigh: "spoken.heartRateHigh"
        case .heartRateLow: "spoken.heartRateLow"
        case .bodyTemperatureHigh, .bodyTemperatureLow: "spoken.bodyTemperature"
        case .heartPause, .criticalThenLost, .fall, .seizure, .help, .unknown: nil
        }
    }
}

extension Language {
    var words: Words { Words(self) }
}

/// The texts of alarms, as the programs see them.
public enum AlarmTexts {
    /// Gaps of the files of further languages, each as a sentence that names the file. The texts are read by then: an alarm waits for no disk.
    public static var problems: [String] { Words.tables.problems }
}
