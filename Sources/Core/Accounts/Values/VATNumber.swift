/// A VAT number: with its check digit for Italy, by its form for the other countries of the Union and the United Kingdom, and by length
/// alone for the rest.
public struct VATNumber: Sendable, Hashable, CustomStringConvertible {
    public let country: Country
    /// The number with its prefix: the same text however it was typed, what a blind index is made of.
    public let canonical: String

    public var description: String { canonical }

    /// Enough for every form, with its prefix.
    private static let maximum = 22

    /// Takes the number with its country's prefix or without.
    /// - Throws: ``FieldError`` `.characters`, `.tooLong`, `.formVATNumber`; for Italy those of ``PartitaIVA``.
    public init(_ text: String, country: Country) throws(FieldError) {
        let typed = try Normalisation.compact(text, maximum: Self.maximum)
        let prefixes = Self.prefixes(of: country)
        let stripped = prefixes.first { typed.starts(with: $0.utf8) }.map { Array(typed.dropFirst($0.utf8.count)) }
        self.country = country
        canonical = prefixes[0] + (try Self.number(stripped ?? typed, typed, country))
    }

    private static func number(_ stripped: [UInt8], _ typed: [UInt8], _ country: Country) throws(FieldError) -> String {
        if country == .italy { return try PartitaIVA(String(decoding: stripped, as: UTF8.self)).digits }
        guard let forms = VATForms.byCountry[country.code] else {
            return try TaxIdentifier.plainIdentifier(String(decoding: stripped, as: UTF8.self), mistake: FieldError(.formVATNumber))
        }
        // Some numbers begin with the letters of their prefix by chance.
        for candidate in [stripped, typed] where forms.contains(where: { VATForms.matches(candidate, $0) }) {
            return String(decoding: candidate, as: UTF8.self)
        }
        throw FieldError(.formVATNumber)
    }

    /// The first one is written. Greece has its own; firms of Northern Ireland use theirs towards the Union.
    private static func prefixes(of country: Country) -> [String] {
        switch country.code {
        case "GR": ["EL", "GR"]
        case "GB": ["GB", "XI"]
        default: [country.code]
        }
    }
}

/// The forms of VAT numbers without prefix, after the list of the European Commission's VIES.
enum VATForms {
    /// 9 stands for a digit, A for a letter, X for either; the others for themselves. Italy's is in ``PartitaIVA``.
    static let byCountry: [String: [String]] = [
        "AT": ["U99999999"], "BE": ["0999999999", "1999999999"], "BG": ["999999999", "9999999999"], "CY": ["99999999A"],
        "CZ": ["99999999", "999999999", "9999999999"], "DE": ["999999999"], "DK": ["99999999"], "EE": ["999999999"],
        "ES": ["A9999999X", "X9999999A"], "FI": ["99999999"], "FR": ["XX999999999"],
        "GB": ["999999999", "999999999999", "GD999", "HA999"], "GR": ["999999999"], "HR": ["99999999999"], "HU": ["99999999"],
        "IE": ["9X99999A", "9999999AA"], "LT": ["999999999", "999999999999"], "LU": ["99999999"], "LV": ["99999999999"],
        "MT": ["99999999"], "NL": ["999999999B99"], "PL": ["9999999999"], "PT": ["999999999"],
        "RO": (2...10).map { String(repeating: "9", count: $0) }, "SE": ["999999999999"], "SI": ["99999999"], "SK": ["9999999999"],
    ]

    static func matches(_ bytes: [UInt8], _ form: String) -> Bool {
        bytes.count == form.utf8.count
            && zip(bytes, form.utf8).allSatisfy { byte, expected in
                switch expected {
                case UInt8(ascii: "9"): byte.digit != nil
                case UInt8(ascii: "A"): byte.capital != nil
                case UInt8(ascii: "X"): true
                default: byte == expected
                }
            }
    }
}
