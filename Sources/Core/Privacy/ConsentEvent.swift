public import Vitals

/// An event of a consent.
public enum ConsentEvent: Sendable, Hashable {
    /// An operator let requests of this kind leave. The reach is looked up in the same transaction: block and policy may have changed.
    case approved(Reach)
    /// Somebody signed up with the address that the open question was sent to (CONS-1). The asker sees no difference.
    case appeared(Reach)
    /// An operator refused the request.
    case refused
    case accepted(by: Decider)
    case denied(by: Decider)
    case revoked(by: Decider)
    /// The asker takes the question back, or wants to read no more.
    case ended(by: Reader)
    /// A delivery is complete and was received.
    case delivered
    /// The timer, or a reader who found ``Consent/isDue(at:)``.
    case timePassed
}

/// An effect to carry out, in this order, with and after the commit of the consent's new state.
public enum ConsentEffect: Sendable, Hashable {
    /// Streams that read by this consent close within 1 s, and write nothing from the commit on (CONS-6).
    case cutAccess
    /// ``Consent/grant(to:for:at:)`` answers from now on; the first delivery follows within 1 minute (CONS-4).
    case openAccess
    /// An operator has to look at it.
    case askOperator
    /// `.timePassed` is due at this instant (UTC milliseconds). A consent has one timer: this replaces it, and nil removes it.
    case timer(Milliseconds?)
    /// By page, mail and box.
    case notifyPerson(PersonNotice)
    /// Nobody has the address: where it is an e-mail address, its owner may be invited. The asker learns nothing of it.
    case invite
    case tellAsker(ShownToAsker)
    /// ``AskerStanding/denied(_:)`` for the asker and the person.
    case countDenial
    /// ``AskerStanding/accepted()`` for the asker and the person.
    case clearDenials
    /// Into the ledger that the person reads.
    case record(ConsentEntry)
    /// For whoever sent the event: it was not done. The other effects, and the commit, come first all the same.
    case refuse(ConsentProblem)
}

/// A notice to a person about a consent.
public enum PersonNotice: Sendable, Hashable {
    /// Somebody asks: who, what for, which kinds, how long (CONS-2).
    case asked
    /// It ended by the other side or by time, or was taken back before an answer.
    case over(Consent.Ending)
}

/// One line of the person's ledger about a consent; reads have lines of their own.
public struct ConsentEntry: Sendable, Hashable, Codable {
    public enum Content: Sendable, Hashable, Codable {
        case asked
        /// The hub kept the question from the person.
        case keptBack(Reach.Silence)
        case accepted
        /// The person gave it unasked.
        case given
        case over(Consent.Ending)
    }

    public let consent: ConsentID
    public let what: Content
    /// UTC milliseconds.
    public let at: Milliseconds
    /// The account that decided, where one did.
    public let by: AccountID?

    public init(consent: ConsentID, what: Content, at: Milliseconds, by: AccountID?) {
        self.consent = consent
        self.what = what
        self.at = at
        self.by = by
    }
}
