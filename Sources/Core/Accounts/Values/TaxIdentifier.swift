/// By what a country's tax office knows a person.
public enum TaxIdentifier: Sendable, Hashable {
    case fiscalCode(FiscalCode)
    case socialSecurity(SocialSecurityNumber)
    /// Of another country: 5 to 20 capitals and digits, with a digit among them. Nothing else is checked.
    case other(Country, String)

    private static let otherLength = 5...20

    /// - Throws: ``FieldError``: those of ``FiscalCode`` for Italy and of ``SocialSecurityNumber`` for the United States; `.characters`,
    ///   `.tooLong` and `.formTaxIdentifier` for other countries.
    public init(_ text: String, country: Country) throws(FieldError) {
        switch country {
        case .italy: self = .fiscalCode(try FiscalCode(text))
        case .unitedStates: self = .socialSecurity(try SocialSecurityNumber(text))
        default: self = .other(country, try Self.plainIdentifier(text, mistake: FieldError(.formTaxIdentifier)))
        }
    }

    public var country: Country {
        switch self {
        case .fiscalCode: .italy
        case .socialSecurity: .unitedStates
        case .other(let country, _): country
        }
    }

    /// Without the country.
    public var text: String {
        switch self {
        case .fiscalCode(let code): code.code
        case .socialSecurity(let number): number.digits
        case .other(_, let text): text
        }
    }

    /// The same text for the same identifier, however it was typed: what a blind index is made of.
    public var canonical: String { "\(country.code):\(text)" }

    static func plainIdentifier(_ text: String, mistake: FieldError) throws(FieldError) -> String {
        let bytes = try Normalisation.compact(text, maximum: otherLength.upperBound)
        guard bytes.count >= otherLength.lowerBound, bytes.contains(where: { $0.digit != nil }) else { throw mistake }
        return String(decoding: bytes, as: UTF8.self)
    }
}
