internal import Glibc
internal import Sensing
internal import Vitals

/// Records what live sensors deliver into PATH.nmea and PATH.btsnoop, which `trackme-agent decode` and `replay` read back (EDGE-10).
///
/// Files that exist are never touched. What was taken is on its way to the disk after a second. A recording is the least of what the box
/// does: it stops, and says so once, before it takes the space that the database needs.
final class LiveRecording {
    struct Limits {
        /// Of both files together: a week and more of one sensor and one receiver.
        var bytesMax = 256 << 20
        /// Space that must stay free on the disk.
        var bytesFreeMin = 64 << 20
    }

    static let flushEvery: Milliseconds = 1000
    /// Not on the disk yet, of both files.
    static let pendingBytesMax = 64 << 10

    let path: String
    private let limits: Limits
    private let nmea: RecordingFile
    private let btsnoop: RecordingFile
    private var writer = BtsnoopWriter()
    private var flushedAt: Milliseconds?
    private var lastFix: Milliseconds?
    private var isClosed = false

    /// Events that the files cannot hold: positions that are not from satellites, a second one of the same time, times before 1980, and
    /// sensors beyond ``BtsnoopWriter/sensorsMax``.
    private(set) var leftOut = 0

    /// Makes both files.
    /// - Throws: when one exists already or cannot be made; then neither is left.
    init(path: String, limits: Limits = Limits()) throws(SourceProblem) {
        self.path = path
        self.limits = limits
        let nmea = try RecordingFile(path + ".nmea")
        do throws(SourceProblem) {
            btsnoop = try RecordingFile(path + ".btsnoop")
        } catch {
            nmea.remove()
            throw error
        }
        self.nmea = nmea
        btsnoop.pending = BtsnoopWriter.header
    }

    /// - Parameters:
    ///   - address: of the sensor, 48 bits, with bit 48 set for a random address.
    ///   - utc: the time of the event as the box believes it.
    ///   - now: any clock that only goes forward.
    /// - Returns: why the recording has stopped, once.
    func take(_ event: HeartRateEvent, of address: UInt64, utc: Milliseconds, at now: Milliseconds) -> SourceProblem? {
        guard !isClosed else { return nil }
        append(writer.records(for: event, of: address, utc: utc), to: btsnoop)
        return flushIfDue(at: now)
    }

    /// As for a heart rate. `utc`: the receiver's time where it gave one, else the box's.
    func take(_ event: PositionEvent, utc: Milliseconds, at now: Milliseconds) -> SourceProblem? {
        guard !isClosed else { return nil }
        switch event {
        case .fix(let sample, _):
            // Sentences of one time are one position to every reader.
            let isNew = sample.source == .gnss && utc != lastFix
            if isNew { lastFix = utc }
            append(isNew ? NMEAWriter.sentences(for: sample, utc: utc) : nil, to: nmea)
        case .noFix: append(NMEAWriter.noFix(utc: utc), to: nmea)
        case .connected, .stale, .lost: break
        }
        return flushIfDue(at: now)
    }

    /// Hands everything taken to the disk; to be called now and then, also when nothing is taken.
    /// - Returns: why the recording has stopped, once.
    func flush() -> SourceProblem? {
        guard !isClosed else { return nil }
        do throws(SourceProblem) {
            for file in [nmea, btsnoop] { try file.flush(keepingFree: limits.bytesFreeMin) }
            if nmea.bytes + btsnoop.bytes >= limits.bytesMax {
                throw .recordingStopped(path, "it has reached \(limits.bytesMax >> 20) MB", "Record on under another name")
            }
            return nil
        } catch {
            isClosed = true
            for file in [nmea, btsnoop] { file.close() }
            return error
        }
    }

    /// Ends the recording, with everything on the disk.
    /// - Returns: what is missing in the files, if anything.
    func stop() -> SourceProblem? {
        if let problem = flush() { return problem }
        guard !isClosed else { return nil }
        isClosed = true
        do throws(SourceProblem) {
            for file in [nmea, btsnoop] { try file.synchronize() }
        } catch { return error }
        for file in [nmea, btsnoop] { file.close() }
        return nil
    }

    private func append(_ bytes: [UInt8]?, to file: RecordingFile) {
        guard let bytes else {
            leftOut += 1
            return
        }
        file.pending += bytes
    }

    private func flushIfDue(at now: Milliseconds) -> SourceProblem? {
        let isFull = nmea.pending.count + btsnoop.pending.count >= Self.pendingBytesMax
        let since = flushedAt ?? now
        flushedAt = since
        guard isFull || now - since >= Self.flushEvery else { return nil }
        flushedAt = now
        return flush()
    }
}

/// A file that only grows, and ends behind a whole record whatever happens.
private final class RecordingFile {
    private let path: String
    private var descriptor: CInt
    /// Whole records, not written yet.
    var pending: [UInt8] = []
    private(set) var bytes = 0

    init(_ path: String) throws(SourceProblem) {
        self.path = path
        // Health data: for the owner only.
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor < 0 else { return }
        if errno == EEXIST {
            throw SourceProblem(
                what: "\(path) exists already", advice: "Choose another name: recordings are never overwritten", retries: false)
        }
        throw SourceProblem(
            what: "\(path) cannot be made: \(String(cString: strerror(errno)))", advice: "Choose a directory that the agent may write to",
            retries: false)
    }

    deinit { close() }

    func close() {
        guard descriptor >= 0 else { return }
        _ = Glibc.close(descriptor)
        descriptor = -1
        pending = []
    }

    func remove() {
        close()
        unlink(path)
    }

    func flush(keepingFree free: Int) throws(SourceProblem) {
        guard !pending.isEmpty else { return }
        var room = statvfs()
        if fstatvfs(descriptor, &room) == 0, room.f_bavail * room.f_frsize < UInt64(free) + UInt64(pending.count) {
            throw .recordingStopped(path, "the disk has less than \(free >> 20) MB left", "Make room on the disk")
        }
        var written = 0
        while written < pending.count {
            let count = pending.withUnsafeBytes { write(descriptor, $0.baseAddress?.advanced(by: written), $0.count - written) }
            if count > 0 {
                written += count
            } else if errno != EINTR {
                let reason = String(cString: strerror(errno))
                // A record that is cut would be the readers' riddle.
                _ = ftruncate(descriptor, off_t(bytes))
                throw .recordingStopped(path, "the disk does not take it: \(reason)", "Make room on the disk, or check it")
            }
        }
        bytes += pending.count
        pending = []
    }

    func synchronize() throws(SourceProblem) {
        guard fsync(descriptor) != 0 else { return }
        throw .recordingStopped(path, "the disk did not keep it: \(String(cString: strerror(errno)))", "Check the disk")
    }
}

extension SourceProblem {
    fileprivate static func recordingStopped(_ path: String, _ reason: String, _ advice: String) -> SourceProblem {
        SourceProblem(what: "The recording \(path) was stopped: \(reason)", advice: advice, retries: false)
    }
}
