/// The alarm's course: the tone, louder from time to time, and words between two tones. Goes on for ever.
struct Siren {
    /// Percent of the full loudness, one tone after the other: who is near is not frightened, and who is far is reached in the end.
    static let loudness = [40, 55, 70, 85, 100]
    /// Words that could not be made are left out for so many turns: the tone does not wait for them.
    private static let turnsWithoutWords = 10

    var words: Voice.Prompt?
    private var tones = 0
    private var wordsAreNext = false
    private var silentTurns = 0

    init(words: Voice.Prompt?) { self.words = words }

    mutating func next() -> VoiceQueue.Job {
        if wordsAreNext, let words {
            wordsAreNext = false
            return .words(words)
        }
        silentTurns = max(0, silentTurns - 1)
        wordsAreNext = silentTurns == 0
        defer { tones += 1 }
        return .alarm(percent: Self.loudness[min(tones, Self.loudness.count - 1)])
    }

    mutating func wordsFailed() { silentTurns = Self.turnsWithoutWords }
}
