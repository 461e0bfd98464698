/// The name of a place in the list of regions: a country (`IT`), its first-level subdivision (`IT-25`, ISO 3166-2), a province (`IT-MI`) or a
/// municipality (`IT-015146`, by ISTAT's number).
public struct RegionCode: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// 2 to 9 capitals, digits and one dash.
    public let text: String

    /// nil for what cannot be one, whether or not the list has it.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard (2...9).contains(bytes.count), bytes[0].capital != nil, bytes[1].capital != nil else { return nil }
        guard bytes.count == 2 || (bytes.count > 3 && bytes[2] == UInt8(ascii: "-")) else { return nil }
        guard bytes.dropFirst(3).allSatisfy({ $0.capital != nil || $0.digit != nil }) else { return nil }
        self.text = text
    }

    init(country: String, _ part: String) { text = "\(country)-\(part)" }

    public var description: String { text }

    /// ISO 3166-1 alpha-2.
    public var country: String { String(text.prefix(2)) }

    public static func < (left: Self, right: Self) -> Bool { left.text < right.text }
}

/// How large a place of the list is. Only Italy has provinces and municipalities.
public enum RegionLevel: Int, Sendable, Hashable, Codable, Comparable, CaseIterable {
    case country, region, province, municipality

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// One place of the list of regions.
public struct Region: Sendable, Hashable {
    /// The middle of a place, degrees, WGS 84.
    public struct Centre: Sendable, Hashable {
        public let latitude: Double, longitude: Double
    }

    public let code: RegionCode
    public let level: RegionLevel
    /// In the language of the place; of a country in English.
    public let name: String
    /// Of a country in Italian; of other places in a second language that is spoken there. Empty where there is none.
    public let otherName: String
    /// The place around it; nil for a country.
    public let parent: RegionCode?
    /// People in the town, rounded by nobody; nil where the list does not know. Only municipalities have it.
    public let population: Int?
    /// Only municipalities have one, and not all.
    public let centre: Centre?

    /// As a reader of `language` (BCP 47) calls it.
    public func name(in language: String) -> String { level == .country && language == "it" && !otherName.isEmpty ? otherName : name }
}
