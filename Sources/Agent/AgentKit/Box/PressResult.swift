internal import Distress
internal import Monitoring
internal import Vitals

/// What a press of "false alarm" or "reactivate" came to; all others come to what their name says. The gravest first.
enum PressResult: CaseIterable {
    /// "Reactivate": an alarm is still open, and stays so.
    case stillOpen
    /// "Reactivate": heart rate is not watched for another reason, as a pause or a strap that is off.
    case notWatched
    /// "Reactivate": nobody is watched here, and another box of the person is asked to.
    case askedElsewhere
    case done
    /// "False alarm": there was none.
    case noAlarm

    /// Behind the action, in the keys of the language files.
    var suffix: String {
        switch self {
        case .stillOpen: ".open"
        case .notWatched: ".off"
        case .askedElsewhere: ".elsewhere"
        case .done: ""
        case .noAlarm: ".none"
        }
    }
}

extension Box {
    /// A case is open, or waits for "reactivate": whoever was called is told when it was a false alarm.
    func hasCase(_ person: PersonID) -> Bool { watchings[person]?.hasCase(at: clock.boottime()) ?? false }

    /// - Parameter hadCase: before the press.
    func result(of action: ControlRequest.Action, for person: PersonID, hadCase: Bool) -> PressResult {
        switch action {
        case .falseAlarm: return hadCase ? .done : .noAlarm
        case .reactivate:
            if watchings[person]?.watch.incident.alarm != nil { return .stillOpen }
            if watchings[person]?.isAskedElsewhere(at: clock.boottime()) == true { return .askedElsewhere }
            return monitors[person]?.summary.isWatched == true ? .done : .notWatched
        default: return .done
        }
    }
}

extension SOSStation {
    fileprivate func hasCase(at now: Milliseconds) -> Bool {
        switch watch.incident.state {
        case .raised, .delivering, .taken, .waiting: true
        case .calm, .suspecting: answered(at: now) != nil
        }
    }
}
