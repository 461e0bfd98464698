import Accounts
import HubServices

/// The fields of the forms with which accounts begin and are edited.
enum AccountForms {
    /// Who signs up by a form, in the order in which a page offers it.
    static let roles: [Role] = [.person, .caregiver, .organisation, .organiser]

    /// - Parameter documents: the versions that a tick accepts.
    static func signUp(_ role: Role, _ documents: Documents, _ texts: Texts) -> [FormField] {
        let password = field(
            .password, .newPassword, "new-password", hint: texts["signUp.passwordHint\(role.needsSecondFactor ? "Short" : "")"])
        func tick(_ document: Field, _ version: String) -> FormField { field(document, .tick(value: version), nil) }
        let email = field(.email, .email, "email")
        switch role {
        case .organisation:
            return organisation(texts) + [
                field(.vatCountry, countries(texts), "country", isRequired: false),
                field(.vatNumber, .text, nil, isRequired: false, hint: texts["signUp.vatHint"]),
                email, password, tick(.terms, documents.terms), tick(.dataDuties, documents.dataDuties),
            ]
        case .organiser, .caregiver, .member: return organiser(texts) + [email, password, tick(.terms, documents.terms)]
        case .person, .responder, .operator:
            return person(texts) + [
                field(.taxCountry, countries(texts), "country"),
                field(.taxIdentifier, .text, nil, hint: texts["signUp.taxHint"]),
                email, password, tick(.terms, documents.terms), tick(.privacy, documents.privacy),
            ]
        }
    }

    /// What somebody types who opens the account of another person.
    static func opening(_ documents: Documents, _ texts: Texts) -> [FormField] {
        person(texts).map { known in
            // The browser would fill in what it knows of whoever types.
            FormField(name: known.name, kind: known.kind, hint: known.hint)
        } + [
            field(.taxCountry, countries(texts), nil), field(.taxIdentifier, .text, nil, hint: texts["signUp.taxHint"]),
            field(.email, .email, nil, isRequired: false, hint: texts["care.emailHint"]),
            field(.guardian, .tick(value: PersonOpening.guardian), nil, isRequired: false, hint: texts["care.guardianHint"]),
            field(.terms, .tick(value: documents.terms), nil, isRequired: false),
            field(.privacy, .tick(value: documents.privacy), nil, isRequired: false),
        ]
    }

    /// What the owner can change later.
    static func profile(_ roles: Set<Role>, _ texts: Texts) -> [FormField] {
        if roles.contains(.organisation) {
            return organisation(texts).filter { [Field.organisationName, .proof, .purpose].map(\.rawValue).contains($0.name) }
        }
        guard roles.contains(.person) else { return organiser(texts) }
        return person(texts) + [field(.weight, .number, nil, isRequired: false, hint: texts["profile.weightHint"])]
    }

    private static func person(_ texts: Texts) -> [FormField] {
        [
            field(.firstName, .text, "given-name"), field(.lastName, .text, "family-name"),
            field(.gender, .choice([("", "–")] + Gender.allCases.map { ($0.rawValue, texts["gender.\($0.rawValue)"]) }), "sex"),
            field(.dateOfBirth, .date, "bday"), field(.cityOfBirth, .text, nil), field(.residence, .text, "street-address"),
            field(.phone, .telephone, "tel", hint: texts["signUp.phoneHint"]),
        ]
    }

    private static func organiser(_ texts: Texts) -> [FormField] {
        [
            field(.firstName, .text, "given-name"), field(.lastName, .text, "family-name"),
            field(.phone, .telephone, "tel", hint: texts["signUp.phoneHint"]),
        ]
    }

    private static func organisation(_ texts: Texts) -> [FormField] {
        let kinds = OrganisationProfile.Kind.allCases.map { ($0.rawValue, texts["organisationKind.\($0.rawValue)"]) }
        return [
            field(.organisationKind, .choice(kinds), nil), field(.organisationName, .text, "organization"),
            field(.proof, .paragraph, nil, hint: texts["signUp.proofHint"]),
            field(.purpose, .paragraph, nil, hint: texts["signUp.purposeHint"]),
        ]
    }

    /// Those whose identifiers are checked first.
    private static func countries(_ texts: Texts) -> FormField.Kind {
        let first = [Country.italy, .unitedStates]
        let others = Country.all.filter { !first.contains($0) }
        return .choice(first.map { ($0.code, texts["country.\($0.code)"]) } + others.map { ($0.code, $0.code) })
    }

    private static func field(
        _ field: Field, _ kind: FormField.Kind, _ autocomplete: String?, isRequired: Bool = true, hint: String? = nil
    ) -> FormField {
        FormField(name: field.rawValue, kind: kind, autocomplete: autocomplete, isRequired: isRequired, hint: hint)
    }
}

extension FormErrors {
    var named: [(field: String, mistake: FieldError)] { problems.map { ($0.field.rawValue, $0.mistake) } }
}
