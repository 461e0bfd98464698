import Accounts
import Testing

@Suite("Sign-up forms and profiles")
struct FormTests {
    static let today = CalendarDate(year: 2025, month: 6, day: 15)!
    static let documents = Documents(terms: "2025-01", privacy: "2025-02", dataDuties: "2025-03")

    static let personForm = [
        "firstName": "Mario", "lastName": "Rossi", "taxCountry": "IT", "taxIdentifier": "RSSMRA85T10A562S", "gender": "male",
        "dateOfBirth": "1985-12-10", "cityOfBirth": "San Giuliano Terme", "residence": "Via Roma 1, 20121 Milano",
        "phone": "+39 333 1234567", "email": "Mario.Rossi@Example.org", "password": "vRz8-kqWx2_pLmT", "terms": "2025-01",
        "privacy": "2025-02",
    ]
    static let organisationForm = [
        "organisationKind": "organisation", "organisationName": "Ospedale di Prova", "vatCountry": "IT", "vatNumber": "00743110157",
        "proof": "Registro 12345", "purpose": "Following patients after surgery.", "email": "data@example.org",
        "password": "vRz8-kqW", "terms": "2025-01", "dataDuties": "2025-03",
    ]
    static let organiserForm = [
        "firstName": "Mario", "lastName": "Rossi", "phone": "+39 333 1234567", "email": "mario@example.org",
        "password": "vRz8-kqWx2_pLmT", "terms": "2025-01",
    ]

    static func signUp(_ fields: [String: String]) throws(FormErrors) -> PersonSignUp {
        try PersonSignUp(fields, documents: documents, today: today, ownAge: 14)
    }

    static func problems(_ body: () throws(FormErrors) -> Void) -> [Field: FieldError.Code] {
        do { try body() } catch {
            return Dictionary(error.problems.map { ($0.field, $0.mistake.code) }) { _, second in
                Issue.record("a field has two problems")
                return second
            }
        }
        return [:]
    }

    @Test("ACC-1: a person signs up")
    func person() throws {
        let form = try Self.signUp(Self.personForm)
        #expect(form.email.canonical == "mario.rossi@example.org")
        #expect(form.taxIdentifier.canonical == "IT:RSSMRA85T10A562S")
        #expect(form.profile.phone.e164 == "+393331234567")
        #expect(form.profile.residence.text == "Via Roma 1, 20121 Milano")
        #expect((form.terms, form.privacy) == ("2025-01", "2025-02"))
        #expect(form.warnings.isEmpty)
    }

    @Test(
        "ACC-1: an empty form is told field by field, at once",
        arguments: [[:], Field.allCases.reduce(into: [:]) { $0[$1.rawValue] = " \u{A0}\n" }])
    func empty(fields: [String: String]) {
        var expected = Dictionary(uniqueKeysWithValues: Self.personForm.keys.map { (Field(rawValue: $0)!, FieldError.Code.missing) })
        expected[.terms] = .notAccepted
        expected[.privacy] = .notAccepted
        #expect(Self.problems { () throws(FormErrors) in _ = try Self.signUp(fields) } == expected)
    }

    @Test("ACC-1: all mistakes are told at once, by field, and nothing else is")
    func allAtOnce() {
        let wrong = [
            "firstName": "Ma\u{202E}rio", "lastName": String(repeating: "a", count: 101), "taxCountry": "IT",
            "taxIdentifier": "RSSMRA85T10A562T", "gender": "m", "dateOfBirth": "2030-01-01", "cityOfBirth": "\0", "residence": "X",
            "phone": "333 1234567", "email": "mario", "password": "password12345678", "terms": "2024-01", "privacy": "",
        ]
        let expected: [Field: FieldError.Code] = [
            .firstName: .characters, .lastName: .tooLong, .taxIdentifier: .checkDigit, .gender: .notAChoice, .dateOfBirth: .inTheFuture,
            .cityOfBirth: .characters, .residence: .tooShort, .phone: .noCountryCode, .email: .formEmail, .password: .passwordCommon,
            .terms: .outdated, .privacy: .notAccepted,
        ]
        #expect(Self.problems { () throws(FormErrors) in _ = try Self.signUp(wrong) } == expected)
    }

    @Test("ACC-1: each field that is left out alone is told alone", arguments: personForm.keys.sorted())
    func oneMissing(name: String) throws {
        var fields = Self.personForm
        fields[name] = nil
        let field = try #require(Field(rawValue: name))
        let expected: FieldError.Code = field == .terms || field == .privacy ? .notAccepted : .missing
        #expect(Self.problems { () throws(FormErrors) in _ = try Self.signUp(fields) } == [field: expected])
    }

    @Test("ACC-1: a password made of the name or address in the same form is refused, also when these are wrong")
    func passwordAboutForm() {
        let fields = Self.personForm.merging(["email": "mario.rossi@", "password": "mario.rossi.2025"]) { $1 }
        #expect(
            Self.problems { () throws(FormErrors) in _ = try Self.signUp(fields) } == [.email: .formEmail, .password: .passwordAboutYou])
    }

    @Test("ACC-1: a fiscal code of another date warns and does not stop")
    func warning() throws {
        let form = try Self.signUp(Self.personForm.merging(["dateOfBirth": "1985-12-11", "gender": "female"]) { $1 })
        #expect(form.warnings.map(\.field) == [.dateOfBirth, .gender])
    }

    static func open(_ fields: [String: String]) throws(FormErrors) -> PersonOpening {
        try PersonOpening(fields, documents: documents, today: today, ownAge: 14)
    }

    @Test("ACC-17: who is younger than the age cannot sign up alone, from the birthday on they can")
    func minor() throws {
        let birthday = "2011-06-15", dayLater = "2011-06-16"
        #expect(throws: Never.self) { try Self.signUp(Self.personForm.merging(["dateOfBirth": birthday]) { $1 }) }
        let child = Self.personForm.merging(["dateOfBirth": dayLater]) { $1 }
        #expect(Self.problems { () throws(FormErrors) in _ = try Self.signUp(child) } == [.dateOfBirth: .needsGuardian])
        #expect(OwnAge.standard(.italy) == 14 && OwnAge.standard(.unitedStates) == 16 && OwnAge.standard(nil) == 16)
        let born = try DateOfBirth("2004-02-29", today: Self.today)
        #expect(born.ownFrom(age: 14)?.description == "2018-03-01" && born.ownFrom(age: 16)?.description == "2020-02-29")
    }

    @Test("ACC-11, ACC-17: an account is opened for an adult without e-mail or documents, for a minor with a parent's word and acceptance")
    func opening() throws {
        var fields = Self.personForm
        for name in ["email", "password", "terms", "privacy"] { fields[name] = nil }
        let adult = try Self.open(fields)
        #expect(!adult.isMinor && adult.email == nil && adult.terms == nil)
        let child = fields.merging(["dateOfBirth": "2015-12-10", "email": "kid@example.org"]) { $1 }
        #expect(
            Self.problems { () throws(FormErrors) in _ = try Self.open(child) } == [
                .terms: .notAccepted, .privacy: .notAccepted, .guardian: .notAccepted,
            ])
        let opened = try Self.open(child.merging(["terms": "2025-01", "privacy": "2025-02", "guardian": "1"]) { $1 })
        #expect(opened.isMinor && opened.email?.address == "kid@example.org" && opened.privacy == "2025-02")
        #expect(Self.problems { () throws(FormErrors) in _ = try Self.open(["email": "x"]) }[.email] == .formEmail)
    }

    @Test("ACC-2: an organisation signs up, or a professional without a VAT number")
    func organisation() throws {
        let form = try OrganisationSignUp(Self.organisationForm, documents: Self.documents)
        #expect(form.vatNumber?.canonical == "IT00743110157")
        #expect((form.terms, form.dataDuties) == ("2025-01", "2025-03"))
        var fields = Self.organisationForm.merging(["organisationKind": "professional"]) { $1 }
        fields["vatNumber"] = " "
        let doctor = try OrganisationSignUp(fields, documents: Self.documents)
        #expect(doctor.vatNumber == nil)
        #expect(doctor.profile.kind == .professional)
    }

    @Test("ACC-2: all mistakes of an organisation are told at once")
    func wrongOrganisation() {
        #expect(
            Self.problems { () throws(FormErrors) in _ = try OrganisationSignUp([:], documents: Self.documents) } == [
                .organisationKind: .missing, .organisationName: .missing, .proof: .missing, .purpose: .missing, .email: .missing,
                .password: .missing, .terms: .notAccepted, .dataDuties: .notAccepted,
            ])
        let wrong = Self.organisationForm.merging([
            "vatNumber": "00743110158", "purpose": "Research", "dataDuties": "2025-01", "organisationKind": "club", "password": "Ospedale",
        ]) { $1 }
        #expect(
            Self.problems { () throws(FormErrors) in _ = try OrganisationSignUp(wrong, documents: Self.documents) } == [
                .organisationKind: .notAChoice, .vatNumber: .checkDigit, .purpose: .tooShort, .password: .passwordAboutYou,
                .dataDuties: .outdated,
            ])
        var noCountry = Self.organisationForm
        noCountry["vatCountry"] = nil
        #expect(
            Self.problems { () throws(FormErrors) in _ = try OrganisationSignUp(noCountry, documents: Self.documents) } == [
                .vatCountry: .missing
            ])
    }

    @Test("ACC-3: an organiser signs up, and all mistakes are told at once")
    func organiser() throws {
        let form = try OrganiserSignUp(Self.organiserForm, documents: Self.documents)
        #expect(form.profile.lastName.text == "Rossi")
        #expect(
            Self.problems { () throws(FormErrors) in
                _ = try OrganiserSignUp(["terms": "1"], documents: Self.documents)
            } == [
                .firstName: .missing, .lastName: .missing, .phone: .missing, .email: .missing, .password: .missing, .terms: .outdated,
            ])
    }

    @Test("ACC-8: a person edits the profile; e-mail and tax identifier stay fixed")
    func editPerson() throws {
        var fields = Self.personForm.filter { !["email", "taxCountry", "taxIdentifier"].contains($0.key) }
        fields["residence"] = "Corso Italia 2, Pisa"
        let profile = try PersonProfile(edited: fields, today: Self.today, byGuardian: false, ownAge: 14)
        #expect(profile.residence.text == "Corso Italia 2, Pisa" && profile.weight == nil)
        for (typed, kilograms) in [(" 62 ", 62), ("20", 20), ("300", 300), ("", nil), ("062", 62)] as [(String, Int?)] {
            fields["weight"] = typed
            let edited = try PersonProfile(edited: fields, today: Self.today, byGuardian: false, ownAge: 14)
            #expect(edited.weight?.kilograms == kilograms, "\(typed)")
        }
        for typed in ["19", "301", "62.5", "-70", "+70", "70 kg", "٧٠", "99999999999999999999"] {
            fields["weight"] = typed
            let sent = fields
            #expect(
                Self.problems { () throws(FormErrors) in
                    _ = try PersonProfile(edited: sent, today: Self.today, byGuardian: false, ownAge: 14)
                } == [.weight: .formWeight], "\(typed)")
        }
        #expect(
            Self.problems { () throws(FormErrors) in
                _ = try PersonProfile(edited: Self.personForm, today: Self.today, byGuardian: false, ownAge: 14)
            }
                == [
                    .email: .fixed, .taxCountry: .fixed, .taxIdentifier: .fixed,
                ])
    }

    @Test("ACC-2: an organisation edits its profile; e-mail and VAT number stay fixed")
    func editOrganisation() throws {
        let fields = Self.organisationForm.filter { !["email", "vatCountry", "vatNumber"].contains($0.key) }
        #expect(try OrganisationProfile(edited: fields).name.text == "Ospedale di Prova")
        #expect(
            Self.problems { () throws(FormErrors) in _ = try OrganisationProfile(edited: Self.organisationForm) } == [
                .email: .fixed, .vatCountry: .fixed, .vatNumber: .fixed,
            ])
        #expect(Self.problems { () throws(FormErrors) in _ = try OrganiserProfile(edited: Self.organiserForm) } == [.email: .fixed])
    }

    @Test("ACC-1: whatever a form holds, the answer is a value or problems of known fields")
    func anything() {
        let pieces = [
            "", " ", "\0", "é", "🙂", "RSSMRA85T10A562S", "+39", "a@b.co", "1985-12-10", "IT", "\u{202E}", "\r\n", "00743110157", "'",
        ]
        for _ in 0..<2000 {
            var fields: [String: String] = [:]
            for field in Field.allCases {
                fields[field.rawValue] = (0..<Int.random(in: 0...4)).map { _ in pieces.randomElement()! }.joined()
            }
            let person = Self.problems { () throws(FormErrors) in _ = try Self.signUp(fields) }
            let organisation = Self.problems { () throws(FormErrors) in _ = try OrganisationSignUp(fields, documents: Self.documents) }
            #expect(person[.terms] != nil && organisation[.dataDuties] != nil)
        }
    }
}
