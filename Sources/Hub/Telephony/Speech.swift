import Foundation
public import Processes

/// Why a message cannot be spoken.
public struct SpeechProblem: Error, Sendable, Hashable, CustomStringConvertible {
    public let description: String
}

/// Makes sound of words, by espeak-ng.
public struct Speech: Sendable {
    /// Is called with `-b 1 -v LANGUAGE -s SPEED -w FILE -f TEXT-FILE`: arguments can be read by everybody on the machine.
    public var program: String
    private let programs: Programs
    /// It is ended after this, milliseconds.
    static let limit: Int64 = 10_000
    /// Words a minute: slow enough for an old person, and the most that is still understood.
    static let speed = 150, speedMax = 210
    /// Characters.
    static let textMax = 4000

    /// - Parameter programs: those that start it.
    public init(program: String = "espeak-ng", programs: Programs = .system) { (self.program, self.programs) = (program, programs) }

    /// - Parameters:
    ///   - language: `en`, `it` …
    ///   - most: milliseconds; a text that takes longer is said faster, as far as it is still understood.
    func sound(_ text: String, language: String, most: Int = .max, in folder: PrivateFolder) throws(SpeechProblem) -> Sound {
        let first = try spoken(text, language, Self.speed, folder)
        guard first.milliseconds > most else { return first }
        let faster = min(Self.speedMax, Self.speed * first.milliseconds / most + 5)
        return try spoken(text, language, faster, folder)
    }

    private func spoken(_ text: String, _ language: String, _ speed: Int, _ folder: PrivateFolder) throws(SpeechProblem) -> Sound {
        let name = "spoken.wav", words = "words.txt", file = "\(folder.path)/\(name)"
        defer { for name in [name, words] { folder.remove(name) } }
        guard folder.write([], to: name), folder.write(Array(text.prefix(Self.textMax).utf8), to: words) else {
            throw SpeechProblem(description: "no sound can be written: make room in /dev/shm")
        }
        try run(["-b", "1", "-v", language, "-s", "\(speed)", "-w", file, "-f", "\(folder.path)/\(words)"])
        guard let bytes = FileManager.default.contents(atPath: file), let sound = Sound(wav: Array(bytes)), !sound.samples.isEmpty else {
            throw SpeechProblem(description: "\(program) wrote no sound: try it by hand: \(program) hello")
        }
        return sound.louder
    }

    private func run(_ arguments: [String]) throws(SpeechProblem) {
        let running: RunningProgram
        do throws(Programs.Failure) {
            running = try programs.start([program] + arguments, environment: ["PATH=/usr/bin:/bin", "LANG=C.UTF-8"], .init())
        } catch {
            let isMissing = error.code == ENOENT
            throw SpeechProblem(
                description: isMissing
                    ? "\(program) is not installed: apt-get install espeak-ng"
                    : "\(program) cannot be started: \(String(cString: strerror(error.code)))")
        }
        let clock = ContinuousClock(), end = clock.now + .milliseconds(Self.limit)
        while true {
            if let ending = running.ending {
                guard ending != .exited(0) else { return }
                throw SpeechProblem(description: "\(program) failed: try it by hand: \(program) hello")
            }
            if clock.now >= end {
                running.send(SIGKILL)
                running.wait()
                throw SpeechProblem(description: "\(program) took longer than \(Self.limit / 1000) s and was ended")
            }
            usleep(10_000)
        }
    }
}

/// The words of a call.
public struct SpokenMessage: Sendable, Hashable {
    /// Said first, and again from the start until the call is given up.
    public var text: String
    /// Said before each repetition.
    public var between: String
    /// Said to whoever pressed 1.
    public var thanks: String
    /// Said to whoever pressed 1 when somebody else had it already.
    public var late: String
    /// `en`, `it` …
    public var language: String
    /// False for news: it is enough that somebody answers.
    public var wantsKey: Bool

    public init(text: String, between: String, thanks: String = "", late: String = "", language: String, wantsKey: Bool = true) {
        (self.text, self.between, self.thanks, self.late) = (text, between, thanks, late)
        (self.language, self.wantsKey) = (language, wantsKey)
    }
}
