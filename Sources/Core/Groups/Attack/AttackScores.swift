/// How well an attack told people who are counted from people who are not, beside what the accounting allows.
public struct AttackScores: Sendable, Hashable {
    /// Scores of the attack where the target counts, and where not: above 0 it says that they do.
    public var with: [Double]
    public var without: [Double]
    /// The cost of everything that the attack read, by the accounting.
    public var rho: Double

    public init(with: [Double] = [], without: [Double] = [], rho: Double = 0) {
        (self.with, self.without, self.rho) = (with, without, rho)
    }

    public mutating func note(_ score: Double, isThere: Bool) {
        if isThere { with.append(score) } else { without.append(score) }
    }

    /// The share of right guesses; a score of 0 is a coin.
    public var success: Double {
        func share(_ scores: [Double], _ isRight: (Double) -> Bool) -> Double {
            scores.reduce(0) { $0 + ($1 == 0 ? 0.5 : isRight($1) ? 1 : 0) } / Double(scores.count)
        }
        return (share(with) { $0 > 0 } + share(without) { $0 < 0 }) / 2
    }

    /// The chance that a target who counts scores above one who does not; equals count half.
    public var auc: Double {
        let all = (with.map { ($0, true) } + without.map { ($0, false) }).sorted { $0.0 < $1.0 }
        var sum = 0.0, at = 0
        while at < all.count {
            var end = at
            while end < all.count && all[end].0 == all[at].0 { end += 1 }
            let rank = Double(at + 1 + end) / 2
            sum += rank * Double(all[at..<end].filter(\.1).count)
            at = end
        }
        let count = Double(with.count)
        return (sum - count * (count + 1) / 2) / (count * Double(without.count))
    }

    /// The best that any attack can do against noise of this rho: a normal distribution moved by sqrt(2 rho) deviations.
    public var successMax: Double { Rho.guess(rho) }
    public var aucMax: Double { Mathematics.normal(rho.squareRoot()) }

    /// Of a share among as many guesses; of an AUC at a half.
    private var errors: (success: Double, auc: Double) {
        let one = Double(with.count), other = Double(without.count)
        return (0.25 * (1 / one + 1 / other).squareRoot(), ((one + other + 1) / (12 * one * other)).squareRoot())
    }

    /// Whether it is within the bounds and three standard errors.
    public var isBounded: Bool { success <= successMax + 3 * errors.success && auc <= aucMax + 3 * errors.auc }
}
