import Vitals

/// To whom a case was offered, in that order, and who answered.
extension [SOSOffer] {
    package var open: Int { count { $0.state == .open } }

    /// Crews that are asked, or have it.
    var asked: Set<AccountID> { Set(lazy.filter { $0.state == .open || $0.state == .accepted }.map(\.account)) }

    /// Crews that must not be asked (again) now.
    func excluded(at now: Milliseconds) -> Set<AccountID> {
        var newest: [AccountID: SOSOffer] = [:]
        for offer in self { newest[offer.account] = offer }
        return Set(newest.values.lazy.filter { $0.state != .expired || now - $0.answerBy < DispatchLimits.askAgainAfter }.map(\.account))
    }

    /// Offers it to these, as far as a case may have so many offers.
    /// - Parameters:
    ///   - watched: whose page is open. A line that is open shows nothing on a phone whose screen is dark: whoever has not seen the offer
    ///     soon is notified all the same; everybody else at once.
    ///   - turnMax: how long pages wait for their turn at most, milliseconds.
    mutating func add(_ found: [FoundCrew], toHome: Bool, watched: Set<AccountID>, turnMax: Milliseconds, now: Milliseconds) {
        for item in found {
            guard count < DispatchLimits.offersMax || contains(where: { $0.state == .expired }) else { return }
            if count >= DispatchLimits.offersMax, let old = firstIndex(where: { $0.state == .expired }) { remove(at: old) }
            append(
                SOSOffer(
                    account: item.account, ambulance: item.ambulance, made: now, answerBy: now + DispatchLimits.offerTime,
                    tellAt: watched.contains(item.account) ? now + DispatchLimits.seenWithin + turnMax : now, distance: item.metres,
                    isToHome: toHome))
        }
    }

    /// Those that nobody answered in time are over. Returns whose they were.
    mutating func expire(now: Milliseconds) -> [AccountID] {
        var gone: [AccountID] = []
        for index in indices where self[index].state == .open && self[index].answerBy <= now {
            self[index].state = .expired
            gone.append(self[index].account)
        }
        return gone
    }

    /// Whether a crew is to be notified now of an offer that it has not seen.
    func isAnyToTell(now: Milliseconds) -> Bool { contains { $0.isToTell(now: now) } }

    /// The crews to notify now of offers that they have not seen. Until somebody says that it was done they come again.
    mutating func takeCrewsToTell(now: Milliseconds) -> [AccountID] {
        indices.compactMap { index in
            guard self[index].isToTell(now: now) else { return nil }
            self[index].tellAt = now + DispatchLimits.seenWithin
            return self[index].account
        }
    }

    /// A crew was notified of its offer.
    mutating func told(_ account: AccountID) {
        guard let index = lastIndex(where: { $0.account == account }) else { return }
        self[index].tellAt = nil
    }

    /// A crew has its offer on a screen.
    mutating func saw(_ account: AccountID, now: Milliseconds) {
        guard let index = lastIndex(where: { $0.account == account && $0.state == .open && $0.seen == nil }) else { return }
        self[index].seen = now
    }

    /// Everybody but the one who has it is released.
    mutating func release(but account: AccountID?) {
        for index in indices where self[index].state == .open || self[index].state == .accepted {
            if self[index].account != account { self[index].state = .released }
        }
    }

    /// It was given back: whoever was released for the one who had it may be asked again, at once.
    mutating func reopen(now: Milliseconds) {
        for index in indices where self[index].state == .released {
            self[index].state = .expired
            self[index].answerBy = Swift.min(self[index].answerBy, now - DispatchLimits.askAgainAfter)
        }
    }

    mutating func set(_ state: SOSOffer.State, of account: AccountID) {
        guard let index = lastIndex(where: { $0.account == account }) else { return }
        self[index].state = state
    }

    /// The hub did not listen for so long: whoever is asked has as much more time.
    mutating func postpone(by missed: Milliseconds) {
        for index in indices where self[index].state == .open {
            self[index].answerBy += missed
            self[index].tellAt = self[index].tellAt.map { $0 + missed }
        }
    }
}

extension SOSOffer {
    fileprivate func isToTell(now: Milliseconds) -> Bool { state == .open && seen == nil && (tellAt ?? .max) <= now }
}
