public import Vitals

/// The recipient that a request reached.
public enum Reach: Sendable, Hashable, Codable {
    case person(PersonID)
    /// It waits and expires like one that nobody answers.
    case nobody(Silence)

    /// Why nobody is asked. The asker never learns which, nor that it is one of these.
    public enum Silence: Sendable, Hashable, Codable {
        /// Nobody has that address.
        case unknown
        /// The asker was denied too often (CONS-10).
        case blocked(PersonID)
        /// The person's policy keeps such questions away (CONS-13).
        case policy(PersonID)
        /// The person has the same question before them, or answered it with a consent that runs, under another address; or has
        /// ``AskingRules/openMax`` questions of this asker open.
        case repeated(PersonID)
    }
}

/// The person behind an address, as the rules need to know them.
public struct AskedPerson: Sendable {
    public let id: PersonID
    public let policy: AccessPolicy
    /// Of the asker with this person.
    public let standing: AskerStanding
    /// The asker's consents with this person that are not over, under whatever address they were asked.
    public let consents: [Consent]

    public init(id: PersonID, policy: AccessPolicy, standing: AskerStanding, consents: [Consent]) {
        self.id = id
        self.policy = policy
        self.standing = standing
        self.consents = consents
    }
}

/// May this be asked? Two rules that are kept apart, because the asker sees the outcome of the first at once, and never that of the
/// second: the first knows only what the asker asked before, the second knows the person.
public enum AskingRules {
    /// Number of questions of one asker to one person, or to one address, that may be open at once.
    public static let openMax = 3

    /// The rule that is told to the asker.
    /// - Parameter earlier: the asker's own requests; those to another address don't matter.
    /// - Throws: ``ConsentProblem/alreadyRuns(_:)``, ``ConsentProblem/alreadyAsked(_:)`` or ``ConsentProblem/tooManyOpen``.
    public static func check(_ request: ConsentRequest, earlier: [Consent]) throws(ConsentProblem) {
        let same = earlier.filter { $0.request.whom == request.whom }
        if let consent = repeated(request, in: same) {
            if case .accepted = consent.state { throw .alreadyRuns(consent.id) }
            throw .alreadyAsked(consent.id)
        }
        guard open(request, in: same) < openMax else { throw .tooManyOpen }
    }

    /// The rule that is not told: whom the request reaches.
    /// - Parameter person: who has the address; nil when nobody has.
    public static func reach(_ request: ConsentRequest, to person: AskedPerson?) -> Reach {
        guard let person else { return .nobody(.unknown) }
        if person.standing.isBlocked { return .nobody(.blocked(person.id)) }
        if !person.policy.allows(request.scope) { return .nobody(.policy(person.id)) }
        if repeated(request, in: person.consents) != nil || open(request, in: person.consents) >= openMax {
            return .nobody(.repeated(person.id))
        }
        return .person(person.id)
    }

    private static func repeated(_ request: ConsentRequest, in consents: [Consent]) -> Consent? {
        consents.first { !$0.isOver(at: request.created) && request.scope.isWithin($0.request.scope) }
    }

    private static func open(_ request: ConsentRequest, in consents: [Consent]) -> Int {
        consents.count { consent in
            if case .accepted = consent.state { return false }
            return consent.request.scope.asker == request.scope.asker && !consent.isOver(at: request.created)
        }
    }
}
