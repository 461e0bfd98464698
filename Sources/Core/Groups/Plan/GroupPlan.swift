public import Accounts
public import Vitals

/// A preview of a budget: noise, least sizes and errors of each kind and level.
public struct GroupPlan: Sendable, Hashable {
    /// Half the width of the 95 % interval of the mean, for a number of people in equally large cells.
    public struct Error: Sendable, Hashable {
        public let people: Int
        public let cells: Int
        /// In the kind's unit.
        public let half: Double
        /// Whether such cells are large enough to be released for certain.
        public let isReleased: Bool
    }

    public struct Row: Sendable, Hashable {
        public let kind: DataKind
        public let level: RegionLevel
        public let variance: NoiseVariance
        /// The cost of a window to each person.
        public let cost: Rho
        /// The cost of a year as an epsilon that holds with ``GroupBudget/delta``.
        public let epsilonOfYear: Double
        /// The noisy count from which a cell is released.
        public let threshold: Int
        /// The size that is answered for certain.
        public let certain: Int
        public let errors: [Error]
    }

    /// The quality of one answer of the second door.
    public struct Door: Sendable, Hashable {
        public let variance: NoiseVariance
        /// The cost of an answer to each person.
        public let cost: Rho
        /// The cost of all answers of a year as an epsilon that holds with ``GroupBudget/delta``.
        public let epsilonOfYear: Double
        /// The noisy count from which a group is answered.
        public let threshold: Int
        /// The size that is answered for certain.
        public let certain: Int
    }

    public static let sizes = [1_000, 10_000, 100_000]
    public static let cells = [1, 10]

    /// By kind, then level.
    public let rows: [Row]
    /// Kinds and levels with a share so small that the noise would be above ``NoiseVariance/most``: they are not released.
    public let tooSmall: [PersonLedger.Purpose]
    /// nil where the second door has no share, or too little of it.
    public let door: Door?
    /// Of a person's year, if every window is released and every question asked: never above ``GroupBudget/perYear``.
    public let spent: Rho
    public let epsilon: Double

    public init(_ budget: GroupBudget, minimum: Int = ReleaseRule.minimum) {
        var rows: [Row] = [], tooSmall: [PersonLedger.Purpose] = [], spent = Rho.zero
        for kind in GroupBins.kinds where budget.shares.kinds[kind] ?? 0 > 0 {
            for level in RegionLevel.allCases where budget.shares.levels[level] ?? 0 > 0 && budget.shares.cube > 0 {
                guard let variance = budget.variance(of: kind, at: level) else {
                    tooSmall.append(.cube(kind, level))
                    continue
                }
                rows.append(Self.row(kind, level, variance, budget, minimum))
                spent = spent + Rho(variance) * budget.window.perYear
            }
        }
        if let variance = budget.varianceOfSecondDoor { spent = spent + Rho(variance) * budget.questionsPerYear }
        (self.rows, self.tooSmall, door) = (rows, tooSmall, Self.door(budget, minimum))
        self.spent = spent
        epsilon = spent.epsilon(delta: GroupBudget.deltaOfNoise)
    }

    private static func row(
        _ kind: DataKind, _ level: RegionLevel, _ variance: NoiseVariance, _ budget: GroupBudget, _ minimum: Int
    ) -> Row {
        let rule = ReleaseRule(minimum: minimum, variance: variance, chance: budget.chanceOfMargin), cost = Rho(variance)
        let errors = sizes.flatMap { people in
            cells.compactMap { cells -> Error? in
                guard let half = error(of: kind, people: people, cells: cells, variance: variance) else { return nil }
                return Error(people: people, cells: cells, half: half, isReleased: people / cells >= rule.certain)
            }
        }
        return Row(
            kind: kind, level: level, variance: variance, cost: cost,
            epsilonOfYear: (cost * budget.window.perYear).epsilon(delta: GroupBudget.deltaOfNoise), threshold: rule.minimum + rule.margin,
            certain: rule.certain, errors: errors)
    }

    private static func door(_ budget: GroupBudget, _ minimum: Int) -> Door? {
        guard budget.questionsPerYear > 0, let variance = budget.varianceOfSecondDoor else { return nil }
        let rule = ReleaseRule(
            minimum: max(minimum, ReleaseRule.minimumOfSecondDoor), variance: variance, chance: budget.chanceOfMargin)
        return Door(
            variance: variance, cost: Rho(variance),
            epsilonOfYear: (Rho(variance) * budget.questionsPerYear).epsilon(delta: GroupBudget.deltaOfNoise),
            threshold: rule.minimum + rule.margin, certain: rule.certain)
    }

    /// The most that a guess whether somebody counts can be right, for whoever reads all of a year: 0.5 to 1.
    public var guess: Double { spent.guess }

    /// Half the width of the 95 % interval of a mean that is as usual, in the kind's unit.
    /// - Returns: nil for kinds without a mean.
    public static func error(of kind: DataKind, people: Int, cells: Int, variance: NoiseVariance) -> Double? {
        guard let bins = GroupBins(kind), bins.isOrdered, people > 0 else { return nil }
        let typical = Double(bins.typical - bins.first) / Double(bins.width)
        let squares = (0..<GroupBins.count).reduce(0.0) { sum, bin in
            let away = Double(bin) + 0.5 - typical
            return sum + away * away
        }
        let deviation = (Double(cells) * variance.value * squares + Double(people) / 12).squareRoot() / Double(people)
        return Estimate.width * deviation * bins.step
    }
}
