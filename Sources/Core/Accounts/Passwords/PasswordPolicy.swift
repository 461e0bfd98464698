/// Which passwords are taken. Length is what counts: there are no rules about kinds of characters, and all of Unicode is welcome.
public struct PasswordPolicy: Sendable, Hashable {
    /// In Unicode scalars.
    public let minimum: Int

    /// Beside a passkey or one-time codes, and alone (NIST SP 800-63B-4).
    public static let minimumWithSecondFactor = 8, minimumAlone = 15

    public init(secondFactor: Bool) { minimum = secondFactor ? Self.minimumWithSecondFactor : Self.minimumAlone }

    /// Checks a new password, and gives it in the form to hash.
    /// - Parameter about: what is known about the owner: e-mail address, names.
    /// - Throws: ``FieldError`` `.tooShort`, `.tooLong`, or one of the codes that begin with `password`, for what is tried first.
    public func check(_ typed: String, about: [String]) throws(FieldError) -> Password {
        let tooLong = FieldError(.tooLong, limit: Password.maximum)
        guard typed.unicodeScalars.count <= 4 * Password.maximum else { throw tooLong }
        let text = Password.normalised(typed)
        let count = text.unicodeScalars.count
        guard count >= minimum else { throw FieldError(.tooShort, limit: minimum) }
        guard count <= Password.maximum else { throw tooLong }
        if let code = GuessablePassword(text, about: about).weakness { throw FieldError(code) }
        return Password(normalised: text)
    }
}
