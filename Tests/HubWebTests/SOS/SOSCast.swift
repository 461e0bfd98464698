import Accounts
import Foundation
import HubServices
import HubStore
import NIOHTTP1
import SyncProtocol
import Testing
import Vitals

@testable import HubWeb

/// A hospital with crews on duty, and people with AutomatedSOS on, as the tests of its pages need them.
struct SOSCast {
    let web: WebFixture
    let hospital: Member
    let chief: Member

    init(_ web: WebFixture) async throws {
        self.web = web
        (hospital, chief) = (try web.member(.organisation, "hospital@example.org"), try web.member(.operator, "chief@example.org"))
        #expect(try await web.post("/operator/hospitals/\(hospital.account.id)/admit", [:], cookie: chief.cookie).status == 303)
    }

    private func last(_ page: String, _ pattern: Regex<(Substring, Substring)>) throws -> String {
        String(try #require(page.matches(of: pattern).last, "\(page)").output.1)
    }

    /// A crew on duty with an ambulance of its own.
    func crew(_ name: String, latitude: Double = 45.61) async throws -> Member {
        let crew = try web.member(.responder, "\(name)@example.org")
        let fields = ["ambulanceName": name, "plate": "ZA \(name)"]
        #expect(try await web.post("/hospital/ambulances", fields, cookie: hospital.cookie).status == 303)
        let page = try await web.send(.GET, "/hospital", cookie: hospital.cookie).body
        let path = try last(page, /action="(\/hospital\/ambulances\/[0-9]+\/code)"/)
        let code = try last(try await web.post(path, [:], cookie: hospital.cookie).body, /<code class="command">([A-Z0-9-]{9})</)
        #expect(try await web.post("/crew", ["crewCode": code], cookie: crew.cookie).status == 303)
        #expect(try await web.post("/duty/on", [:], cookie: crew.cookie).status == 303)
        #expect(try await move(crew, latitude) == 204)
        return crew
    }

    func move(_ crew: Member, _ latitude: Double) async throws -> UInt {
        let time = "\(Int(Date().timeIntervalSince1970 * 1000))"
        let place = ["latitude": "\(latitude)", "longitude": "9.7", "accuracy": "12", "time": time]
        return try await web.post("/duty/place", place, cookie: crew.cookie).status
    }

    /// Somebody who turned it on, with one contact.
    func person(_ name: String = "ada") async throws -> Member {
        let person = try web.member(.person, "\(name)@example.org")
        let contact = ["contactName": "Bruno", "contactEmail": "bruno@example.org"]
        #expect(try await web.post("/protection/contacts", contact, cookie: person.cookie).status == 303)
        #expect(
            try await web.post("/protection/on", ["consent": SOSChoices.consentDocument, "strict": "no"], cookie: person.cookie).status
                == 303)
        return person
    }

    /// The person's phone tells where it is, as the page's script does.
    func place(_ person: Member, latitude: Double = 45.6) async throws -> UInt {
        let time = "\(Int(Date().timeIntervalSince1970 * 1000))"
        let fields = ["latitude": "\(latitude)", "longitude": "9.7", "accuracy": "15", "time": time]
        return try await web.post("/protection/place", fields, cookie: person.cookie).status
    }

    func alarms(_ crew: Member) async throws -> String { try await web.send(.GET, "/duty/alarms", cookie: crew.cookie).body }

    /// What a crew's page posts to, without the act.
    func path(_ crew: Member) async throws -> String {
        try last(try await alarms(crew), /action="(\/duty\/alarms\/[0-9a-f]+)\/accept"/)
    }
}
