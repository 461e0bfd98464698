/// A loss of privacy in zero-concentrated differential privacy (zCDP; Bun and Steinke, TCC 2016): what several answers cost adds up.
///
/// Whole trillionths, so that a ledger adds without rounding.
public struct Rho: Sendable, Hashable, Comparable, Codable {
    public let trillionths: UInt64

    public static let zero = Rho(trillionths: 0)
    public static let one = Rho(trillionths: 1_000_000_000_000)

    public init(trillionths: UInt64) { self.trillionths = trillionths }

    /// The cost of one reading with noise of a variance to a person who changes it by at most 1: 1 / (2 sigma²), rounded up.
    public init(_ variance: NoiseVariance) {
        // At most 1e12 * 64 over 2: within 64 bits.
        let (quotient, rest) = (Self.one.trillionths * variance.denominator).quotientAndRemainder(dividingBy: 2 * variance.numerator)
        trillionths = quotient + (rest > 0 ? 1 : 0)
    }

    public var value: Double { Double(trillionths) / 1e12 }

    public static func < (one: Rho, other: Rho) -> Bool { one.trillionths < other.trillionths }

    /// Composition. Stays at the greatest number where 64 bits hold no sum: never less than was spent.
    public static func + (one: Rho, other: Rho) -> Rho {
        let (sum, overflow) = one.trillionths.addingReportingOverflow(other.trillionths)
        return Rho(trillionths: overflow ? .max : sum)
    }

    /// Of `times` equal readings.
    public static func * (one: Rho, times: Int) -> Rho {
        let (product, overflow) = one.trillionths.multipliedReportingOverflow(by: UInt64(clamping: times))
        return Rho(trillionths: overflow ? .max : product)
    }

    /// The rest after `other`: zero at least.
    public func less(_ other: Rho) -> Rho { Rho(trillionths: self > other ? trillionths - other.trillionths : 0) }

    /// `parts` of `whole` equal parts, rounded down.
    /// - Parameter whole: 0 has no parts.
    public func share(_ parts: Int, of whole: Int) -> Rho {
        guard parts > 0, whole >= parts else { return .zero }
        let product = trillionths.multipliedFullWidth(by: UInt64(parts))
        return Rho(trillionths: UInt64(whole).dividingFullWidth(product).quotient)
    }
}

extension Rho {
    /// The least epsilon for which (epsilon, delta) follows from rho alone: Proposition 12 of Canonne, Kamath and Steinke (NeurIPS 2020),
    /// the minimum over alpha > 1 of alpha rho + log((1 - 1/alpha)^alpha / (delta (alpha - 1))) / (alpha - 1).
    /// - Parameter delta: above 0, below 1.
    public func epsilon(delta: Double) -> Double {
        guard self > .zero else { return 0 }
        func bound(_ logarithm: Double) -> Double {
            let above = Mathematics.exponential(logarithm), alpha = 1 + above
            let inside = alpha * (logarithm - Mathematics.logarithm(alpha)) - Mathematics.logarithm(delta) - logarithm
            return alpha * value + inside / above
        }
        // The bound falls, then rises, with alpha - 1: a search by the golden section on its logarithm.
        let ratio = (5.0.squareRoot() - 1) / 2
        var low = -12.0, high = 24.0
        for _ in 0..<48 {
            let one = high - ratio * (high - low), other = low + ratio * (high - low)
            if bound(one) < bound(other) { high = other } else { low = one }
        }
        return max(0, bound((low + high) / 2))
    }

    /// The most that a guess can be right whether somebody counted, for whoever knows everything else: Phi(sqrt(rho / 2)), 0.5 to 1.
    public var guess: Double { Self.guess(value) }

    /// As ``guess``, of a rho that was added up as a number.
    static func guess(_ rho: Double) -> Double { Mathematics.normal((rho / 2).squareRoot()) }

    /// The most that may be spent so that epsilon stays within a bound, to a trillionth.
    public static func most(epsilon: Double, delta: Double) -> Rho {
        var low: UInt64 = 0, high: UInt64 = 64 * Rho.one.trillionths
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if Rho(trillionths: middle).epsilon(delta: delta) <= epsilon { low = middle } else { high = middle }
        }
        return Rho(trillionths: low)
    }
}
