public import Accounts
public import Vitals

/// How long a session lasts, by what its account may do. Who has several roles gets the strictest.
public struct SessionLimits: Sendable, Hashable {
    /// A session that nobody used for so long ends, milliseconds.
    public let idle: Milliseconds
    /// However busy, a session ends after this, milliseconds.
    public let lifetime: Milliseconds

    private static let hour: Milliseconds = 3_600_000
    /// Accounts that read and decide for others: a desk that was left is closed by the next working day.
    static let staff = SessionLimits(idle: 8 * hour, lifetime: 30 * 24 * hour)
    /// One's own telephone, which is to show an alarm without a password first.
    static let own = SessionLimits(idle: 30 * 24 * hour, lifetime: 90 * 24 * hour)
    /// A crew waits for an alarm with the page open: it is not logged out before its duty ends.
    static let onDuty = SessionLimits(idle: staff.lifetime, lifetime: staff.lifetime)

    /// - Parameter isOnDuty: whether a responder is on duty, and the session was not over when that began; only asked where it matters.
    public static func of(_ roles: Set<Role>, isOnDuty: () throws -> Bool = { false }) rethrows -> SessionLimits {
        if !roles.isDisjoint(with: [.operator, .organisation, .member]) { return staff }
        guard roles.contains(.responder) else { return own }
        return try isOnDuty() ? onDuty : staff
    }

    /// Whether a session still holds.
    func holds(created: Milliseconds, seen: Milliseconds, now: Milliseconds) -> Bool { now < created + lifetime && now < seen + idle }
}
