import Accounts
import Foundation
import HubStore
import NIOHTTP1
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// Hospitals, ambulances and crews, as pages of a real hub.
@Suite(.serialized, .timeLimit(.minutes(4)))
struct HospitalTests {
    private func first(_ page: String, _ pattern: Regex<(Substring, Substring)>) throws -> String {
        String(try #require(page.firstMatch(of: pattern), "\(page)").output.1)
    }

    private static let crew = [
        "firstName": "Luca", "lastName": "Made-Up", "phone": "+39 02 1234567", "email": "luca@example.org",
        "password": "the blue van drives at night", "terms": "2026-11",
    ]

    /// An admitted hospital with one ambulance, and a code for its crew.
    private func code(_ web: WebFixture, _ hospital: Member, _ chief: Member) async throws -> String {
        let admit = "/operator/hospitals/\(hospital.account.id)/admit"
        #expect(try await web.post(admit, [:], cookie: chief.cookie).status == 303)
        let fields = ["ambulanceName": "Bergamo <1>", "plate": "ZA 123 BC"]
        #expect(try await web.post("/hospital/ambulances", fields, cookie: hospital.cookie).status == 303)
        return try await another(web, hospital)
    }

    private func another(_ web: WebFixture, _ hospital: Member) async throws -> String {
        let page = try await web.send(.GET, "/hospital", cookie: hospital.cookie).body
        let path = try first(page, /action="(\/hospital\/ambulances\/[0-9]+\/code)"/)
        return try first(try await web.post(path, [:], cookie: hospital.cookie).body, /<code class="command">([A-Z0-9-]{9})</)
    }

    @Test("ACC-16, ACC-9: an operator admits a hospital, which enrols an ambulance; its crew joins by a code, once, with a second factor")
    func enrol() async throws {
        try await WebFixture.run { web in
            let hospital = try web.member(.organisation, "hospital@example.org"), chief = try web.member(.operator, "chief@example.org")
            let rival = try web.member(.organisation, "rival@example.org")
            let fields = ["ambulanceName": "One", "plate": "ZA 123 BC"]
            #expect(try await web.post("/hospital/ambulances", fields, cookie: hospital.cookie).status == 403)
            let list = try await web.send(.GET, "/operator/hospitals", cookie: chief.cookie).body
            #expect(list.contains("Register 17") && list.contains("Admit as a hospital"))
            let admit = "/operator/hospitals/\(hospital.account.id)/admit"
            for member in [hospital, rival] { #expect(try await web.post(admit, [:], cookie: member.cookie).status == 403) }
            #expect(try await web.post("/operator/hospitals/\(chief.account.id)/admit", [:], cookie: chief.cookie).status == 403)
            let code = try await code(web, hospital, chief)
            let mails = MailCatcher(directory: web.directory.url)
            _ = try await mails.mail(to: "hospital@example.org", with: "admitted you as a hospital")
            let page = try await web.send(.GET, "/hospital", cookie: hospital.cookie).body
            #expect(page.contains("Bergamo &lt;1&gt;") && page.contains("Off duty") && !page.contains(code))
            let path = try first(page, /action="(\/hospital\/ambulances\/[0-9]+)\/code"/)
            for act in ["/code", "/remove"] { #expect(try await web.post(path + act, [:], cookie: rival.cookie).status == 403) }

            #expect(try await web.post("/crew", Self.crew.merging(["crewCode": "AAAA-AAAA"]) { $1 }).status == 422)
            #expect(try await web.post("/crew", ["crewCode": code]).status == 422)
            let joined = try await web.post("/crew", Self.crew.merging(["crewCode": code.lowercased()]) { $1 })
            // Nobody has proved the address: the same answer for one that has an account, and the code stays good.
            let taken = try await web.post("/crew", Self.crew.merging(["crewCode": code, "email": "rival@example.org"]) { $1 })
            #expect(joined.status == 200 && taken.body == joined.body)
            _ = try await mails.mail(to: "rival@example.org", with: "/forgotten")
            let account = try #require(try web.hub.accounts.account(email: "luca@example.org"))
            #expect(account.confirmed == nil && account.roles == [.responder])
            let link = try mails.link(in: try await mails.mail(to: "luca@example.org", with: "/confirm/"), "/confirm/")
            #expect(try await web.post(link, ["password": Self.crew["password"] ?? ""]).header("location") == "/log-in?confirmed=1")
            let logIn = try await web.post("/log-in", ["email": "luca@example.org", "password": Self.crew["password"] ?? ""])
            #expect(logIn.header("location") == "/log-in/second")
            let begun = String(try #require(logIn.headers["set-cookie"].first { $0.contains("session") }).prefix { $0 != ";" })
            #expect(try await web.post("/duty/on", [:], cookie: begun).header("location") == "/log-in/second")
            let confirmed = try #require(try web.hub.accounts.account(account.id))
            let full = try web.session(of: confirmed, strength: .full)
            #expect(try await web.post("/crew", ["crewCode": code], cookie: full).header("location") == "/duty")
            let again = Self.crew.merging(["crewCode": code, "email": "other@example.org"]) { $1 }
            #expect(try await web.post("/crew", again).status == 422)
            #expect(try web.hub.accounts.account(account.id)?.roles == [.responder])
            #expect(try web.hub.accounts.care.onDutyCrews().isEmpty)
        }
    }

    @Test("ACC-9, ACC-16: who joins a crew after a log-in by password alone is asked for a second factor before anything else")
    func factor() async throws {
        try await WebFixture.run { web in
            let hospital = try web.member(.organisation, "hospital@example.org"), chief = try web.member(.operator, "chief@example.org")
            let crew = try web.member(.organiser, "crew@example.org"), code = try await code(web, hospital, chief)
            #expect(try await web.post("/crew", ["crewCode": code], cookie: crew.cookie).status == 303)
            let answer = try await web.post("/duty/on", [:], cookie: crew.cookie)
            #expect(answer.header("location")?.contains("/log-in/second") == true)
            #expect(try web.hub.accounts.care.onDutyCrews().isEmpty)
        }
    }

    @Test("ACC-16: a crew goes on and off duty; its place is the last known with its age, and is gone with the duty or the admission")
    func duty() async throws {
        try await WebFixture.run { web in
            let hospital = try web.member(.organisation, "hospital@example.org"), chief = try web.member(.operator, "chief@example.org")
            let crew = try web.member(.responder, "crew@example.org"), second = try web.member(.responder, "second@example.org")
            #expect(try await web.post("/duty/on", [:], cookie: crew.cookie).status == 409)
            let code = try await code(web, hospital, chief)
            #expect(try await web.post("/crew", ["crewCode": code], cookie: crew.cookie).header("location") == "/duty")
            #expect(try await web.post("/crew", ["crewCode": try await another(web, hospital)], cookie: second.cookie).status == 303)
            func place(_ latitude: String, ago: Int = 0, cookie: String? = nil) async throws -> UInt {
                let time = Int(Date().timeIntervalSince1970 * 1000) - ago
                let fields = ["latitude": latitude, "longitude": "9.7", "accuracy": "12", "time": "\(time)"]
                return try await web.post("/duty/place", fields, cookie: cookie ?? crew.cookie).status
            }
            #expect(try await place("45.6") == 409)
            #expect(try await web.post("/duty/on", [:], cookie: crew.cookie).status == 303)
            #expect(try await web.send(.GET, "/duty", cookie: crew.cookie).body.contains("Your place is not known yet"))
            #expect(try await place("45.6") == 204)
            #expect(try await place("45.5", ago: 60_000) == 204)
            for wrong in ["91", "x", "nan"] { #expect(try await place(wrong) == 400) }
            #expect(try await place("45.6", ago: -3_600_000) == 400)
            #expect(try await place("45.6", cookie: hospital.cookie) == 403)
            let crews = try web.hub.accounts.care.onDutyCrews()
            #expect(crews.count == 1 && crews[0].place?.latitude == 45.6 && crews[0].place?.accuracy == 12)
            #expect(crews[0].label.plate == "ZA 123 BC" && crews[0].account == crew.account.id && crews[0].hospital == hospital.account.id)
            #expect(crews[0].age(at: (crews[0].place?.time ?? 0) + 5000) == 5000)
            #expect(try await web.send(.GET, "/hospital", cookie: hospital.cookie).body.contains("Last place"))

            // By a phone's program too, and nothing of a series.
            let page = try await web.post("/duty/tracker", [:], cookie: crew.cookie).body
            let secret = String(try #require(page.firstMatch(of: /[A-Z0-9]{4}-[A-Z0-9]{4}-[A-Z0-9]{4}-[A-Z0-9]{4}/)).output)
            let query = "/osmand?id=\(secret)&timestamp=\(Int(Date().timeIntervalSince1970) + 1)&lat=45.7&lon=9.8"
            #expect(try await web.send(.GET, query).status == 200)
            #expect(try web.hub.accounts.care.onDutyCrews().first?.place?.latitude == 45.7)
            #expect(try web.hub.accounts.person(crew.account.id.person) == nil)
            let own = Data("crew:\(secret)".utf8).base64EncodedString()
            let body = #"{"_type":"location","lat":45.8,"lon":9.9,"tst":\#(Int(Date().timeIntervalSince1970) + 2)}"#
            let posted = try await web.send(.POST, "/owntracks", headers: [("authorization", "Basic \(own)")], body: Array(body.utf8))
            #expect(posted.status == 200)
            #expect(try web.hub.accounts.care.onDutyCrews().first?.place?.latitude == 45.8)

            #expect(try await web.post("/duty/on", [:], cookie: second.cookie).status == 303)
            #expect(try web.hub.accounts.care.onDutyCrews().map(\.account) == [second.account.id])
            #expect(try web.hub.accounts.care.onDutyCrews().first?.place == nil)
            #expect(try await web.send(.GET, "/duty", cookie: crew.cookie).body.contains("Another crew is on duty"))
            #expect(try await web.post("/duty/off", [:], cookie: second.cookie).status == 303)
            #expect(try web.hub.accounts.care.onDutyCrews().isEmpty)
            #expect(try await web.send(.GET, query).status == 200)
            #expect(try web.hub.accounts.care.onDutyCrews().isEmpty)

            #expect(try await web.post("/duty/on", [:], cookie: crew.cookie).status == 303)
            let withdraw = "/operator/hospitals/\(hospital.account.id)/withdraw"
            #expect(try await web.post(withdraw, [:], cookie: chief.cookie).status == 303)
            #expect(try web.hub.accounts.care.onDutyCrews().isEmpty)
            #expect(try await web.post("/duty/on", [:], cookie: crew.cookie).status == 409)
        }
    }
}
