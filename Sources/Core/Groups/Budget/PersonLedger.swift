public import Accounts
public import Vitals

/// The privacy that groups have cost one person in one year, for the person to see; nothing goes beyond the budget (GRP-4).
///
/// The year of a window is the one in which it begins, in UTC.
public struct PersonLedger: Sendable, Hashable, Codable {
    /// The purpose of a cost.
    public enum Purpose: Sendable, Hashable, Codable {
        case cube(DataKind, RegionLevel)
        /// A question with ranges about a kind.
        case secondDoor(DataKind)
    }

    /// One line of it.
    public struct Line: Sendable, Hashable, Codable {
        public let purpose: Purpose
        public var releases: Int
        public var cost: Rho

        public init(purpose: Purpose, releases: Int, cost: Rho) { (self.purpose, self.releases, self.cost) = (purpose, releases, cost) }
    }

    public let year: Int
    /// In order of their first release.
    public private(set) var lines: [Line] = []

    public init(year: Int) { self.year = year }

    /// As it was stored.
    public init(year: Int, lines: [Line]) { (self.year, self.lines) = (year, lines) }

    public var spent: Rho { lines.reduce(.zero) { $0 + $1.cost } }

    /// The spent budget as an epsilon that holds with ``GroupBudget/delta``.
    public var epsilon: Double { spent.epsilon(delta: GroupBudget.deltaOfNoise) }

    /// Whether there is still enough for a release.
    public func allows(_ cost: Rho, within budget: Rho) -> Bool { spent + cost <= budget }

    /// Charges a release before its noise is drawn.
    /// - Returns: false, and nothing is charged, where the budget does not hold it: the person is left out of that release.
    public mutating func charge(_ cost: Rho, for purpose: Purpose, within budget: Rho) -> Bool {
        guard allows(cost, within: budget) else { return false }
        if let index = lines.firstIndex(where: { $0.purpose == purpose }) {
            lines[index].releases += 1
            lines[index].cost = lines[index].cost + cost
        } else {
            lines.append(Line(purpose: purpose, releases: 1, cost: cost))
        }
        return true
    }
}
