/// The part of an organiser's profile that can be changed later.
public struct OrganiserProfile: Sendable, Hashable {
    public let firstName: Line, lastName: Line
    /// Nobody has verified it yet: a new one needs that again.
    public let phone: PhoneNumber

    /// Reads a changed profile. All fields of it have to be there.
    /// - Throws: ``FormErrors``, also for a field that cannot be changed.
    public init(edited fields: [String: String]) throws(FormErrors) {
        var reader = FormReader(fields)
        let profile = Self(&reader)
        reader.refuse(Role.organiser.fixedFields)
        try reader.finish()
        guard let profile else { throw reader.failure }
        self = profile
    }

    init?(_ reader: inout FormReader) {
        let firstName = reader.line(.firstName, Line.nameLength)
        let lastName = reader.line(.lastName, Line.nameLength)
        let phone = reader.required(.phone, PhoneNumber.init)
        guard let firstName, let lastName, let phone else { return nil }
        (self.firstName, self.lastName, self.phone) = (firstName, lastName, phone)
    }
}

/// An organiser's sign-up form with nothing wrong in it (ACC-3).
public struct OrganiserSignUp: Sendable, Hashable {
    public let profile: OrganiserProfile
    public let email: EmailAddress
    public let password: Password
    /// The version accepted; the caller records it with the time.
    public let terms: String

    /// - Parameter fields: by the raw values of ``Field``; others are not looked at.
    /// - Throws: ``FormErrors``: everything that is wrong, at once.
    public init(_ fields: [String: String], documents: Documents) throws(FormErrors) {
        var reader = FormReader(fields)
        let profile = OrganiserProfile(&reader)
        let email = reader.required(.email, EmailAddress.init)
        let password = reader.password(about: [.email, .firstName, .lastName])
        let terms = reader.accepted(.terms, current: documents.terms)
        try reader.finish()
        guard let profile, let email, let password, let terms else { throw reader.failure }
        (self.profile, self.email, self.password, self.terms) = (profile, email, password, terms)
    }
}
