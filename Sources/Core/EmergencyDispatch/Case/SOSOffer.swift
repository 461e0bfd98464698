public import Vitals

/// A case as it is offered to one crew.
public struct SOSOffer: Sendable, Hashable, Codable {
    public enum State: String, Sendable, Hashable, Codable { case open, accepted, rejected, expired, released }
    public let account: AccountID
    public let ambulance: Int64
    public let made: Milliseconds
    public var answerBy: Milliseconds
    /// When it was on a screen.
    public var seen: Milliseconds?
    /// When the crew is notified of it, unless it was on a screen by then; nil once it was notified.
    public var tellAt: Milliseconds?
    public var state = State.open
    /// Metres as the crow flies, when it was made.
    public let distance: Int
    /// ``distance`` is that to where the person lives, as no position was known. nil: no.
    public let isToHome: Bool?

    public init(
        account: AccountID, ambulance: Int64, made: Milliseconds, answerBy: Milliseconds, tellAt: Milliseconds?, distance: Int,
        isToHome: Bool = false
    ) {
        (self.account, self.ambulance, self.made, self.answerBy, self.distance) = (account, ambulance, made, answerBy, distance)
        self.tellAt = tellAt
        self.isToHome = isToHome ? true : nil
    }

    /// When something is to be done about it next.
    var due: Milliseconds? { state == .open ? min(answerBy, seen == nil ? tellAt ?? answerBy : answerBy) : nil }
}

/// The crew that took a case.
public struct SOSCrew: Sendable, Hashable, Codable {
    public enum Status: String, Sendable, Hashable, Codable, CaseIterable { case onTheWay, there, done }
    public let account: AccountID
    public let ambulance: Int64
    public let label: AmbulanceLabel
    public var status = Status.onTheWay
    public var since: Milliseconds
    /// Where it was when it took the case, or answered last: whether it comes is seen from there. nil where that is not known, and once the case
    /// is over.
    public var place: CrewPlace?

    public init(account: AccountID, ambulance: Int64, label: AmbulanceLabel, since: Milliseconds, place: CrewPlace? = nil) {
        (self.account, self.ambulance, self.label, self.since, self.place) = (account, ambulance, label, since, place)
    }
}

/// A point at which a crew was, WGS 84.
public struct CrewPlace: Sendable, Hashable, Codable {
    /// 1e-7 degrees.
    public let latitude: Int32, longitude: Int32
    /// Metres; nil when unknown.
    public let accuracy: Int?

    public init(latitude: Int32, longitude: Int32, accuracy: Int?) {
        (self.latitude, self.longitude, self.accuracy) = (latitude, longitude, accuracy)
    }
}

/// The name of an ambulance, by its crew and on the road.
public struct AmbulanceLabel: Sendable, Hashable, Codable {
    public let name: String
    public let plate: String

    public init(name: String, plate: String) { (self.name, self.plate) = (name, plate) }
}
