/// The discrete Gaussian distribution: a whole number y has a probability proportional to exp(-y² / (2 sigma²)).
///
/// Sampled exactly, by Algorithm 3 of Canonne, Kamath and Steinke ("The Discrete Gaussian for Differential Privacy", NeurIPS 2020): no
/// floating-point number takes part. A count that changes by at most 1 with each person, published with this noise, is rho-zCDP with
/// rho = 1 / (2 sigma²) (their Theorem 4).
public struct DiscreteGaussian: Sendable, Hashable {
    public let variance: NoiseVariance
    /// The whole number above sigma: scale of the Laplace distribution from which candidates come.
    private let scale: UInt64

    public init(_ variance: NoiseVariance) {
        self.variance = variance
        var root: UInt64 = 0, bit: UInt64 = 1 << 12
        while bit > 0 {
            let next = root + bit
            if next * next * variance.denominator <= variance.numerator { root = next }
            bit >>= 1
        }
        scale = root + 1
    }

    /// One draw. In production the generator is the system's; a seeded one is for tests alone.
    public func sample(using generator: inout some RandomNumberGenerator) -> Int64 {
        let numerator = Int128(variance.numerator)
        let denominator = 2 * variance.numerator * variance.denominator * scale * scale
        while true {
            let candidate = laplace(using: &generator)
            // (|y| - sigma²/t)² / (2 sigma²) as one fraction.
            let away = Int128(candidate.magnitude) * Int128(scale * variance.denominator) - numerator
            if generator.isBelowExponential(UInt128(away * away), over: denominator) { return candidate }
        }
    }

    /// A whole number of probability proportional to exp(-|y| / scale): Algorithm 2.
    private func laplace(using generator: inout some RandomNumberGenerator) -> Int64 {
        while true {
            let rest = generator.uniform(below: scale)
            guard generator.isBelowExponentialOfFraction(rest, over: scale) else { continue }
            var wholes: UInt64 = 0
            while generator.isBelowExponentialOfFraction(1, over: 1) { wholes += 1 }
            let magnitude = Int64(rest + scale * wholes), isNegative = generator.uniform(below: 2) == 1
            // Zero has one sign, or it would come twice as often.
            if magnitude == 0 && isNegative { continue }
            return isNegative ? -magnitude : magnitude
        }
    }
}
