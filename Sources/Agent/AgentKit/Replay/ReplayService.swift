internal import Crypto
internal import Distress
internal import Foundation
internal import Logging
internal import SampleBuffer
internal import Seams
internal import Sensing
internal import ServiceLifecycle
internal import SyncProtocol
internal import Synchronization
public import Vitals

/// Options of `trackme-agent replay`.
public struct ReplayOptions: Sendable {
    public var nmea: String?
    public var bluetooth: String?
    public var speed: ReplaySpeed
    /// Identifier or name; nil for the only one.
    public var person: String?
    /// Added to the times of the Bluetooth capture.
    public var offset: Milliseconds
    /// Added to all times. It does not belong to what is played: a replay that was interrupted may go on with another one.
    public var shift: Milliseconds
    /// The attribute handle of the heart rate, where the capture does not tell it.
    public var handle: UInt16?
    /// Play what was played before once more, in a new stream.
    public var again: Bool
    /// Do not wait for the hub at the end.
    public var once: Bool
    /// A file with the expected result, as ``result`` is written.
    public var expected: String?
    /// A file to write: events, questions, alarms and endings.
    public var result: String?

    public init(
        nmea: String?, bluetooth: String?, speed: ReplaySpeed, person: String? = nil, offset: Milliseconds = 0, shift: Milliseconds = 0,
        handle: UInt16? = nil, again: Bool = false, once: Bool = false, expected: String? = nil, result: String? = nil
    ) {
        self.nmea = nmea
        self.bluetooth = bluetooth
        self.speed = speed
        self.person = person
        self.offset = offset
        self.shift = shift
        self.handle = handle
        self.again = again
        self.once = once
        self.expected = expected
        self.result = result
    }
}

/// A replay that may begin: files known to be usable, their digests taken, progress of an earlier attempt known.
struct PreparedReplay: Sendable {
    var options: ReplayOptions
    var person: PersonID
    var id: ReplayID
    /// The part that is in the buffer already.
    var done: ReplayProgress
    /// Everything is in the buffer, and some of it still has to get to the hub.
    var isPlayed = false
    var guess: HandleGuess?
    /// The name of the recording: of its files and of what changes them, whoever plays it.
    var recordingID: StreamID

    init(_ options: ReplayOptions, identity: Identity, buffer: SampleBuffer, clock: BoxClock) throws {
        guard options.nmea != nil || options.bluetooth != nil else {
            throw AgentProblem("There is nothing to replay", advice: "Give --nmea FILE, --ble FILE, or both")
        }
        self.options = options
        person = try identity.person(options.person).person
        guess = try Self.survey(options)
        func file(_ path: String?) throws -> ReplayFile? {
            try path.map { ReplayFile(digest: try InputFile.digest(of: $0), name: URL(fileURLWithPath: $0).lastPathComponent) }
        }
        let specification = ReplaySpecification(
            person: person, nmea: try file(options.nmea), ble: try file(options.bluetooth), offset: options.offset, handle: options.handle)
        recordingID = Self.recordingID(specification)
        switch try buffer.beginReplay(specification, again: options.again, utc: clock.utc()) {
        case .fresh(let id): (self.id, done) = (id, ReplayProgress())
        case .resumed(let id, let progress): (self.id, done) = (id, progress)
        case .alreadyFinished(let id, _, _, isWaiting: true):
            (self.id, done, isPlayed) = (id, ReplayProgress(), true)
        case .alreadyFinished(_, let utc, let name, _):
            throw AgentProblem(
                "\(name) was replayed on \(ISO8601.string(utc))",
                advice: "Use --again to replay it once more; the hub will then have it twice, in two streams")
        case .playedOtherwise(let utc, let name):
            throw AgentProblem(
                "A replay of \(name) was begun on \(ISO8601.string(utc)) with other files or options",
                advice: "Give the same files, --offset and --ble-handle to go on with it, or --again to begin anew")
        }
    }

    private static func recordingID(_ specification: ReplaySpecification) -> StreamID {
        var hash = SHA256()
        hash.update(data: Array("trackme recording 1".utf8))
        for file in [specification.nmea, specification.ble] {
            hash.update(data: [file == nil ? 0 : 1])
            hash.update(data: file?.digest ?? [])
        }
        withUnsafeBytes(of: specification.offset.littleEndian) { hash.update(bufferPointer: $0) }
        withUnsafeBytes(of: (specification.handle ?? 0).littleEndian) { hash.update(bufferPointer: $0) }
        return hash.finalize().withUnsafeBytes {
            StreamID(
                high: UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)),
                low: UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
        }
    }

    /// Reads the files to their ends: what cannot be used must not be remembered as begun, and captures without discovery tell their
    /// handle only as a whole.
    private static func survey(_ options: ReplayOptions) throws -> HandleGuess? {
        if let path = options.nmea {
            var reader = try RecordingReader(nmea: path)
            while try reader.next() != nil {}
        }
        guard let path = options.bluetooth else { return nil }
        var reader = try RecordingReader(bluetooth: path, options: .init(handle: options.handle))
        while try reader.next() != nil {}
        return options.handle == nil ? reader.guess : nil
    }

    func recording() throws -> MergedRecording {
        try MergedRecording(
            nmea: options.nmea.map { try RecordingReader(nmea: $0) },
            bluetooth: options.bluetooth.map {
                try RecordingReader(bluetooth: $0, options: .init(handle: options.handle, guess: guess))
            },
            offset: options.offset, shift: options.shift)
    }
}

/// Plays a recording into the recorder, and ends when the hub has everything.
final class ReplayService: Service {
    /// More segments than this wait for the hub: the recording waits too.
    static let backlogMax = 50_000

    private let backlogMax: Int
    /// Values that no sensor can have measured.
    private let implausible = Mutex(0)
    private let replay: PreparedReplay
    private let recorder: Recorder
    private let sync: SyncService
    private let clock: BoxClock
    private let say: @Sendable (String) -> Void
    /// With which AutomatedSOS watches the recording; nil: it does not.
    private let distress: DistressSettings?
    private let sleep: @Sendable (Duration) async throws -> Void

    /// - Parameter sleep: waits between two events of the recording; nil for the machine's.
    init(
        _ replay: PreparedReplay, recorder: Recorder, sync: SyncService, clock: BoxClock, backlogMax: Int = backlogMax,
        distress: DistressSettings? = nil, sleep: (@Sendable (Duration) async throws -> Void)? = nil,
        say: @escaping @Sendable (String) -> Void
    ) {
        self.distress = distress
        self.sleep = sleep ?? { try await clock.machine.sleep(for: $0) }
        self.replay = replay
        self.backlogMax = backlogMax
        self.recorder = recorder
        self.sync = sync
        self.clock = clock
        self.say = say
    }

    func run() async throws {
        let isWhole = try await cancelWhenGracefulShutdown {
            if self.replay.isPlayed {
                self.say("These files were replayed to their end before; sending what the hub has not acknowledged yet.")
                var display = ProgressDisplay(clock: self.clock, say: self.say), result = try self.readAgain()
                let isDelivered = try await self.deliver(nil, &display)
                try result.compare(say: self.say)
                return isDelivered
            }
            return try await self.play()
        }
        if isWhole { return }
        try? await recorder.seal()
        say("Stopped. The same command goes on from here.")
    }

    /// False when it was stopped before the end.
    private func play() async throws -> Bool {
        var recording = try replay.recording()
        announce(recording)
        var pace = ReplayPace(replay.options.speed), display = ProgressDisplay(clock: clock, say: say)
        var result = try result()
        while let event = try recording.next() {
            try result.take(event).forEach(say)
            let progress = recording.progress
            let isSealed = try isSealed(event, progress)
            if !isSealed {
                let (wait, skipped) = pace.wait(for: event.time, at: clock.boottime())
                if skipped > 0 { say("The recording has a hole; \(skipped / 1000) s of it are not waited for.") }
                // Within a few milliseconds nobody sees a difference, and sleeping costs more.
                if wait > 5 { try? await sleep(.milliseconds(wait)) }
            }
            if Task.isCancelled { return false }
            do {
                try await recorder.replay(event, of: replay.person, progress: progress, sealed: isSealed)
            } catch {
                guard try await sealAgain(progress.position, &display) else { return false }
            }
            implausible.withLock { $0 += event.implausible }
            if display.isDue {
                try await display.show(progress.position, recorder, sync)
                guard try await waitForBacklog(progress.position, &display) else { return false }
            }
        }
        try result.end().forEach(say)
        let isDelivered = try await end(recording, &display)
        try result.compare(say: say)
        return isDelivered
    }

    private func result() throws(AgentProblem) -> ReplayResult {
        try ReplayResult(
            expected: replay.options.expected, writingTo: replay.options.result,
            watched: distress.map { WatchedReplay(stream: replay.recordingID, settings: $0) })
    }

    /// The result of what was played before.
    private func readAgain() throws -> ReplayResult {
        var result = try result()
        guard replay.options.expected != nil || replay.options.result != nil else { return result }
        var recording = try replay.recording()
        while let event = try recording.next() { _ = try result.take(event) }
        _ = try result.end()
        return result
    }

    /// Whether an earlier attempt sealed this event.
    private func isSealed(_ event: RecordedEvent, _ progress: ReplayProgress) throws -> Bool {
        let count: Int64, offset: Int64, done: Int64, doneOffset: Int64
        switch event.kind {
        case .position:
            (count, offset) = (progress.nmeaEvents, progress.nmeaOffset)
            (done, doneOffset) = (replay.done.nmeaEvents, replay.done.nmeaOffset)
        case .heartRate:
            (count, offset) = (progress.bleEvents, progress.bleOffset)
            (done, doneOffset) = (replay.done.bleEvents, replay.done.bleOffset)
        }
        if count == done, offset != doneOffset {
            throw AgentProblem(
                "This version reads the recording differently from the one that began the replay",
                advice: "Use --again to replay it from its start")
        }
        return count <= done
    }

    /// Waits until the disk takes samples again; false when stopped meanwhile. Throws when nothing can free the disk any more, because
    /// what waits is no longer sent.
    private func sealAgain(_ position: Milliseconds?, _ display: inout ProgressDisplay) async throws -> Bool {
        while !Task.isCancelled {
            try? await clock.machine.sleep(for: .seconds(2))
            do {
                try await recorder.seal()
                return true
            } catch {
                // Salvage could not bring the replay back: it cannot go on where it was.
                if case .missing = error { throw error }
                try requireSending("The disk takes nothing and nothing is sent that could free it")
                if display.isDue { try? await display.show(position, recorder, sync) }
            }
        }
        return false
    }

    /// Waits until the hub has most of what was played; false when stopped meanwhile. With --once nobody waits for the hub.
    private func waitForBacklog(_ position: Milliseconds?, _ display: inout ProgressDisplay) async throws -> Bool {
        while !replay.options.once {
            let waiting = try await recorder.waiting().segments
            guard waiting > backlogMax else { break }
            try requireSending("\(waiting) segments were not sent")
            if display.isDue { try await display.show(position, recorder, sync) }
            try? await clock.machine.sleep(for: .milliseconds(200))
            if Task.isCancelled { return false }
        }
        return true
    }

    /// Throws when the uploader will not try again before somebody acts.
    private func requireSending(_ what: String) throws(AgentProblem) {
        guard case .stopped(let reason) = sync.snapshot.status else { return }
        throw AgentProblem(
            "\(what): \(reason)", advice: "What was played waits in the buffer; the same command goes on from there")
    }

    private func end(_ recording: MergedRecording, _ display: inout ProgressDisplay) async throws -> Bool {
        var progress = recording.progress
        progress.finished = clock.utc()
        var isStored = false
        while !isStored {
            do {
                try await recorder.finish(progress, skipped: recording.skipped, of: replay.person)
                isStored = true
            } catch {
                guard try await sealAgain(progress.position, &display) else { return false }
            }
        }
        say(recording.report)
        let implausible = implausible.withLock { $0 }
        if implausible > 0 { say("left out: \(implausible) x value that nothing alive and nobody on Earth has") }
        let thinned = recorder.thinned.count
        if thinned > 0 {
            say(
                "left out: \(thinned) x sample beyond what is kept of any 10 s (\(SampleDensity.heartRatesMax) heart rates, "
                    + "\(SampleDensity.positionsMax) positions, \(SampleDensity.eventsMax) events)")
        }
        return try await deliver(progress.position, &display)
    }

    /// Waits until the hub has everything; true also when stopped meanwhile, because nothing is left to play.
    private func deliver(_ position: Milliseconds?, _ display: inout ProgressDisplay) async throws -> Bool {
        while !replay.options.once {
            let waiting = try await recorder.waiting()
            if waiting.segments == 0 { break }
            try requireSending("\(waiting.segments) segments were not sent")
            if display.isDue { try await display.show(position, recorder, sync) }
            try? await clock.machine.sleep(for: .milliseconds(50))
            if Task.isCancelled {
                say("Everything is in the buffer; \(waiting.segments) segments wait for the hub and are sent by the next run or replay.")
                return true
            }
        }
        try await display.show(position, recorder, sync)
        let refused = recorder.refusedSegments
        guard refused == 0 else {
            throw AgentProblem(
                "The hub refused \(refused) segments for good", advice: "`trackme-agent status` says why; the others are there")
        }
        say("Replayed to the end.")
        return true
    }

    private func announce(_ recording: MergedRecording) {
        if let guess = replay.guess {
            say(
                "The capture does not tell which handle is the heart rate; handle \(guess.handle) is taken, because only its "
                    + "\(guess.notifications) notifications look like one. Use --ble-handle to say another.")
        }
        if replay.done.nmeaEvents + replay.done.bleEvents > 0 {
            say("Going on" + (replay.done.position.map { " at \(ISO8601.string($0)) of the recording" } ?? "") + ".")
        }
        if let distance = recording.distance, abs(distance) > 3_600_000 {
            say(
                "The Bluetooth capture begins \(distance / 1000) s after the NMEA log; --offset \(-distance / 1000) would put them together."
            )
        }
    }
}
