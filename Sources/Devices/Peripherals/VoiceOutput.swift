import Glibc
import Languages
import Sensing
import SourceThread

/// Makes what ``Voice`` shall say heard, one job after the other. For one thread; its files go with it.
struct VoiceOutput: ~Copyable {
    /// A part that can fail by itself.
    enum Part: Hashable, CaseIterable {
        case speech
        case sound
    }

    /// Each part that was tried, and why it failed; nil for what was heard. A job that was cut tells nothing.
    typealias Result = [Part: SourceProblem?]

    /// The alarm's tone does not wait longer for words to be made, in milliseconds.
    private static let wordsLimit: Int64 = 5000

    private let configuration: Voice.Configuration
    /// nil when none could be made.
    private let folder: String?
    /// The player that worked the last time.
    private var player = 0

    init(_ configuration: Voice.Configuration) {
        self.configuration = configuration
        folder = Self.makeFolder()
    }

    deinit {
        guard let folder else { return }
        for name in ["prompt.wav", "alarm.wav"] { unlink("\(folder)/\(name)") }
        rmdir(folder)
    }

    mutating func perform(_ job: VoiceQueue.Job, cut: StopSignal) -> Result {
        switch job {
        case .alarm(let percent): alarm(percent, cut)
        case .prompt(let prompt): speak(prompt, cut)
        case .words(let words): speak(words, cut, limit: min(configuration.limit, Self.wordsLimit))
        }
    }

    private mutating func alarm(_ percent: Int, _ cut: StopSignal) -> Result {
        guard let folder else { return [.sound: Self.noFolder] }
        let file = "\(folder)/alarm.wav"
        guard Self.write(AlarmTone.wav(percent: percent), to: file) else { return [.sound: Self.noFolder] }
        return play(file, cut)
    }

    private mutating func speak(_ prompt: Voice.Prompt, _ cut: StopSignal, limit: Int64? = nil) -> Result {
        if let key = prompt.key, let recordings = configuration.recordings {
            let file = "\(recordings)/\(key).\(prompt.language.rawValue).wav"
            if access(file, R_OK) == 0 { return play(file, cut) }
        }
        guard let folder else { return [.speech: Self.noFolder] }
        let file = "\(folder)/prompt.wav"
        let options = ["-v", prompt.language.rawValue, "-w", file, "--", String(prompt.text.prefix(500))]
        let program = configuration.speaker.first ?? ""
        func problem(_ why: String, _ advice: String) -> Result {
            [.speech: SourceProblem(what: "Prompts are not spoken: \(program) \(why)", advice: advice, retries: true)]
        }
        switch ChildProcess.run(
            configuration.speaker + options, by: configuration.programs, limit: limit ?? configuration.limit, cut: cut)
        {
        case .succeeded: return play(file, cut).merging([.speech: nil]) { played, _ in played }
        case .cut: return [:]
        case .missing: return problem("is not installed", "Install it: apt-get install espeak-ng")
        case .timedOut: return problem("took too long and was ended", "Look what else loads this box")
        case .failed(let why): return problem("failed: \(why)", "Try it by hand: \(program) hello")
        }
    }

    private mutating func play(_ file: String, _ cut: StopSignal) -> Result {
        var failures: [String] = []
        let count = configuration.players.count
        for index in (0..<count).map({ ($0 + player) % count }) {
            let command = configuration.players[index], name = command.first ?? ""
            switch ChildProcess.run(command + [file], by: configuration.programs, limit: configuration.limit, cut: cut) {
            case .succeeded:
                player = index
                return [.sound: nil]
            case .cut: return [:]
            case .missing: continue
            case .timedOut: failures.append("\(name) took too long and was ended")
            case .failed(let why): failures.append("\(name): \(why)")
            }
        }
        let names = configuration.players.compactMap(\.first).joined(separator: ", ")
        guard !failures.isEmpty else {
            return [
                .sound: SourceProblem(
                    what: "Nothing can be heard: none of \(names) is installed",
                    advice: "Install one: apt-get install alsa-utils (or pipewire-bin)", retries: true)
            ]
        }
        return [
            .sound: SourceProblem(
                what: "Nothing can be heard: \(failures.joined(separator: "; "))",
                advice: "Connect a loudspeaker (aplay -l lists them), and add the agent's user to the group audio", retries: true)
        ]
    }

    static let noFolder = SourceProblem(
        what: "Nothing can be heard: no temporary file can be written", advice: "Make room in /run or /tmp", retries: true)

    /// In memory where there is such a place: speech need not wear the card.
    static func makeFolder() -> String? {
        func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
        let service = variable("RUNTIME_DIRECTORY")?.split(separator: ":").first.map(String.init)
        for place in [service, variable("XDG_RUNTIME_DIR"), variable("TMPDIR"), "/tmp"].compactMap(\.self) {
            var template = Array("\(place)/trackme-voice-XXXXXX".utf8CString)
            if mkdtemp(&template) != nil { return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self) }
        }
        return nil
    }

    static func write(_ bytes: [UInt8], to file: String) -> Bool {
        let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return Glibc.write(descriptor, bytes, bytes.count) == bytes.count
    }
}
