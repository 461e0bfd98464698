internal import Vitals

extension Words {
    /// The kind of the message, before the person whom it is about.
    func head(_ record: SOSRecord) -> String {
        switch record.kind {
        case .alert: self[.event]
        case .update: "\(self[.update]): \(self[.event])"
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
        if record.asksWhoIsThere { notes.append(self[.isSomebodyThere]) }
        if record.isBackDated { notes.append(self[.backDated]) }
        if !record.isClockTrusted { notes.append(self[.clockUnsure]) }
        return notes
    }

    /// The heart in the minutes before.
    func before(_ record: SOSRecord) -> String? {
        guard let rates = record.history.heartRates, let first = record.history.first, let last = record.history.last else { return nil }
        return before(rates, max(last.time - first.time, 1000))
    }
}
