public import Sensing
public import Vitals

/// An event for a ``PersonMonitor``.
public enum MonitorEvent: Hashable, Sendable {
    /// Of this person's sensor.
    case heartRate(HeartRateEvent)
    /// Of the box's position source.
    case position(PositionEvent)
    /// Why satellites give no position although their source answers; until a satellite fix, or word that there is none.
    case receiver(SourceProblem)
    /// The box's power supply, and its battery in percent (nil: it has none, or none that tells). Of each look, also where nothing has changed.
    case power(BoxPower, batteryPercent: Int?)
    /// Until that time of the boot clock; `utc` is the same instant for the record, nil while the box has no clock. Given again after a
    /// restart it goes on; with an end that has passed it counts as over.
    case pause(until: Milliseconds, utc: Milliseconds?)
    case resume
    case hub(HubContact)
    /// nil: the database takes samples, and last did its work at that time of the boot clock (nil: now).
    case buffer(SourceProblem?, goodAt: Milliseconds? = nil)
    /// Whether this person has a sensor. Each one, also another `true`, begins anew: what was known of the sensor before is forgotten.
    case sensorChosen(Bool)
    /// Which kinds the person lets the box collect (EDGE-7).
    case kinds(heartRate: Bool, position: Bool)
    /// Nothing but time has passed.
    case tick
}

/// An effect that a ``PersonMonitor`` asks for. Effects are run in their order.
public enum MonitorEffect: Hashable, Sendable {
    /// Into the person's series.
    case record(StateEvent)
    /// Tell the person, and the caregiver through the hub, until it is over.
    case tell(Notice)
    case over(Notice)
    /// Whether readings count: the seam to AutomatedSOS. `false` says nothing about the heart.
    case watching(Bool)
    /// Whether positions are recorded.
    case tracking(Bool)
    /// A reading that counts. Only these go to AutomatedSOS; only while watching.
    case reading(HeartRateSample)
}

/// How the hub answers.
public enum HubContact: Hashable, Sendable {
    /// The box belongs to no hub.
    case unset
    /// It takes what is sent, and last did at that time of the boot clock; nil for not since the start.
    case reached(at: Milliseconds?)
    /// The box goes on trying.
    case unreachable(SourceProblem)
    /// Somebody has to act before anything is sent again.
    case refuses(SourceProblem)
}

extension BoxPower {
    /// As ``StateEvent/Code/boxPower`` records it.
    var recorded: Int64 {
        switch self {
        case .unknown: 0
        case .mains: 1
        case .battery: 2
        }
    }
}
