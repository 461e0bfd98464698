/// Reads the fields of one form and collects what is wrong with them, so that it is told at once.
struct FormReader {
    private let values: [String: String]
    private var problems: [FieldProblem] = []

    init(_ values: [String: String]) { self.values = values }

    mutating func required<Value>(_ field: Field, _ parse: (String) throws(FieldError) -> Value) -> Value? {
        guard isGiven(field) else {
            fail(field, FieldError(.missing))
            return nil
        }
        return optional(field, parse)
    }

    /// nil without a problem when the field is empty.
    mutating func optional<Value>(_ field: Field, _ parse: (String) throws(FieldError) -> Value) -> Value? {
        guard isGiven(field) else { return nil }
        do {
            return try parse(values[field.rawValue] ?? "")
        } catch {
            fail(field, error)
            return nil
        }
    }

    mutating func line(_ field: Field, _ length: ClosedRange<Int>) -> Line? {
        required(field) { text throws(FieldError) in try Line(text, length: length) }
    }

    mutating func paragraph(_ field: Field, _ length: ClosedRange<Int>) -> Paragraph? {
        required(field) { text throws(FieldError) in try Paragraph(text, length: length) }
    }

    /// A document is accepted by sending the version that was shown.
    mutating func accepted(_ field: Field, current: String) -> String? {
        guard isGiven(field) else {
            fail(field, FieldError(.notAccepted))
            return nil
        }
        return optional(field) { text throws(FieldError) in
            guard text == current else { throw FieldError(.outdated) }
            return current
        }
    }

    mutating func refuse(_ fields: Set<Field>) {
        for field in Field.allCases where fields.contains(field) && values[field.rawValue] != nil { fail(field, FieldError(.fixed)) }
    }

    mutating func fail(_ field: Field, _ mistake: FieldError) { problems.append(FieldProblem(field, mistake)) }

    func isGiven(_ field: Field) -> Bool { values[field.rawValue]?.unicodeScalars.contains { !$0.properties.isWhitespace } ?? false }

    /// - Parameter about: the fields that a password must not be made of, whether they are right or wrong.
    mutating func password(about: [Field]) -> Password? {
        let words = about.compactMap { values[$0.rawValue] }.map { String($0.prefix(EmailAddress.maximum)) }
        return required(.password) { text throws(FieldError) in try PasswordPolicy().check(text, about: words) }
    }

    var failure: FormErrors { FormErrors(problems: problems) }

    func finish() throws(FormErrors) { if !problems.isEmpty { throw failure } }
}
