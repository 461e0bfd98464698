import Distress

extension Replay.Report {
    /// Three consecutive readings stood (SOS-3), or the signal was lost: to the letter of SOS-4 that is an alarm when nobody answers within
    /// 5 s, whatever comes after.
    var isAlarmToTheLetter: Bool { questionsToTheLetter > 0 }

    /// How many questions would have become alarms.
    var questionsToTheLetter: Int {
        var isOpen = false, count = 0
        for decision in decisions {
            switch decision.kind {
            case .asked: isOpen = true
            case .qualified, .lost:
                count += isOpen ? 1 : 0
                isOpen = false
            default: break
            }
        }
        return count
    }
}
