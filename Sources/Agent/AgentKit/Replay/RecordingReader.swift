internal import Crypto
internal import Foundation
internal import Glibc
internal import Sensing
internal import Vitals

/// One event of a recording.
struct RecordedEvent: Sendable {
    enum Kind: Sendable {
        case heartRate(HeartRateEvent)
        case position(PositionEvent)
    }
    var kind: Kind
    /// The number of bytes of the file up to and including what gave this event.
    var endOffset: Int64
    /// Of a position: whether its date can be believed.
    var date = NMEAFix.DateQuality.asRecorded

    var time: Milliseconds {
        switch kind {
        case .heartRate(let event): event.time
        case .position(let event): event.time
        }
    }
}

/// Reads the events of one file, a chunk at a time, however large it is.
struct RecordingReader {
    private enum Decoder {
        case nmea(NMEADecoder)
        case bluetooth(BluetoothCaptureReader)
    }

    static let chunkBytes = 64 << 10

    let path: String
    private let file: InputFile
    private var decoder: Decoder
    /// Decoded and not taken yet, the next one last.
    private var ready: [RecordedEvent] = []
    private var isAtEnd = false

    init(nmea path: String) throws(AgentProblem) {
        self.path = path
        file = try InputFile(path)
        decoder = .nmea(NMEADecoder())
    }

    init(bluetooth path: String, options: BluetoothCaptureReader.Options) throws(AgentProblem) {
        self.path = path
        file = try InputFile(path)
        decoder = .bluetooth(BluetoothCaptureReader(options: options))
    }

    /// nil at the end.
    mutating func next() throws(AgentProblem) -> RecordedEvent? {
        while ready.isEmpty {
            if isAtEnd { return nil }
            try decodeChunk()
        }
        return ready.removeLast()
    }

    private mutating func decodeChunk() throws(AgentProblem) {
        let chunk = try file.read(Self.chunkBytes)
        isAtEnd = chunk.isEmpty
        var events: [RecordedEvent] = []
        do throws(RecordingRefused) {
            switch decoder {
            case .nmea(var nmea):
                // The decoder is held once at a time, so that feeding does not copy it.
                decoder = .nmea(NMEADecoder())
                defer { decoder = .nmea(nmea) }
                func emit(_ fix: NMEAFix) {
                    events.append(
                        RecordedEvent(kind: .position(.fix(fix.sample, utc: fix.sample.time)), endOffset: fix.endOffset, date: fix.date))
                }
                if isAtEnd { try nmea.finish(emit: emit) } else { nmea.feed(chunk, emit: emit) }
            case .bluetooth(var bluetooth):
                decoder = .bluetooth(BluetoothCaptureReader())
                defer { decoder = .bluetooth(bluetooth) }
                func emit(_ event: CaptureEvent) {
                    events.append(RecordedEvent(kind: .heartRate(event.event), endOffset: event.endOffset))
                }
                if isAtEnd { try bluetooth.finish(emit: emit) } else { try bluetooth.feed(chunk, emit: emit) }
            }
        } catch {
            throw AgentProblem(
                "\(path) cannot be used: \(error)", advice: "Give an NMEA 0183 log as --nmea and a Bluetooth capture as --ble")
        }
        ready = events.reversed()
    }

    /// What was read so far, what was skipped and why.
    var report: String {
        switch decoder {
        case .nmea(let nmea): nmea.report.description
        case .bluetooth(let bluetooth): bluetooth.report.description
        }
    }

    /// Records that are damaged or cannot be used.
    var skipped: Int64 {
        switch decoder {
        case .nmea(let nmea): Int64(clamping: nmea.report.damaged)
        case .bluetooth(let bluetooth): Int64(clamping: bluetooth.report.damaged)
        }
    }

    /// After the end: whether a handle could be guessed where the capture does not tell it.
    var guess: HandleGuess? {
        if case .bluetooth(let bluetooth) = decoder { bluetooth.guess } else { nil }
    }
}

/// A file that is read from its start to its end.
final class InputFile {
    let path: String
    private let descriptor: CInt

    init(_ path: String) throws(AgentProblem) {
        self.path = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.problem(path) }
    }

    deinit { close(descriptor) }

    /// Up to `count` bytes; none at the end.
    func read(_ count: Int) throws(AgentProblem) -> [UInt8] {
        var result = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            repeat { result = Glibc.read(descriptor, buffer.baseAddress, count) } while result < 0 && errno == EINTR
            initialized = max(0, result)
        }
        guard result >= 0 else { throw Self.problem(path) }
        return bytes
    }

    private static func problem(_ path: String) -> AgentProblem {
        AgentProblem("\(path) cannot be read (\(String(cString: strerror(errno))))", advice: "Check the name and its permissions")
    }

    /// SHA-256 of the whole file.
    static func digest(of path: String) throws(AgentProblem) -> [UInt8] {
        let file = try InputFile(path)
        var hash = SHA256()
        while true {
            let chunk = try file.read(RecordingReader.chunkBytes)
            if chunk.isEmpty { return Array(hash.finalize()) }
            hash.update(data: chunk)
        }
    }
}
