internal import BlueZ
internal import Logging
internal import Seams
internal import Sensing
internal import Vitals

// EDGE-10: what live sensors deliver goes into files that can be replayed.
extension Box {
    func startRecording(_ request: ControlRequest) async throws -> ControlReply {
        guard let path = request.path, path.hasPrefix("/") else {
            throw AgentProblem("The recording has no absolute path", advice: "Give one, such as /var/lib/trackme-agent/walk")
        }
        if let recording {
            throw AgentProblem("A recording into \(recording.path) is running", advice: "End it first: trackme-agent record --stop")
        }
        recording = try CaptureFiles(path: path) { [logger, machine = clock.machine] problem in
            logger.warning("\(problem)")
            machine.start { await self.recordingStopped(path, because: problem) }
        }
        recordingProblem = nil
        publish()
        return ControlReply(isDone: true, message: "Recording into \(path).nmea and \(path).btsnoop.", status: status())
    }

    func stopRecording() async -> ControlReply {
        guard let ended = recording else {
            if let problem = recordingProblem {
                recordingProblem = nil
                return ControlReply(problem, status: status())
            }
            return ControlReply(isDone: false, message: "Nothing is being recorded", advice: "Begin with: trackme-agent record PATH")
        }
        recording = nil
        let (problem, leftOut) = await ended.stop()
        publish()
        if let problem { return ControlReply(problem, status: status()) }
        let rest = leftOut > 0 ? " \(leftOut) events have no place in such files and were left out." : ""
        return ControlReply(isDone: true, message: "Recorded: \(ended.path).nmea and \(ended.path).btsnoop.\(rest)", status: status())
    }

    func recordingStopped(_ path: String, because problem: SourceProblem) {
        if recording?.path == path { (recording, recordingProblem) = (nil, problem) }
        publish()
    }

    func note(_ event: HeartRateEvent, of sensor: SensorAddress) {
        guard let recording else { return }
        recording.take(event, of: sensor, utc: utc(of: event.time), at: clock.boottime())
    }

    func note(_ event: PositionEvent) {
        guard let recording else { return }
        var utc = utc(of: event.time)
        if case .fix(_, let date?) = event { utc = date }
        recording.take(event, utc: utc, at: clock.boottime())
    }

    /// As the box believes.
    private func utc(of time: Milliseconds) -> Milliseconds { clock.utc() - (clock.boottime() - time) }
}
