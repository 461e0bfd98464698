/// The next sound: one loudspeaker, one sound at a time. An alarm that begins waits for urgent prompts alone, and leaves out the
/// others; then it fills the time between prompts.
struct VoiceQueue {
    enum Job: Hashable {
        case prompt(Voice.Prompt)
        case alarm(percent: Int)
        /// Between two tones of the alarm.
        case words(Voice.Prompt)

        var isOfAlarm: Bool {
            if case .prompt = self { return false }
            return true
        }
    }

    /// More prompts than that are old news by the time they are spoken.
    static let promptsMax = 8

    private(set) var prompts: [Voice.Prompt] = []
    private(set) var current: Job?
    private var siren: Siren?
    /// Who switched the alarm on, the last one last: its words are said, and it sounds until the last one has had enough.
    private var holders: [(id: UInt64, words: Voice.Prompt?)] = []

    /// The effect of a call on the sound that is heard, and how many prompts will not be spoken for lack of time.
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

    /// An alarm that sounds already goes on as loud as it is, with these words.
    mutating func setAlarm(_ on: Bool, by holder: UInt64 = 0, words: Voice.Prompt? = nil) -> Change {
        holders.removeAll { $0.id == holder }
        if on { holders.append((holder, words)) }
        guard let last = holders.last else {
            siren = nil
            return Change(cutsCurrent: current?.isOfAlarm == true)
        }
        guard siren == nil else {
            siren?.words = last.words
            return Change()
        }
        siren = Siren(words: last.words)
        prompts.removeAll { !$0.isUrgent }
        guard case .prompt(let prompt)? = current else { return Change() }
        return Change(cutsCurrent: !prompt.isUrgent)
    }

    mutating func wordsFailed() { siren?.wordsFailed() }

    mutating func silence() -> Change {
        (prompts, siren, holders) = ([], nil, [])
        return Change(cutsCurrent: current != nil)
    }

    /// The current job is over; the next one begins. nil when there is nothing to be heard.
    mutating func next() -> Job? {
        current = prompts.isEmpty ? siren?.next() : .prompt(prompts.removeFirst())
        return current
    }
}
