/// The fields of the sign-up and profile forms. The raw value is the field's name in the form.
public enum Field: String, Sendable, Hashable, CaseIterable, Codable {
    case firstName, lastName
    /// ISO 3166-1 alpha-2: of which country the tax identifier is.
    case taxCountry
    case taxIdentifier
    case gender
    /// ISO 8601: YYYY-MM-DD.
    case dateOfBirth
    case cityOfBirth, residence, phone, email, password
    /// Whole kilograms; nobody has to say it.
    case weight
    /// A ``RegionCode`` that the person chose, or `-` for none.
    case homeRegion
    /// The residence for which it was chosen: with another one the choice is over.
    case homeRegionFor

    /// An organisation, or a professional on their own.
    case organisationKind
    case organisationName
    /// ISO 3166-1 alpha-2: of which country the VAT number is.
    case vatCountry
    case vatNumber
    /// Evidence that the organisation is what it says.
    case proof
    /// The purpose for which it needs people's data.
    case purpose

    /// Each holds the version of the document that was shown and accepted.
    case terms, privacy, dataDuties
    /// A parent's word to have parental responsibility.
    case guardian
}
