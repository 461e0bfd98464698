/// An amount in the minor units of its currency, such as cents: never a fraction in binary.
public struct Money: Sendable, Hashable, Codable {
    /// In minor units; 0 or more.
    public let minor: Int64
    public let currency: Currency

    /// - Parameter minor: cents, or yen where the currency has no cents.
    public init(minor: Int64, currency: Currency) { (self.minor, self.currency) = (minor, currency) }

    /// An amount that nobody exceeds by a slip: 100,000,000 minor units.
    public static let minorMax: Int64 = 100_000_000

    /// Reads `19.90`: as many decimals as the currency has, or none. nil for anything else, and beyond ``minorMax``.
    public init?(_ text: String, _ currency: Currency) {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first, (1...9).contains(whole.utf8.count),
            parts.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } })
        else { return nil }
        var digits = String(whole)
        if parts.count == 2 {
            guard parts[1].utf8.count == currency.decimals, currency.decimals > 0 else { return nil }
            digits += parts[1]
        } else {
            digits += String(repeating: "0", count: currency.decimals)
        }
        guard let minor = Int64(digits), minor <= Self.minorMax else { return nil }
        self.init(minor: minor, currency: currency)
    }

    /// `19.90`: with a point and as many decimals as the currency has, as PayPal's API takes it.
    public var decimal: String {
        guard currency.decimals > 0 else { return String(minor) }
        var unit: Int64 = 1
        for _ in 0..<currency.decimals { unit *= 10 }
        let rest = String(minor % unit)
        return "\(minor / unit)." + String(repeating: "0", count: max(0, currency.decimals - rest.utf8.count)) + rest
    }
}

/// Currencies of ISO 4217 that PayPal takes with the decimals of the standard. HUF and TWD are not among them: there PayPal's decimals differ.
public enum Currency: String, Sendable, Hashable, Codable, CaseIterable {
    case aud = "AUD"
    case brl = "BRL"
    case cad = "CAD"
    case chf = "CHF"
    case czk = "CZK"
    case dkk = "DKK"
    case eur = "EUR"
    case gbp = "GBP"
    case hkd = "HKD"
    case ils = "ILS"
    case jpy = "JPY"
    case mxn = "MXN"
    case myr = "MYR"
    case nok = "NOK"
    case nzd = "NZD"
    case php = "PHP"
    case pln = "PLN"
    case sek = "SEK"
    case sgd = "SGD"
    case thb = "THB"
    case usd = "USD"

    /// The exponent of ISO 4217: digits after the decimal point.
    public var decimals: Int { self == .jpy ? 0 : 2 }
}
