/// Random choices of exact probability: whole numbers alone, so that no rounding gives anything away (Mironov, CCS 2012).
extension RandomNumberGenerator {
    /// 0 to `bound - 1`, each equally likely: bits are drawn until they say a number below it.
    /// - Parameter bound: at least 1.
    mutating func uniform(below bound: UInt64) -> UInt64 {
        guard bound > 1 else { return 0 }
        let mask = UInt64.max >> UInt64((bound - 1).leadingZeroBitCount)
        while true {
            let drawn: UInt64 = next() & mask
            if drawn < bound { return drawn }
        }
    }

    /// True with probability exp(-numerator / denominator), exactly: Algorithm 1 of Canonne, Kamath and Steinke, "The Discrete Gaussian
    /// for Differential Privacy", NeurIPS 2020.
    /// - Parameter denominator: 1 to 2^57.
    mutating func isBelowExponential(_ numerator: UInt128, over denominator: UInt64) -> Bool {
        let (whole, rest) = numerator.quotientAndRemainder(dividingBy: UInt128(denominator))
        var left = whole
        while left > 0 {
            guard isBelowExponentialOfFraction(1, over: 1) else { return false }
            left -= 1
        }
        return isBelowExponentialOfFraction(UInt64(rest), over: denominator)
    }

    /// Of a fraction of at most 1. The chance that the k-th draw is reached is fraction^(k-1) / (k-1)!: the sum over odd k of stopping
    /// there is the series of exp(-fraction).
    mutating func isBelowExponentialOfFraction(_ numerator: UInt64, over denominator: UInt64) -> Bool {
        guard numerator > 0 else { return true }
        var number: UInt64 = 1
        while uniform(below: denominator * number) < numerator { number += 1 }
        return number % 2 == 1
    }
}
