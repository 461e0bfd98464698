public import Distress
public import Vitals

/// A case that is over, as the next alarms of the person are compared with it.
public struct EndedCase: Sendable, Hashable, Codable {
    /// Its name.
    public var id: IncidentID
    /// How it ended.
    public var outcome: Outcome
    /// When it ended.
    public var at: Milliseconds
    /// Its other names, under which another box may know it.
    public var aliases: [IncidentID]?
    /// When it began; nil as long as it is not known.
    public var opened: Milliseconds?

    /// A case that ended at a time.
    public init(id: IncidentID, outcome: Outcome, at: Milliseconds, opened: Milliseconds? = nil, aliases: [IncidentID] = []) {
        (self.id, self.outcome, self.at, self.opened, self.aliases) = (id, outcome, at, opened, aliases)
    }

    /// One side knows an episode for so long before the other, milliseconds: the longest wait of the detector, and a reconnection.
    package static let ahead: Milliseconds = 600_000
    private static let aliasesMax = 32

    /// Whether an alarm was raised while this case ran: two names of one episode. A hub whose clock was set back ends a case before it
    /// began.
    /// - Parameter steps: of the hub's clock, as the box knows them that reports the alarm.
    package func covers(_ alarm: Alarm, steps: [ClockStep]) -> Bool {
        let begun = opened ?? at, stepped = steps.reduce(0) { $1.at > at ? $0 + $1.by : $0 }
        return (begun - Self.ahead...max(begun, at)).contains(alarm.raisedAt - stepped)
    }

    /// Whether an alarm is about it.
    package func isAbout(_ alarm: Alarm) -> Bool { isCalled(alarm.id) || alarm.aliases.contains(where: isCalled) }

    package func isCalled(_ name: IncidentID) -> Bool { name == id || aliases?.contains(name) == true }

    /// It goes by one more name, and the oldest of too many is forgotten.
    mutating func add(_ name: IncidentID) { aliases = Array(((aliases ?? []) + [name]).suffix(Self.aliasesMax)) }
}

/// A clock that was set, milliseconds.
public struct ClockStep: Sendable, Hashable, Codable {
    /// When that was seen.
    public let at: Milliseconds
    /// By how much it was set forward.
    public let by: Milliseconds

    /// A step that was seen at a time.
    public init(at: Milliseconds, by: Milliseconds) { (self.at, self.by) = (at, by) }
}
