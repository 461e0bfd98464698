public import HubStore
import Privacy
public import SyncProtocol
import Vitals

/// Checking in by one tap at the person's box (RUN-5, CONS-2).
extension CheckInService {
    /// Takes what the person of a box said to a check-in. Nothing is done twice, and nothing once the question has lapsed: whoever asks again learns
    /// what became of it.
    public func answer(_ said: CheckInAnswer, from agent: AgentStore.Agent) throws -> CheckInReply {
        let now = now
        func no(_ why: CheckInReply.Cause) -> CheckInReply { CheckInReply(id: said.id, utc: now, outcome: .no, why: why) }
        guard let (person, account) = try accounts.personAtBox(agent, now: now),
            let consent = try accounts.runConsents.checkIn(said.id, of: person), consent.request.scope.kinds.contains(.position)
        else { return no(.notHere) }
        if let known = try reply(to: said, consent, now) { return known }
        guard said.answer != .unknown else { return no(.other) }
        // What is open on paper may be so no more: of a run that was moved, called off or left, before its consents ended.
        guard let (enrolment, run) = try store.enrolment(of: person, checkIn: said.id) else { return no(.withdrawn) }
        guard enrolment.state == .enrolled else { return no(.notEnrolled) }
        switch run.state(at: now) {
        case .scheduled: break
        case .draft, .cancelled: return no(.withdrawn)
        case .live, .finished: return no(.lapsed)
        }
        do {
            let answered = try consents.answerCheckIn(said.id, said.answer == .accept ? .accept : .deny, by: account, at: agent.id, audit)
            return try reply(to: said, answered, now) ?? no(.other)
        } catch ConsentProblem.over, ConsentProblem.alreadyAccepted {
            // Somebody was quicker, on a page or with the clock.
            return try accounts.runConsents.checkIn(said.id, of: person).flatMap { try reply(to: said, $0, now) } ?? no(.other)
        } catch ConsentProblem.notYours {
            return no(.notHere)
        }
    }

    /// nil while it waits for an answer.
    private func reply(to said: CheckInAnswer, _ consent: Consent, _ now: Milliseconds) throws -> CheckInReply? {
        func no(_ why: CheckInReply.Cause) -> CheckInReply { CheckInReply(id: said.id, utc: now, outcome: .no, why: why) }
        switch consent.state {
        case .awaitingOperator: return no(.notHere)
        case .pending: return consent.isDue(at: now) ? no(.lapsed) : nil
        case .accepted where consent.isDue(at: now): return no(.over)
        case .accepted where said.answer == .refuse: return no(.acceptedBefore)
        case .accepted:
            let position = try series.checkInPosition(said.id, accounts, now: now)
            return CheckInReply(id: said.id, utc: now, outcome: position == nil ? .withoutPosition : .accepted)
        case .over(let end):
            switch end.ending {
            case .denied where said.answer == .refuse: return CheckInReply(id: said.id, utc: now, outcome: .refused)
            case .denied: return no(.refusedBefore)
            case .unanswered: return no(.lapsed)
            case .withdrawn, .refusedByOperator: return no(.withdrawn)
            case .revoked: return no(.takenBack)
            case .fulfilled, .ranOut, .endedByAsker: return no(.over)
            }
        }
    }
}

extension ConsentService {
    /// As ``answer(_:_:by:)``, at a box.
    /// - Returns: the consent as it is then.
    func answerCheckIn(
        _ id: ConsentID, _ answer: ConsentAnswer, by account: AccountID, at box: AgentID, _ audit: AuditLog
    ) throws -> Consent {
        let outcome = try accounts.runConsents.answerCheckIn(id, answer, by: account, at: box, audit: audit, now: time.now)
        try done(outcome)
        return outcome.consent
    }
}
