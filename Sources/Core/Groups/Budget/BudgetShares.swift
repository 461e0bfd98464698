public import Accounts
public import Vitals

/// How an operator divides the one budget of a person and year. All shares are whole parts of the sum beside them.
public struct BudgetShares: Sendable, Hashable, Codable {
    /// A kind without parts is not grouped.
    public var kinds: [DataKind: Int]
    /// A level without parts is not released.
    public var levels: [RegionLevel: Int]
    /// The cube, that is released without being asked.
    public var cube: Int
    /// Questions with ranges of health values.
    public var secondDoor: Int

    /// As installed: heart rate a half, sleep, steps and weight a sixth each; regions a half, provinces a third, municipalities a sixth;
    /// the second door a tenth of all.
    public init(
        kinds: [DataKind: Int] = [.heartRate: 3, .sleep: 1, .steps: 1, .weight: 1],
        levels: [RegionLevel: Int] = [.region: 3, .province: 2, .municipality: 1], cube: Int = 9, secondDoor: Int = 1
    ) {
        (self.kinds, self.levels, self.cube, self.secondDoor) = (kinds, levels, cube, secondDoor)
    }

    /// A problem of the shares.
    public enum Problem: Error, Sendable, Hashable {
        /// Each share is 0 to ``partsMax``.
        case partsOutOfRange
        /// Nothing has a share.
        case nothingShared
        /// A kind that is none of ``GroupBins/counted``.
        case notGrouped(DataKind)
    }

    public static let partsMax = 10_000

    public func check() throws(Problem) {
        let parts = Array(kinds.values) + Array(levels.values) + [cube, secondDoor]
        guard parts.allSatisfy({ (0...Self.partsMax).contains($0) }) else { throw .partsOutOfRange }
        let ungrouped = Set(kinds.keys).subtracting(GroupBins.counted)
        if let kind = ungrouped.min(by: { $0.rawValue < $1.rawValue }) { throw .notGrouped(kind) }
        guard kinds.values.reduce(0, +) > 0, levels.values.reduce(0, +) > 0, cube + secondDoor > 0 else { throw .nothingShared }
    }

    /// The budget of a year for one kind at one level of the cube.
    func ofCube(_ kind: DataKind, _ level: RegionLevel, of all: Rho) -> Rho {
        all.share(cube, of: cube + secondDoor)
            .share(kinds[kind] ?? 0, of: kinds.values.reduce(0, +))
            .share(levels[level] ?? 0, of: levels.values.reduce(0, +))
    }
}

/// The privacy that a person may lose in a year through groups, and the part that each release takes (GRP-4).
public struct GroupBudget: Sendable, Hashable, Codable {
    /// Per person and year, over all readers, kinds, levels and both doors.
    public let epsilon: Double
    /// A person's budget of a year.
    public let perYear: Rho
    public var shares: BudgetShares
    public var window: GroupWindow.Length
    /// Answers of the second door in a year, over all organisations.
    public var questionsPerYear: Int
    /// Of them, how many one organisation may have.
    public var questionsPerOrganisation: Int

    /// The most that the operator may set.
    public static let epsilonMax = 4.5
    /// The chance beside epsilon, together: ``deltaOfNoise`` and ``deltaOfMargin``.
    public static let delta = 1e-9
    /// The delta that epsilon is worked out with.
    public static let deltaOfNoise = 0.9e-9
    /// The budget of a year that ``epsilonMax`` allows. Kept, since the search for it takes thousands of logarithms.
    private static let perYearMax = Rho.most(epsilon: epsilonMax, delta: deltaOfNoise)
    /// The chance that, within a person's year, any noise is beyond a margin of ``ReleaseRule``, so that a true count shows in a refusal.
    public static let deltaOfMargin = 0.1e-9

    public init(
        epsilon: Double = Self.epsilonMax, shares: BudgetShares = BudgetShares(), window: GroupWindow.Length = .week,
        questionsPerYear: Int = 24, questionsPerOrganisation: Int = 6
    ) {
        (self.epsilon, self.shares, self.window) = (epsilon, shares, window)
        perYear = epsilon >= Self.epsilonMax ? Self.perYearMax : epsilon > 0 ? Rho.most(epsilon: epsilon, delta: Self.deltaOfNoise) : .zero
        (self.questionsPerYear, self.questionsPerOrganisation) = (questionsPerYear, questionsPerOrganisation)
    }

    /// A problem of the budget beside its shares.
    public enum Problem: Error, Sendable, Hashable {
        /// It is above 0, ``epsilonMax`` at most.
        case epsilonOutOfRange
        /// Both numbers are 0 to ``questionsMax``, and no organisation has more than all.
        case questionsOutOfRange
    }

    public static let questionsMax = 1_000

    /// ``BudgetShares/check()`` has the problems of the shares.
    public func check() throws(Problem) {
        guard epsilon > 0, epsilon <= Self.epsilonMax else { throw .epsilonOutOfRange }
        guard (0...Self.questionsMax).contains(questionsPerYear), (0...questionsPerYear).contains(questionsPerOrganisation) else {
            throw .questionsOutOfRange
        }
    }

    private enum CodingKeys: CodingKey {
        case epsilon, shares, window, questionsPerYear, questionsPerOrganisation
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            epsilon: try values.decode(Double.self, forKey: .epsilon), shares: try values.decode(BudgetShares.self, forKey: .shares),
            window: try values.decode(GroupWindow.Length.self, forKey: .window),
            questionsPerYear: try values.decode(Int.self, forKey: .questionsPerYear),
            questionsPerOrganisation: try values.decode(Int.self, forKey: .questionsPerOrganisation))
    }

    /// The noise of one window, kind and level of the cube.
    /// - Returns: nil for what has no share, or so little that the noise would be above ``NoiseVariance/most``: it is not released.
    public func variance(of kind: DataKind, at level: RegionLevel) -> NoiseVariance? {
        NoiseVariance(spending: shares.ofCube(kind, level, of: perYear).share(1, of: window.perYear))
    }

    /// The noise of one answer of the second door; nil where it has no share.
    public var varianceOfSecondDoor: NoiseVariance? {
        NoiseVariance(spending: perYear.share(shares.secondDoor, of: shares.cube + shares.secondDoor).share(1, of: questionsPerYear))
    }

    /// The number of noisy counts that a person can be in within a year: over them ``deltaOfMargin`` is divided.
    public var countsPerYear: Int {
        let kinds = shares.kinds.values.filter { $0 > 0 }.count, levels = shares.levels.values.filter { $0 > 0 }.count
        return kinds * levels * window.perYear + questionsPerYear
    }

    /// The chance of error of one margin.
    public var chanceOfMargin: Double { Self.deltaOfMargin / Double(max(1, countsPerYear)) }
}
