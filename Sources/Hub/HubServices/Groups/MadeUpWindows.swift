import Accounts
public import Groups
public import HubStore
import Seams
import Vitals

/// Closed windows of people who do not exist, released by the rules of all: for attacks on a hub of which nobody is real.
public struct MadeUpWindows: Sendable {
    private let accounts: AccountStore
    private let tree: RegionTree
    private let settings: GroupSettings

    public init(accounts: AccountStore, tree: RegionTree, settings: GroupSettings) {
        (self.accounts, self.tree, self.settings) = (accounts, tree, settings)
    }

    /// Releases windows in which the same people count with the same values.
    /// - Parameters:
    ///   - asked: who can be asked about with ranges of health values: all of them, or a part where they are many.
    ///   - divisor: noise of so small a part of the variance that is accounted for is drawn: 1. More is a fault that attacks must see.
    /// - Returns: how many windows were closed; one that was closed before stays as it is.
    public func close(_ people: WindowPeople, asked: WindowPeople, _ windows: [GroupWindow], divisor: UInt64 = 1) throws -> Int {
        var generator = accounts.machine.randomness, released: [[GroupRelease]] = windows.map { _ in [] }
        for kind in settings.kinds {
            for level in RegionLevel.allCases {
                guard let variance = settings.budget.variance(of: kind, at: level),
                    let drawn = NoiseVariance(variance.numerator / divisor, over: variance.denominator)
                else { continue }
                let rule = ReleaseRule(minimum: settings.minimum, variance: drawn, chance: settings.budget.chanceOfMargin)
                let counts = people.counts(of: kind, at: level, in: tree)
                for (number, window) in windows.enumerated() {
                    let cells = GroupRelease.close(window, kind, at: level, counts: counts, by: rule, using: &generator).cells
                    released[number].append(GroupRelease(window: window, kind: kind, level: level, variance: variance, cells: cells))
                }
            }
        }
        var closed = 0
        for (window, releases) in zip(windows, released) {
            let kept = window == windows.last ? PeopleCodec.encoded(asked) : []
            if try accounts.consents.groupReleases.close(window, releases: releases, contributions: kept, now: window.closes()) {
                closed += 1
            }
        }
        return closed
    }
}
