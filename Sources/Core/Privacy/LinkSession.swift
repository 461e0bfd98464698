public import Vitals

/// The rights of the holder of a redeemed one-time link: see one person's live page until it expires.
public struct LinkSession: Sendable, Hashable {
    /// SHA-256 of the session's secret; the secret itself is only in the browser's cookie.
    public typealias Hash = [UInt8]

    public let hash: Hash
    public let person: PersonID
    /// UTC milliseconds.
    public let expires: Milliseconds
    public let revoked: Bool

    /// How long an unredeemed link works, in milliseconds.
    public static let linkLifetime: Milliseconds = 24 * 3_600_000
    /// How long a session works, in milliseconds.
    public static let sessionLifetime: Milliseconds = 12 * 3_600_000
    /// The page that a link shows.
    public static let kinds: Set<DataKind> = [.heartRate, .rrIntervals, .energyExpended, .position, .event, .flaggedEvent, .gap]

    public init(hash: Hash, person: PersonID, expires: Milliseconds, revoked: Bool) {
        self.hash = hash
        self.person = person
        self.expires = expires
        self.revoked = revoked
    }

    /// The grant that the session gives at `now`; nil when it has expired or was revoked.
    public func grant(at now: Milliseconds) -> Grant? {
        guard !revoked, now < expires else { return nil }
        return Grant(person: person, kinds: Self.kinds, ground: .link(session: hash))
    }
}
