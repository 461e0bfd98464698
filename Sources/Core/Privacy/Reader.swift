public import Vitals

/// Somebody other than the person who reads, or asks to read, that person's data.
public enum Reader: Sendable, Hashable, Codable {
    case organisation(OrganisationID)
    /// The organiser of a run that the person takes part in.
    case organiser(AccountID)
    /// A relative who looks after the person.
    case caregiver(AccountID)
    /// A doctor or a relative whom the person named.
    case named(AccountID)

    /// On what ground this reader reads by a consent.
    func ground(_ consent: ConsentID) -> Grant.Ground {
        switch self {
        case .organisation, .organiser: .consent(consent)
        case .caregiver: .caregiver(consent)
        case .named: .named(consent)
        }
    }
}
