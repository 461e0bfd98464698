internal import Logging
internal import Seams
internal import Sensing
internal import SyncProtocol
internal import Vitals

// Check-ins (RUN-5): shown and answered at a box that one person carries. A gateway and a box of several tell the number of questions only: whoever
// stands before them need not be who is asked.
extension Box {
    /// Whether the one who taps is the one who is asked.
    var answersCheckIns: Bool { configuration.answersCheckIns(of: identity) }

    /// What was said before the agent ended goes on.
    func resumeCheckIns() {
        let (said, damage) = checkInsFile.load()
        if let damage { logger.error("\(damage)") }
        checkIns = CheckIns(said: said)
    }

    /// With each tick of the box: what the hub said since, and what is to be sent.
    func lookAtCheckIns() {
        let snapshot = parts.sync.snapshot
        if let utc = snapshot.hubUTC, utc != checkIns.heardAt { hear(checkIns: snapshot.checkIns, utc: utc) }
        guard answersCheckIns, let answer = checkIns.due(at: clock.boottime()) else { return }
        let hub = parts.checkIns
        clock.machine.start(priority: .medium) { [weak self] in
            let reply = await hub.answer(answer)
            await self?.heard(reply, to: answer)
        }
    }

    /// What the hub says of them, with its clock then.
    func hear(checkIns items: [CheckIn], utc: Milliseconds) {
        if checkIns.hear(answersCheckIns ? items : [], utc: utc) { keepCheckIns() }
    }

    private func heard(_ result: Result<CheckInReply, SourceProblem>, to answer: CheckInAnswer) {
        let now = clock.boottime()
        switch result {
        case .success(let reply):
            logger.notice("the hub's word on a check-in: \(reply.outcome.rawValue)\(reply.why.map { ", \($0.rawValue)" } ?? "")")
            if checkIns.heard(reply, to: answer, at: now) { keepCheckIns() }
        case .failure(let problem):
            if checkIns.problem?.what != problem.what { logger.warning("\(problem)") }
            checkIns.failed(problem, answer, at: now)
        }
        // What the person said meanwhile does not wait for the next second.
        lookAtCheckIns()
        publish()
    }

    @discardableResult
    private func keepCheckIns() -> Pending<AgentProblem?> { checkInsFile.write(checkIns.said) }

    /// nil for none.
    func checkInStates() -> [BoxStatus.CheckInState]? {
        let shown = checkIns.shown(utc: parts.time.utc())
        return shown.isEmpty ? nil : shown
    }

    /// What the person taps.
    func answerCheckIn(_ request: ControlRequest) async throws(AgentProblem) -> ControlReply {
        guard answersCheckIns else {
            throw AgentProblem(
                "At this box nobody answers check-ins: it does not belong to one person who carries it",
                advice: "Answer on the hub: \(identity.hub)/followers", kind: .checkInElsewhere)
        }
        guard let answer = request.answer else { throw AgentProblem("The request has no answer", advice: "Say accept or refuse") }
        let choice: CheckInAnswer.Choice = answer == .accept ? .accept : .refuse
        // Whom it names is whose box it is.
        if let person = request.person { _ = try identity.person(person) }
        let said = try checkIns.say(choice, to: request.checkIn, utc: parts.time.utc())
        logger.notice("the person said \(choice.rawValue) to a check-in")
        let writing = keepCheckIns()
        lookAtCheckIns()
        publish()
        let written = await writing.value(within: .seconds(1))
        let state = checkIns.shown(utc: parts.time.utc()).first { $0.id == said.checkIn.id }
        // The run may have started meanwhile: then nothing is done with it.
        let message = state?.text(hub: identity.hub.description) ?? "Said."
        var reply = ControlReply(isDone: state?.phase != .late, message: message, status: status())
        if written.map({ $0 != nil }) ?? true {
            reply.message += " BUT the disk has not taken the answer: if the agent ends before the hub has it, it is lost."
            reply.advice = "Check the card or disk"
            reply.caution = "reply.check-in.unkept"
        }
        return reply
    }
}

extension AgentConfiguration {
    /// A phone of one person: the one who taps is the one who is asked.
    func answersCheckIns(of identity: Identity) -> Bool { role == .phone && identity.persons.count == 1 }
}
