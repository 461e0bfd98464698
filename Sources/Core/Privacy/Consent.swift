public import Vitals

/// One request and the consent that comes of it, from the asking to the end: a value that events move and that says what to do.
///
///     awaitingOperator -> pending -> accepted -> over
///
/// and from each straight to `over`, which nothing leaves; there a "once" can still be taken back (``repeated(at:)``). Closing by time is written down with the first event at or after the
/// deadline, whatever event that is: a clock that then steps back opens nothing again.
public struct Consent: Sendable, Hashable, Codable {
    public enum State: Sendable, Hashable, Codable {
        /// An operator looks at the asker's purpose first; the person knows nothing yet.
        case awaitingOperator
        case pending(Question)
        case accepted(Access)
        case over(End)
    }

    /// An open question.
    public struct Question: Sendable, Hashable, Codable {
        /// UTC milliseconds.
        public let asked: Milliseconds
        /// From this instant on (UTC milliseconds) it counts as denied.
        public let expires: Milliseconds
    }

    /// The part that the person accepted.
    public struct Access: Sendable, Hashable, Codable {
        /// UTC milliseconds, included.
        public let since: Milliseconds
        /// UTC milliseconds, excluded; nil while no end is known.
        public let until: Milliseconds?
        /// The account that said yes: the person, or a minor's parent.
        public let by: AccountID

        func holds(at now: Milliseconds) -> Bool { now >= since && until.map { now < $0 } ?? true }
    }

    public struct End: Sendable, Hashable, Codable {
        public let ending: Ending
        /// UTC milliseconds.
        public let at: Milliseconds
        /// The part that had been accepted; nil when it never was.
        public let access: Access?
    }

    public enum Ending: String, Sendable, Hashable, Codable, CaseIterable {
        // Before an acceptance.
        case refusedByOperator = "refused-by-operator"
        case withdrawn
        case denied
        case unanswered
        // After it.
        /// A "once" was delivered.
        case fulfilled
        /// Its time was up.
        case ranOut = "ran-out"
        case endedByAsker = "ended-by-asker"
        case revoked
    }

    public let id: ConsentID
    /// The request; once accepted, the accepted part of it (``narrow(to:at:)``).
    public internal(set) var request: ConsentRequest
    public let parameters: ConsentParameters
    /// The recipient of the request; nil as long as it has not left.
    public internal(set) var reach: Reach?
    public internal(set) var state: State

    /// The person who was asked or who gave; nil for everybody else, so that nobody else can answer.
    public var person: PersonID? {
        guard case .person(let person) = reach else { return nil }
        return person
    }

    /// When time alone changes the state, in UTC milliseconds; nil when it never does.
    public var deadline: Milliseconds? {
        switch state {
        case .awaitingOperator: [parameters.expiry.instant, request.scope.term.instant].compactMap { $0 }.min()
        case .pending(let question): question.expires
        case .accepted(let access): access.until
        case .over: nil
        }
    }

    /// Whether the deadline has passed and ``ConsentEvent/timePassed`` is still to be handed in. Who finds this while reading does so.
    public func isDue(at now: Milliseconds) -> Bool { deadline.map { now >= $0 } ?? false }

    /// Whether it has ended, or would with the next event.
    public func isOver(at now: Milliseconds) -> Bool {
        if case .over = state { return true }
        return isDue(at: now)
    }

    /// The data that may be read at `now`: one line of "My Followers" (CONS-7); nil when nothing may.
    public func access(at now: Milliseconds) -> Access? {
        guard case .accepted(let access) = state, access.holds(at: now) else { return nil }
        return access
    }
}

extension ConsentTerm {
    var instant: Milliseconds? {
        guard case .until(let instant) = self else { return nil }
        return instant
    }
}

extension ConsentParameters.Expiry {
    var instant: Milliseconds? {
        guard case .at(let instant) = self else { return nil }
        return instant
    }

    func instant(asked: Milliseconds) -> Milliseconds {
        switch self {
        case .after(let wait): asked.later(by: wait)
        case .at(let instant): instant
        }
    }
}

extension Milliseconds {
    /// The sum, or the last instant there is.
    func later(by duration: Milliseconds) -> Milliseconds {
        let (sum, isOver) = addingReportingOverflow(duration)
        return isOver ? .max : sum
    }
}
