internal import Logging
internal import Monitoring
internal import Peripherals
internal import Seams
internal import Sensing
internal import SyncProtocol

/// Announcements to people next to the box.
struct Announcer: Sendable {
    let voice: Voice?
    let words: Wording

    /// Without a voice everything is silent.
    /// - Parameters:
    ///   - sound: the programs that speak and play.
    ///   - machine: by which they are started.
    init(_ configuration: AgentConfiguration, sound: Voice.Configuration = .init(), machine: Machine = .system, logger: Logger) {
        words = Wording(configuration.language)
        var sound = sound
        (sound.recordings, sound.programs) = (configuration.voice.recordings, machine.programs)
        voice = configuration.voice.isEnabled ? Voice(configuration: sound) { problem in logger.warning("\(problem)") } : nil
    }

    /// The obstacle that keeps the box from being heard, as of the last try; nothing where it shall be silent.
    var problems: [SourceProblem] { voice?.problems ?? [] }

    func tell(_ notice: Notice) { say(words.say(notice), key: notice.rawValue) }

    /// The words under a key that begins with `prompt.`.
    /// - Parameters:
    ///   - values: what stands in their braces.
    ///   - recorded: the key under which the owner may have recorded them, where it is another one.
    func prompt(_ key: String, _ values: [String: String] = [:], key recorded: String? = nil) {
        say(words(key, values), key: recorded ?? key, isUrgent: true)
    }

    /// Their data was erased here. Nothing for nobody.
    func tell(gone people: [BoundPerson]) {
        guard !people.isEmpty else { return }
        prompt("prompt.gone", ["names": people.map(\.name).joined(separator: ", ")])
    }

    private func say(_ text: String, key: String, isUrgent: Bool = false) {
        guard !text.isEmpty else { return }
        voice?.say(Voice.Prompt(text, language: words.language, key: key, isUrgent: isUrgent))
    }

    /// The tone that brings whoever is near; it goes on until it is ended.
    /// - Parameter key: of the words between two tones; nil for none.
    func alarm(_ isOn: Bool, saying key: String? = nil, _ values: [String: String] = [:]) {
        voice?.alarm(
            isOn, saying: key.map { Voice.Prompt(words($0, values), language: words.language, key: $0) })
    }

    func stop() { voice?.stop() }
}
