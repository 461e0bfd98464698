/// The form of a person who takes over an account that somebody opened for them (ACC-11).
public struct HandOverForm: Sendable, Hashable {
    public let password: Password
    /// The versions accepted.
    public let terms: String, privacy: String

    /// - Parameters:
    ///   - fields: by the raw values of ``Field``; others are not looked at.
    ///   - about: what the password must not be made of.
    /// - Throws: ``FormErrors``: everything that is wrong, at once.
    public init(
        _ fields: [String: String], documents: Documents, about: [String]
    ) throws(FormErrors) {
        var reader = FormReader(fields)
        let password = reader.required(.password) { text throws(FieldError) in try PasswordPolicy().check(text, about: about) }
        let terms = reader.accepted(.terms, current: documents.terms)
        let privacy = reader.accepted(.privacy, current: documents.privacy)
        try reader.finish()
        guard let password, let terms, let privacy else { throw reader.failure }
        (self.password, self.terms, self.privacy) = (password, terms, privacy)
    }
}
