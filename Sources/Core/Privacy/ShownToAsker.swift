public import Vitals

/// All that an asker gets to see of a request. It is computed from the state and the time alone: whether there is a person behind it,
/// a block, a policy or only silence, is nowhere in it (CONS-1).
public struct ShownToAsker: Sendable, Hashable, Codable {
    public enum State: Sendable, Hashable, Codable {
        case awaitingOperator
        case pending(asked: Milliseconds, expires: Milliseconds)
        case accepted(since: Milliseconds, until: Milliseconds?)
        case over(Consent.Ending, at: Milliseconds)
    }

    public let consent: ConsentID
    public let state: State
}

extension Consent {
    /// The asker's view at `now`, UTC milliseconds. Anything due is shown as done, so that nobody sees when the timer came round.
    public func shown(at now: Milliseconds) -> ShownToAsker {
        ShownToAsker(consent: id, state: Self.shown(state, deadline: deadline, at: now))
    }

    private static func shown(_ state: State, deadline: Milliseconds?, at now: Milliseconds) -> ShownToAsker.State {
        if let deadline, now >= deadline {
            guard case .accepted = state else { return .over(.unanswered, at: deadline) }
            return .over(.ranOut, at: deadline)
        }
        return switch state {
        case .awaitingOperator: .awaitingOperator
        case .pending(let question): .pending(asked: question.asked, expires: question.expires)
        case .accepted(let access): .accepted(since: access.since, until: access.until)
        case .over(let end): .over(end.ending, at: end.at)
        }
    }
}
