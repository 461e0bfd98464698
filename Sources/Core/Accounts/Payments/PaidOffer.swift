public import Vitals

/// What an operator may charge for. AutomatedSOS is not among it: nobody is less safe for want of money.
public enum PaidFeature: String, Sendable, Hashable, Codable, CaseIterable {
    /// More space for one's own measurements.
    case space

    /// Who can buy it.
    public var roles: Set<Role> {
        switch self {
        case .space: [.person]
        }
    }
}

/// One thing that is for sale: a feature for some days at a price.
public struct PaidOffer: Sendable, Hashable, Codable {
    /// The operator's name for it: letters, digits and hyphens.
    public let code: String
    public let feature: PaidFeature
    /// Days that one payment adds.
    public let days: Int
    public let price: Money

    /// Characters of a code, at most.
    public static let codeMax = 30
    /// Less would end before anybody is told of it in good time.
    public static let daysRange = 28...3660

    public init(code: String, feature: PaidFeature, days: Int, price: Money) {
        (self.code, self.feature, self.days, self.price) = (code, feature, days, price)
    }

    /// Reads `CODE=FEATURE DAYS PRICE CURRENCY`, such as `space-year=space 365 19.90 EUR`; nil for anything else.
    public init?(_ text: String) {
        let sides = text.split(separator: "=", maxSplits: 1)
        guard sides.count == 2 else { return nil }
        let code = String(sides[0]), words = sides[1].split(separator: " ").map(String.init)
        guard (1...Self.codeMax).contains(code.utf8.count),
            code.utf8.allSatisfy({ (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || $0 == 45 }),
            words.count == 4, let feature = PaidFeature(rawValue: words[0]), let days = Int(words[1]), Self.daysRange.contains(days),
            let currency = Currency(rawValue: words[3]), let price = Money(words[2], currency), price.minor > 0
        else { return nil }
        self.init(code: code, feature: feature, days: days, price: price)
    }
}

/// One attempt to pay for an offer.
public struct PaymentID: Identifier128 {
    public let high: UInt64, low: UInt64
    public init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
}
