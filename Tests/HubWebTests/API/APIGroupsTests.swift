import Accounts
import Foundation
import Groups
import HubServices
import HubStore
import NIOHTTP1
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// Asking about groups by program.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct APIGroupsTests {
    private func released() throws -> ReleasedGroups { try ReleasedGroups([ReleasedGroups.cell(.female, 30, "IT-25")]) }

    private func json(_ answer: WebFixture.Answer) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any], "\(answer.body)")
    }

    private static let question = #"{"kinds":["heart_rate"],"sexes":["female"],"ages":{"from":30,"through":35},"regions":["Lombardia"]}"#

    private func post(_ web: WebFixture, _ path: String, _ body: String, _ bearer: [(String, String)]) async throws -> WebFixture.Answer {
        try await web.send(.POST, "/api/v1/groups/\(path)", headers: bearer, body: Array(body.utf8))
    }

    /// Asks, and has an operator let it leave.
    private func asked(_ web: WebFixture, _ bearer: [(String, String)], more: String = "") async throws -> String {
        let body = #"{"question":\#(Self.question),"purpose":"Study"\#(more)}"#
        let id = try #require(try json(try await post(web, "requests", body, bearer))["id"] as? String)
        let boss = try web.member(.operator, "boss\(id.prefix(4))@example.org")
        try web.hub.groups.approve(try #require(GroupRequestID(id)), by: boss.account)
        return id
    }

    @Test("CONS-12, GRP-1, GRP-5, GRP-7: a program sees what its question becomes, asks it, reads and ends it")
    func wholeWay() async throws {
        try await released().run { web in
            let program = try Program(web), bearer = [("authorization", "Bearer \(try await program.token())")]
            let offer = try json(try await web.send(.GET, "/api/v1/groups/offer", headers: bearer))
            #expect(offer["window"] as? String == "week" && (offer["kinds"] as? [Any])?.count == 4)
            let became = try json(try await post(web, "questions", #"{"question":\#(Self.question)}"#, bearer))
            #expect((became["ages"] as? [[String: Int]])?.first == ["from": 30, "through": 34])
            #expect((became["regions"] as? [[String: String]])?.first?["code"] == "IT-25" && became["second_door"] as? Bool == false)
            #expect(try await web.send(.GET, "/api/v1/groups/requests", headers: bearer).body == "[]")

            let id = try await asked(web, bearer, more: #","days":30"#), path = "/api/v1/groups/requests/\(id)"
            let read = try json(try await web.send(.GET, path, headers: bearer))
            let window = try #require((read["windows"] as? [[String: Any]])?.first), result = (window["results"] as? [[String: Any]])?.first
            #expect(read["state"] as? String == "active" && (result?["count"] as? [String: Any])?["value"] as? Double == 8_000)
            let csv = try await web.send(.GET, "\(path)?format=csv", headers: bearer)
            #expect(csv.header("content-type")?.hasPrefix("text/csv") == true && csv.body.contains(",heart_rate,/min,released,mean,,"))
            #expect(try await web.send(.GET, "\(path)?format=xml", headers: bearer).status == 400)
            let again = try await post(web, "requests", #"{"question":\#(Self.question),"purpose":"Study","days":30}"#, bearer)
            #expect(again.status == 409 && again.body.contains(id))

            let rival = [("authorization", "Bearer \(try await Program(web, email: "rival@example.org").token())")]
            #expect(try await web.send(.GET, path, headers: rival).status == 404)
            #expect(try await web.send(.DELETE, path, headers: rival).status == 404)
            #expect(try await web.send(.DELETE, path, headers: bearer).status == 204)
            #expect(try await web.send(.DELETE, path, headers: bearer).status == 409)
            #expect(try json(try await web.send(.GET, path, headers: bearer))["state"] as? String == "ended")
        }
    }

    @Test("GRP-1: what is wrong with a program's question is said by a code of its own")
    func problems() async throws {
        try await released().run { web in
            let bearer = [("authorization", "Bearer \(try await Program(web).token())")]
            let wrong: [(question: String, code: String)] = [
                (#"{"kinds":[],"sexes":["female"]}"#, "no_kinds"), (#"{"kinds":["ecg"],"sexes":["female"]}"#, "invalid_kind"),
                (#"{"kinds":["sleep"]}"#, "unconstrained"), (#"{"kinds":["sleep"],"sexes":["woman"]}"#, "invalid_sex"),
                (#"{"kinds":["sleep"],"regions":["Atlantis"]}"#, "unknown_region"),
                (#"{"kinds":["sleep"],"regions":["Milano"]}"#, "ambiguous_region"),
                (#"{"kinds":["sleep"],"ages":{"from":40,"through":20}}"#, "invalid_ages"),
                (#"{"kinds":["sleep"],"area":{"circle":{"latitude":46.52,"longitude":6.63,"radius":5000}}}"#, "empty_area"),
                (#"{"kinds":["sleep"],"area":{"polygon":[[45,9],[46,9]]}}"#, "invalid_area"),
                (#"{"kinds":["sleep"],"area":{"polygon":[[45,9],[46,9],[200,9]]}}"#, "invalid_area"),
                (#"{"kinds":["sleep"],"ranges":[{"kind":"sleep","from":500,"below":400}]}"#, "invalid_range"),
            ]
            for (question, code) in wrong {
                let answer = try await post(web, "questions", #"{"question":\#(question)}"#, bearer)
                #expect(try answer.status == 400 && json(answer)["code"] as? String == code, "\(question): \(answer.body)")
            }
            for kind in ["height", "position"] {
                let answer = try await post(web, "questions", #"{"question":{"kinds":["\#(kind)"],"sexes":["female"]}}"#, bearer)
                #expect(answer.status == 400 && answer.body.contains("\(kind) has no share of the year's privacy budget"), "\(answer.body)")
            }
            for (more, code) in [
                ("", "purpose_missing"), (#","purpose":"x","days":0"#, "invalid_days"), (#","purpose":"x","past":99"#, "invalid_past"),
            ] {
                let answer = try await post(web, "requests", #"{"question":\#(Self.question)\#(more)}"#, bearer)
                #expect(try answer.status == 400 && json(answer)["code"] as? String == code, "\(answer.body)")
            }
            #expect(try await post(web, "requests", "[]", bearer).status == 400)
        }
    }

    /// Every name of a member, however deep.
    private func names(_ value: Any) -> Set<String> {
        if let list = value as? [Any] { return list.reduce(into: []) { $0.formUnion(names($1)) } }
        guard let object = value as? [String: Any] else { return [] }
        return object.reduce(into: Set(object.keys)) { $0.formUnion(names($1.value)) }
    }

    @Test("GRP-3: no output about a group has a field that could name, locate or list anybody")
    func schema() async throws {
        let figures: Set<String> = [
            "kind", "unit", "status", "count", "mean", "median", "value", "low", "high", "percentiles", "percent", "histogram", "number",
            "from",
            "below", "shares", "share", "missing", "missing_more", "sex", "through", "region",
        ]
        let request: Set<String> = [
            "id", "created", "purpose", "state", "days", "since", "until", "ended", "past", "mails", "question", "windows", "kinds",
            "sexes", "ages",
            "regions", "code", "name", "ranges", "second_door", "to", "delivered", "results",
        ]
        try await released().run { web in
            let bearer = [("authorization", "Bearer \(try await Program(web).token())")],
                id = try await asked(web, bearer, more: #","past":4"#)
            for path in ["requests/\(id)", "requests"] {
                let body = try await web.send(.GET, "/api/v1/groups/\(path)", headers: bearer).body
                let found = names(try JSONSerialization.jsonObject(with: Data(body.utf8)))
                #expect(found.isSubset(of: figures.union(request)), "\(found.subtracting(figures.union(request)))")
                // Names are those of regions, and the purpose is the organisation's own.
                #expect(!body.contains("@"))
            }
            let csv = try await web.send(.GET, "/api/v1/groups/requests/\(id)?format=csv", headers: bearer).body
            for line in csv.components(separatedBy: "\r\n").dropFirst().dropLast() {
                let fields = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
                #expect(fields.count == 10 && ["count", "mean", "median", "percentile", "class", "share", ""].contains(fields[5]))
                #expect(fields[6...].allSatisfy { $0.isEmpty || Double($0) != nil }, "\(line)")
            }
            let bundle = try await web.send(.GET, "/api/v1/fhir/MeasureReport?request=\(id)", headers: bearer)
            #expect(bundle.status == 200)
            let reports: Set<String> = [
                "resourceType", "type", "timestamp", "total", "link", "relation", "url", "entry", "fullUrl", "resource", "search", "mode",
                "id",
                "meta", "status", "measure", "date", "reporter", "display", "period", "start", "end", "group", "population", "code",
                "coding",
                "system", "count", "extension", "valueRange", "valueCode", "low", "high", "value", "measureScore", "unit", "stratifier",
                "stratum",
                "text",
            ]
            let found = names(try JSONSerialization.jsonObject(with: Data(bundle.body.utf8)))
            #expect(found.isSubset(of: reports), "\(found.subtracting(reports))")
            let entries = try #require(try json(bundle)["entry"] as? [[String: Any]])
            #expect(entries.count == 4)
            let report = try #require((entries[0]["resource"] as? [String: Any])?["id"] as? String)
            #expect(try await web.send(.GET, "/api/v1/fhir/MeasureReport/\(report)", headers: bearer).status == 200)
            let rival = [("authorization", "Bearer \(try await Program(web, email: "rival@example.org").token())")]
            #expect(try await web.send(.GET, "/api/v1/fhir/MeasureReport/\(report)", headers: rival).status == 404)
        }
    }
}
