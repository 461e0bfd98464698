/// The purpose of an account. One account can have several.
public enum Role: String, Sendable, Hashable, CaseIterable, Codable {
    /// Wears a sensor, and decides who reads what (ACC-1).
    case person
    /// Asks for data: an organisation, or a professional on their own (ACC-2).
    case organisation
    /// Organises runs (ACC-3).
    case organiser
    /// Takes alarms: the crew of an ambulance, enrolled by its hospital (ACC-16).
    case responder
    /// Runs the hub: admits hospitals, and checks organisations and their requests.
    case `operator`
    /// Reads for a person who cannot, with consent: a relative (ACC-11), or the parent of a minor (ACC-17).
    case caregiver
    /// Acts for an organisation that invited them (ACC-20).
    case member

    /// Whether a passkey or one-time codes are required, and not only offered (ACC-9).
    public var needsSecondFactor: Bool {
        switch self {
        case .organisation, .responder, .operator, .member: true
        case .person, .organiser, .caregiver: false
        }
    }

    /// Whether anybody can open such an account with a form. The others come from somebody who has the right to give them.
    public var signsUp: Bool {
        switch self {
        case .person, .organisation, .organiser, .caregiver: true
        case .responder, .operator, .member: false
        }
    }

    /// Fields of the profile that the owner of such an account cannot change (ACC-2, ACC-8). It is the e-mail address for everybody.
    public var fixedFields: Set<Field> {
        switch self {
        case .person: [.email, .taxCountry, .taxIdentifier]
        case .organisation: [.email, .vatCountry, .vatNumber]
        case .organiser, .responder, .operator, .caregiver, .member: [.email]
        }
    }
}
