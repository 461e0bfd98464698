public import Vitals

/// Which side a machine runs on.
public enum Side: String, Hashable, Sendable, Codable {
    /// The authority for a person with an agent: it waits a moment for the hub's word before it uses its own channels.
    case box
    case hub
}

/// An event for an ``Incident``.
public enum IncidentEvent: Hashable, Sendable {
    case finding(Finding)
    /// "I'm OK", with its time.
    case answered(at: Milliseconds)
    case help(Reading)
    case falseAlarm(at: Milliseconds)
    case reactivated(at: Milliseconds)
    /// For so long nobody could answer, milliseconds.
    case awoke(after: Milliseconds)
    /// The readings fit what the person is found to be doing.
    case explained(value: Int, limit: Int)
    case otherSide(OtherSide, of: IncidentID? = nil)
    case reported(Alarm)
    case taken(by: Owner, of: IncidentID? = nil)
    case released(by: Owner, of: IncidentID? = nil)
    case finished(by: Owner, of: IncidentID? = nil, withAuthority: Bool = false)
    case tick
}

/// The circumstances of an incident when it is raised.
public struct Circumstances: Hashable, Sendable {
    public var readings: [Reading]
    public var history: [HistoryPoint]
    public var position: LastPosition?

    public init(readings: [Reading] = [], history: [HistoryPoint] = [], position: LastPosition? = nil) {
        self.readings = readings
        self.history = history
        self.position = position
    }
}

extension Circumstances {
    /// Those that led to an alarm, of one kind: what it is about first.
    func readings(for abnormalities: [Abnormality]) -> [Reading] {
        let trigger = abnormalities.first { $0.trigger != .help }?.trigger
        let isTemperature = trigger == .temperatureLow || trigger == .temperatureHigh
        return readings.filter { $0.isTemperature == isTemperature }
    }
}

/// From the first doubt to the end of a case. A value without a clock: it says when it wants to be woken.
///
///     calm -> suspecting -> raised -> delivering -> taken -> waiting for "reactivate monitoring" -> calm
///                               |            |
///                               +------------+--- "I'm OK", "false alarm" ---> calm, ``answered``
///
/// Only a case that somebody took waits (SOS-8): a person who answered by themselves is watched on, with what was answered silent for
/// ``DistressConstants/silence`` (SOS-21). Once raised, nothing but an answer of the person, an owner who has finished, or a report of a false alarm ends it.
public struct Incident: Hashable, Sendable, Codable {
    public enum State: Hashable, Sendable, Codable {
        case calm
        case suspecting(Suspicion)
        /// At the box: the hub has a moment to say that it reached somebody.
        case raised(Raised)
        case delivering(Delivering)
        case taken(Taken)
        /// Over after somebody had it; no new alarm until the person reactivates monitoring (SOS-8).
        case waiting(Closed)
    }

    public struct Suspicion: Hashable, Sendable, Codable {
        public var question: Question
        /// It was shown; with the question switched off it is not.
        public var isAsked: Bool
        public var abnormalities: [Abnormality]
        /// When it becomes an alarm; nil while the readings do not suffice.
        public var raiseAt: Milliseconds?
        /// How often it was asked again behind a sleep of the machine; nil for never.
        var askedAgain: Int?
        var first: Reading { abnormalities[0].first }
    }
    public struct Raised: Hashable, Sendable, Codable {
        public var alarm: Alarm
        public var deliverAt: Milliseconds
    }
    public struct Delivering: Hashable, Sendable, Codable {
        public var alarm: Alarm
        /// Rounds of calls by this side so far.
        public var attempts: Int
        /// nil: the other side has reached somebody and goes on.
        public var nextAt: Milliseconds?
    }
    public struct Taken: Hashable, Sendable, Codable {
        public var alarm: Alarm
        public var owner: Owner
        public var attempts: Int
    }
    public struct Closed: Hashable, Sendable, Codable {
        public var alarm: Alarm
        public var outcome: Outcome
        public var owner: Owner?
        public var at: Milliseconds
    }
    /// A warning that was asked about and not answered yet.
    public struct OpenWarning: Hashable, Sendable, Codable {
        public var question: Question
        public var abnormality: Abnormality
        /// It is on the screen. While a graver question is, it waits, and the caregiver is told in time all the same.
        public var isAsked: Bool
        /// How often it was asked again behind a restart of the machine; nil for never.
        var askedAgain: Int?
    }

    public let person: PersonID
    public let provenance: Provenance
    public let side: Side
    public internal(set) var state = State.calm
    /// The one that is shown, unless a graver question is.
    public internal(set) var warning: OpenWarning?
    /// Open beside ``warning``, each with a time of its own; one answer is for all. nil for none.
    var otherWarnings: [OpenWarning]?
    public internal(set) var asksFirst: Bool
    /// The case that the person ended before anybody had taken it, for ``DistressConstants/silence``: monitoring goes on meanwhile.
    public internal(set) var answered: Closed?
    var otherSide = OtherSide.unreachable
    /// Incidents that are over, so that a late copy opens nothing.
    var closed: [IncidentID] = []
    static let closedMax = 16
    /// Until then no question counts as unanswered: see ``DistressWatch/awaitAnswers(until:)``. nil: each has its own time.
    var answersUntil: Milliseconds?
    var now: Milliseconds

    public init(person: PersonID, provenance: Provenance, side: Side, asksFirst: Bool = true, at time: Milliseconds) {
        self.person = person
        self.provenance = provenance
        self.side = side
        self.asksFirst = asksFirst
        now = time
    }

    /// The alarm that is open: raised and not over.
    public var alarm: Alarm? {
        switch state {
        case .calm, .suspecting, .waiting: nil
        case .raised(let raised): raised.alarm
        case .delivering(let delivering): delivering.alarm
        case .taken(let taken): taken.alarm
        }
    }

    /// Nothing is asked about or called about, and nothing waits.
    public var isFree: Bool { if case .calm = state { warning == nil } else { false } }

    /// Something is found, and nothing raised.
    var isSuspecting: Bool { if case .suspecting = state { true } else { false } }

    /// It is over, and nobody is watched until the person reactivates monitoring (SOS-8).
    public var isWaiting: Bool { if case .waiting = state { true } else { false } }

    /// It was open once, and is over.
    public func hasClosed(_ id: IncidentID) -> Bool { closed.contains(id) }

    /// The case that is over: it waits to be reactivated, or was answered a moment ago and is watched on.
    public var over: Closed? { if case .waiting(let closed) = state { closed } else { answered } }

    /// Warnings that were asked about and not answered yet, the one that is shown first.
    var openWarnings: [OpenWarning] { [warning].compactMap(\.self) + (otherWarnings ?? []) }

    /// It is asked about this as a warning.
    public func isWarned(of trigger: Trigger) -> Bool { openWarnings.contains { $0.abnormality.trigger == trigger } }

    /// The subject of an answer of the person.
    var found: [Abnormality] {
        if case .suspecting(let suspicion) = state { return suspicion.abnormalities }
        return alarm?.abnormalities ?? openWarnings.map(\.abnormality)
    }

    /// When ``IncidentEvent/tick`` is due.
    public var nextDeadline: Milliseconds? {
        let turn: Milliseconds? =
            switch state {
            case .calm, .taken, .waiting: nil
            case .suspecting(let suspicion): suspicion.raiseAt.map(unanswered)
            case .raised(let raised): raised.deliverAt
            case .delivering(let delivering): delivering.nextAt
            }
        return (openWarnings.map { unanswered($0.question.answerBy) } + [turn].compactMap(\.self)).min()
    }

    /// When a question that is due then counts as unanswered.
    func unanswered(_ due: Milliseconds) -> Milliseconds { max(due, answersUntil ?? due) }

    public mutating func handle(
        _ event: IncidentEvent, at time: Milliseconds, circumstances: () -> Circumstances
    ) -> [DistressEffect] {
        now = max(now, time)
        if let answered, now - answered.at >= DistressConstants.silence { self.answered = nil }
        let effects: [DistressEffect] =
            switch event {
            case .finding(let finding): take(finding)
            case .answered(let time): answer(at: time)
            case .help(let reading): help(reading, circumstances)
            case .falseAlarm(let time): falseAlarm(at: time)
            case .reactivated(let time): reactivate(at: time)
            case .explained(let value, let limit): clearSuspicion(.exercise, [.explainedByExercise(value: value, limit: limit)])
            case .otherSide(let other, let id): take(other, of: id)
            case .reported(let alarm): take(alarm)
            case .taken(let owner, let id): isOther(id) ? ignored(id) : take(owner)
            case .released(let owner, let id): isOther(id) ? ignored(id) : release(owner)
            case .finished(let owner, let id, let withAuthority): isOther(id) ? ignored(id) : finish(owner, withAuthority)
            case .awoke(let missed): askAfterSleep(missed)
            case .tick: []
            }
        return refresh(effects + act(circumstances), circumstances)
    }

    /// Effects that are due by now.
    private mutating func act(_ circumstances: () -> Circumstances) -> [DistressEffect] {
        var effects = actOnWarnings()
        switch state {
        case .calm, .taken, .waiting: break
        case .suspecting(let suspicion):
            guard let due = suspicion.raiseAt, now >= unanswered(due) else { break }
            let waited = now - suspicion.question.askedAt
            let reason = suspicion.isAsked ? Reason.noAnswer(milliseconds: waited) : .questionOff
            effects += raise(suspicion, [reason], circumstances())
        case .raised(let raised):
            if now >= raised.deliverAt { effects += deliver(raised.alarm, attempts: 0, [.hubSilent]) }
        case .delivering(let delivering):
            if let due = delivering.nextAt, now >= due { effects += deliver(delivering.alarm, attempts: delivering.attempts, []) }
        }
        return effects
    }

    /// About an incident that is not the open one.
    private func isOther(_ id: IncidentID?) -> Bool { id.map { alarm?.has($0) != true } ?? false }

    private func ignored(_ id: IncidentID?) -> [DistressEffect] { [decided(.ignored, id.map { [.incidentOpen($0)] } ?? [])] }

    private mutating func take(_ other: OtherSide, of id: IncidentID?) -> [DistressEffect] {
        guard [.addresseeReached, .nobodyReached].contains(other), isOther(id) else { return take(other) }
        // It answers; whom it reached is about something else.
        return take(.reachable) + ignored(id)
    }

    func decided(_ kind: Decision.Kind, _ reasons: [Reason]) -> DistressEffect {
        .decided(Decision(time: now, kind: kind, reasons: reasons))
    }
}
