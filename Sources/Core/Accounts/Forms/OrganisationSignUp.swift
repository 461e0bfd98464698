/// The part of an organisation's profile that can be changed later (ACC-2).
public struct OrganisationProfile: Sendable, Hashable {
    /// The kind of organisation.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case organisation
        /// Somebody on their own: a doctor.
        case professional
    }

    public let kind: Kind
    public let name: Line
    /// An operator looks at it before the first request leaves.
    public let proof: Paragraph
    public let purpose: Paragraph

    /// Reads a changed profile. All fields of it have to be there.
    /// - Throws: ``FormErrors``, also for a field that cannot be changed.
    public init(edited fields: [String: String]) throws(FormErrors) {
        var reader = FormReader(fields)
        let profile = Self(&reader)
        reader.refuse(Role.organisation.fixedFields)
        try reader.finish()
        guard let profile else { throw reader.failure }
        self = profile
    }

    init?(_ reader: inout FormReader) {
        let kind = reader.required(.organisationKind) { text throws(FieldError) in
            guard let kind = Kind(rawValue: text) else { throw FieldError(.notAChoice) }
            return kind
        }
        let name = reader.line(.organisationName, Line.organisationLength)
        let proof = reader.paragraph(.proof, Paragraph.proofLength)
        let purpose = reader.paragraph(.purpose, Paragraph.purposeLength)
        guard let kind, let name, let proof, let purpose else { return nil }
        (self.kind, self.name, self.proof, self.purpose) = (kind, name, proof, purpose)
    }
}

/// An organisation's sign-up form with nothing wrong in it (ACC-2).
public struct OrganisationSignUp: Sendable, Hashable {
    public let profile: OrganisationProfile
    /// Not everybody has one.
    public let vatNumber: VATNumber?
    public let email: EmailAddress
    public let password: Password
    /// The versions accepted; the caller records them with the time, one each.
    public let terms: String, dataDuties: String

    /// - Parameter fields: by the raw values of ``Field``; others are not looked at.
    /// - Throws: ``FormErrors``: everything that is wrong, at once.
    public init(_ fields: [String: String], documents: Documents) throws(FormErrors) {
        var reader = FormReader(fields)
        let profile = OrganisationProfile(&reader)
        let vatNumber = reader.vatNumber()
        let email = reader.required(.email, EmailAddress.init)
        let password = reader.password(about: [.email, .organisationName])
        let terms = reader.accepted(.terms, current: documents.terms)
        let dataDuties = reader.accepted(.dataDuties, current: documents.dataDuties)
        try reader.finish()
        guard let profile, let email, let password, let terms, let dataDuties else { throw reader.failure }
        (self.profile, self.vatNumber, self.email, self.password) = (profile, vatNumber, email, password)
        (self.terms, self.dataDuties) = (terms, dataDuties)
    }
}

extension FormReader {
    /// The country is asked for only beside a number: a form has one chosen all the time.
    fileprivate mutating func vatNumber() -> VATNumber? {
        guard isGiven(.vatNumber) else { return nil }
        guard let country = required(.vatCountry, Country.init) else { return nil }
        return required(.vatNumber) { text throws(FieldError) in try VATNumber(text, country: country) }
    }
}
