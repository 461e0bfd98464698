import Vitals

/// The open part of stored state that another version wrote and that cannot be read as a whole: read part by part. An alarm or a question
/// that is there goes on; what else cannot be read begins anew.
extension Incident {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }
    }

    /// A detector that begins at the time at which this stands.
    func newDetector(_ settings: DistressSettings) -> Detector { Detector(settings: settings, at: now) }

    /// - Throws: `DecodingError` without the person's id.
    init(keptIn decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        func read<Value: Decodable>(_ name: String) -> Value? { try? container.decode(Value.self, forKey: Key(name)) }
        self.init(
            person: try container.decode(PersonID.self, forKey: Key("person")), provenance: read("provenance") ?? .live,
            side: read("side") ?? .box, asksFirst: read("asksFirst") ?? true, at: read("now") ?? 0)
        (closed, otherSide) = (read("closed") ?? [], read("otherSide") ?? .unreachable)
        (warning, otherWarnings, answered) = (read("warning"), read("otherWarnings"), read("answered"))
        guard let cases = try? container.nestedContainer(keyedBy: Key.self, forKey: Key("state")), let name = cases.allKeys.first,
            let content = try? cases.nestedContainer(keyedBy: Key.self, forKey: name),
            let values = try? content.nestedContainer(keyedBy: Key.self, forKey: Key("_0"))
        else { return }
        func value<Value: Decodable>(_ name: String) -> Value? { try? values.decode(Value.self, forKey: Key(name)) }
        if let alarm = try? values.superDecoder(forKey: Key("alarm")).container(keyedBy: Key.self), let kept = self.alarm(in: alarm) {
            state = open(kept, as: name.stringValue, owner: value("owner"), outcome: value("outcome"), at: value("at"))
        } else if let question: Question = value("question") {
            state = .suspecting(suspicion(question, value("abnormalities")))
        }
    }

    /// In any state: an alarm of which nothing says that it is over or taken is called about.
    private func open(_ alarm: Alarm, as name: String, owner: Owner?, outcome: Outcome?, at: Milliseconds?) -> State {
        if let outcome, outcome != .unknown { return .waiting(Closed(alarm: alarm, outcome: outcome, owner: owner, at: at ?? now)) }
        if let owner { return .taken(Taken(alarm: alarm, owner: owner, attempts: 1)) }
        if name == "raised" { return .raised(Raised(alarm: alarm, deliverAt: now)) }
        return .delivering(Delivering(alarm: alarm, attempts: 1, nextAt: now))
    }

    private func alarm(in container: KeyedDecodingContainer<Key>) -> Alarm? {
        func read<Value: Decodable>(_ name: String) -> Value? { try? container.decode(Value.self, forKey: Key(name)) }
        guard let id: IncidentID = read("id") else { return nil }
        var alarm = Alarm(
            id: id, person: person, provenance: read("provenance") ?? provenance, raisedAt: read("raisedAt") ?? now,
            abnormalities: read("abnormalities") ?? [], readings: read("readings") ?? [], history: read("history") ?? [],
            position: read("position"), aliases: read("aliases") ?? [])
        alarm.wasAsked = read("wasAsked")
        return alarm
    }

    /// Without an answer in time it is an alarm, as it was to be.
    private func suspicion(_ question: Question, _ found: [Abnormality]?) -> Suspicion {
        let key = SampleKey(stream: StreamID(high: question.id.high, low: question.id.low), sequence: 0, kind: .event, index: 0)
        let first = Reading(time: question.askedAt, value: 0, key: key)
        let asked = Abnormality(
            trigger: question.trigger, tier: question.tier, limit: nil, context: .unknown, first: first, latest: first, worst: 0, count: 1)
        return Suspicion(
            question: question, isAsked: true, abnormalities: found.flatMap { $0.isEmpty ? nil : $0 } ?? [asked], raiseAt: question.answerBy
        )
    }
}
