internal import Sensing

extension Box: BoxControl {
    func perform(_ request: ControlRequest) async -> ControlReply {
        do {
            switch request.action {
            case .status, .watch: return await tellStatus()
            case .ok, .help, .falseAlarm, .reactivate: return try await presses.perform(request)
            case .flag: return try await flags.perform(request)
            case .drill: return try drills.perform(request)
            case .pause: return try await choosing.pause(request)
            case .resume: return try await choosing.resume(request)
            case .sync: return await chain.syncNow()
            case .enter: return try await entries.perform(request)
            case .record: return try recording.start(request)
            case .recordStop: return await recording.stop()
            case .scan: return try await choosing.scan(request)
            case .use: return try await choosing.use(request)
            case .add: return try await choosing.add(request)
            case .forget: return try await choosing.forget(request)
            case .kinds: return try await choosing.choose(request)
            case .checkIn: return try await checkIns.perform(request)
            case .setUp: return ControlReply(.enrolledAlready(context.identity.hub))
            }
        } catch let problem as AgentProblem {
            return ControlReply(problem)
        } catch let problem as SourceProblem {
            return ControlReply(problem)
        } catch {
            return ControlReply(isDone: false, message: "\(error)", advice: "Look at the agent's log: journalctl -u trackme-agent")
        }
    }

    private func tellStatus() async -> ControlReply {
        chain.lookAtBuffer(counts: true)
        await chain.awaitBuffer()
        var status = status()
        status.buffer = chain.buffer.status
        return ControlReply(isDone: true, message: status.text, status: status)
    }

    func statuses() -> AsyncStream<BoxStatus> { publisher.subscribe(status()) }
}
