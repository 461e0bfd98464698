public import Vitals

/// AutomatedSOS for one person, on the box and in the hub alike: from what was measured and told to what must be done.
///
/// Give it every sample and state event as it is stored, in order, and ``DistressEvent/tick`` at ``nextDeadline``. It keeps no clock, does no
/// I/O, and can be stored at any time (it is `Codable`): one that was stored in the middle of a case goes on with it.
public struct DistressWatch: Hashable, Sendable, Codable {
    /// Of the stored form. Of another one everything is taken that can be read; what is open always.
    public static let version = 2
    /// After a long time without being told anything, so many deadlines are caught up one by one.
    static let catchUpMax = 8

    /// Parts of the stored form that could not be read and began anew, by their names: `detector`, `incident`. To be told to whoever looks.
    public private(set) var unread: [String] = []
    public private(set) var detector: Detector
    public private(set) var incident: Incident
    private var seen = SeenSamples()
    private var toldProtection: Protection?

    /// - Parameters:
    ///   - person: who is watched.
    ///   - provenance: only a live stream can call anybody; every other one ends in ``DistressEffect/test(_:)``.
    ///   - side: box or hub.
    ///   - settings: what the person chose.
    ///   - time: now, on the caller's axis.
    public init(person: PersonID, provenance: Provenance, side: Side, settings: DistressSettings, at time: Milliseconds) {
        detector = Detector(settings: settings, at: time)
        incident = Incident(person: person, provenance: provenance, side: side, asksFirst: settings.asksFirst, at: time)
    }

    /// Reads what any version stored. A case or a question that is open goes on, also where the rest cannot be read (see ``unread``): the
    /// detector then listens from now on.
    /// - Throws: `DecodingError` for what names no person.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        do { incident = try container.decode(Incident.self, forKey: .incident) } catch {
            incident = try Incident(keptIn: container.superDecoder(forKey: .incident))
            unread.append("incident")
        }
        incident.watchOnWhereNobodyWasSent()
        do { detector = try container.decode(Detector.self, forKey: .detector) } catch {
            let settings = try? container.decode(KeptSettings.self, forKey: .detector).settings
            detector = incident.newDetector(settings ?? DistressSettings())
            unread.append("detector")
        }
        seen = (try? container.decode(SeenSamples.self, forKey: .seen)) ?? SeenSamples()
        toldProtection = try? container.decodeIfPresent(Protection.self, forKey: .toldProtection)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Self.version, forKey: .version)
        try container.encode(detector, forKey: .detector)
        try container.encode(incident, forKey: .incident)
        try container.encode(seen, forKey: .seen)
        try container.encodeIfPresent(toldProtection, forKey: .toldProtection)
    }

    private struct KeptSettings: Decodable { let settings: DistressSettings }

    private enum CodingKeys: String, CodingKey { case version, detector, incident, seen, toldProtection }

    /// When ``DistressEvent/tick`` is due at the latest.
    public var nextDeadline: Milliseconds? { [detector.nextDeadline, incident.nextDeadline].compactMap(\.self).min() }

    /// Whether the person is protected by what is watched here. The links around it (box, network, hub, somebody to call) are others'.
    public var protection: Protection {
        var reasons = detector.unprotected
        if case .waiting = incident.state { reasons.append(.waitingForReactivation) }
        return Protection(reasons: Absence.allCases.filter(reasons.contains))
    }

    /// Takes what has happened by `time` and says what is to be done.
    public mutating func handle(_ event: DistressEvent, at time: Milliseconds) -> [DistressEffect] {
        let time = Detector.plausible(time)
        // Questions that became due while nobody could answer are asked again first.
        var effects = event.isAwakening ? [] : catchUp(before: time)
        if isNew(event) { effects += take(event, at: time) } else { effects += take(.tick, at: time) }
        if protection != toldProtection {
            toldProtection = protection
            effects.append(.protection(protection))
        }
        return effects
    }

    /// A hub that stood still: answers may have waited for it on the network. No question that is open now counts as unanswered before `time`,
    /// whatever else is told meanwhile. Help is called as ever.
    public mutating func awaitAnswers(until time: Milliseconds) {
        guard !incident.openWarnings.isEmpty || incident.isSuspecting else { return }
        incident.answersUntil = Detector.plausible(time)
    }

    /// A question of an earlier start of this machine that ended before anybody could answer is asked again.
    /// - Parameters:
    ///   - kept: as it was when that start ended.
    ///   - difference: what makes this start's times of its times, milliseconds.
    ///   - time: now.
    public mutating func askAgain(what kept: DistressWatch, shiftedBy difference: Milliseconds, at time: Milliseconds) -> [DistressEffect] {
        let effects = handle(.tick, at: time)
        return detector.settings.isOn ? effects + incident.askAgain(what: kept.incident, shiftedBy: difference) : effects
    }

    /// Effects that were due before this event come first: an answer after the deadline is a late one.
    private mutating func catchUp(before time: Milliseconds) -> [DistressEffect] {
        var effects: [DistressEffect] = []
        for _ in 0..<Self.catchUpMax {
            guard let due = nextDeadline, due < time else { break }
            effects += take(.tick, at: due)
        }
        return effects
    }

    private mutating func take(_ event: DistressEvent, at time: Milliseconds) -> [DistressEffect] {
        var effects: [DistressEffect] = []
        if case .settings(let settings) = event { incident.asksFirst = settings.asksFirst }
        for finding in detector.handle(event, at: time) { effects += tell(.finding(finding), at: time) }
        if let explained = exerciseThatExplains {
            effects += tell(.explained(value: explained.value, limit: explained.limit), at: time)
            detector.close(.heartRateHigh)
        }
        return effects + tell(incidentEvent(event, at: time), at: time)
    }

    private mutating func tell(_ event: IncidentEvent, at time: Milliseconds) -> [DistressEffect] {
        let detector = detector, open = incident.found
        var effects = incident.handle(event, at: time) { detector.circumstances }
        switch event {
        case .answered, .falseAlarm:
            guard effects.contains(where: \.isAnswer) else { break }
            effects += answered(open)
            if effects.contains(where: \.isEnd) { self.detector.forgetToldWarnings() }
        case .reactivated where effects.contains(where: \.isReactivation): self.detector.restart()
        default: break
        }
        return effects
    }

    private mutating func answered(_ found: [Abnormality]) -> [DistressEffect] {
        detector.answered(found).flatMap { finding -> [DistressEffect] in
            if case .decided(let decision) = finding { [.decided(decision)] } else { [] }
        }
    }

    private func incidentEvent(_ event: DistressEvent, at time: Milliseconds) -> IncidentEvent {
        switch event {
        case .state(let event, let key):
            switch event.code {
            case .ok: .answered(at: event.time)
            case .help: .help(Reading(time: event.time, value: 0, key: key))
            case .falseAlarm: .falseAlarm(at: event.time)
            case .reactivated: .reactivated(at: event.time)
            default: .tick
            }
        case .otherSide(let other, let id): .otherSide(other, of: id)
        case .reported(let alarm): .reported(alarm)
        case .taken(let owner, let id): .taken(by: owner, of: id)
        case .released(let owner, let id): .released(by: owner, of: id)
        case .finished(let owner, let id, let withAuthority): .finished(by: owner, of: id, withAuthority: withAuthority)
        case .awoke(let missed): .awoke(after: missed)
        case .inactive(let found): .finding(.warning(found))
        case .active: .finding(.warningOver(.inactivity))
        case .heartRate, .position, .place, .box, .cadence, .temperature, .flagged, .settings, .tick: .tick
        }
    }

    /// The person has begun to move, and for that the rate is as it should be.
    private var exerciseThatExplains: (value: Int, limit: Int)? {
        guard case .suspecting(let suspicion) = incident.state, suspicion.abnormalities.allSatisfy({ $0.trigger == .heartRateHigh }) else {
            return nil
        }
        return detector.isExplainedByExercise
    }

    /// Nothing is taken twice. What the person or a device asks for is known by its own key, since it travels before older samples.
    private mutating func isNew(_ event: DistressEvent) -> Bool {
        switch event {
        case .heartRate(_, let key), .temperature(_, let key): seen.insert(key)
        case .flagged(_, let key): seen.insertUrgent(key)
        case .state(let event, let key): event.code.isSOS ? seen.insertUrgent(key) : seen.insert(key)
        case .position, .place, .box, .cadence, .inactive, .active, .settings, .otherSide, .reported, .taken, .released, .finished, .awoke,
            .tick:
            true
        }
    }
}

extension Detector {
    var circumstances: Circumstances {
        Circumstances(readings: (heart?.readings ?? []) + (temperature?.readings ?? []), history: history, position: position)
    }
}

extension DistressEvent {
    fileprivate var isAwakening: Bool { if case .awoke = self { true } else { false } }
}

extension DistressEffect {
    fileprivate var isAnswer: Bool {
        switch self {
        case .withdraw(_, .answered), .tell(.over): true
        default: false
        }
    }
    fileprivate var isEnd: Bool { if case .tell(.over) = self { true } else { false } }
    fileprivate var isReactivation: Bool {
        if case .decided(let decision) = self { decision.kind == .reactivated } else { false }
    }
}
