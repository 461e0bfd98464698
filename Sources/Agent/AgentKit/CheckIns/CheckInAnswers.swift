internal import Logging
internal import Seams
internal import Sensing
internal import SyncProtocol
internal import Vitals

/// Check-ins (RUN-5): shown and answered at a box that one person carries. A gateway and a box of several tell the number of questions only:
/// whoever stands before them need not be who is asked.
@BoxActor
final class CheckInAnswers {
    private let context: BoxContext
    private let sync: SyncService
    private let hub: any CheckInHub
    private let publisher: StatusPublisher
    private let file: CheckInsFile
    private var known = CheckIns()

    init(_ context: BoxContext, _ sync: SyncService, _ hub: any CheckInHub, _ publisher: StatusPublisher) {
        (self.context, self.sync, self.hub, self.publisher) = (context, sync, hub, publisher)
        file = CheckInsFile(context.directory, logger: context.logger)
    }

    /// Whether the one who taps is the one who is asked.
    private var isAnswering: Bool { context.configuration.answersCheckIns(of: context.identity) }

    /// Answers from before the agent ended go on.
    func resume() {
        let (said, damage) = file.load()
        if let damage { context.logger.error("\(damage)") }
        known = CheckIns(said: said)
    }

    /// With each tick of the box: what the hub said since, and what is to be sent.
    func look() {
        let snapshot = sync.snapshot
        if let utc = snapshot.hubUTC, utc != known.heardAt { hear(checkIns: snapshot.checkIns, utc: utc) }
        guard isAnswering, let answer = known.due(at: context.clock.boottime()) else { return }
        context.clock.machine.start(priority: .medium) { [weak self, hub] in
            let reply = await hub.answer(answer)
            await self?.heard(reply, to: answer)
        }
    }

    /// The hub's word on them, with its clock then.
    func hear(checkIns items: [CheckIn], utc: Milliseconds) {
        if known.hear(isAnswering ? items : [], utc: utc) { keep() }
    }

    private func heard(_ result: Result<CheckInReply, SourceProblem>, to answer: CheckInAnswer) {
        let now = context.clock.boottime()
        switch result {
        case .success(let reply):
            context.logger.notice("the hub's word on a check-in: \(reply.outcome.rawValue)\(reply.why.map { ", \($0.rawValue)" } ?? "")")
            if known.heard(reply, to: answer, at: now) { keep() }
        case .failure(let problem):
            if known.problem?.what != problem.what { context.logger.warning("\(problem)") }
            known.failed(problem, answer, at: now)
        }
        // What the person said meanwhile does not wait for the next second.
        look()
        publisher.publish()
    }

    @discardableResult
    private func keep() -> Pending<AgentProblem?> { file.write(known.said) }

    /// nil for none, and where nobody answers them.
    func states() -> [BoxStatus.CheckInState]? {
        guard isAnswering else { return nil }
        let shown = known.shown(utc: context.time.utc())
        return shown.isEmpty ? nil : shown
    }

    /// The answer that the person taps.
    func perform(_ request: ControlRequest) async throws(AgentProblem) -> ControlReply {
        guard isAnswering else {
            throw AgentProblem(
                "At this box nobody answers check-ins: it does not belong to one person who carries it",
                advice: "Answer on the hub: \(context.identity.hub)/followers", kind: .checkInElsewhere)
        }
        guard let answer = request.answer else { throw AgentProblem("The request has no answer", advice: "Say accept or refuse") }
        let choice: CheckInAnswer.Choice = answer == .accept ? .accept : .refuse
        // Whom it names is whose box it is.
        if let person = request.person { _ = try context.identity.person(person) }
        let said = try known.say(choice, to: request.checkIn, utc: context.time.utc())
        context.logger.notice("the person said \(choice.rawValue) to a check-in")
        let writing = keep()
        look()
        publisher.publish()
        let written = await writing.value(within: .seconds(1))
        let state = known.shown(utc: context.time.utc()).first { $0.id == said.checkIn.id }
        // The run may have started meanwhile: then nothing is done with it.
        let message = state?.text(hub: context.identity.hub.description) ?? "Said."
        var reply = ControlReply(isDone: state?.phase != .late, message: message, status: publisher.status())
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
