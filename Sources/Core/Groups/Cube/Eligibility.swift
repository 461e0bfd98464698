public import Vitals

/// Eligibility for a window: decided by what held when it closed. An objection or a deletion before that counts; one after it changes
/// nothing.
public struct Eligibility: Sendable, Hashable {
    /// Of the account, in UTC.
    public var created: Milliseconds
    /// Days on which there was data of the person's own, from any source but replay and drill, since the account began.
    public var daysWithData: Int
    /// In whole years, at the window's end; nil where no date of birth is known.
    public var age: Int?
    /// Whether a parent said yes; needed below ``adultAge``.
    public var hasParentsYes: Bool
    /// Whether the person has objected to counting in groups.
    public var hasObjected: Bool

    /// Against members made up for a question.
    public static let accountAgeMin: Milliseconds = 30 * 86_400_000
    public static let daysWithDataMin = 7
    public static let adultAge = 18

    public init(created: Milliseconds, daysWithData: Int, age: Int?, hasParentsYes: Bool = false, hasObjected: Bool = false) {
        (self.created, self.daysWithData, self.age) = (created, daysWithData, age)
        (self.hasParentsYes, self.hasObjected) = (hasParentsYes, hasObjected)
    }

    /// Whether the person counts in a window. Somebody of unknown age counts in none.
    public func counts(in window: GroupWindow) -> Bool {
        guard !hasObjected, let age, age >= Self.adultAge || hasParentsYes else { return false }
        return window.end - created >= Self.accountAgeMin && daysWithData >= Self.daysWithDataMin
    }
}
