public import Groups
public import Vitals

/// An operator's settings about groups.
public struct GroupSettings: Sendable, Hashable {
    public var budget: GroupBudget
    /// How long after its end a window closes, in milliseconds.
    public var closingDelay: Milliseconds
    /// The least size of a group of the cube; what lies below ``Groups/ReleaseRule/minimum`` counts as that.
    public var minimum: Int
    /// The least size of a group of the second door.
    public var minimumOfDoor: Int

    /// - Parameter closingDelay: nil for that of the window's length as installed.
    public init(
        budget: GroupBudget = GroupBudget(), closingDelay: Milliseconds? = nil, minimum: Int = ReleaseRule.minimum,
        minimumOfDoor: Int = ReleaseRule.minimumOfSecondDoor
    ) {
        (self.budget, self.minimum, self.minimumOfDoor) = (budget, minimum, minimumOfDoor)
        self.closingDelay = closingDelay ?? budget.window.closingDelay
    }

    /// The kinds that have a share, by their numbers: the order of rows.
    public var kinds: [DataKind] {
        GroupBins.counted.filter { budget.shares.kinds[$0, default: 0] > 0 }
            .sorted { $0.rawValue < $1.rawValue }
    }
}
