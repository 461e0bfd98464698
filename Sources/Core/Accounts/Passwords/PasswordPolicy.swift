/// Which passwords are taken. Length is what counts: there are no rules about kinds of characters, and all of Unicode is welcome.
public struct PasswordPolicy: Sendable, Hashable {
    /// In Unicode scalars: of the shortest that is taken (ACC-1), and of what pages advise to who has no second factor (NIST SP 800-63B-4).
    public static let minimum = 8, advised = 15

    public init() {}

    /// Checks a new password, and gives it in the form to hash.
    /// - Parameter about: what is known about the owner: e-mail address, names.
    /// - Throws: ``FieldError`` `.tooShort`, `.tooLong`, or one of the codes that begin with `password`, for what is tried first.
    public func check(_ typed: String, about: [String]) throws(FieldError) -> Password {
        let tooLong = FieldError(.tooLong, limit: Password.maximum)
        guard typed.unicodeScalars.count <= 4 * Password.maximum else { throw tooLong }
        let text = Password.normalised(typed)
        let count = text.unicodeScalars.count
        guard count >= Self.minimum else { throw FieldError(.tooShort, limit: Self.minimum) }
        guard count <= Password.maximum else { throw tooLong }
        if let code = GuessablePassword(text, about: about).weakness { throw FieldError(code) }
        return Password(normalised: text)
    }
}
