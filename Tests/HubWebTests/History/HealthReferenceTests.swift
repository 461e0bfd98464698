import Accounts
import Foundation
import HubServices
import HubStore
import NIOHTTP1
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// How the page of health compares values, what it derives, and what it says of AutomatedSOS.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct HealthReferenceTests {
    private static var now: Milliseconds { Date().milliseconds }

    /// Somebody of 40 years.
    private func member(_ web: WebFixture, born: String = "1986-01-01") throws -> Member {
        let details: [Field: String] = [
            .email: "bea@example.org", .firstName: "Bea", .lastName: "Example", .dateOfBirth: born, .gender: "female", .weight: "65",
        ]
        let new = NewAccount(
            roles: [.person], details: Dictionary(uniqueKeysWithValues: details.map { ($0.key.rawValue, $0.value) }),
            canonicalEmail: "bea@example.org", canonicalIdentifier: nil, password: "none", language: "en", accepted: [:])
        guard case .added(let account) = try web.hub.accounts.addConfirmedAccount(new, now: Self.now) else {
            throw CocoaError(.fileNoSuchFile)
        }
        return Member(account: account, cookie: try web.session(of: account, strength: .full))
    }

    private func scalar(_ kind: DataKind, _ value: Int64, second: Int64? = nil, age: Milliseconds = 60_000) throws -> ScalarSample {
        try #require(ScalarSample(kind, time: Self.now - age, value: value, second: second))
    }

    @Test("DATA-4: latest values say in words whether they lie within the reference for age and sex, with its source")
    func compared() async throws {
        try await WebFixture.run { web in
            let person = try member(web)
            let samples = SampleSet(scalars: [
                try scalar(.oxygenSaturation, 910), try scalar(.bodyTemperature, 3660), try scalar(.bloodPressure, 150, second: 95),
                try scalar(.height, 1700), try scalar(.weight, 6500),
            ])
            try web.append([samples], of: person.account.id.person)
            let page = try await web.send(.GET, "/health", cookie: person.cookie).body
            #expect(page.contains(/data-level="warn">Below<\/span> the recommended range: 94 % or more/), "\(page)")
            #expect(page.contains(/data-level="good">Within<\/span> the range of healthy people: 35\.01 to 37\.76 °C/))
            #expect(page.contains(/data-level="warn">Above<\/span> the limit of 140\/90 mmHg: grade 1 hypertension/))
            #expect(page.contains("22.5 kg/m²</dd>") && page.contains("(WHO, 2000)"))
            #expect(page.contains("BTS guideline for oxygen use in adults") && page.contains("They are no diagnosis"))
            let american = try await web.send(.GET, "/health", cookie: person.cookie, headers: [("accept-language", "en-US")]).body
            #expect(american.contains(/data-level="good">Within<\/span> the range of healthy people: 95\.02 to 99\.97 °F/), "\(american)")
            _ = try await web.post("/language", ["language": "it", "back": "/health"], cookie: person.cookie)
            let italian = try await web.send(.GET, "/health", cookie: person.cookie).body
            #expect(italian.contains(">Sotto</span>") && italian.contains(">Sopra</span>") && italian.contains("ipertensione di grado 1"))
        }
    }

    @Test("DATA-4: nothing is compared for an age that is not known, and the page says so")
    func unknownAge() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org")
            try web.append([SampleSet(scalars: [try scalar(.oxygenSaturation, 910)])], of: person.account.id.person)
            let page = try await web.send(.GET, "/health", cookie: person.cookie).body
            #expect(page.contains("91.0 %") && !page.contains(">Below</span>"))
            #expect(page.contains("The date of birth is not known"))
        }
    }

    @Test("DATA-4, SOS-18: the page says whether AutomatedSOS protects the person, why not, and leads to its switch")
    func protection() async throws {
        try await WebFixture.run { web in
            let person = try member(web), page = try await web.send(.GET, "/health", cookie: person.cookie).body
            #expect(page.contains("AutomatedSOS</h2>") && page.contains(">Off</span>"))
            #expect(page.contains("href=\"/protection#on\">Turn it on</a>"))
            let contact = ["contactName": "Bruno", "contactEmail": "bruno@example.org"]
            #expect(try await web.post("/protection/contacts", contact, cookie: person.cookie).status == 303)
            let fields = ["consent": SOSChoices.consentDocument, "strict": "no"]
            #expect(try await web.post("/protection/on", fields, cookie: person.cookie).status == 303)
            // Nobody is protected by a switch alone: no box watches.
            let on = try await web.send(.GET, "/health", cookie: person.cookie).body
            #expect(on.contains("data-level=\"bad\">Not protected now</span>") && on.contains("No heart rate arrives."), "\(on)")
            #expect(on.contains("href=\"/protection\">See, or turn it off</a>") && !on.contains(">Off</span>"))
        }
    }

    @Test("DATA-4: distance and energy that nobody measured are marked as derived")
    func derived() async throws {
        try await WebFixture.run { web in
            let person = try member(web), id = person.account.id.person, hour: Milliseconds = 3_600_000
            // Yesterday, so that it lies in one day whatever the time is.
            let noon = Self.now / (24 * hour) * 24 * hour - 12 * hour, day = CalendarDate(utc: noon)
            let height = try scalar(.height, 1700, age: 40 * 24 * hour)
            try web.append([SampleSet(scalars: [height]), WorkoutRecordsWebTests.run(from: noon)], of: id)
            let page = try await web.send(.GET, "/health?day=\(day)", cookie: person.cookie).body
            #expect(page.contains("Derived values") && page.contains("Distance run") && page.contains("Resting energy"))
            #expect(page.contains("<span class=\"badge\">derived</span> from positions"))
            #expect(page.contains("Mifflin MD"))
            let before = try await web.send(.GET, "/health?day=2020-02-02", cookie: person.cookie).body
            #expect(!before.contains("Derived values"))
        }
    }
}
