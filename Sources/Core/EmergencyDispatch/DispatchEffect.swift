package import Distress
package import Vitals

/// An effect that a case asks for. Effects are carried out in order; a decision stands, even if carrying it out fails.
package enum DispatchEffect: Sendable, Hashable {
    /// It changed: the newest is stored, in the order of the decisions.
    case store
    /// The person's detector is told this, in this order.
    /// - Parameter isHandedOver: a helper who has the case is relieved at the same moment: nobody is told that it is free.
    case tell([DistressEvent], isHandedOver: Bool)
    /// The plan of whom to tell is read, and comes back as ``DispatchEvent/Hub/planned(_:)``.
    case plan
    /// It is looked for crews now.
    case search
    /// The nearest crews that are free are looked for, and come back as ``DispatchEvent/Crew/found(_:)``.
    case findCrews(CrewSearch)
    /// Due messages are sent.
    case send
    /// This message leaves now.
    case deliver(SOSCall)
    /// Crews are notified of their offers.
    case notify([AccountID])
    /// Pages of the person and of whoever looks after them show something new.
    case show
    /// So do pages of these crews.
    case showCrews(Set<AccountID>)
    /// It is over: its end is shown for a while, and presses for help that came before it ask for nothing any more.
    case over(Outcome)
    /// Its owner gave no answer, and it goes on.
    case lostOwner
    /// The act is not theirs, or there is nothing to act on.
    case refused(Refusal)

    package enum Refusal: Sendable, Hashable {
        /// It is over, is a test, or was never offered to them.
        case gone
        /// Somebody else has it.
        case taken
        /// They have it already.
        case theirs
        /// It is not theirs to say.
        case notAllowed
    }
}
