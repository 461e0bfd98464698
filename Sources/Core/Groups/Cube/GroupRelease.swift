public import Accounts
public import Vitals

/// All that was ever made public of one window, kind and level: stored when the window closes, and never made again.
public struct GroupRelease: Sendable, Hashable {
    public let window: GroupWindow
    public let kind: DataKind
    public let level: RegionLevel
    public let variance: NoiseVariance
    /// 16 noisy counts of each released cell. A cell that is not here was refused, had nobody in it, or does not exist: all the same.
    public let cells: [GroupCell: [Int64]]

    public init(window: GroupWindow, kind: DataKind, level: RegionLevel, variance: NoiseVariance, cells: [GroupCell: [Int64]]) {
        (self.window, self.kind, self.level, self.variance, self.cells) = (window, kind, level, variance, cells)
    }

    /// Closes a window: draws the noise of each cell.
    /// - Parameter generator: the system's; a seeded one is for tests alone.
    public static func close(
        _ window: GroupWindow, _ kind: DataKind, at level: RegionLevel, counts: [GroupCell: TrueCounts], by rule: ReleaseRule,
        using generator: inout some RandomNumberGenerator
    ) -> GroupRelease {
        var cells: [GroupCell: [Int64]] = [:]
        // In an order of its own, so that a test's seed says what comes out.
        for (cell, counts) in counts.sorted(by: { $0.key < $1.key }) { cells[cell] = rule.release(counts, using: &generator) }
        return GroupRelease(window: window, kind: kind, level: level, variance: rule.variance, cells: cells)
    }
}
