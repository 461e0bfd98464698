public import Accounts
public import Groups
public import History
public import HubStore
public import Vitals

/// Usual values among people of somebody's sex and age where they live, in the newest closed window (DATA-4).
public struct GroupComparison: Sendable, Hashable {
    /// A released cell.
    public let cell: GroupCell
    public let window: GroupWindow
    /// The number of people whose value it tells of, noise included.
    public let count: Estimate
    /// In the unit of ``Groups/GroupBins``.
    public let mean: Estimate
    /// One of ten people is below ``low``, one of ten above ``high``.
    public let low: Double, high: Double

    /// Where a value lies, in the same unit.
    public func place(of value: Double) -> ReferenceRange.Place { value < low ? .below : value > high ? .above : .within }
}

/// Compares people with what was released about groups. Reading it costs nobody anything.
public struct GroupComparisons: Sendable {
    let answers: GroupAnswers
    let regions: HomeRegions

    public init(answers: GroupAnswers, regions: HomeRegions) { (self.answers, self.regions) = (answers, regions) }

    /// For each kind the smallest region around the person's place of which their cell was released.
    /// - Parameter account: the person's; what they are counted by is read from it. Whether they count makes no difference.
    /// - Returns: nothing for kinds without such a cell.
    public func comparisons(of account: StoredAccount, _ kinds: [DataKind], on today: CalendarDate) throws -> [DataKind: GroupComparison] {
        guard let attributes = GroupProfile(account, regions)?.attributes(on: today), let home = attributes.region,
            let window = try answers.newest()
        else { return [:] }
        return try kinds.reduce(into: [:]) { found, kind in
            for region in answers.tree.path(from: home) {
                let cell = GroupCell(attributes.sex, attributes.band, region.code)
                guard let answer = try answer(of: kind, cell, window) else { continue }
                found[kind] = answer
                break
            }
        }
    }

    /// - Returns: nil where the cell itself was not released, or its noise leaves nothing to say.
    private func answer(of kind: DataKind, _ cell: GroupCell, _ window: GroupWindow) throws -> GroupComparison? {
        guard
            let question = try? GroupQuestion(kind, sexes: [cell.sex], bands: [cell.band], regions: [cell.region], in: answers.tree),
            let found = try answers.answer(to: question, in: window), found.cells == 1, found.missing.isEmpty, let answer = found.answer,
            let mean = answer.mean, let low = answer.percentile(0.1), let high = answer.percentile(0.9)
        else { return nil }
        return GroupComparison(cell: cell, window: window, count: answer.count, mean: mean, low: low.value, high: high.value)
    }
}
