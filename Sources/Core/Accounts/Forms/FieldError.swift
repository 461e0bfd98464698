/// An error in one value. It carries no text: texts stand in the file of each language, under ``Code/rawValue``.
public struct FieldError: Error, Sendable, Hashable {
    /// Every way in which a value can be wrong. Each needs a text in each language.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        case missing
        /// Fewer characters than `limit`.
        case tooShort
        /// More characters than `limit`.
        case tooLong
        /// Characters that cannot stand there: control characters, invisible ones, or others than A to Z and digits in an identifier.
        case characters
        /// None of the choices that the form offers.
        case notAChoice
        /// Not the code of a country (ISO 3166-1 alpha-2).
        case noSuchCountry

        case formEmail
        /// A telephone number that does not begin with + and the code of a country.
        case noCountryCode
        case formPhone
        case formFiscalCode
        case formPartitaIVA
        case formSocialSecurityNumber
        case formTaxIdentifier
        case formVATNumber
        case formDate
        case formWeight
        /// The check digit or letter does not fit the rest: a slip of the pen.
        case checkDigit
        /// Of the right form, but nobody is ever given this one.
        case notAssigned

        case inTheFuture
        /// A year before `limit`.
        case tooLongAgo
        /// Younger than `limit` years: a parent has to open the account (ACC-17).
        case needsGuardian
        /// `limit` years old or more: nobody can open the account in this person's place.
        case needsNoGuardian

        /// The document was not accepted.
        case notAccepted
        /// The document has changed since it was shown.
        case outdated
        /// It cannot be changed in the profile.
        case fixed

        /// Made of words and dates that are tried first.
        case passwordCommon
        /// Made of repetitions.
        case passwordRepeats
        /// Made of neighbours on the keyboard, in the alphabet or among the digits.
        case passwordRun
        /// Made of the owner's name or e-mail address.
        case passwordAboutYou
        /// Made of the name of this system.
        case passwordProduct

        /// Warning: the fiscal code names another date of birth.
        case otherDateOfBirth
        /// Warning: the fiscal code names another gender.
        case otherGender
    }

    public let code: Code
    /// The number that the text names, where the code says so.
    public let limit: Int?

    public init(_ code: Code, limit: Int? = nil) {
        self.code = code
        self.limit = limit
    }
}

/// An error and its field.
public struct FieldProblem: Sendable, Hashable {
    public let field: Field
    public let mistake: FieldError

    public init(_ field: Field, _ mistake: FieldError) {
        self.field = field
        self.mistake = mistake
    }
}

/// All that is wrong with a form, in the order of its fields; never empty. At most one problem a field.
public struct FormErrors: Error, Sendable, Hashable {
    public let problems: [FieldProblem]

    /// - Parameter problem: the only thing that is wrong.
    public init(_ problem: FieldProblem) { problems = [problem] }

    init(problems: [FieldProblem]) { self.problems = problems }

    public subscript(_ field: Field) -> FieldError? { problems.first { $0.field == field }?.mistake }
}
