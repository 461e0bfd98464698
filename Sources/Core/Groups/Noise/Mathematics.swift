/// Exponential, logarithm and the normal distribution without a mathematical library: pure targets import none, and these give the same
/// bits on every machine. For accounting and intervals; the sampler uses none of them.
public enum Mathematics {
    private static let logarithmOf2 = 0.693_147_180_559_945_3
    private static let rootOf2Pi = 2.506_628_274_631_000_5

    /// e^x, good to 1e-14 of itself; 0 below -745, infinite above 709.
    public static func exponential(_ x: Double) -> Double {
        guard x > -745 else { return 0 }
        guard x < 709.7 else { return .infinity }
        let twos = (x / logarithmOf2).rounded()
        // In two parts, of which the first has few enough digits that the product is exact (Cody and Waite).
        let rest = (x - twos * 0.693_147_180_369_123_8) - twos * 1.908_214_929_270_587_7e-10
        var sum = 1.0
        for term in stride(from: 18.0, through: 1, by: -1) { sum = 1 + rest / term * sum }
        // In two steps: 2^-1074 is no normal number.
        let half = (twos / 2).rounded(.down)
        return sum * power(half) * power(twos - half)
    }

    private static func power(_ exponent: Double) -> Double { Double(sign: .plus, exponent: Int(exponent), significand: 1) }

    /// The natural logarithm of a number above 0, good to 1e-15; -infinity for 0.
    public static func logarithm(_ x: Double) -> Double {
        guard x > 0 else { return x == 0 ? -.infinity : .nan }
        guard x < .infinity else { return x }
        var mantissa = x.significand, twos = Double(x.exponent)
        if mantissa > 1.414_213_562_373_095 {
            mantissa /= 2
            twos += 1
        }
        // log m = 2 artanh((m - 1) / (m + 1)), where the fraction is at most 0.172.
        let fraction = (mantissa - 1) / (mantissa + 1), square = fraction * fraction
        var sum = 0.0
        for term in stride(from: 25.0, through: 1, by: -2) { sum = 1 / term + square * sum }
        return twos * logarithmOf2 + 2 * fraction * sum
    }

    /// The chance that a standard normal number is above z, good to 1e-12 of itself.
    public static func normalTail(above z: Double) -> Double {
        guard z >= 0 else { return 1 - normalTail(above: -z) }
        guard z < 38 else { return 0 }
        let density = exponential(-z * z / 2) / rootOf2Pi
        if z < 3 {
            // 1/2 - density * (z + z³/3 + z⁵/15 + …)
            var term = z, sum = z, odd = 1.0
            while term > sum * 1e-17 {
                odd += 2
                term *= z * z / odd
                sum += term
            }
            return 0.5 - density * sum
        }
        // Mills' ratio as a continued fraction.
        var ratio = 0.0
        for number in stride(from: 200.0, through: 1, by: -1) { ratio = number / (z + ratio) }
        return density / (z + ratio)
    }

    /// The chance that a standard normal number is at most z: Phi.
    public static func normal(_ z: Double) -> Double { normalTail(above: -z) }

    /// The z above which a standard normal number lies with a chance.
    /// - Parameter chance: above 0, at most 1/2.
    public static func normalQuantile(above chance: Double) -> Double {
        var low = 0.0, high = 38.0
        for _ in 0..<80 {
            let middle = (low + high) / 2
            if normalTail(above: middle) > chance { low = middle } else { high = middle }
        }
        return high
    }
}
