public import Vitals

extension Flag {
    /// The flagged event of a stored event; nil for any other.
    public init?(_ code: StateEvent.Code) {
        switch code {
        case .fall: self = .fall
        case .seizure: self = .seizure
        default: return nil
        }
    }

    /// As it is stored and sent.
    public var code: StateEvent.Code {
        switch self {
        case .fall: .fall
        case .seizure: .seizure
        }
    }
}

extension StateEvent.Code {
    /// A button or an answer of the person, and no report of a device.
    public var isPressed: Bool { isSOS && Flag(self) == nil }
}

extension DistressEvent {
    /// A stored event as the machine takes it: a fall or a seizure is flagged, everything else is what the box or the person told.
    public static func event(_ event: StateEvent, _ key: SampleKey) -> DistressEvent {
        Flag(event.code).map { .flagged($0, key) } ?? .state(event, key)
    }
}

/// The outcome of a flagged event (SOS-2). Its reporter is told.
public enum FlagOutcome: Hashable, Sendable {
    /// "Are you OK?" is asked. Without an answer the alarm is raised at this time.
    case asked(until: Milliseconds)
    /// An alarm is open already, and goes on; no second one begins.
    case open
    /// The person has answered, or the case is over.
    case answered
    /// Nobody is asked or called: AutomatedSOS is off, paused, or waits to be reactivated.
    case unheard(Absence)
    /// It arrived too late to be asked about, and is kept as history.
    case late
}

extension DistressWatch {
    /// How things stand after a flagged event was taken.
    public var flagOutcome: FlagOutcome {
        switch incident.state {
        case .suspecting(let suspicion): .asked(until: suspicion.raiseAt ?? suspicion.question.answerBy)
        case .raised, .delivering, .taken: .open
        case .waiting: .unheard(.waitingForReactivation)
        case .calm where !detector.settings.isOn: .unheard(.switchedOff)
        case .calm: detector.unprotected.contains(.paused) ? .unheard(.paused) : .answered
        }
    }
}
