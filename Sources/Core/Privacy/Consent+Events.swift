public import Vitals

extension Consent {
    /// Takes an event and says what is to be done. An event that comes twice, or narrows what is over already, does nothing; one that
    /// the state does not allow is answered by ``ConsentEffect/refuse(_:)``.
    /// - Parameter now: UTC milliseconds.
    public mutating func handle(_ event: ConsentEvent, at now: Milliseconds) -> [ConsentEffect] {
        let closed = closeIfDue(at: now)
        return closed + take(event, at: now)
    }

    /// The instant of the closing is the deadline, not when the timer came round to it: that would tell requests apart.
    private mutating func closeIfDue(at now: Milliseconds) -> [ConsentEffect] {
        guard let deadline, now >= deadline else { return [] }
        if case .accepted = state { return close(.ranOut, at: deadline) }
        return close(.unanswered, at: deadline)
    }

    private mutating func take(_ event: ConsentEvent, at now: Milliseconds) -> [ConsentEffect] {
        switch event {
        case .timePassed: []
        case .approved(let reach): approve(reach, at: now)
        case .appeared(let reach): appear(reach, at: now)
        case .refused: refuse(at: now)
        case .accepted(let decider): decided(by: decider) { $0.accept(by: decider, at: now) }
        case .denied(let decider): decided(by: decider) { $0.deny(by: decider, at: now) }
        case .revoked(let decider): decided(by: decider) { $0.revoke(by: decider, at: now) }
        case .ended(let reader): end(by: reader, at: now)
        case .delivered: deliver(at: now)
        }
    }

    private mutating func decided(by decider: Decider, _ act: (inout Consent) -> [ConsentEffect]) -> [ConsentEffect] {
        decider.person == person ? act(&self) : [.refuse(.notYours)]
    }

    private mutating func approve(_ reach: Reach, at now: Milliseconds) -> [ConsentEffect] {
        switch state {
        case .awaitingOperator: send(to: reach, at: now)
        case .over(let end) where end.ending == .refusedByOperator: [.refuse(.over(end.ending))]
        case .pending, .accepted, .over: []
        }
    }

    private mutating func appear(_ found: Reach, at now: Milliseconds) -> [ConsentEffect] {
        guard case .pending = state, reach == .nobody(.unknown), found != .nobody(.unknown) else { return [] }
        reach = found
        return switch found {
        case .person: [.notifyPerson(.asked), entry(.asked, at: now)]
        case .nobody(let silence): [entry(.keptBack(silence), at: now)]
        }
    }

    private mutating func refuse(at now: Milliseconds) -> [ConsentEffect] {
        switch state {
        case .awaitingOperator: close(.refusedByOperator, at: now)
        case .pending, .accepted: [.refuse(.alreadySent)]
        case .over: []
        }
    }

    private mutating func accept(by decider: Decider, at now: Milliseconds) -> [ConsentEffect] {
        switch state {
        case .awaitingOperator: [.refuse(.notYours)]
        case .pending: open(.accepted, by: decider, at: now)
        case .accepted: []
        case .over(let end): [.refuse(.over(end.ending))]
        }
    }

    private mutating func deny(by decider: Decider, at now: Milliseconds) -> [ConsentEffect] {
        switch state {
        case .awaitingOperator: [.refuse(.notYours)]
        case .pending: close(.denied, by: decider.account, at: now)
        case .accepted: [.refuse(.alreadyAccepted)]
        case .over: []
        }
    }

    private mutating func revoke(by decider: Decider, at now: Milliseconds) -> [ConsentEffect] {
        switch state {
        case .awaitingOperator, .pending: return [.refuse(.notAccepted)]
        case .accepted: return close(.revoked, by: decider.account, at: now)
        case .over(let end):
            // From here on a single delivery cannot be downloaded again, and nobody reads what was recorded during a run.
            guard let access = repeated(at: now) ?? runAccess(at: now) else { return [] }
            state = .over(End(ending: .revoked, at: max(now, end.at), access: access))
            return [.cutAccess, .tellAsker(shown(at: now)), entry(.over(.revoked), by: decider.account, at: now)]
        }
    }

    private mutating func end(by reader: Reader, at now: Milliseconds) -> [ConsentEffect] {
        guard reader == request.scope.asker else { return [.refuse(.notYours)] }
        switch state {
        case .awaitingOperator, .pending: return close(.withdrawn, at: now)
        case .accepted: return close(.endedByAsker, at: now)
        case .over: return []
        }
    }

    private mutating func deliver(at now: Milliseconds) -> [ConsentEffect] {
        switch state {
        case .awaitingOperator, .pending: [.refuse(.notAccepted)]
        case .accepted: request.scope.term == .once ? close(.fulfilled, at: now) : []
        case .over: []
        }
    }

    private mutating func close(_ ending: Ending, by account: AccountID? = nil, at now: Milliseconds) -> [ConsentEffect] {
        var access: Access?
        if case .accepted(let running) = state { access = running }
        state = .over(End(ending: ending, at: access.map { max(now, $0.since) } ?? now, access: access))
        var effects: [ConsentEffect] = access == nil ? [] : [.cutAccess]
        effects += [.timer(nil), .tellAsker(shown(at: now))]
        guard person != nil else { return effects }
        if account == nil { effects.append(.notifyPerson(.over(ending))) }
        if (ending == .denied || ending == .unanswered) && parameters.denialsUntilBlocked != nil { effects.append(.countDenial) }
        return effects + [entry(.over(ending), by: account, at: now)]
    }
}
