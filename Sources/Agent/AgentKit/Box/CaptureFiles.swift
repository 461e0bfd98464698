internal import BlueZ
internal import Seams
internal import Sensing
internal import Synchronization
internal import Vitals

/// A running recording of what live sensors deliver, on a queue of its own because it waits for the disk.
final class CaptureFiles: Sendable {
    let path: String
    private let queue: WorkQueue
    private let recording: Mutex<LiveRecording>
    private let stopped: @Sendable (SourceProblem) -> Void

    /// - Parameter stopped: told once, when the recording cannot go on.
    init(path: String, on machine: Machine, stopped: @escaping @Sendable (SourceProblem) -> Void) throws(SourceProblem) {
        self.path = path
        queue = machine.queue(ofFile: "recording")
        self.stopped = stopped
        recording = Mutex(try LiveRecording(path: path))
    }

    func take(_ event: HeartRateEvent, of sensor: SensorAddress, utc: Milliseconds, at now: Milliseconds) {
        let bits = sensor.bytes.reduce(sensor.kind == .random ? 1 : 0) { $0 << 8 | UInt64($1) }
        perform { $0.take(event, of: bits, utc: utc, at: now) }
    }

    func take(_ event: PositionEvent, utc: Milliseconds, at now: Milliseconds) {
        perform { $0.take(event, utc: utc, at: now) }
    }

    /// To be called now and then, so that what was taken does not wait for the next event.
    func flush() { perform { $0.flush() } }

    /// Ends the recording when everything is on the disk; answers what is missing in the files, and how many events they could not hold.
    func stop() async -> (problem: SourceProblem?, leftOut: Int) {
        await queue.run { self.recording.withLock { ($0.stop(), $0.leftOut) } }
    }

    private func perform(_ body: @escaping @Sendable (LiveRecording) -> SourceProblem?) {
        queue.async { if let problem = self.recording.withLock({ body($0) }) { self.stopped(problem) } }
    }
}
