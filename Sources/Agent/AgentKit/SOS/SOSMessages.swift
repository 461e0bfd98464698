internal import Alerts
internal import Distress
internal import Foundation
internal import Languages
internal import Peripherals
internal import SyncProtocol
internal import Synchronization
internal import Vitals

/// What the box's own texts, calls, hooks and its loudspeaker say about one person's case: rendered from memory whenever an attempt starts.
final class SOSMessages: Sendable {
    /// Everything that a message needs.
    struct Facts: Sendable {
        var alarm: Alarm
        /// The last position, newer than the alarm's as time passes; nil: none is known.
        var position: LastPosition?
        var noPosition = SOSPlace.Reason.noFix
        var person: SOSSettings.Person
        var outcome: Outcome?
        /// The owner; empty where that has no name, nil while nobody has.
        var takenBy: String?
        /// UTC less the clock of all the times above.
        var utcOffset: Milliseconds
        var isClockTrusted: Bool
    }

    private let facts = Mutex<Facts?>(nil)
    private let recipients = Mutex<[SOSSettings.Contact]>([])
    private let sender: SOSRecord.Party
    private let clock: BoxClock

    /// - Parameter box: its name and identifier.
    init(box: (name: String, id: String), clock: BoxClock) {
        sender = SOSRecord.Party(name: box.name, address: "urn:trackme:\(box.id)")
        self.clock = clock
    }

    func set(_ new: Facts) { facts.withLock { $0 = new } }

    /// The case that all this is about.
    var incident: IncidentID? { facts.withLock { $0?.alarm.id } }

    /// A contact has taken it.
    func take(by index: Int) {
        let name = contact(index)?.name ?? ""
        facts.withLock { $0?.takenBy = name }
    }

    /// Whom the plan's recipients stand for, in their order.
    func set(_ contacts: [SOSSettings.Contact]) { recipients.withLock { $0 = contacts } }

    func contact(_ index: Int) -> SOSSettings.Contact? {
        recipients.withLock { $0.indices.contains(index) ? $0[index] : nil }
    }

    /// The place of a contact who has taken it.
    func index(of owner: Owner) -> Int? { recipients.withLock { $0.firstIndex { Owner(contact: $0) == owner } } }

    func message(_ attempt: LocalAlarm.Attempt) -> LocalCaller.Message {
        guard let facts = facts.withLock({ $0 }) else { return .unknown }
        let contact = contact(of: attempt.channel)
        let language = Language(tag: contact?.language ?? facts.person.language), near = Language(tag: facts.person.language)
        let record = record(facts, attempt, contact)
        return LocalCaller.Message(
            text: SMSText.text(record, in: language, answer: .reply, withValues: facts.person.tellsValues == true),
            speech: Self.prompt(record, language),
            announcement: Self.announcement(facts, attempt, near), json: HookJSON.json(record, language: near))
    }

    private func contact(of channel: LocalAlarm.Channel) -> SOSSettings.Contact? {
        switch channel {
        case .text(let index), .call(let index): contact(index)
        case .sound, .hooks: nil
        }
    }

    private func record(_ facts: Facts, _ attempt: LocalAlarm.Attempt, _ contact: SOSSettings.Contact?) -> SOSRecord {
        let alarm = facts.alarm, offset = facts.utcOffset, person = facts.person, now = clock.boottime() + offset
        let place: SOSPlace
        if let position = facts.position {
            place = .known(
                PositionSample(
                    time: position.time + offset, latitude: position.latitude, longitude: position.longitude,
                    horizontalError: position.horizontalError, source: position.source))
        } else {
            place = .unknown(facts.noPosition)
        }
        let sentAt = SOSTime(utc: now, offsetMinutes: TimeZone.current.secondsFromGMT() / 60)
        let year = person.birthYear.map { max(0, sentAt.year - $0) }
        // The calls have ended and the case has not: somebody has it, which is the end of nothing but the calls.
        let isTaken = attempt.content == .standDown && facts.outcome == nil
        var record = SOSRecord(
            incident: "\(alarm.id)", aliases: alarm.aliases.map(\.description), number: Int(clamping: attempt.id),
            kind: isTaken ? .update : attempt.content.kind, status: attempt.isTest || alarm.isTest ? .test : .actual,
            ending: facts.outcome?.ending,
            sentAt: sentAt, isClockTrusted: facts.isClockTrusted, sender: sender,
            recipient: SOSRecord.Party(name: contact?.name ?? "", address: contact.map { "tel:\($0.phone)" } ?? ""),
            person: SOSPerson(
                name: person.name, age: person.distress.age ?? year, phone: person.phone, languages: [person.language],
                address: person.address),
            place: place, cause: SOSCause(alarm), question: SOSRecord.Question(alarm, asksFirst: person.distress.asksFirst),
            firstReadingAt: alarm.abnormalities.first.flatMap { $0.trigger == .help ? nil : $0.first.time + offset },
            raisedAt: alarm.raisedAt + offset, readings: alarm.readings.map { $0.told(offset) },
            history: alarm.history.compactMap { point in
                point.heartRate.map { SOSReading(time: point.time + offset, value: .heartRate($0)) }
            }, takenBy: isTaken ? facts.takenBy ?? "" : nil)
        record.asksWhoIsThere = attempt.content == .question
        record.isPlaceAgeUnknown = facts.position?.isAgeUnknown == true
        return record
    }

    private static func prompt(_ record: SOSRecord, _ language: Language) -> Voice.Prompt {
        Voice.Prompt(SpokenText.call(record, in: language).joined(separator: " "), language: language, isUrgent: true)
    }

    /// For whoever is near: not more than a sentence between two tones.
    private static func announcement(_ facts: Facts, _ attempt: LocalAlarm.Attempt, _ language: Language) -> Voice.Prompt {
        let words = Wording(language)
        let key = attempt.isTest || facts.alarm.isTest ? "prompt.sos.test" : "prompt.sos.near"
        return Voice.Prompt(words(key, ["name": facts.person.name]), language: language, key: key)
    }
}

extension LocalCaller.Message {
    /// Before anything was told: cannot be, as facts come before the call.
    static var unknown: LocalCaller.Message {
        LocalCaller.Message(
            text: "SOS", speech: Voice.Prompt("S O S.", language: .english), announcement: nil, json: Array("{}\n".utf8))
    }
}

extension LocalAlarm.Content {
    fileprivate var kind: SOSRecord.Kind {
        switch self {
        case .alert: .alert
        case .update, .question: .update
        case .standDown: .cancel
        }
    }
}

extension Outcome {
    fileprivate var ending: SOSRecord.Ending {
        switch self {
        case .falseAlarm, .answeredLate: .falseAlarm
        case .finished: .over
        case .test: .testOver
        case .unknown: .over
        }
    }
}

extension SOSTime {
    /// Of the Gregorian calendar, on the clock at the wall.
    fileprivate var year: Int { Int(text.prefix(4)) ?? 1970 }
}

extension SOSCause {
    init(_ alarm: Alarm) {
        // The call for help last: what was measured says more.
        let found = alarm.abnormalities.first { $0.trigger != .help } ?? alarm.abnormalities.first
        guard let found else {
            self = .help
            return
        }
        if found.isLost {
            self = .criticalThenLost
            return
        }
        self =
            switch found.trigger {
            case .heartRateLow: .heartRateLow(limit: found.limit)
            case .heartRateHigh: .heartRateHigh(limit: found.limit)
            case .heartPause: .heartPause
            case .temperatureLow: .bodyTemperatureLow(limit: found.limit.map { $0 / 10 })
            case .temperatureHigh: .bodyTemperatureHigh(limit: found.limit.map { $0 / 10 })
            case .fall: .fall
            case .seizure: .seizure
            case .help: .help
            // It leads to no alarm.
            case .inactivity, .unknown: .unknown
            }
    }
}

extension SOSRecord.Question {
    fileprivate init(_ alarm: Alarm, asksFirst: Bool) {
        if alarm.abnormalities.contains(where: { $0.trigger == .help }) {
            self = .help
        } else {
            self = alarm.wasAsked(asksFirst: asksFirst) ? .unanswered : .notAsked
        }
    }
}

extension Reading {
    fileprivate func told(_ offset: Milliseconds) -> SOSReading {
        SOSReading(time: time + offset, value: isTemperature ? .bodyTemperature(value / 10) : .heartRate(value))
    }
}
