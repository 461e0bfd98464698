package import Distress
package import Vitals

/// How a box holds whoever took a case to it, as the hub does (SOS-20): after a time they are asked whether somebody is with the person, and
/// without an answer they have it no longer. Times are on any one clock that only goes forward.
package struct OwnerHold: Sendable, Hashable {
    package enum Step: Sendable, Hashable {
        /// They are asked.
        case ask
        /// They gave no answer: it goes on.
        case release
    }

    /// The known state of the hub, which asks its own people.
    package enum Hub: Sendable, Hashable {
        case silent
        /// It is heard.
        /// - Parameter asksOwner: whether it sees to it that the contact who has it is asked; nil for a hub that does not say.
        case heard(asksOwner: Bool?)
    }

    /// Since when they have it, or answered last; and when they were asked.
    package private(set) var since: Milliseconds?, askedAt: Milliseconds?

    package init() {}

    /// They answered: their time begins again.
    package mutating func answered(at now: Milliseconds) { (since, askedAt) = (now, nil) }

    /// Nobody has it any more.
    package mutating func end() { self = OwnerHold() }

    /// - Parameters:
    ///   - owner: who has it; nil for nobody.
    ///   - isBoxAnswered: they answered the box itself.
    package mutating func look(_ owner: Owner?, isBoxAnswered: Bool, _ hub: Hub, at now: Milliseconds) -> Step? {
        guard let owner, isOurs(isBoxAnswered, hub) else {
            end()
            return nil
        }
        let since = self.since ?? now
        self.since = since
        guard let askedAt else {
            guard now - since >= SOSCase.wait(owner) else { return nil }
            askedAt = now
            return .ask
        }
        guard now - askedAt >= DispatchLimits.answerTime else { return nil }
        // A hub that knows that it cannot ask them gives the case on by itself, and the box follows.
        if case .heard(asksOwner: .some) = hub { return nil }
        end()
        return .release
    }

    /// A contact who answered a box is asked by it where the hub does not. Whoever took it at the hub cannot be asked here: they have it no longer
    /// once the hub was silent for as long as they would have had.
    private func isOurs(_ isBoxAnswered: Bool, _ hub: Hub) -> Bool {
        switch hub {
        case .silent: true
        case .heard(let asksOwner): isBoxAnswered && asksOwner != true
        }
    }
}
