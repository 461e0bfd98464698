public import Vitals

/// An event for a ``DistressWatch``. All times on one axis of the caller's choice: the box's boot clock, or the hub's receive clock.
public enum DistressEvent: Hashable, Sendable {
    /// Every measurement as it came and is stored, also those that cannot count: box and hub must see the same series.
    case heartRate(HeartRateSample, SampleKey)
    case position(PositionSample)
    /// Where a box is that stays in its place: near it is the person, and of their movement it tells nothing.
    case place(PositionSample)
    /// Whether the box that sends this stream stays where it is (a gateway), as its role or its fixed place tells.
    case box(StreamID, isFixed: Bool)
    /// Steps, strides or turns of the pedals.
    case cadence(perMinute: Int)
    /// Body temperature in hundredths of a degree Celsius.
    case temperature(hundredths: Int, SampleKey)
    /// A fall or a seizure that a device noticed.
    case flagged(Flag, SampleKey)
    /// No sign of life for too long (``InactivityWatch``), and that there is one.
    case inactive(Abnormality)
    case active
    /// States that the box recorded: contact, link, pause, charging, and the person's "I'm OK", help, false alarm and reactivation.
    case state(StateEvent, SampleKey)
    case settings(DistressSettings)
    /// The known state of the other side: at the box, of the hub.
    /// - Parameter of: which incident it is about; nil: whichever is open. A late word about another one changes nothing.
    case otherSide(OtherSide, of: IncidentID? = nil)
    /// The other side raised this: it becomes this side's incident, or is the one that is open.
    case reported(Alarm)
    case taken(by: Owner, of: IncidentID? = nil)
    /// The owner cannot come: repeated until somebody else takes it.
    case released(by: Owner, of: IncidentID? = nil)
    /// The owner has finished; or, `withAuthority`, a control room that may end what somebody else has. Whoever tells it has checked that.
    case finished(by: Owner, of: IncidentID? = nil, withAuthority: Bool = false)
    /// The machine slept, or stood still: for so long, until now, nobody was heard and nobody could answer. Milliseconds.
    case awoke(after: Milliseconds)
    /// Nothing but time has passed.
    case tick
}

extension DistressEvent {
    /// The kind of the box, from its stored positions: a place that was set for it is a gateway's; a satellite fix without one is that of a
    /// box that is carried. nil where they tell nothing.
    public static func box(of stream: StreamID, _ positions: [PositionSample]) -> (time: Milliseconds, event: DistressEvent)? {
        if let fixed = positions.first(where: { $0.source == .fixed }) { return (fixed.time, .box(stream, isFixed: true)) }
        return positions.first { $0.source == .gnss }.map { ($0.time, .box(stream, isFixed: false)) }
    }
}

extension DistressEvent {
    /// A measured value beside the heart rate; nil for a kind that raises and explains nothing (`KindEntry.Uses.alarms`).
    /// - Parameters:
    ///   - reading: of the body, or of how it moves.
    ///   - key: asked for where the reading can be one of an alarm.
    public init?(_ reading: ScalarSample, key: @autoclosure () -> SampleKey) {
        switch reading.kind {
        case .bodyTemperature: self = .temperature(hundredths: Int(reading.value), key())
        // The table's resolution is a tenth.
        case .cadence: self = .cadence(perMinute: Int(reading.value / 10))
        default: return nil
        }
    }
}

/// The taker of an alarm: a responder, a caregiver, a control room. The text is an identifier that the caller knows, no name.
public struct Owner: Hashable, Sendable, Codable {
    public var id: String
    public init(_ id: String) { self.id = id }

    /// A crew, a control room, or the hub itself: whom contacts and relatives do not stand down.
    public var isProfessional: Bool { id.hasPrefix("crew:") || id.hasPrefix("room:") || id == "hub" }
}

/// The box's knowledge of the hub during an incident.
public enum OtherSide: String, Hashable, Sendable, Codable {
    /// It answers.
    case reachable
    case unreachable
    /// It said "durable, and an addressee was reached".
    case addresseeReached
    /// It answers, and says that it has reached nobody who can help. It is never kept: what is kept of it is ``reachable``.
    case nobodyReached
}

/// An effect that a ``DistressWatch`` asks for. Effects are run in their order.
public enum DistressEffect: Hashable, Sendable {
    /// "Are you OK?" by every means (SOS-4); until withdrawn.
    case ask(Question)
    case withdraw(Question, Withdrawal)
    /// Tell the other side, first and without waiting.
    case report(Alarm)
    /// Call and text whoever is to help. Only for live streams.
    case deliver(Delivery)
    /// Tell everybody who was called, and the person.
    case tell(Announcement)
    /// Tell the caregiver, not the ambulance. Only for live streams.
    case warn(Warning)
    /// A call that was not made, since the stream was not live: status Test, to no responder (design rule 11).
    case test(Alarm)
    /// Two ids, one episode: whatever comes under the first belongs to the second.
    case sameEpisode(IncidentID, as: IncidentID)
    /// Whether the person is protected by what is watched here.
    case protection(Protection)
    case decided(Decision)
}

/// "Are you OK?"
public struct Question: Hashable, Sendable, Codable {
    public var id: IncidentID
    public var tier: Tier
    public var trigger: Trigger
    public var askedAt: Milliseconds
    /// Without an answer until then the alarm is raised, if the readings confirm it; where they are lost before that, later.
    public var answerBy: Milliseconds

    public init(id: IncidentID, tier: Tier, trigger: Trigger, askedAt: Milliseconds, answerBy: Milliseconds) {
        self.id = id
        self.tier = tier
        self.trigger = trigger
        self.askedAt = askedAt
        self.answerBy = answerBy
    }
}

/// Why a question ended without an alarm of it.
public enum Withdrawal: String, Hashable, Sendable, Codable {
    case answered, backInside, exercise, raised, paused, switchedOff, warningTold, replaced
}

/// An unanswered question, which is told to those who look after the person: no ambulance is called for it.
public struct Warning: Hashable, Sendable, Codable {
    public var id: IncidentID
    public var abnormality: Abnormality
    public var at: Milliseconds

    public init(id: IncidentID, abnormality: Abnormality, at: Milliseconds) {
        self.id = id
        self.abnormality = abnormality
        self.at = at
    }
}

/// Whether the person is watched, and if not, why (SOS-18). One who is not protected is told so; it is never an alarm.
public struct Protection: Hashable, Sendable, Codable {
    public var isProtected: Bool { reasons.isEmpty }
    /// In the order of ``Absence``.
    public var reasons: [Absence]
    public init(reasons: [Absence]) { self.reasons = reasons }
}
