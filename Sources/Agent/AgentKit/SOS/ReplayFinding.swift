internal import Distress
internal import Vitals

/// A finding of AutomatedSOS in a recording: a question, an alarm, or the end of a question without one.
struct ReplayFinding: Hashable {
    enum Content: Hashable {
        /// "Are you OK?" and until when it may be answered.
        case question(Tier, Trigger, answerBy: Milliseconds)
        /// With the latest value of what led to it.
        case alarm(Trigger, value: Int)
        case ending(Withdrawal)
    }

    /// Of the recording.
    var time: Milliseconds
    /// The same for the same recording, on every box and at every speed.
    var id: IncidentID
    var what: Content

    /// nil for what no expected result names.
    init?(_ effect: DistressEffect, at time: Milliseconds) {
        self.time = time
        switch effect {
        case .ask(let question):
            (id, what) = (question.id, .question(question.tier, question.trigger, answerBy: question.answerBy))
        case .withdraw(_, .raised): return nil  // the alarm says it
        case .withdraw(let question, let why): (id, what) = (question.id, .ending(why))
        case .test(let alarm):
            guard let found = alarm.abnormalities.first else { return nil }
            (id, what) = (alarm.id, .alarm(found.trigger, value: found.latest.value))
        default: return nil
        }
    }

    /// A line of an expected result, with its end.
    var line: String {
        let fields =
            switch what {
            case .question(let tier, let trigger, let answerBy):
                "\"question\",\"tier\":\"\(tier.rawValue)\",\"trigger\":\"\(trigger.rawValue)\",\"answerBy\":\"\(ISO8601.string(answerBy))\""
            case .alarm(let trigger, let value): "\"alarm\",\"trigger\":\"\(trigger.rawValue)\",\"value\":\(value)"
            case .ending(let why): "\"ending\",\"why\":\"\(why.rawValue)\""
            }
        return EventJSON.object(time, ",\"sos\":\(fields),\"id\":\"\(id)\"")
    }

    /// For the person at the terminal; nil for what only an expected result needs.
    var said: String? {
        guard case .alarm(let trigger, let value) = what else { return nil }
        return "AutomatedSOS: TEST, nobody is called. Live, an alarm would have been raised at \(ISO8601.string(time)): "
            + "\(trigger.text), \(value)."
    }
}
