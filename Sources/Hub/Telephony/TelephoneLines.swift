import Foundation
public import Processes
import Synchronization
public import Vitals

/// The hub's telephone: a few lines to one trunk. Each call takes one of them for itself.
public final class TelephoneLines: Sendable {
    /// The known state of the lines.
    public enum Condition: Sendable, Hashable {
        /// The number that can call.
        case ready(lines: Int)
        /// None can, with the reason.
        case failed(String)
    }

    private struct State {
        var free: [Int]
        var waiting: [CheckedContinuation<Int, Never>] = []
    }

    private let lines: [Baresip]
    private let trunk: Trunk
    private let speech: Speech
    private let program: String
    private let programs: Programs
    private let state: Mutex<State>
    private let report: @Sendable (Condition) -> Void
    /// That lines have not started yet is no news.
    private let told = Mutex(Condition.failed(PhoneLine.notStarted))
    /// Speech programs run here: they are waited for.
    private let speaking = DispatchQueue(label: "trackme.voice.speech", qos: .userInitiated, attributes: .concurrent)

    /// Of a machine with two cores each line needs about 2 % while it speaks.
    public static let linesMax = 16
    /// A call that has a line is over within this, milliseconds: made speech, dialling, ringing, listening, thanks.
    public static let callMax: Milliseconds =
        60_000 + PhoneLine.dialMax + PhoneLine.ringMax + PhoneLine.keyMax + PhoneLine.thanksMax + PhoneLine.closeMax

    /// - Parameters:
    ///   - count: 1 to ``linesMax``.
    ///   - program: baresip.
    ///   - programs: those that start it.
    ///   - report: is told what is known of the lines, when that changes. Called on a line's thread.
    public init(
        _ trunk: Trunk, count: Int = 2, program: String = "baresip", speech: Speech = Speech(), programs: Programs = .system,
        report: @escaping @Sendable (Condition) -> Void = { _ in }
    ) throws(TrunkProblem) {
        let lines = (0..<max(1, min(Self.linesMax, count))).compactMap { _ in Baresip() }
        guard !lines.isEmpty else {
            throw TrunkProblem(description: "this process has no file descriptor left: raise its limit (LimitNOFILE=)")
        }
        (self.trunk, self.speech, self.program, self.programs) = (trunk, speech, program, programs)
        (self.lines, self.report) = (lines, report)
        state = Mutex(State(free: Array(lines.indices)))
    }

    public var count: Int { lines.count }

    public var condition: Condition {
        let problems = lines.map(\.problem), ready = problems.count { $0 == nil }
        return ready > 0 ? .ready(lines: ready) : .failed(problems.lazy.compactMap(\.self).first ?? "")
    }

    /// The numbers of the processes that run.
    var processes: [Int32] { lines.compactMap { $0.shared.withLock { $0.process } } }

    /// Starts the lines, which register at the trunk.
    public func start() {
        PrivateFolder.cleanUp()
        for line in lines { line.start(trunk, program: program, by: programs) { [weak self] _ in self?.changed() } }
    }

    /// Several lines may find the same: it is told once.
    private func changed() {
        let now = condition
        let isNews = told.withLock { told in
            defer { told = now }
            return told != now
        }
        if isNews { report(now) }
    }

    /// Hangs up, and leaves the trunk.
    public func stop() async {
        await withTaskGroup(of: Void.self) { group in
            for line in lines { group.addTask { await line.stop() } }
        }
    }

    /// Calls a number, when a line is free for it, and returns when it is known how that ended; the line may still say thanks then.
    /// - Parameters:
    ///   - number: digits, with a plus sign before them or without.
    ///   - isWanted: asked each second while nobody has answered.
    ///   - taken: key 1 was pressed. Returns whether they are the one who has it now.
    public func call(
        _ number: String, saying message: SpokenMessage, isWanted: @escaping @Sendable () -> Bool = { true },
        taken: @escaping @Sendable () async -> Bool = { true }
    ) async -> CallOutcome {
        let index = await enter()
        let line = lines[index]
        // All lines are asked: one that works may be free a moment later.
        if case .failed(let why) = condition {
            leave(index)
            return .lineFailed(why)
        }
        guard isWanted() else {
            leave(index)
            return .recalled
        }
        let sounds: CallSounds
        do throws(SpeechProblem) { sounds = try await made(message) } catch {
            leave(index)
            return .lineFailed(error.description)
        }
        return await withCheckedContinuation { continuation in
            let order = PhoneLine.Order(uri: trunk.uri(of: number), wantsKey: message.wantsKey)
            line.call(
                Baresip.Call(
                    order: order, sound: sounds.message, isWanted: isWanted,
                    keyPressed: { Task { line.say(await taken() ? sounds.thanks : sounds.late) } },
                    ended: { continuation.resume(returning: $0) },
                    // The sounds live as long as this closure.
                    over: { [self] in withExtendedLifetime(sounds) { leave(index) } }))
        }
    }

    private func made(_ message: SpokenMessage) async throws(SpeechProblem) -> CallSounds {
        let result = await withCheckedContinuation { (continuation: CheckedContinuation<Result<CallSounds, SpeechProblem>, Never>) in
            speaking.async { [speech] in
                continuation.resume(returning: Result { () throws(SpeechProblem) in try CallSounds(message, speech) })
            }
        }
        return try result.get()
    }

    /// The first line that can call, or the first that comes free.
    private func enter() async -> Int {
        await withCheckedContinuation { continuation in
            let index = state.withLock { state -> Int? in
                guard let place = state.free.firstIndex(where: { lines[$0].problem == nil }) ?? state.free.indices.first else {
                    state.waiting.append(continuation)
                    return nil
                }
                return state.free.remove(at: place)
            }
            if let index { continuation.resume(returning: index) }
        }
    }

    private func leave(_ index: Int) {
        let next = state.withLock { state -> CheckedContinuation<Int, Never>? in
            guard !state.waiting.isEmpty else {
                state.free.append(index)
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume(returning: index)
    }
}

/// The sound files of one call. They go with it.
final class CallSounds: Sendable {
    private let folder: PrivateFolder

    var message: String { "\(folder.path)/message.wav" }
    var thanks: String { "\(folder.path)/thanks.wav" }
    var late: String { "\(folder.path)/late.wav" }

    init(_ message: SpokenMessage, _ speech: Speech) throws(SpeechProblem) {
        do throws(TrunkProblem) { folder = try PrivateFolder() } catch { throw SpeechProblem(description: error.description) }
        // A little longer than key 1 is waited for: a file's end ends the call.
        let whole = Int(PhoneLine.keyMax) + 1000
        let between =
            try message.between.isEmpty
            ? Sound.silence(milliseconds: 0) : speech.sound(message.between, language: message.language, in: folder)
        let most = (Int(PhoneLine.keyMax) - Sound.lead - 2 * Sound.pause - between.milliseconds) / 2
        let text = try speech.sound(message.text, language: message.language, most: most, in: folder)
        // News is said twice, and the call is over.
        let length = message.wantsKey ? whole : min(whole, Sound.lead + 2 * (text.milliseconds + Sound.pause) + between.milliseconds)
        try write(Sound.repeating(text, between: between, milliseconds: length), "message.wav")
        guard message.wantsKey else { return }
        for (words, name) in [(message.thanks, "thanks.wav"), (message.late, "late.wav")] {
            let said = try words.isEmpty ? Sound.silence(milliseconds: 500) : speech.sound(words, language: message.language, in: folder)
            try write(
                Sound(samples: Sound.silence(milliseconds: 300).samples + said.samples + Sound.silence(milliseconds: 500).samples), name)
        }
    }

    private func write(_ sound: Sound, _ name: String) throws(SpeechProblem) {
        guard folder.write(sound.wav, to: name) else { throw SpeechProblem(description: "no sound can be written: make room in /dev/shm") }
    }
}
