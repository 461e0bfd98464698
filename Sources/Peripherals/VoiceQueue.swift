/// What is to be heard next. Prompts come before the alarm, which fills the time between them: one loudspeaker, one sound at a time.
struct VoiceQueue {
    enum Job: Hashable {
        case prompt(Voice.Prompt)
        case alarm
    }

    /// More prompts than that are old news by the time they are spoken.
    static let promptsMax = 8

    private(set) var prompts: [Voice.Prompt] = []
    private(set) var current: Job?
    private(set) var alarm = false

    /// What a call changes about the sound that is heard, and how many prompts will not be spoken for lack of time.
    struct Change: Hashable {
        var cutsCurrent = false
        var dropped = 0
    }

    mutating func say(_ prompt: Voice.Prompt) -> Change {
        if prompt.isUrgent {
            // What it replaces is not lost by accident, and not told.
            prompts = [prompt]
            return Change(cutsCurrent: current != nil)
        }
        prompts.append(prompt)
        let excess = prompts.count - Self.promptsMax
        guard excess > 0 else { return Change() }
        prompts.removeFirst(excess)
        return Change(dropped: excess)
    }

    mutating func setAlarm(_ on: Bool) -> Change {
        alarm = on
        return Change(cutsCurrent: !on && current == .alarm)
    }

    mutating func silence() -> Change {
        (prompts, alarm) = ([], false)
        return Change(cutsCurrent: current != nil)
    }

    /// The current job is over; the next one begins. nil when there is nothing to be heard.
    mutating func next() -> Job? {
        current = prompts.isEmpty ? (alarm ? .alarm : nil) : .prompt(prompts.removeFirst())
        return current
    }
}
