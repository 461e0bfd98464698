public import Vitals

/// The part of a question that somebody says yes to: never more than was asked.
public struct ConsentPart: Sendable, Hashable {
    /// Of the kinds that were asked for; nil for all of them.
    public var kinds: Set<DataKind>?
    /// For so long from the yes on, milliseconds; nil for as long as was asked.
    public var lasting: Milliseconds?

    public init(kinds: Set<DataKind>? = nil, lasting: Milliseconds? = nil) { (self.kinds, self.lasting) = (kinds, lasting) }
}

extension ConsentScope {
    /// The same for what a part leaves of the kinds and of the time. A kind goes with the one whose part it is, and a "once" stays one.
    /// - Parameter now: of the yes, UTC milliseconds.
    /// - Throws: ``ConsentProblem/noKinds`` where nothing is left, ``ConsentProblem/termOutOfRange``.
    func narrowed(to part: ConsentPart, at now: Milliseconds) throws(ConsentProblem) -> ConsentScope {
        var chosen = kinds, term = term
        if let wanted = part.kinds { chosen.formIntersection(wanted) }
        if let lasting = part.lasting { term = try term.shortened(to: lasting, at: now) }
        return try ConsentScope(
            asker: asker, service: service, kinds: chosen.filter { chosen.contains($0.column) }, purpose: purpose, term: term)
    }
}

extension ConsentTerm {
    fileprivate func shortened(to lasting: Milliseconds, at now: Milliseconds) throws(ConsentProblem) -> ConsentTerm {
        guard (1...Self.lastingMax).contains(lasting) else { throw .termOutOfRange }
        return switch self {
        case .once: .once
        case .lasting(let asked): .lasting(min(asked, lasting))
        case .until(let end): .until(min(end, now.later(by: lasting)))
        case .untilRevoked: .lasting(lasting)
        }
    }
}

extension Consent {
    /// Narrows an open question to what somebody is about to say yes to. In another state nothing changes: the answer says what is wrong.
    /// The check-in of a run has no parts.
    /// - Parameter now: UTC milliseconds.
    /// - Throws: ``ConsentProblem/noKinds`` where nothing is left, ``ConsentProblem/termOutOfRange``, ``ConsentProblem/notYours`` of a check-in.
    public mutating func narrow(to part: ConsentPart, at now: Milliseconds) throws(ConsentProblem) {
        guard case .pending = state, !isDue(at: now) else { return }
        if case .organiser = request.scope.asker { throw .notYours }
        request = ConsentRequest(
            whom: request.whom, scope: try request.scope.narrowed(to: part, at: now), created: request.created)
    }
}
