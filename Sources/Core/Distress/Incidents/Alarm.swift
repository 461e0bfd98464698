public import Vitals

/// One raised incident: everything that a message about it needs and that is known without a database (rule 7).
public struct Alarm: Hashable, Sendable, Codable {
    public var id: IncidentID
    public var person: PersonID
    public var provenance: Provenance
    public var raisedAt: Milliseconds
    /// The causes, the first one first; at most one per trigger.
    public var abnormalities: [Abnormality]
    /// The last readings that led to it, oldest first, at most ``readingsMax``.
    public var readings: [Reading]
    /// The last minutes before it, oldest first.
    public var history: [HistoryPoint]
    /// nil: there is none, and the message says so.
    public var position: LastPosition?
    /// The same episode under other ids, as the other side saw it first.
    public var aliases: [IncidentID]
    /// The person was asked before it, and gave no answer. nil where they were not, and of release 0.3.0, which does not say.
    public var wasAsked: Bool?

    public static let readingsMax = 8, aliasesMax = 8

    /// "Critical, then lost": the signal went away before the third reading, and nobody answered.
    public var isLost: Bool { abnormalities.contains(where: \.isLost) }
    /// Only live streams can call anybody.
    public var isTest: Bool { provenance != .live }

    /// Whether the person was asked before it: what may be an effort, or a device's mistake, and what was lost is asked about in any case.
    /// - Parameter asksFirst: the person chose to be asked.
    public func wasAsked(asksFirst: Bool) -> Bool { wasAsked ?? (asksFirst || isLost || abnormalities.contains(where: \.isAskedAlways)) }

    public init(
        id: IncidentID, person: PersonID, provenance: Provenance, raisedAt: Milliseconds, abnormalities: [Abnormality],
        readings: [Reading] = [], history: [HistoryPoint] = [], position: LastPosition? = nil, aliases: [IncidentID] = []
    ) {
        self.id = id
        self.person = person
        self.provenance = provenance
        self.raisedAt = raisedAt
        self.abnormalities = abnormalities
        self.readings = readings
        self.history = history
        self.position = position
        self.aliases = aliases
    }
}

/// About ten seconds of the minutes before an alarm.
public struct HistoryPoint: Hashable, Sendable, Codable {
    public var time: Milliseconds
    /// Mean of the readings that counted.
    public var heartRate: Int?
    /// 0.01 m/s
    public var speed: Int?

    public init(time: Milliseconds, heartRate: Int?, speed: Int? = nil) {
        self.time = time
        self.heartRate = heartRate
        self.speed = speed
    }
}

/// The last position, with what is known of its quality.
public struct LastPosition: Hashable, Sendable, Codable {
    public var time: Milliseconds
    /// 1e-7 degrees.
    public var latitude: Int32
    public var longitude: Int32
    /// 0.1 m
    public var horizontalError: Int32?
    public var source: PositionSource
    /// The person was there at ``time`` or earlier, and nobody knows when: the box was off meanwhile, and nothing confirms its clock. nil: no.
    public var isAgeUnknown: Bool?

    public init(_ sample: PositionSample) {
        time = sample.time
        latitude = sample.latitude
        longitude = sample.longitude
        horizontalError = sample.horizontalError
        source = sample.source
    }

    /// So long a position that was found counts more than the place that was set for a box, in milliseconds.
    public static let foundFor: Milliseconds = 600_000

    /// Whether this says better than another one where the person is: the newer one does. One of unknown age gives way to any other. The place
    /// that was set for a box is of any time, and counts more than what was found more than ``foundFor`` ago.
    public func isBetter(than other: LastPosition, at now: Milliseconds) -> Bool {
        let isSure = isAgeUnknown != true
        guard isSure == (other.isAgeUnknown != true) else { return isSure }
        // Of one place without an age nothing new can be said.
        if !isSure, (latitude, longitude) == (other.latitude, other.longitude) { return false }
        let isFixed = source == .fixed
        guard isFixed != (other.source == .fixed) else { return time > other.time }
        let isFoundNew = now - (isFixed ? other : self).time <= Self.foundFor
        return isFoundNew != isFixed
    }
}

/// One round of calls.
public struct Delivery: Hashable, Sendable, Codable {
    /// As CAP 1.2 has it: the first one alerts, later ones update.
    public enum Message: String, Hashable, Sendable, Codable {
        case alert, update
    }
    public var alarm: Alarm
    /// From 1.
    public var attempt: Int
    public var message: Message

    public init(alarm: Alarm, attempt: Int, message: Message) {
        self.alarm = alarm
        self.attempt = attempt
        self.message = message
    }
}

/// How an incident ended.
public enum Outcome: Hashable, Sendable, Codable {
    /// The person answered after it was raised, before anybody took it.
    case answeredLate
    /// The person reported a false alarm; the owner, if any, is on the way and is told at once (SOS-10).
    case falseAlarm
    case finished(Owner)
    /// Not live: nobody was called.
    case test
    /// One of a newer version. It ends nothing here.
    case unknown

    private enum Word: String, CodingKey { case answeredLate, falseAlarm, finished, test, unknown }
    private enum Value: String, CodingKey { case owner = "_0" }

    /// A newer version writes its own word beside one of 0.3.0's, in one object.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Word.self)
        if container.contains(.unknown) {
            self = .unknown
        } else if container.contains(.finished) {
            self = .finished(try container.nestedContainer(keyedBy: Value.self, forKey: .finished).decode(Owner.self, forKey: .owner))
        } else if container.contains(.falseAlarm) {
            self = .falseAlarm
        } else if container.contains(.answeredLate) {
            self = .answeredLate
        } else {
            self = container.contains(.test) ? .test : .unknown
        }
    }

    /// Each word that 0.3.0 does not know needs one beside it that 0.3.0 knows.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Word.self)
        func put(_ word: Word, _ owner: Owner? = nil) throws {
            var value = container.nestedContainer(keyedBy: Value.self, forKey: word)
            try value.encodeIfPresent(owner, forKey: .owner)
        }
        switch self {
        case .answeredLate: try put(.answeredLate)
        case .falseAlarm: try put(.falseAlarm)
        case .finished(let owner): try put(.finished, owner)
        case .test: try put(.test)
        case .unknown:
            try put(.finished, Owner("unknown"))
            try put(.unknown)
        }
    }
}

/// News for everybody who was called (SOS-20).
public enum Announcement: Hashable, Sendable, Codable {
    case taken(Alarm, by: Owner)
    /// Somebody else has it already.
    case refused(Alarm, to: Owner, has: Owner)
    case released(Alarm, by: Owner)
    /// The person says "I'm OK" while somebody is on the way: the owner decides.
    case personAnswered(Alarm, owner: Owner)
    /// A stand-down to both sides, unless finished by the owner.
    case over(Alarm, Outcome)
}
