import Foundation
import Groups

/// How well an attack told a target who is there from one who is not.
struct AttackResult {
    /// Scores of the attack in worlds with the target, and in worlds without: above 0 it says "there".
    var with: [Double] = []
    var without: [Double] = []
    /// What the attack read, by the accounting.
    var rho = 0.0

    /// The share of right guesses; a score of 0 is a coin.
    var success: Double {
        func share(_ scores: [Double], _ isRight: (Double) -> Bool) -> Double {
            scores.reduce(0) { $0 + ($1 == 0 ? 0.5 : isRight($1) ? 1 : 0) } / Double(scores.count)
        }
        return (share(with) { $0 > 0 } + share(without) { $0 < 0 }) / 2
    }

    /// The chance that a target who is there scores above one who is not; equals count half.
    var auc: Double {
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
    var successMax: Double { Mathematics.normal((rho / 2).squareRoot()) }
    var aucMax: Double { Mathematics.normal(rho.squareRoot()) }

    /// Of a share among as many guesses; of an AUC at a half.
    private var errors: (success: Double, auc: Double) {
        let guesses = Double(with.count + without.count)
        return (0.5 / guesses.squareRoot(), (1 / (3 * guesses)).squareRoot())
    }

    /// Whether it is within the bounds and three standard errors.
    var isBounded: Bool { success <= successMax + 3 * errors.success && auc <= aucMax + 3 * errors.auc }

    var text: String {
        String(format: "success %.3f (bound %.3f, chance 0.500), AUC %.3f (bound %.3f), rho %.4f", success, successMax, auc, aucMax, rho)
    }
}
