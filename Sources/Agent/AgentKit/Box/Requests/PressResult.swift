internal import Distress
internal import Monitoring
internal import Vitals

/// The result of a press of "false alarm" or "reactivate"; all others come to what their name says. The gravest first.
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

extension SOSStation {
    /// A case is open, or waits for "reactivate", or was answered a moment ago.
    func hasCase(at now: Milliseconds) -> Bool {
        switch watch.incident.state {
        case .raised, .delivering, .taken, .waiting: true
        case .calm, .suspecting: answered(at: now) != nil
        }
    }
}
