import Dispatch
import Glibc
public import Languages
public import Processes
public import Sensing
import SourceThread
import Synchronization
public import Vitals

/// Speaks to the wearer and sounds the alarm, by programs that the box has: espeak-ng makes the sound, a player of the sound system
/// plays it. All calls return at once.
public final class Voice: Sendable {
    /// Something to be said.
    public struct Prompt: Sendable, Hashable {
        /// At most the first 500 characters are spoken.
        public var text: String
        public var language: Language
        /// The name of a recording that is played instead, where ``Configuration/recordings`` has KEY.LANGUAGE.wav.
        public var key: String?
        /// Is heard at once: it cuts what is being said, and replaces what waits.
        public var isUrgent: Bool

        public init(_ text: String, language: Language, key: String? = nil, isUrgent: Bool = false) {
            self.text = text
            self.language = language
            self.key = key
            self.isUrgent = isUrgent
        }
    }

    public struct Configuration: Sendable {
        /// Speaks into a file: `-v LANGUAGE -w FILE -- TEXT` is added.
        public var speaker = ["espeak-ng"]
        /// Play a file whose name is added. The first that is there and succeeds is used.
        public var players = [["pw-play"], ["paplay"], ["aplay", "-q"]]
        /// A folder with recordings that are played instead of speech.
        public var recordings: String?
        /// A program that takes longer is ended, in milliseconds.
        public var limit: Milliseconds = 30_000
        /// Pause between two tries when the alarm cannot be played, in milliseconds.
        public var retryDelay: Milliseconds = 3000
        /// Those that start speaker and players.
        public var programs = Programs.system

        /// The usual programs.
        public init() {}
    }

    private struct State {
        var queue = VoiceQueue()
        var cut: StopSignal?
        var isWorking = false
        var overflows = false
        /// Of those who switched the alarm on.
        var heard: [UInt64: @Sendable (SourceProblem?) -> Void] = [:]
        var problems: [VoiceOutput.Part: SourceProblem] = [:]
    }

    private let configuration: Configuration
    private let report: @Sendable (SourceProblem) -> Void
    private let state = Mutex(State())
    private let worker = PeripheralQueue.voice()

    /// - Parameter report: takes why something is not heard, once until it changes or is over. Called on a thread of its own.
    public init(configuration: Configuration = Configuration(), report: @escaping @Sendable (SourceProblem) -> Void = { _ in }) {
        self.configuration = configuration
        self.report = report
    }

    deinit { _ = state.withLock { $0.cut?.stop() } }

    /// The obstacle that keeps speech or sound from being heard, as of the last try.
    public var problems: [SourceProblem] {
        state.withLock { state in VoiceOutput.Part.allCases.compactMap { state.problems[$0] } }
    }

    /// Says it after what waits already; of more than eight prompts that wait, the oldest are left out and that is reported.
    public func say(_ prompt: Prompt) { change { $0.say(prompt) } }

    /// Sounds the alarm again and again, between prompts, louder each time, until all who switched it on have switched it off. It is heard
    /// at once: what is said or waits then, and is not urgent, is left out.
    ///
    /// - Parameters:
    ///   - holder: who switches it: one who has enough silences nobody else's.
    ///   - words: said between two tones; where that fails the tone goes on without.
    ///   - heard: called after each tone, with what keeps it from being heard, or nil. On a thread of its own.
    public func alarm(
        _ on: Bool, by holder: UInt64 = 0, saying words: Prompt? = nil, heard: (@Sendable (SourceProblem?) -> Void)? = nil
    ) {
        state.withLock { $0.heard[holder] = on ? heard : nil }
        change { $0.setAlarm(on, by: holder, words: words) }
    }

    /// Silence from here on: nothing waits any more, the alarm is off, and what is heard ends.
    public func stop() {
        state.withLock { $0.heard = [:] }
        change { $0.silence() }
    }

    private func change(_ body: (inout VoiceQueue) -> VoiceQueue.Change) {
        let (starts, overflows) = state.withLock { state in
            let change = body(&state.queue)
            if change.cutsCurrent { state.cut?.stop() }
            let overflows = change.dropped > 0 && !state.overflows
            if change.dropped > 0 { state.overflows = true }
            defer { state.isWorking = true }
            return (!state.isWorking, overflows)
        }
        if starts { worker.async { self.work() } }
        guard overflows else { return }
        report(
            SourceProblem(
                what: "More than \(VoiceQueue.promptsMax) prompts wait to be spoken: the oldest are left out",
                advice: "Look whether the loudspeaker's program hangs", retries: true))
    }

    /// Ends when there is nothing to be heard.
    private func work() {
        var output = VoiceOutput(configuration)
        while let (job, cut) = begin() {
            guard let cut else {
                let what = "This process has no file descriptor left: nothing can be heard"
                tell(.sound, SourceProblem(what: what, advice: "Raise its limit (LimitNOFILE=)", retries: true))
                // Without a signal nothing can cut this short.
                usleep(UInt32(clamping: max(20, min(configuration.retryDelay, 3000)) * 1000))
                continue
            }
            let result = output.perform(job, cut: cut)
            for (part, problem) in result { tell(part, problem) }
            follow(job, result)
            if case .alarm = job, result[.sound] != .some(nil) { _ = cut.wait(milliseconds: configuration.retryDelay) }
        }
    }

    private func follow(_ job: VoiceQueue.Job, _ result: VoiceOutput.Result) {
        switch job {
        case .alarm:
            guard let sound = result[.sound] else { return }
            for heard in state.withLock({ Array($0.heard.values) }) { heard(sound) }
        case .words: if case .some(.some) = result[.speech] { state.withLock { $0.queue.wordsFailed() } }
        case .prompt: break
        }
    }

    private func begin() -> (VoiceQueue.Job, StopSignal?)? {
        state.withLock { state in
            guard let job = state.queue.next() else {
                (state.isWorking, state.cut, state.overflows) = (false, nil, false)
                return nil
            }
            state.cut = StopSignal()
            return (job, state.cut)
        }
    }

    private func tell(_ part: VoiceOutput.Part, _ problem: SourceProblem?) {
        let isNews = state.withLock { state in
            defer { state.problems[part] = problem }
            return problem != nil && problem != state.problems[part]
        }
        if isNews, let problem { report(problem) }
    }
}
