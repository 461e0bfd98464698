/// The form with which somebody opens the account of another person, with nothing wrong in it: a relative for an elderly person (ACC-11), who
/// accepts and chooses a password at the hand-over; a parent for a minor (ACC-17), who accepts in the minor's place.
public struct PersonOpening: Sendable, Hashable {
    public let profile: PersonProfile
    public let taxIdentifier: TaxIdentifier
    /// nil for a person who has none: the hub makes a user name.
    public let email: EmailAddress?
    /// Whether the person is younger than the age from which on people open their account themselves.
    public let isMinor: Bool
    /// The documents that a parent accepted; nil where the person does so.
    public let terms: String?, privacy: String?

    /// The field of a parent's declaration: that they have parental responsibility.
    public static let guardian = "1"

    /// - Parameters:
    ///   - fields: by the raw values of ``Field``; others are not looked at.
    ///   - ownAge: years, see ``OwnAge``.
    /// - Throws: ``FormErrors``: everything that is wrong, at once.
    public init(_ fields: [String: String], documents: Documents, today: CalendarDate, ownAge: Int) throws(FormErrors) {
        var reader = FormReader(fields)
        let born = try? DateOfBirth(fields[Field.dateOfBirth.rawValue] ?? "", today: today)
        let isMinor = born?.needsGuardian(on: today, ownAge: ownAge) ?? false
        let taxIdentifier = reader.taxIdentifier()
        let profile = PersonProfile(&reader, today, isMinor, ownAge)
        let email = reader.optional(.email, EmailAddress.init)
        var terms: String?, privacy: String?
        if isMinor {
            terms = reader.accepted(.terms, current: documents.terms)
            privacy = reader.accepted(.privacy, current: documents.privacy)
            _ = reader.accepted(.guardian, current: Self.guardian)
        }
        try reader.finish()
        guard let taxIdentifier, let profile else { throw reader.failure }
        (self.profile, self.taxIdentifier, self.email, self.isMinor) = (profile, taxIdentifier, email, isMinor)
        (self.terms, self.privacy) = (terms, privacy)
    }
}
