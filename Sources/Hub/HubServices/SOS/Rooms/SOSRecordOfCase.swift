import Accounts
public import Alerts
import Distress
public import HubStore
import Vitals

extension SOSRecord {
    /// What is told of a case.
    /// - Parameters:
    ///   - web: the page of the recipient.
    ///   - asksFirst: the person chose to be asked "are you OK?" before an alarm.
    ///   - isPositionOff: they switched position off.
    init(
        _ item: SOSCase, _ account: StoredAccount?, call: SOSCall, recipient: Party, sender: Party, web: String?, asksFirst: Bool,
        isPositionOff: Bool, now: Milliseconds
    ) {
        let alarm = item.alarm
        let readings = alarm.readings.map { reading in
            SOSReading(
                time: reading.time, value: reading.isTemperature ? .bodyTemperature(reading.value / 10) : .heartRate(reading.value))
        }
        let history = alarm.history.compactMap { point in point.heartRate.map { SOSReading(time: point.time, value: .heartRate($0)) } }
        let kind: Kind =
            switch call.message {
            case .alert, .warning: .alert
            case .falseAlarm, .over: .cancel
            case .update, .taken, .released, .personAnswered, .position, .whoIsThere: .update
            }
        let ending: Ending? = call.message == .falseAlarm ? .falseAlarm : call.message == .over ? .over : nil
        let place: SOSPlace = alarm.position.map { .known(PositionSample($0)) } ?? .unknown(isPositionOff ? .switchedOff : .noFix)
        let isHelp = alarm.abnormalities.contains { $0.trigger == .help }
        let question: Question = isHelp ? .help : alarm.wasAsked(asksFirst: asksFirst) ? .unanswered : .notAsked
        let birth = account.flatMap { $0[.dateOfBirth].split(separator: "-").compactMap { Int($0) } }
        self.init(
            incident: alarm.id.description, aliases: alarm.aliases.map(\.description), number: call.number, kind: kind,
            status: item.isTest ? .test : .actual, ending: ending,
            sentAt: SOSTime(utc: now), sender: sender, recipient: recipient, references: item.references(before: call, sender: sender),
            person: SOSPerson(
                name: account?.name ?? "", birth: birth.flatMap { $0.count == 3 ? .init(year: $0[0], month: $0[1], day: $0[2]) : nil },
                phone: account.map { $0[.phone] }.flatMap { $0.isEmpty ? nil : $0 }, languages: [account?.language ?? "en"],
                address: account.map { $0[.residence] }.flatMap { $0.isEmpty ? nil : $0 }),
            place: place, cause: item.cause, question: question,
            firstReadingAt: alarm.abnormalities.first?.first.time, raisedAt: alarm.raisedAt, readings: readings, history: history,
            takenBy: item.takenBy(for: call), web: web)
        asksWhoIsThere = call.message == .whoIsThere
        isPlaceAgeUnknown = alarm.position?.isAgeUnknown == true
    }
}

extension SOSCase {
    /// Earlier messages to the recipient of a call, or may have got, as those messages name themselves.
    fileprivate func references(before call: SOSCall, sender: SOSRecord.Party) -> [SOSRecord.Reference] {
        calls.compactMap { earlier -> SOSRecord.Reference? in
            guard earlier.number < call.number, earlier.recipient.isSame(as: call.recipient), earlier.channel == call.channel,
                let time = earlier.said ?? earlier.sentAt
            else { return nil }
            return SOSRecord.Reference(sender: sender, number: earlier.number, sentAt: SOSTime(utc: time))
        }
    }

    /// The owner of the case, for a control room: each update replaces the one before, so each says it. Contacts read it in words of the hub's own.
    fileprivate func takenBy(for call: SOSCall) -> String? {
        guard case .room = call.recipient, owner?.isProfessional == true else { return nil }
        return ownerName ?? ""
    }
}

extension SOSWatchState {
    /// The box that was heard last says so.
    var isPositionOff: Bool { boxes.values.max { $0.received < $1.received }?.isPositionOff == true }
}

extension PositionSample {
    init(_ position: LastPosition) {
        self.init(
            time: position.time, latitude: position.latitude, longitude: position.longitude, horizontalError: position.horizontalError,
            source: position.source)
    }
}

extension SOSCase {
    /// The causes, the gravest first: the person's own word, then the first abnormality.
    public var cause: SOSCause {
        if alarm.isLost { return .criticalThenLost }
        guard let found = alarm.abnormalities.first(where: { $0.trigger == .help }) ?? alarm.abnormalities.first else { return .help }
        switch found.trigger {
        case .heartRateLow: return .heartRateLow(limit: found.limit)
        case .heartRateHigh: return .heartRateHigh(limit: found.limit)
        case .heartPause: return .heartPause
        case .temperatureLow: return .bodyTemperatureLow(limit: found.limit.map { $0 / 10 })
        case .temperatureHigh: return .bodyTemperatureHigh(limit: found.limit.map { $0 / 10 })
        case .fall: return .fall
        case .seizure: return .seizure
        case .help: return .help
        // It leads to no case.
        case .inactivity, .unknown: return .unknown
        }
    }
}

extension Alarm {
    /// The same with all times moved: from a box's clock to UTC.
    func shifted(by offset: Milliseconds) -> Alarm {
        var alarm = self
        alarm.raisedAt += offset
        alarm.abnormalities = abnormalities.map { found in
            var found = found
            found.first.time += offset
            found.latest.time += offset
            return found
        }
        alarm.readings = readings.map { reading in
            var reading = reading
            reading.time += offset
            return reading
        }
        alarm.history = history.map { point in
            var point = point
            point.time += offset
            return point
        }
        alarm.position?.time += offset
        return alarm
    }
}
