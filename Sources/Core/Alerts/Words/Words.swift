internal import Vitals

/// The phrases that alarms are put together from, in one language. Sentences end without a full stop.
protocol Words: Sendable {
    /// What stands before everything in a message that nobody is to act on.
    var drill: String { get }
    var drillSpoken: String { get }
    var event: String { get }
    var update: String { get }
    func ending(_ ending: SOSRecord.Ending?) -> String
    /// In a few words, without a number.
    func cause(_ cause: SOSCause) -> String
    /// To a contact, where no ambulance is called.
    func pause(of person: String, seconds: Int) -> String
    func inactivity(of person: String, _ missing: InactivityText.Missing, hours: Int) -> String
    func activity(of person: String) -> String
    func limit(_ text: String) -> String
    /// `182 per minute`.
    func value(_ value: SOSReading.Value) -> String
    /// What the readings before lay between.
    func before(_ rates: ClosedRange<Int>, _ duration: Milliseconds) -> String
    func question(_ question: SOSRecord.Question) -> String?
    func years(_ age: Int) -> String
    func duration(_ milliseconds: Milliseconds) -> String
    func ago(_ duration: String) -> String
    /// Of a position of which nobody knows how old it is.
    func ageUnknown(atLeast duration: String) -> String
    /// Where no position is known.
    func lives(at address: String) -> String
    func accuracy(_ metres: Int?) -> String
    func noPosition(_ reason: SOSPlace.Reason) -> String
    func position(_ source: PositionSource) -> String
    func late(_ duration: String) -> String
    /// In an update.
    func raised(_ ago: String) -> String
    /// `name`: empty where it is not known.
    func taken(_ name: String, isRecipient: Bool) -> String
    var backDated: String { get }
    var clockUnsure: String { get }
    func opening(_ kind: SOSRecord.Kind, _ person: String, _ ending: SOSRecord.Ending?) -> String
    /// - Parameter ago: how old the reading is, where it is one of the past.
    func spokenCause(_ cause: SOSCause, _ reading: SOSReading?, ago: String?) -> String
    /// `digits`: the digits behind the decimal point with blanks between them.
    func spokenDegrees(_ whole: String, _ digits: String, _ direction: Direction) -> String
    var repeated: String { get }
    /// On the telephone, to whoever pressed the key.
    var thanks: String { get }
    var drillThanks: String { get }
    /// For the word that somebody is with the person.
    var thereThanks: String { get }
    var late: String { get }
    /// How to say that one will help, or of a test that it arrived.
    func answer(_ way: AnswerWay, isDrill: Bool) -> String
    /// In messages about a case that somebody took a while ago, and how to say yes to it.
    var isSomebodyThere: String { get }
    func yes(_ way: AnswerWay) -> String
    func letter(_ part: LetterPart, _ name: String) -> String
    var instruction: String { get }
    /// Where no position is known, but where the person lives.
    var homeInstruction: String { get }
    var drillInstruction: String { get }
    var standDown: String { get }
    /// A sign of life, as an event and in a sentence.
    var heartbeatEvent: String { get }
    var heartbeat: String { get }
    func label(_ label: Label) -> String
}

enum Direction: Sendable { case north, south, east, west }

enum Label: Sendable { case person, born, phone, languages, address, position, readings, firstReading, raised, incident, page, unknown }

extension Words {
    /// What the message is, before whom it is about.
    func head(_ record: SOSRecord) -> String {
        switch record.kind {
        case .alert: event
        case .update: "\(update): \(event)"
        case .cancel: ending(record.ending)
        }
    }

    /// `Mario Rossi, 71 years old`.
    func person(_ record: SOSRecord) -> String {
        let name = record.person.name.isEmpty ? label(.unknown) : record.person.name
        return record.person.age(at: record.sentAt).map { "\(name), \(years($0))" } ?? name
    }

    /// `heart rate too high: 182 per minute, limit 160`.
    func causeWithValues(_ record: SOSRecord) -> String {
        var text = cause(record.cause)
        if let reading = record.lastReading { text += ": \(value(reading.value))" }
        if let age = record.lastReadingAge { text += ", \(ago(duration(age)))" }
        if let limit = record.cause.limitText { text += ", \(self.limit(limit))" }
        return text
    }

    /// `45.46420, 9.18998, within 12 metres, 8 seconds ago (satellites)`, or why there is none and where the person lives.
    func place(_ record: SOSRecord) -> String {
        switch record.place {
        case .unknown(let reason): [noPosition(reason), home(record)].compactMap(\.self).joined(separator: ". ")
        case .known(let position):
            ["\(position.latitudeText), \(position.longitudeText)", accuracy(position.accuracyMetres), age(record)].compactMap(\.self)
                .joined(separator: ", ") + " (\(self.position(position.source)))"
        }
    }

    /// How old the position is; nil for a place that has no age.
    /// - Parameter isShort: with units that every language has.
    func age(_ record: SOSRecord, isShort: Bool = false) -> String? {
        func text(_ age: Milliseconds) -> String { isShort ? Span(age).short : duration(age) }
        return switch record.placeAge {
        case .exactly(let age): ago(text(age))
        case .atLeast(let age): ageUnknown(atLeast: text(age))
        case PlaceAge.none?, nil: nil
        }
    }

    /// Where the person lives, as the last resort; nil where a position is known, and where nobody knows either.
    func home(_ record: SOSRecord) -> String? { record.lastResort.map(lives) }

    /// The home address beside a position.
    func address(_ record: SOSRecord) -> String? {
        record.placeKind == .residence ? nil : record.person.address.map { "\(label(.address)): \($0)" }
    }

    /// nil while nobody has taken it.
    /// - Parameter max: of the name, in characters.
    func taken(_ record: SOSRecord, max: Int = .max) -> String? {
        record.takenBy.map { taken(String($0.prefix(max)), isRecipient: !$0.isEmpty && $0 == record.recipient.name) }
    }

    /// nil while nobody has taken it, and for the one who has.
    func takenByOthers(_ record: SOSRecord) -> String? {
        guard let name = record.takenBy, name.isEmpty || name != record.recipient.name else { return nil }
        return taken(record)
    }

    func notes(_ record: SOSRecord) -> [String] {
        var notes: [String] = []
        if let late = record.lateBy {
            notes.append(record.kind == .alert ? self.late(duration(late)) : raised(ago(duration(late))))
        }
        if record.asksWhoIsThere { notes.append(isSomebodyThere) }
        if record.isBackDated { notes.append(backDated) }
        if !record.isClockTrusted { notes.append(clockUnsure) }
        return notes
    }

    /// The heart in the minutes before.
    func before(_ record: SOSRecord) -> String? {
        guard let rates = record.history.heartRates, let first = record.history.first, let last = record.history.last else { return nil }
        return before(rates, max(last.time - first.time, 1000))
    }
}
