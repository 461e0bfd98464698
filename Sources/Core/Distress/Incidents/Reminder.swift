public import Vitals

/// When a person whom nobody watches, by their own act or since a case is over, is told so again (SOS-21).
public struct ReminderPlan: Hashable, Sendable, Codable {
    /// From the beginning to the first reminder, milliseconds.
    public var first: Milliseconds
    /// From each reminder to the next, milliseconds.
    public var every: Milliseconds

    public init(first: Milliseconds = 3_600_000, every: Milliseconds = 86_400_000) { (self.first, self.every) = (first, every) }
}

/// The reminders of one such time: at once, after ``ReminderPlan/first``, then every ``ReminderPlan/every``.
public struct Reminder: Hashable, Sendable, Codable {
    public let since: Milliseconds
    /// How often it was told, the first time included.
    public private(set) var count = 0
    private var told: Milliseconds
    /// Relatives were told.
    public var areRelativesTold = false

    public init(since: Milliseconds) { (self.since, told) = (since, since) }

    /// Whether it is to be told now; it counts as told then. After a long sleep that is once, and not once for each time that was missed.
    public mutating func isDue(at time: Milliseconds, _ plan: ReminderPlan) -> Bool {
        let due =
            switch count {
            case 0: since
            case 1: since + plan.first
            default: told + plan.every
            }
        guard time >= due else { return false }
        (count, told) = (count + 1, time)
        return true
    }
}
