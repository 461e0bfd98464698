import Accounts
import Foundation
import HubServices
import HubStore
import NIOHTTP1
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// FHIR as an organisation's program reads it, of a person whose phone sends to a real hub.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct FHIRAPITests {
    typealias JSON = [String: Any]

    /// An organisation, a person and what they agreed to.
    struct Study {
        let web: WebFixture
        let person: Member
        let chief: Member
        let secret: String
        let start = Int(Date().timeIntervalSince1970) - 600

        init(_ web: WebFixture) async throws {
            self.web = web
            person = try web.member(.person, "ada@example.org")
            chief = try web.member(.operator, "chief@example.org")
            let made = try await web.post("/boxes/devices", ["deviceName": "My phone", "deviceKind": "osmAnd"], cookie: person.cookie)
            secret = String(try #require(made.body.firstMatch(of: /[A-Z0-9]{4}(-[A-Z0-9]{4}){3}/)).output.0)
        }

        func send(_ seconds: some Sequence<Int>) async throws {
            for second in seconds {
                let path = "/osmand?id=\(secret)&timestamp=\(start + second)&lat=45.\(100 + second)&lon=9.7&speed=3"
                #expect(try await web.send(.POST, path).status == 200)
            }
        }

        /// A consent that runs.
        func consent(_ bearer: [(String, String)], kinds: String = "\"position\"", term: String = ",\"days\":30") async throws -> String {
            let body = "{\"whom\":\"ada@example.org\",\"kinds\":[\(kinds)],\"purpose\":\"A study of \(kinds.count)\"\(term)}"
            let asked = try await web.send(.POST, "/api/v1/consents", headers: bearer, body: Array(body.utf8))
            let id = try #require(try FHIRAPITests.json(asked)["id"] as? String, "\(asked.body)")
            #expect(try await web.post("/operator/requests/\(id)/approve", [:], cookie: chief.cookie).status == 303)
            _ = try await web.until("/followers", cookie: person.cookie) { $0.contains("\(id)/accept") }
            #expect(try await web.post("/followers/\(id)/accept", [:], cookie: person.cookie).status == 303)
            return id
        }
    }

    static func json(_ answer: WebFixture.Answer) throws -> JSON {
        try #require(try JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? JSON, "\(answer.body)")
    }

    func bearer(_ program: Program) async throws -> [(String, String)] {
        [("authorization", "Bearer \(try await program.token())")]
    }

    func get(
        _ web: WebFixture, _ path: String, _ bearer: [(String, String)], status: UInt = 200
    ) async throws -> JSON {
        let path = path.hasPrefix("https://") ? String(path.dropFirst(web.url.count)) : "/api/v1/fhir/" + path
        let answer = try await web.send(.GET, path, headers: bearer)
        #expect(answer.status == status, "\(path): \(answer.status) \(answer.body.prefix(300))")
        #expect(answer.header("content-type")?.hasPrefix("application/fhir+json") == true)
        let json = try Self.json(answer)
        if status >= 400 {
            let issue = try #require((json["issue"] as? [JSON])?.first)
            #expect(json["resourceType"] as? String == "OperationOutcome" && issue["severity"] as? String == "error")
            #expect((issue["details"] as? JSON)?["text"] as? String != nil && issue["code"] as? String != nil)
        }
        return json
    }

    func entries(_ bundle: JSON) -> [JSON] { bundle["entry"] as? [JSON] ?? [] }

    func link(_ bundle: JSON, _ relation: String) -> String? {
        (bundle["link"] as? [JSON])?.first { $0["relation"] as? String == relation }?["url"] as? String
    }

    func times(_ entries: [JSON]) -> [String] {
        entries.compactMap { ($0["resource"] as? JSON)?["effectiveDateTime"] as? String }
    }

    /// All pages of a search.
    func search(_ web: WebFixture, _ path: String, _ bearer: [(String, String)]) async throws -> [JSON] {
        var found: [JSON] = [], next: String? = path
        while let page = next {
            let bundle = try await get(web, page, bearer)
            #expect(bundle["type"] as? String == "searchset" && link(bundle, "self") != nil)
            found += entries(bundle)
            next = link(bundle, "next")
        }
        return found
    }

    func pseudonym(_ web: WebFixture, _ consent: String, _ bearer: [(String, String)]) async throws -> String {
        let consent = try await get(web, "Consent/\(consent)", bearer)
        let reference = try #require((consent["patient"] as? JSON)?["reference"] as? String)
        return String(reference.dropFirst("Patient/".count))
    }

    @Test(
        "CONS-12, CONS-4: Observations are searched page by page and read one by one, of the granted kinds, by those who agreed, until they revoke"
    )
    func wholeWay() async throws {
        try await WebFixture.run { web in
            let study = try await Study(web), mine = try await bearer(Program(web))
            try await study.send(0..<7)
            let id = try await study.consent(mine), patient = try await pseudonym(web, id, mine)
            #expect(patient != study.person.account.id.description, "a pseudonym")

            let sorted = try await search(web, "Observation?patient=\(patient)&_sort=date&_count=3", mine)
            let newest = try await search(web, "Observation?subject=Patient/\(patient)&_count=2", mine)
            let all = times(sorted)
            #expect(all.count == 7 && all == all.sorted() && times(newest) == all.reversed())
            #expect(Set(sorted.compactMap { $0["fullUrl"] as? String }).count == 7)
            for entry in sorted {
                let resource = try #require(entry["resource"] as? JSON), name = try #require(resource["id"] as? String)
                #expect((resource["subject"] as? JSON)?["reference"] as? String == "Patient/\(patient)")
                let one = try await get(web, "Observation/\(name)", mine)
                #expect(NSDictionary(dictionary: one) == NSDictionary(dictionary: resource))
            }
            for (filter, count) in [
                ("code=8867-4", 0), ("code=8867-4,position", 7), ("code=1234-5", 0), ("category=vital-signs", 0), ("date=ge\(all[3])", 4),
                ("date=ge\(all[1])&date=lt\(all[3])", 2), ("date=lt1980", 0), ("date=\(all[2])", 1), ("_format=json", 7),
            ] {
                let found = try await search(web, "Observation?patient=\(patient)&\(filter)", mine)
                #expect(found.count == count, "\(filter)")
            }
            let name = try #require((sorted[0]["resource"] as? JSON)?["id"] as? String)
            let known = try await get(web, "Patient/\(patient)", mine)
            #expect(Set(known.keys) == ["resourceType", "id", "identifier"])
            #expect(try await web.send(.GET, "/ledger", cookie: study.person.cookie).body.contains(" read"))

            // Another organisation, whom they let read heart rates only.
            let theirs = try await bearer(Program(web, email: "rival@example.org"))
            let other = try await study.consent(theirs, kinds: "\"heart_rate\""), alias = try await pseudonym(web, other, theirs)
            #expect(alias != patient)
            #expect(try await search(web, "Observation?patient=\(alias)", theirs).isEmpty)
            _ = try await get(web, "Observation/\(name.replacing(patient, with: alias))", theirs, status: 404)
            for stranger in ["Observation/\(name)", "Patient/\(patient)", "Consent/\(id)"] {
                _ = try await get(web, stranger, theirs, status: 404)
            }
            #expect(try await search(web, "Observation?patient=\(patient)", theirs).isEmpty)

            #expect(try await web.post("/followers/\(id)/revoke", [:], cookie: study.person.cookie).status == 303)
            #expect(try await search(web, "Observation?patient=\(patient)", mine).isEmpty)
            for gone in ["Observation/\(name)", "Patient/\(patient)"] { _ = try await get(web, gone, mine, status: 404) }
            #expect(try await get(web, "Consent/\(id)", mine)["status"] as? String == "inactive")
        }
    }

    @Test("CONS-12: a page looks at a week of hours at most and says where to go on")
    func manyHours() async throws {
        try await WebFixture.run { web in
            let study = try await Study(web), mine = try await bearer(Program(web))
            let hours = 170
            for hour in 0..<hours {
                let path = "/osmand?id=\(study.secret)&timestamp=\(study.start - hour * 3600)&lat=45.\(100 + hour)&lon=9.7&speed=3"
                #expect(try await web.send(.POST, path).status == 200)
            }
            let id = try await study.consent(mine), patient = try await pseudonym(web, id, mine)
            for order in ["date", "-date"] {
                let path = "Observation?patient=\(patient)&_sort=\(order)&_count=1000"
                let first = try await get(web, path, mine)
                #expect(entries(first).count == 168 && link(first, "next") != nil)
                let all = times(try await search(web, path, mine))
                #expect(all.count == hours && Set(all).count == hours && all == (order == "date" ? all.sorted() : all.sorted().reversed()))
            }
        }
    }

    @Test("CONS-8, CONS-12: whoever adds a service has a name of its own there, and what counts for it is read by that name alone")
    func services() async throws {
        try await WebFixture.run { web in
            let study = try await Study(web), mine = try await bearer(Program(web))
            try await study.send(0..<3)
            let body = """
                {"name":"Coach","english":{"about":"A","purpose":"P"},"italian":{"about":"B","purpose":"Q"},"kinds":["position"],"actions":["daily"]}
                """
            let made = try await web.send(.POST, "/api/v1/services", headers: mine, body: Array(body.utf8))
            let service = try #require(try Self.json(made)["id"] as? String)
            let approve = "/operator/services/\(service)/approve"
            #expect(try await web.post(approve, ["version": "1"], cookie: study.chief.cookie).status == 303)
            #expect(try await web.post("/services/\(service)/add", ["action": "daily"], cookie: study.person.cookie).status == 303)
            let added = try #require(try await search(web, "Consent?status=active", mine).first?["resource"] as? JSON)
            let unnamed = try await pseudonym(web, try #require(added["id"] as? String), mine)
            let id = try await study.consent(mine, kinds: "\"heart_rate\""), patient = try await pseudonym(web, id, mine)
            #expect(patient != unnamed)
            #expect(try await search(web, "Observation?patient=\(unnamed)", mine).count == 3)
            #expect(try await search(web, "Observation?patient=\(patient)", mine).isEmpty)
            #expect(try await search(web, "Consent?patient=\(patient)", mine).count == 1)
            #expect(try await web.post("/services/\(service)/remove", [:], cookie: study.person.cookie).status == 303)
            _ = try await get(web, "Patient/\(unnamed)", mine, status: 404)
            _ = try await get(web, "Patient/\(patient)", mine)
        }
    }

    @Test("CONS-14, DATA-14: what arrived while the consent held is caught up by cursor, late samples too: nothing twice, nothing skipped")
    func events() async throws {
        try await WebFixture.run { web in
            let study = try await Study(web), mine = try await bearer(Program(web))
            try await study.send(100..<103)
            let id = try await study.consent(mine), path = "Observation/$events?consent=\(id)&_count=2"
            var place = path, got: [String] = []
            func catchUp() async throws -> Int {
                var count = 0, next: String? = place
                while let page = next {
                    let bundle = try await get(web, page, mine)
                    #expect(bundle["type"] as? String == "history")
                    let new = entries(bundle)
                    for entry in new {
                        let isPut = (entry["request"] as? JSON)?["method"] as? String == "PUT"
                        #expect(isPut && (entry["response"] as? JSON)?["lastModified"] != nil)
                    }
                    (count, got) = (count + new.count, got + times(new))
                    place = try #require(link(bundle, "monitor"))
                    next = link(bundle, "next")
                }
                return count
            }
            #expect(try await catchUp() == 0, "before the consent")
            try await study.send(200..<205)
            #expect(try await catchUp() == 5)
            #expect(try await catchUp() == 0)
            // Back-dated, and before what was there when they agreed.
            try await study.send([201, 206, 90, 300].map { $0 - 50 })
            #expect(try await catchUp() == 4)
            #expect(got.count == 9 && Set(got).count == 9 && got != got.sorted())
            // From the beginning it is the same again.
            let first = got
            (place, got) = (path, [])
            #expect(try await catchUp() == 9)
            #expect(got == first)
            _ = try await get(web, "Observation/$events?consent=\(id)&cursor=1.2", mine, status: 400)
            let theirs = try await bearer(Program(web, email: "rival@example.org"))
            _ = try await get(web, path, theirs, status: 404)

            try await study.send([400])
            #expect(try await web.post("/followers/\(id)/revoke", [:], cookie: study.person.cookie).status == 303)
            _ = try await get(web, place, mine, status: 404)
        }
    }

    @Test("CONS-14: behind a place that has no order of arrival any more it is said from when on to read again")
    func startOver() async throws {
        try await WebFixture.run { web in
            let study = try await Study(web), mine = try await bearer(Program(web)), id = try await study.consent(mine)
            try await study.send(0..<3)
            // Of a hub that is not this one.
            let cursor = "\(HubIncarnation.random()).5.0.1"
            let bundle = try await get(web, "Observation/$events?consent=\(id)&cursor=\(cursor)", mine)
            let entry = try #require(entries(bundle).first), request = try #require(entry["request"] as? JSON)
            #expect(entry["resource"] == nil && request["method"] as? String == "GET")
            #expect((entry["response"] as? JSON)?["outcome"] != nil)
            let again = try await search(web, try #require(request["url"] as? String), mine)
            #expect(again.count == 3)
            let place = try #require(link(bundle, "monitor"))
            try await study.send([7])
            #expect(try await entries(get(web, place, mine)).count == 1)
        }
    }

    @Test("CONS-12, CONS-1: a question names no patient before it is accepted, and consents are searched by status and patient")
    func consents() async throws {
        try await WebFixture.run { web in
            let study = try await Study(web), program = try Program(web), mine = try await bearer(program)
            let id = try await study.consent(mine), patient = try await pseudonym(web, id, mine)
            for whom in ["ada@example.org", "nobody@example.org"] {
                let body = "{\"whom\":\"\(whom)\",\"kinds\":[\"event\"],\"purpose\":\"Another\",\"days\":3}"
                let asked = try await web.send(.POST, "/api/v1/consents", headers: mine, body: Array(body.utf8))
                #expect(asked.status == 201)
                let new = try #require(try Self.json(asked)["id"] as? String)
                // The approval of the first counts for both.
                _ = try await web.post("/operator/requests/\(new)/approve", [:], cookie: study.chief.cookie)
            }
            _ = try await web.until("/followers", cookie: study.person.cookie) { $0.contains("Another") }
            let open = try await search(web, "Consent?status=proposed,rejected&_count=1", mine)
            #expect(open.count == 2)
            for entry in open {
                #expect(((entry["resource"] as? JSON)?["patient"] as? JSON)?["reference"] == nil, "nobody is told apart")
            }
            #expect(try await search(web, "Consent?patient=\(patient)", mine).count == 1)
            #expect(try await search(web, "Consent?status=active", mine).count == 1)
            #expect(try await search(web, "Consent?_count=2", mine).count == 3)
        }
    }

    @Test("CONS-12: what is for one delivery is not read by FHIR, and says so; mistakes are OperationOutcomes")
    func mistakes() async throws {
        try await WebFixture.run { web in
            let study = try await Study(web), mine = try await bearer(Program(web))
            let id = try await study.consent(mine, term: ""), patient = try await pseudonym(web, id, mine)
            _ = try await get(web, "Observation?patient=\(patient)", mine, status: 403)
            _ = try await get(web, "Observation/$events?consent=\(id)", mine, status: 404)
            for wrong in [
                "Observation", "Observation?patient=", "Observation?patient=\(patient)&date=yesterday",
                "Observation?patient=\(patient)&_sort=code",
                "Observation?patient=\(patient)&_count=0", "Observation?patient=\(patient)&value-quantity=70", "Consent?page=7",
                "Observation?patient=\(patient)&page=-1", "Observation/$events", "Patient/x?name=Ada",
                "Observation?patient=\(patient)&patient=x",
            ] { _ = try await get(web, wrong, mine, status: 400) }
            _ = try await get(web, "Patient/nobody", mine, status: 404)
            _ = try await get(web, "Patient/nobody", [], status: 401)
            _ = try await get(web, "Device/1", mine, status: 404)
            _ = try await get(web, "Patient/nobody?_format=xml", mine, status: 406)
            _ = try await get(web, "Patient/nobody", mine + [("accept", "application/fhir+xml")], status: 406)
            let metadata = try await get(web, "metadata", [])
            #expect(metadata["resourceType"] as? String == "CapabilityStatement" && metadata["fhirVersion"] as? String == "4.0.1")
            #expect(Set(["status", "date", "kind", "format", "rest"]).isSubset(of: metadata.keys))
        }
    }
}
