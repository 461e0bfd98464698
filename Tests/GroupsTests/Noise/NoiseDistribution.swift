import Foundation
import Groups

/// The discrete Gaussian distribution as it is defined, for comparison, and how far counts are from it.
struct NoiseDistribution {
    /// Of the values from `-reach` to `reach`.
    let chances: [Double]
    let reach: Int

    init(_ variance: Double) {
        reach = Int(variance.squareRoot() * 12) + 12
        let weights = (-reach...reach).map { exp(-Double($0 * $0) / (2 * variance)) }
        let sum = weights.reduce(0, +)
        chances = weights.map { $0 / sum }
    }

    private func moment(_ power: Double) -> Double {
        zip(-reach...reach, chances).reduce(0) { $0 + pow(Double($1.0), power) * $1.1 }
    }
    var variance: Double { moment(2) }
    /// The standard error of the variance of a number of draws.
    func errorOfVariance(draws: Int) -> Double { ((moment(4) - moment(2) * moment(2)) / Double(draws)).squareRoot() }

    /// How many standard deviations chi-square lies above its mean. Values with fewer than 10 expected draws are one class on each side.
    func excess(of counts: [Int64: Int], draws: Int) -> Double {
        var square = 0.0, classes = 0.0, low = (seen: 0, expected: 0.0), high = (seen: 0, expected: 0.0), inside = 0
        for (value, chance) in zip(-reach...reach, chances) {
            let expected = chance * Double(draws), seen = counts[Int64(value)] ?? 0
            inside += seen
            if expected < 10 {
                if value < 0 {
                    low = (low.seen + seen, low.expected + expected)
                } else {
                    high = (high.seen + seen, high.expected + expected)
                }
            } else {
                square += pow(Double(seen) - expected, 2) / expected
                classes += 1
            }
        }
        for tail in [low, high] where tail.expected > 0 {
            square += pow(Double(tail.seen) - tail.expected, 2) / max(tail.expected, 1)
            classes += 1
        }
        // What no draw can be.
        guard inside == draws else { return .infinity }
        return (square - (classes - 1)) / (2 * (classes - 1)).squareRoot()
    }
}

/// What OpenDP says: Tests/Fixtures/groups/opendp-fixture writes it.
struct OpenDPFixture: Decodable {
    struct Noise: Decodable {
        let scale: Double, rho: Double, draws: Int, counts: [String: Int]
    }
    struct Epsilon: Decodable {
        let rho: Double, delta: Double, epsilon: Double
    }
    let noise: [Noise]
    let epsilon: [Epsilon]
}
