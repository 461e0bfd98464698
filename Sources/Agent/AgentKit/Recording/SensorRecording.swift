internal import BlueZ
internal import Logging
internal import Seams
internal import Sensing
internal import Vitals

/// EDGE-10: what live sensors deliver goes into files that can be replayed.
@BoxActor
final class SensorRecording {
    private let context: BoxContext
    private let publisher: StatusPublisher
    private var files: CaptureFiles?
    /// Why the last one stopped by itself; nil when it did not, or was asked for.
    private var problem: SourceProblem?

    init(_ context: BoxContext, _ publisher: StatusPublisher) { (self.context, self.publisher) = (context, publisher) }

    /// Of the one that runs.
    var path: String? { files?.path }

    func start(_ request: ControlRequest) throws -> ControlReply {
        guard let path = request.path, path.hasPrefix("/") else {
            throw AgentProblem("The recording has no absolute path", advice: "Give one, such as /var/lib/trackme-agent/walk")
        }
        if let files {
            throw AgentProblem("A recording into \(files.path) is running", advice: "End it first: trackme-agent record --stop")
        }
        let machine = context.clock.machine
        files = try CaptureFiles(path: path, on: machine) { [logger = context.logger] problem in
            logger.warning("\(problem)")
            machine.start { await self.stopped(path, because: problem) }
        }
        problem = nil
        publisher.publish()
        return ControlReply(isDone: true, message: "Recording into \(path).nmea and \(path).btsnoop.", status: publisher.status())
    }

    func stop() async -> ControlReply {
        guard let ended = files else {
            if let problem {
                self.problem = nil
                return ControlReply(problem, status: publisher.status())
            }
            return ControlReply(isDone: false, message: "Nothing is being recorded", advice: "Begin with: trackme-agent record PATH")
        }
        files = nil
        let (problem, leftOut) = await ended.stop()
        publisher.publish()
        if let problem { return ControlReply(problem, status: publisher.status()) }
        let rest = leftOut > 0 ? " \(leftOut) events have no place in such files and were left out." : ""
        let message = "Recorded: \(ended.path).nmea and \(ended.path).btsnoop.\(rest)"
        return ControlReply(isDone: true, message: message, status: publisher.status())
    }

    func stopped(_ path: String, because problem: SourceProblem) {
        if files?.path == path { (files, self.problem) = (nil, problem) }
        publisher.publish()
    }

    func note(_ event: HeartRateEvent, of sensor: SensorAddress) {
        guard let files else { return }
        files.take(event, of: sensor, utc: utc(of: event.time), at: context.clock.boottime())
    }

    func note(_ event: PositionEvent) {
        guard let files else { return }
        var utc = utc(of: event.time)
        if case .fix(_, let date?) = event { utc = date }
        files.take(event, utc: utc, at: context.clock.boottime())
    }

    /// As the box believes.
    private func utc(of time: Milliseconds) -> Milliseconds { context.clock.utc() - (context.clock.boottime() - time) }

    func flush() { files?.flush() }

    /// As the agent ends: a running one is closed.
    func end() async {
        guard files != nil else { return }
        let stopping = Pending<ControlReply>.task(on: context.clock.machine) { await self.stop() }
        let reply = await stopping.value(within: .seconds(2))
        if reply?.isDone != true {
            context.logger.warning("the recording was not ended: \(reply?.message ?? "the disk does not come back")")
        }
    }
}
