internal import Languages
internal import Vitals

/// One `info` block (CAP 1.2, 3.2.2): the alarm in one language. Names of parameters are the same in all.
struct CAPInfo {
    let record: SOSRecord, language: Language
    private let words: Words

    init(record: SOSRecord, language: Language) {
        (self.record, self.language) = (record, language)
        words = language.words
    }

    func write(_ info: inout XMLDocument) {
        info.element("language", language.rawValue)
        info.element("category", "Health")
        info.element("event", marked(words[.event]))
        info.element("responseType", responseType)
        info.element("urgency", record.kind == .cancel ? "Past" : record.isDrill ? "Unknown" : "Immediate")
        info.element("severity", severity)
        info.element("certainty", certainty)
        if record.kind != .cancel { info.element("onset", record.sentAt.at(record.firstReadingAt ?? record.raisedAt).capText) }
        info.element("senderName", record.sender.name)
        info.element("headline", headline)
        info.element("description", description)
        info.element("instruction", instruction)
        info.element("web", record.web)
        info.element("contact", record.person.phone)
        for (name, value) in parameters {
            guard let value, !value.isEmpty else { continue }
            info.pair("parameter", ("valueName", name), ("value", value))
        }
        info.element("area", area)
    }

    private func marked(_ text: String) -> String { record.isDrill ? "\(words[.drill]): \(text)" : text }

    /// 160 characters as a schema counts them (CAP 1.2, 3.2.2 `headline`).
    private var headline: String {
        String(String.UnicodeScalarView(marked("\(words.head(record)): \(words.person(record))").unicodeScalars.prefix(160)))
    }

    private var responseType: String {
        record.kind == .cancel ? "AllClear" : record.isDrill ? "None" : words.takenByOthers(record) != nil ? "Monitor" : "Assess"
    }

    private var severity: String {
        if record.isDrill || record.cause == .help { return record.kind == .cancel ? "Minor" : "Unknown" }
        return record.kind == .cancel ? "Minor" : "Extreme"
    }

    private var certainty: String {
        switch record.kind {
        case .cancel: record.ending == .falseAlarm ? "Unlikely" : "Observed"
        case .alert, .update: record.isDrill ? "Unlikely" : record.cause == .help || record.question == .help ? "Observed" : "Likely"
        }
    }

    private var instruction: String {
        if record.kind == .cancel { return words[.standDown] }
        return record.isDrill
            ? words[.drillInstruction]
            : words.takenByOthers(record) ?? (record.placeKind == .residence ? words[.homeInstruction] : words[.instruction])
    }

    private var description: String {
        let cancelled = record.kind == .cancel
        let lines: [String?] =
            [
                record.isDrill ? words[.drill] : nil,
                cancelled ? words.ending(record.ending) : nil,
                "\(words.label(.person)): \(words.person(record))",
                words.taken(record),
                cancelled ? nil : words.causeWithValues(record),
                cancelled ? nil : words.question(record.question),
                "\(words.label(.position)): \(words.place(record))",
                words.address(record),
                record.person.phone.map { "\(words.label(.phone)): \($0)" },
                record.person.languages.isEmpty
                    ? nil : "\(words.label(.languages)): \(record.person.languages.joined(separator: ", "))",
                cancelled ? nil : words.before(record),
            ] + words.notes(record)
        return lines.compactMap { $0 }.joined(separator: "\n")
    }

    private func area(_ area: inout XMLDocument) {
        area.element("areaDesc", words.place(record))
        guard let position = record.place.position else { return }
        let kilometres = Int64(position.accuracyMetres ?? 0).text(places: 3)
        area.element("circle", "\(position.latitudeText),\(position.longitudeText) \(kilometres)")
        // In feet above mean sea level, whole ones (CAP 1.2, 3.2.4).
        area.element("altitude", position.altitude.map { "\(Int64($0) * 1000 / 3048)" })
    }

    private var parameters: [(String, String?)] {
        let person = record.person, position = record.place.position
        return [
            ("PersonName", person.name), ("PersonAge", person.age(at: record.sentAt).map(String.init)),
            ("PersonBirthDate", person.birth?.text), ("PersonPhone", person.phone),
            ("PersonLanguages", person.languages.joined(separator: " ")), ("PersonAddress", person.address),
            ("Cause", record.cause.code), ("Limit", record.cause.limitText), ("Question", record.question.rawValue),
            ("Readings", list(record.readings)), ("Before", list(record.history.thinned(to: 60))),
            ("FirstReading", record.firstReadingAt.map { record.sentAt.at($0).capText }),
            ("Raised", record.sentAt.at(record.raisedAt).capText),
            ("PositionKnown", position == nil ? "no" : "yes"), ("PositionReason", reason),
            ("PlaceKind", record.placeKind.rawValue),
            ("PositionTime", record.placeAge == PlaceAge.none ? nil : record.placeTime.map { record.sentAt.at($0).capText }),
            ("PositionAgeSeconds", exactAge), ("PositionAgeSecondsMin", leastAge),
            ("PositionAccuracyMetres", position?.accuracyMetres.map(String.init)), ("PositionSource", position.map { "\($0.source)" }),
            ("SecondsLate", record.lateBy.map { "\($0 / 1000)" }), ("BackDated", record.isBackDated ? "yes" : nil),
            ("ClockTrusted", record.isClockTrusted ? "yes" : "no"), ("Ending", record.ending?.rawValue),
            ("Drill", record.isDrill ? "yes" : "no"),
        ]
    }

    private var exactAge: String? { if case .exactly(let age)? = record.placeAge { "\(age / 1000)" } else { nil } }

    private var leastAge: String? { if case .atLeast(let age)? = record.placeAge { "\(age / 1000)" } else { nil } }

    private var reason: String? {
        if case .unknown(let reason) = record.place { reason.rawValue } else { nil }
    }

    /// `heart-rate@-12=182`: what, how many seconds before the message, the value.
    private func list(_ readings: [SOSReading]) -> String {
        readings.map { reading in
            let seconds = (reading.time - record.sentAt.utc).quotientAndRemainder(dividingBy: 1000).quotient
            return switch reading.value {
            case .heartRate(let rate): "heart-rate@\(seconds)=\(rate)"
            case .bodyTemperature(let tenths): "body-temperature@\(seconds)=\(tenths.tenthsText)"
            }
        }.joined(separator: " ")
    }
}
