/// The variance parameter of discrete Gaussian noise as a fraction of whole numbers: the sampler and the accounting use the same number,
/// exactly.
public struct NoiseVariance: Sendable, Hashable {
    /// At least 1, and at most ``denominator`` times ``most``.
    public let numerator: UInt64
    /// 1 to ``denominatorMax``.
    public let denominator: UInt64

    /// The largest variance: a deviation of 2048 people. Within it and ``denominatorMax`` the sampler's numbers fit into machine words.
    public static let most: UInt64 = 1 << 22
    public static let denominatorMax: UInt64 = 64

    /// - Returns: nil for a fraction that is not above 0, above ``most``, or of a denominator outside 1 to ``denominatorMax``.
    public init?(_ numerator: UInt64, over denominator: UInt64 = 1) {
        guard (1...Self.denominatorMax).contains(denominator), (1...denominator * Self.most).contains(numerator) else { return nil }
        (self.numerator, self.denominator) = (numerator, denominator)
    }

    /// The least variance in sixteenths whose noise costs at most `cost` for each reading: 1 / (2 rho), rounded up.
    /// - Returns: nil where that is above ``most``, or nothing may be spent.
    public init?(spending cost: Rho) {
        guard cost.trillionths > 0 else { return nil }
        let product = cost.trillionths.multipliedReportingOverflow(by: 2)
        guard !product.overflow else { return nil }
        let sixteenths = Rho.one.trillionths * 16
        let (quotient, remainder) = sixteenths.quotientAndRemainder(dividingBy: product.partialValue)
        self.init(quotient + (remainder > 0 ? 1 : 0), over: 16)
    }

    /// For figures, never for the sampler.
    public var value: Double { Double(numerator) / Double(denominator) }

    /// The parameter sigma, for figures. Where it is 1 or more, the deviation of the noise is the same to nine digits.
    public var deviation: Double { value.squareRoot() }
}
