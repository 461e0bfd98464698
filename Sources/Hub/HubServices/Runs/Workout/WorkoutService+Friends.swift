import Credentials
public import HubStore
public import Vitals

/// Friends (RUN-19): each side says yes, one by making a link and handing it on, the other by taking it.
extension WorkoutService {
    /// The part of the site's address before the secret of a link.
    public static let friendPath = "/runs/friend/"
    /// Milliseconds: 7 days.
    static let friendLinkLifetime: Milliseconds = 7 * 86_400_000

    public struct Friend: Sendable, Hashable {
        public let person: PersonID
        public let name: String
    }

    /// A link that makes whoever takes it a friend, once; it is shown once.
    public func friendLink(of person: PersonID, by account: StoredAccount) throws -> String {
        try accounts.checkDecides(account, person, now: now)
        let token = SecretToken.random(using: accounts.randomness)
        try friendships.addFriendLink(token.hash, of: person, expires: now + Self.friendLinkLifetime, now: now)
        return site() + Self.friendPath + token.text
    }

    /// The account that offers friendship by a link; nil when it does not work (any more). This changes nothing.
    public func friend(offeredBy link: String) throws -> String? {
        guard let token = SecretToken(link), let person = try friendships.person(ofFriendLink: token.hash, now: now) else { return nil }
        return try accounts.person(person)?.name
    }

    /// Takes an offer. nil when the link does not work (any more), or is one's own.
    public func befriend(_ link: String, _ person: PersonID, by account: StoredAccount) throws -> Friend? {
        try accounts.checkDecides(account, person, now: now)
        guard let token = SecretToken(link), let other = try friendships.befriend(token.hash, person, now: now) else { return nil }
        return try friend(other)
    }

    public func friends(of person: PersonID, for account: StoredAccount) throws -> [Friend] {
        try accounts.checkDecides(account, person, now: now)
        return try friendships.friends(of: person).compactMap(friend).sorted { ($0.name, $0.person) < ($1.name, $1.person) }
    }

    /// Ends it for both sides.
    public func endFriendship(of person: PersonID, with other: PersonID, by account: StoredAccount) throws {
        try accounts.checkDecides(account, person, now: now)
        try friendships.endFriendship(person, other)
    }

    private func friend(_ person: PersonID) throws -> Friend? { try accounts.person(person).map { Friend(person: person, name: $0.name) } }
}
