import Foundation
import Groups

typealias AttackResult = AttackScores

extension AttackScores {
    var text: String {
        String(format: "success %.3f (bound %.3f, chance 0.500), AUC %.3f (bound %.3f), rho %.4f", success, successMax, auc, aucMax, rho)
    }
}
