/// The part of a person's profile that can be changed later (ACC-8).
public struct PersonProfile: Sendable, Hashable {
    public let firstName: Line, lastName: Line
    public let gender: Gender
    public let dateOfBirth: DateOfBirth
    public let cityOfBirth: Line, residence: Line
    /// Nobody has verified it yet: a new one needs that again.
    public let phone: PhoneNumber
    /// nil where it was not said. No sign-up asks for it.
    public let weight: BodyWeight?

    /// Reads a changed profile. All fields of it have to be there but the weight.
    /// - Parameters:
    ///   - today: to judge the date of birth.
    ///   - byGuardian: whether a parent keeps this account for a minor (ACC-17).
    ///   - ownAge: years, see ``OwnAge``.
    /// - Throws: ``FormErrors``, also for a field that cannot be changed.
    public init(edited fields: [String: String], today: CalendarDate, byGuardian: Bool, ownAge: Int) throws(FormErrors) {
        var reader = FormReader(fields)
        let profile = Self(&reader, today, byGuardian, ownAge)
        reader.refuse(Role.person.fixedFields)
        try reader.finish()
        guard let profile else { throw reader.failure }
        self = profile
    }

    init?(_ reader: inout FormReader, _ today: CalendarDate, _ byGuardian: Bool, _ ownAge: Int) {
        let firstName = reader.line(.firstName, Line.nameLength)
        let lastName = reader.line(.lastName, Line.nameLength)
        let gender = reader.required(.gender, Gender.init)
        let dateOfBirth = reader.required(.dateOfBirth) { text throws(FieldError) in
            let date = try DateOfBirth(text, today: today)
            if date.needsGuardian(on: today, ownAge: ownAge) != byGuardian {
                throw FieldError(byGuardian ? .needsNoGuardian : .needsGuardian, limit: ownAge)
            }
            return date
        }
        let cityOfBirth = reader.line(.cityOfBirth, Line.cityLength)
        let residence = reader.line(.residence, Line.residenceLength)
        let phone = reader.required(.phone, PhoneNumber.init)
        weight = reader.optional(.weight, BodyWeight.init)
        guard let firstName, let lastName, let gender, let dateOfBirth, let cityOfBirth, let residence, let phone else { return nil }
        (self.firstName, self.lastName, self.gender, self.dateOfBirth) = (firstName, lastName, gender, dateOfBirth)
        (self.cityOfBirth, self.residence, self.phone) = (cityOfBirth, residence, phone)
    }
}

/// A person's sign-up form with nothing wrong in it (ACC-1).
public struct PersonSignUp: Sendable, Hashable {
    public let profile: PersonProfile
    public let taxIdentifier: TaxIdentifier
    public let email: EmailAddress
    public let password: Password
    /// The versions accepted; the caller records them with the time, one each.
    public let terms: String, privacy: String

    /// - Parameters:
    ///   - fields: by the raw values of ``Field``; others are not looked at.
    ///   - today: to judge the date of birth.
    ///   - ownAge: who is younger cannot sign up alone (ACC-17), years, see ``OwnAge``.
    /// - Throws: ``FormErrors``: everything that is wrong, at once.
    public init(
        _ fields: [String: String], documents: Documents, today: CalendarDate, ownAge: Int
    ) throws(FormErrors) {
        var reader = FormReader(fields)
        let taxIdentifier = reader.taxIdentifier()
        let profile = PersonProfile(&reader, today, false, ownAge)
        let email = reader.required(.email, EmailAddress.init)
        let password = reader.password(about: [.email, .firstName, .lastName])
        let terms = reader.accepted(.terms, current: documents.terms)
        let privacy = reader.accepted(.privacy, current: documents.privacy)
        try reader.finish()
        guard let taxIdentifier, let profile, let email, let password, let terms, let privacy else {
            throw reader.failure
        }
        (self.profile, self.taxIdentifier, self.email, self.password) = (profile, taxIdentifier, email, password)
        (self.terms, self.privacy) = (terms, privacy)
    }

    /// A value that need not be wrong, but should be checked before it is sent.
    public var warnings: [FieldProblem] {
        guard case .fiscalCode(let code) = taxIdentifier else { return [] }
        return code.contradictions(dateOfBirth: profile.dateOfBirth.date, gender: profile.gender)
    }
}

extension FormReader {
    mutating func taxIdentifier() -> TaxIdentifier? {
        let country = required(.taxCountry, Country.init)
        return required(.taxIdentifier) { text throws(FieldError) -> TaxIdentifier? in
            // Without a country it cannot be judged, and the country's field says so.
            guard let country else { return nil }
            return try TaxIdentifier(text, country: country)
        } ?? nil
    }
}
