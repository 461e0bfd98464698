import HubStore
import Privacy
import Vitals

/// Check-ins (RUN-5): consents for the organiser until the end of the run. The machine is the one of all others.
extension ConsentService {
    /// The subject of a check-in.
    struct CheckInQuestion {
        var organiser: AccountID
        var kinds: Set<DataKind>
        /// In the words that the person reads.
        var purpose: String
        var starts: Milliseconds
        var ends: Milliseconds
        /// For the organiser's list.
        var label: String

        func scope() throws -> ConsentScope {
            try ConsentScope(asker: .organiser(organiser), kinds: kinds, purpose: purpose, term: .until(ends))
        }
    }

    /// Asks somebody on behalf of the organiser. Asked again it is the same question.
    /// - Returns: nil where the person has too many open questions of this organiser: they can check in by themselves.
    func ask(_ question: CheckInQuestion, of person: PersonID) throws -> ConsentID? {
        let request = ConsentRequest(whom: .person(person), scope: try question.scope(), created: time.now)
        do {
            return try accounts.consents.ask(request, label: question.label, parameters: .runCheckIn(start: question.starts)).consent.id
        } catch ConsentProblem.alreadyAsked(let id), ConsentProblem.alreadyRuns(let id) {
            return id
        } catch ConsentProblem.tooManyOpen {
            return nil
        }
    }

    /// The one who decides for the person says yes: to the question, where it reached them, and else unasked.
    func checkIn(_ question: CheckInQuestion, asked: ConsentID?, of person: PersonID, by account: AccountID) throws -> ConsentID {
        if let asked, try answered(asked, by: account) { return asked }
        let outcome: ConsentOutcome
        do {
            outcome = try accounts.consents.giveConsent(
                try question.scope(), of: person, by: account, parameters: .runCheckIn(start: question.starts), now: time.now)
        } catch ConsentProblem.alreadyRuns(let id) { return id }
        if let asked { try end(asked, by: .organiser(question.organiser)) }
        try done(outcome)
        return outcome.consent.id
    }

    /// False for a question that the hub kept from the person, that is over, or that is another one's.
    private func answered(_ id: ConsentID, by account: AccountID) throws -> Bool {
        do {
            try answer(id, .accept, by: account)
            return true
        } catch ConsentProblem.notYours, ConsentProblem.over {
            return false
        }
    }

    /// The person does not take part any more: nothing is read from here on, of what was either.
    func takeBack(_ id: ConsentID, of organiser: AccountID, by account: AccountID) throws {
        guard let consent = try accounts.consents.consent(id, askedBy: .organiser(organiser), now: time.now) else { return }
        switch consent.shown {
        case .awaitingOperator, .pending: try end(id, by: .organiser(organiser))
        case .accepted: try answer(id, .revoke, by: account)
        case .over:
            // A request that never reached the person was never read.
            do { try answer(id, .revoke, by: account) } catch ConsentProblem.notYours {}
        }
    }
}
