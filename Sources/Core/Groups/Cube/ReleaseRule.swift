/// Counts without noise. They are not public: only ``ReleaseRule`` turns them into what may be seen.
public struct TrueCounts: Sendable, Hashable {
    let bins: [Int64]

    init(_ bins: [Int64]) { self.bins = bins }

    var total: Int64 { bins.reduce(0, +) }
}

/// When a cell is released, and with which noise (GRP-2, GRP-4).
///
/// The noisy count must reach the least size and a margin above it, and the true one the least size. Whoever sees no release does not
/// learn which failed: below the least size the noisy count reaches the margin with ``chance`` at most, so that the noise alone decides.
public struct ReleaseRule: Sendable, Hashable {
    /// The least size that may be set.
    public static let minimum = 1_000
    /// Of groups that the second door answers about, as installed and at least.
    public static let minimumOfSecondDoor = 5_000

    public let minimum: Int
    public let variance: NoiseVariance
    /// That the noise of a count is above ``margin``.
    public let chance: Double

    /// - Parameters:
    ///   - minimum: what lies below ``ReleaseRule/minimum`` counts as that.
    ///   - chance: above 0, below 1; see ``GroupBudget/chanceOfMargin``.
    public init(minimum: Int = Self.minimum, variance: NoiseVariance, chance: Double) {
        (self.minimum, self.variance, self.chance) = (max(Self.minimum, minimum), variance, chance)
    }

    /// How far above the least size a noisy count must be: discrete Gaussian noise is subgaussian (Canonne, Kamath and Steinke), so that
    /// the sum over 16 classes is above m with a chance of at most exp(-m² / (2 * 16 sigma²)).
    public var margin: Int {
        Int((2 * Double(GroupBins.count) * variance.value * -Mathematics.logarithm(chance)).squareRoot().rounded(.up))
    }

    /// The size from which a group is answered for certain, but for ``chance``.
    public var certain: Int { minimum + 2 * margin }

    /// Draws the noise of a cell, once: what comes back is stored, and read by everybody.
    ///
    /// The noise is drawn before anything is decided, so that neither time nor random numbers tell why something was refused.
    /// - Returns: 16 noisy counts, some perhaps below 0; nil for a refusal.
    public func release(_ counts: TrueCounts, using generator: inout some RandomNumberGenerator) -> [Int64]? {
        let noise = DiscreteGaussian(variance)
        let noisy = counts.bins.map { $0 + noise.sample(using: &generator) }
        // Below the least size nothing is ever released, whatever the noise.
        let isLarge = counts.total >= Int64(minimum), isAbove = noisy.reduce(0, +) >= Int64(minimum + margin)
        return isLarge && isAbove ? noisy : nil
    }
}
