import Foundation
import Glibc
import Languages
import Processes
import Sensing
import SourceThread
import Synchronization
import TestSupport
import Testing

@testable import Peripherals

/// Real programs: espeak-ng speaks, and cp stands for the loudspeaker, so that what would be heard can be looked at.
@Suite(.timeLimit(.minutes(2)))
struct VoiceTests {
    private static let speaker = FileManager.default.isExecutableFile(atPath: "/usr/bin/espeak-ng")

    /// A loudspeaker that keeps what it plays.
    private struct Speaker {
        let directory: TemporaryDirectory
        init() throws { directory = try TemporaryDirectory() }
        /// Copies under another name first: a file that is seen is whole.
        var player: [String] {
            let folder = directory.url.path
            return ["sh", "-c", "cp $1 \(folder)/.part && mv --backup=numbered \(folder)/.part \(folder)/$(basename $1)", "sh"]
        }

        func played() -> [URL] {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.url.path)) ?? []
            return names.filter { !$0.hasPrefix(".") }.sorted().map { directory.url.appendingPathComponent($0) }
        }

        func until(_ enough: ([URL]) -> Bool) async throws -> [URL] {
            while true {
                let files = played()
                if enough(files) { return files }
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    private struct Wave {
        let seconds: Double, loudest: Int

        init(_ file: URL) throws {
            let data = [UInt8](try Data(contentsOf: file))
            try #require(data.count > 44 && data.starts(with: Array("RIFF".utf8)) && Array(data[8..<16]) == Array("WAVEfmt ".utf8))
            let rate = data[24..<28].reversed().reduce(0) { $0 << 8 | Int($1) }
            let samples = stride(from: 44, to: data.count - 1, by: 2).map {
                Int(Int16(bitPattern: UInt16(data[$0]) | UInt16(data[$0 + 1]) << 8))
            }
            seconds = Double(samples.count) / Double(rate)
            loudest = samples.map(abs).max() ?? 0
        }
    }

    private func voice(_ speaker: Speaker, _ change: (inout Voice.Configuration) -> Void = { _ in }) -> (Voice, AsyncStream<SourceProblem>)
    {
        var configuration = Voice.Configuration()
        configuration.players = [["trackme-no-such-player"], speaker.player]
        configuration.retryDelay = 20
        change(&configuration)
        let (problems, feed) = AsyncStream.makeStream(of: SourceProblem.self, bufferingPolicy: .bufferingOldest(16))
        return (Voice(configuration: configuration) { feed.yield($0) }, problems)
    }

    @Test("EDGE-12: espeak-ng speaks both languages, and it is no silence", .enabled(if: speaker), arguments: Language.allCases)
    func speaks(language: Language) async throws {
        let speaker = try Speaker()
        let (voice, _) = voice(speaker)
        // A text that looks like an option, and like a command, is only a text.
        voice.say(.init("-x $(touch /nowhere) Is everything all right?", language: language))
        let wave = try Wave(try #require(try await speaker.until { !$0.isEmpty }.first))
        #expect(wave.seconds > 1 && wave.loudest > 5000)
        #expect(voice.problems.isEmpty)
        voice.stop()
    }

    @Test("EDGE-12: the alarm sounds again and again until it is switched off, and prompts are heard between")
    func alarm() async throws {
        let speaker = try Speaker(), recordings = try TemporaryDirectory()
        try Data("a recording".utf8).write(to: recordings.url.appendingPathComponent("hello.it.wav"))
        let (voice, _) = voice(speaker) { $0.recordings = recordings.url.path }
        voice.alarm(true)
        let files = try await speaker.until { $0.count >= 3 }
        let wave = try Wave(try #require(files.first))
        #expect(wave.seconds == 3 && (26_000 * 40 / 100...26_000).contains(wave.loudest))
        voice.say(.init("Ciao", language: .italian, key: "hello"))
        let recording = try await speaker.until { $0.contains { $0.lastPathComponent == "hello.it.wav" } }
        #expect(recording.count >= 4)
        voice.alarm(false)
        // Ends as soon as the sound that is played has ended.
        var before = -1
        while before != speaker.played().count {
            before = speaker.played().count
            try await Task.sleep(for: .milliseconds(300))
        }
        voice.stop()
    }

    @Test("EDGE-12: an urgent prompt cuts what is played, and replaces what waits")
    func urgent() async throws {
        let speaker = try Speaker(), recordings = try TemporaryDirectory()
        for key in ["old", "waiting", "urgent"] { try Data().write(to: recordings.url.appendingPathComponent("\(key).en.wav")) }
        let (voice, problems) = voice(speaker) {
            $0.recordings = recordings.url.path
            // The first that is played hangs, like a sound system that waits for its device.
            $0.players = [["sh", "-c", "case $1 in *old*) sleep 60;; esac; exec cp -t \(speaker.directory.url.path) $1", "sh"]]
        }
        let start = Boottime.now()
        voice.say(.init("", language: .english, key: "old"))
        voice.say(.init("", language: .english, key: "waiting"))
        try await Task.sleep(for: .milliseconds(100))
        voice.say(.init("", language: .english, key: "urgent", isUrgent: true))
        let files = try await speaker.until { !$0.isEmpty }
        #expect(files.map(\.lastPathComponent) == ["urgent.en.wav"])
        #expect(Boottime.now() - start < 30_000)
        #expect(voice.problems.isEmpty)
        withExtendedLifetime(problems) { voice.stop() }
    }

    @Test("EDGE-12: a missing speaker, a missing player and one that fails are told once, with what to do")
    func problems() async throws {
        let speaker = try Speaker()
        let (silent, told) = voice(speaker) { $0.players = [["trackme-no-such-player"]] }
        var iterator = told.makeAsyncIterator()
        silent.alarm(true)
        let missing = await iterator.next()
        #expect(missing?.what == "Nothing can be heard: none of trackme-no-such-player is installed")
        try await Task.sleep(for: .milliseconds(200))
        silent.stop()
        #expect(silent.problems == [missing])

        let (mute, others) = voice(speaker) {
            $0.speaker = ["trackme-no-such-speaker"]
            $0.players = [["cp", "--no-such-option"]]
        }
        var next = others.makeAsyncIterator()
        mute.say(.init("one", language: .english))
        mute.say(.init("two", language: .english))
        #expect(await next.next()?.advice == "Install it: apt-get install espeak-ng")
        mute.alarm(true)
        #expect(await next.next()?.what.hasPrefix("Nothing can be heard: cp: it ended with 1: cp: unrecognized option") == true)
        mute.stop()
    }

    @Test("EDGE-12: a program that hangs is ended, and the next is tried")
    func hangs() async throws {
        let speaker = try Speaker()
        let (voice, _) = voice(speaker) {
            $0.limit = 300
            $0.players = [["tail", "-f", "/dev/null"], speaker.player]
        }
        voice.alarm(true)
        _ = try await speaker.until { !$0.isEmpty }
        voice.stop()
    }

    @Test("EDGE-12: a program that floods its standard error is ended in time all the same")
    func floods() throws {
        let cut = try #require(StopSignal())
        let program = ["sh", "-c", "for i in 1 2 3 4; do yes >&2 & done; wait"]
        #expect(ChildProcess.run(program, by: .system, limit: 300, cut: cut) == .timedOut)
        // A pipe may run empty for a moment; this does not.
        let directory = try TemporaryDirectory(), path = directory.url.appendingPathComponent("words").path
        try Data(count: 1 << 20).write(to: URL(fileURLWithPath: path))
        let endless = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(endless) }
        var said: [UInt8] = []
        ChildProcess.listen(to: endless, &said)
        #expect(said.count == 4096 && lseek(endless, 0, SEEK_CUR) == 16 * 4096)
    }

    /// What this process has used, in milliseconds.
    private static var processorTime: Int {
        var used = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &used)
        return [used.ru_utime, used.ru_stime].reduce(0) { $0 + Int($1.tv_sec) * 1000 + Int($1.tv_usec) / 1000 }
    }

    @Test("EDGE-12: an alarm without a descriptor left is told, tried on, and takes no processor")
    func descriptors() async {
        await #expect(processExitsWith: .success) {
            var limit = rlimit(rlim_cur: 0, rlim_max: 0)
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            var none = rlimit(rlim_cur: 3, rlim_max: limit.rlim_max)
            let told = Mutex(0)
            let voice = Voice { _ in told.withLock { $0 += 1 } }
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none)
            voice.alarm(true)
            let before = Self.processorTime
            usleep(1_500_000)
            let used = Self.processorTime - before
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            exit(used < 200 && told.withLock(\.self) == 1 ? 0 : 1)
        }
    }

    @Test("EDGE-12: of too many prompts the oldest are left out, and that is counted")
    func queue() {
        var queue = VoiceQueue()
        let prompts = (0..<10).map { Voice.Prompt("\($0)", language: .english) }
        #expect(prompts.map { queue.say($0).dropped } == [0, 0, 0, 0, 0, 0, 0, 0, 1, 1])
        #expect(queue.prompts == Array(prompts[2...]))
        for prompt in prompts[2...] { #expect(queue.next() == .prompt(prompt)) }
        #expect(queue.next() == nil)
    }

    @Test("SOS-4: an alarm that begins cuts what is merely told and leaves out what waits; urgent words come first, and later ones between")
    func alarmBegins() {
        var queue = VoiceQueue()
        let told = (0..<3).map { Voice.Prompt("\($0)", language: .english) }
        for prompt in told { _ = queue.say(prompt) }
        #expect(queue.next() == .prompt(told[0]))
        #expect(queue.setAlarm(true) == VoiceQueue.Change(cutsCurrent: true))
        #expect(queue.next() == .alarm(percent: 40))
        _ = queue.say(told[1])
        #expect(!queue.setAlarm(true, by: 1).cutsCurrent && queue.prompts == [told[1]])
        #expect(queue.next() == .prompt(told[1]))
        #expect(queue.next() == .alarm(percent: 55))
        _ = queue.setAlarm(false)
        #expect(queue.setAlarm(false, by: 1).cutsCurrent)
        #expect(queue.next() == nil)

        let urgent = Voice.Prompt("urgent", language: .english, isUrgent: true)
        for prompt in [urgent, told[0]] { _ = queue.say(prompt) }
        #expect(!queue.setAlarm(true).cutsCurrent && queue.prompts == [urgent])
        #expect(queue.next() == .prompt(urgent))
        _ = queue.setAlarm(false)
        #expect(!queue.setAlarm(true).cutsCurrent)
        #expect(queue.next() == .alarm(percent: 40))
    }

    @Test("EDGE-12: what belongs to the service alone is not handed to its children")
    func environment() throws {
        let file = try TemporaryDirectory(), path = file.url.appendingPathComponent("environment").path
        let cut = try #require(StopSignal())
        setenv("CREDENTIALS_DIRECTORY", "/run/credentials/trackme", 1)
        defer { unsetenv("CREDENTIALS_DIRECTORY") }
        let program = ["sh", "-c", "{ env; ls /proc/self/fd; } > \(path)"]
        #expect(ChildProcess.run(program, by: .system, limit: 20_000, cut: cut) == .succeeded)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.contains("PATH=") && !text.contains("CREDENTIALS_DIRECTORY"))
        // Standard input, output and error, and the directory that ls reads.
        #expect(text.split(separator: "\n").count { Int($0) != nil } <= 4)
        #expect(ChildProcess.run(["sh", "-c", "kill -9 $$"], by: .system, limit: 20_000, cut: cut) == .failed("it was ended by signal 9"))
    }
}
