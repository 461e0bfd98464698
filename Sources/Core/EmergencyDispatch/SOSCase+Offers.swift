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

/// To whom a case is offered, and who answered.
extension SOSCase {
    package var openOffers: Int { offers.count { $0.state == .open } }

    /// Crews that must not be asked (again) now.
    package func isExcluded(_ account: AccountID, now: Milliseconds) -> Bool {
        guard let last = offers.last(where: { $0.account == account }) else { return false }
        switch last.state {
        case .open, .accepted, .rejected, .released: return true
        case .expired: return now - last.answerBy < Self.askAgainAfter
        }
    }

    /// - Parameters:
    ///   - watched: whose page is open. A line that is open shows nothing on a phone whose screen is dark: whoever has not seen the offer
    ///     soon is notified all the same; everybody else at once.
    ///   - turnMax: how long pages wait for their turn at most, milliseconds.
    package mutating func offer(_ found: [FoundCrew], toHome: Bool, watched: Set<AccountID>, turnMax: Milliseconds, now: Milliseconds) {
        for item in found where offers.count < Self.offersMax || offers.contains(where: { $0.state == .expired }) {
            if offers.count >= Self.offersMax, let old = offers.firstIndex(where: { $0.state == .expired }) { offers.remove(at: old) }
            offers.append(
                SOSOffer(
                    account: item.account, ambulance: item.ambulance, made: now, answerBy: now + Self.offerTime,
                    tellAt: watched.contains(item.account) ? now + Self.seenWithin + turnMax : now, distance: item.metres,
                    isToHome: toHome))
        }
    }

    /// Offers that nobody answered in time go to the next nearest. Returns whose they were.
    package mutating func expire(now: Milliseconds) -> [AccountID] {
        var gone: [AccountID] = []
        for index in offers.indices where offers[index].state == .open && offers[index].answerBy <= now {
            offers[index].state = .expired
            gone.append(offers[index].account)
        }
        if !gone.isEmpty, seeksAmbulance { searchAt = now }
        return gone
    }

    /// Whom to notify of their offers now. Until somebody says that it was done they come again.
    package mutating func takeCrewsToTell(now: Milliseconds) -> [AccountID] {
        guard isOpen, !isHeld(at: now) else { return [] }
        return offers.indices.compactMap { index in
            guard offers[index].state == .open, offers[index].seen == nil, let due = offers[index].tellAt, due <= now else { return nil }
            offers[index].tellAt = now + Self.seenWithin
            return offers[index].account
        }
    }

    /// Whether a crew is still to be notified of its offer: also late, where nobody has the case. It can be accepted all the same.
    package func isToTell(_ account: AccountID, now: Milliseconds) -> Bool {
        guard isOpen, !isHeld(at: now), let offer = offers.last(where: { $0.account == account }) else { return false }
        return offer.seen == nil && offer.tellAt != nil && (offer.state == .open || offer.state == .expired && seeksAmbulance)
    }

    package mutating func told(_ account: AccountID) {
        guard let index = offers.lastIndex(where: { $0.account == account }) else { return }
        offers[index].tellAt = nil
    }

    /// Everybody but the one who has it is released.
    package mutating func releaseOffers(but account: AccountID?) {
        for index in offers.indices where offers[index].state == .open || offers[index].state == .accepted {
            if offers[index].account != account { offers[index].state = .released }
        }
    }

    /// It was given back: whoever was released for the one who had it may be asked again, at once.
    package mutating func reopenOffers(now: Milliseconds) {
        for index in offers.indices where offers[index].state == .released {
            offers[index].state = .expired
            offers[index].answerBy = min(offers[index].answerBy, now - Self.askAgainAfter)
        }
    }

    package mutating func setOffer(of account: AccountID, _ state: SOSOffer.State) {
        guard let index = offers.lastIndex(where: { $0.account == account }) else { return }
        offers[index].state = state
    }
}
