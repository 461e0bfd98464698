package import Vitals

/// A crew on duty that is near enough to be asked.
package struct FoundCrew: Sendable, Hashable {
    package let account: AccountID
    package let ambulance: Int64
    /// As the crow flies.
    package let metres: Int

    package init(account: AccountID, ambulance: Int64, metres: Int) {
        (self.account, self.ambulance, self.metres) = (account, ambulance, metres)
    }
}

/// To whom a case is offered.
extension SOSCase {
    /// Offers that nobody answered in time go to the next nearest. Returns whose they were.
    mutating func expireOffers(now: Milliseconds) -> [AccountID] {
        let gone = offers.expire(now: now)
        if !gone.isEmpty, seeksAmbulance { searchAt = now }
        return gone
    }

    /// Whether a crew is still to be notified of its offer: also late, where nobody has the case. It can be accepted all the same.
    package func isToTell(_ account: AccountID, now: Milliseconds) -> Bool {
        guard isOpen, !isHeld(at: now), let offer = offers.last(where: { $0.account == account }) else { return false }
        return offer.seen == nil && offer.tellAt != nil && (offer.state == .open || offer.state == .expired && seeksAmbulance)
    }
}
