public import Vitals

/// Why something about a consent was not done. Pages and the API put it into words.
///
/// The asker's view of these never depends on whether the person exists: see ``AskingRules``.
public enum ConsentProblem: Error, Sendable, Hashable {
    // The request itself.
    case noKinds
    case purposeMissing
    /// More than ``ConsentScope/purposeCharactersMax``.
    case purposeTooLong
    /// No milliseconds at all, more than ``ConsentTerm/lastingMax``, or an end that has passed.
    case termOutOfRange
    /// The request would have expired before it was made.
    case tooLate
    /// The asker asked the same, or more, of the same address, and the question is still open.
    case alreadyAsked(ConsentID)
    /// The asker reads the same, or more, already.
    case alreadyRuns(ConsentID)
    /// The asker has ``AskingRules/openMax`` open questions to the same address.
    case tooManyOpen

    // The answer.
    /// The account that acts does not decide here.
    case notYours
    /// Nothing was accepted yet, so that nothing can be revoked or delivered.
    case notAccepted
    /// To take back what was accepted, revoke it.
    case alreadyAccepted
    /// The person was asked already: the operator can refuse no more.
    case alreadySent
    /// It has ended: only a new request can bring another answer.
    case over(Consent.Ending)
}
