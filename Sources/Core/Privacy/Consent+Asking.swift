public import Vitals

extension Consent {
    /// A new request. It leaves at once when it needs no operator or an operator has approved its kind; else it waits.
    /// - Parameters:
    ///   - reach: what ``AskingRules/reach(_:to:)`` said.
    ///   - approvals: those of the asker.
    /// - Throws: ``ConsentProblem/tooLate`` or ``ConsentProblem/termOutOfRange`` when its time is over before it begins.
    public static func ask(
        _ request: ConsentRequest, id: ConsentID, reach: Reach, approvals: [OperatorApproval], parameters: ConsentParameters
    ) throws(ConsentProblem) -> (Consent, [ConsentEffect]) {
        if let end = request.scope.term.instant, end <= request.created { throw .termOutOfRange }
        guard parameters.expiry.instant(asked: request.created) > request.created else { throw .tooLate }
        var consent = Consent(id: id, request: request, parameters: parameters, reach: nil, state: .awaitingOperator)
        if parameters.needsOperator && !approvals.contains(where: { $0.covers(request) }) {
            return (consent, [.askOperator] + (consent.deadline.map { [.timer($0)] } ?? []))
        }
        let effects = consent.send(to: reach, at: request.created)
        return (consent, effects)
    }

    /// A consent that the person gives unasked: to a named reader (CONS-16), a caregiver, or a service that the person adds (CONS-8).
    /// No block and no policy stands against it: both are the person's own.
    /// - Throws: ``ConsentProblem/termOutOfRange`` when its end has passed.
    public static func give(
        _ scope: ConsentScope, id: ConsentID, by decider: Decider, parameters: ConsentParameters, at now: Milliseconds
    ) throws(ConsentProblem) -> (Consent, [ConsentEffect]) {
        if let end = scope.term.instant, end <= now { throw .termOutOfRange }
        let request = ConsentRequest(whom: .person(decider.person), scope: scope, created: now)
        var consent = Consent(id: id, request: request, parameters: parameters, reach: .person(decider.person), state: .awaitingOperator)
        let effects = consent.open(.given, by: decider, at: now)
        return (consent, effects)
    }

    /// The request leaves: from here on unknown, blocked and silent people look alike to the asker.
    mutating func send(to reach: Reach, at now: Milliseconds) -> [ConsentEffect] {
        let expires = min(parameters.expiry.instant(asked: now), request.scope.term.instant ?? .max)
        self.reach = reach
        state = .pending(Question(asked: now, expires: expires))
        let told: [ConsentEffect] =
            switch reach {
            case .person: [.notifyPerson(.asked), entry(.asked, at: now)]
            case .nobody(.unknown): [.invite]
            case .nobody(let silence): [entry(.keptBack(silence), at: now)]
            }
        return [.timer(expires)] + told + [.tellAsker(shown(at: now))]
    }

    mutating func open(_ what: ConsentEntry.Content, by decider: Decider, at now: Milliseconds) -> [ConsentEffect] {
        let until: Milliseconds? =
            switch request.scope.term {
            case .once: now.later(by: parameters.deliveryWait)
            case .lasting(let duration): now.later(by: duration)
            case .until(let end): end
            case .untilRevoked: nil
            }
        state = .accepted(Access(since: now, until: until, by: decider.account))
        return [
            .openAccess, .timer(until), .tellAsker(shown(at: now)), .clearDenials, entry(what, by: decider.account, at: now),
        ]
    }

    func entry(_ what: ConsentEntry.Content, by account: AccountID? = nil, at now: Milliseconds) -> ConsentEffect {
        .record(ConsentEntry(consent: id, what: what, at: now, by: account))
    }
}
