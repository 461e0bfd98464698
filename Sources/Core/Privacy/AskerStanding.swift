/// How an asker stands with a person: one record for each pair.
///
/// A question that ran out unanswered counts as a denial, since it is one (CONS-3), and since otherwise who never answers could be
/// asked for ever. An acceptance starts the count again. A block stays, whatever the setting becomes, until the person lifts it.
public struct AskerStanding: Sendable, Hashable, Codable {
    /// Denials since the last acceptance.
    public private(set) var denials = 0
    public private(set) var isBlocked = false

    public init() {}

    /// After a single denial.
    public static let blocked = {
        var standing = AskerStanding()
        (standing.denials, standing.isBlocked) = (1, true)
        return standing
    }()

    /// Counts a denial.
    /// - Returns: whether this one blocked the asker: then the person is told, and where to lift it.
    public mutating func denied(_ parameters: ConsentParameters) -> Bool {
        guard let limit = parameters.denialsUntilBlocked else { return false }
        denials = min(denials + 1, max(limit, 1))
        guard !isBlocked, denials >= limit else { return false }
        isBlocked = true
        return true
    }

    public mutating func accepted() { denials = 0 }

    /// The person lets the asker ask again.
    public mutating func lift() { self = AskerStanding() }
}
