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

/// A hub for programs that try out its API from outside (Tests/api/run): with an organisation, somebody who agreed, and what they sent.
@Suite(.serialized)
struct APIServing {
    private static let directory = ProcessInfo.processInfo.environment["TRACKME_API_DIRECTORY"].map { URL(fileURLWithPath: $0) }

    /// What those programs have to know.
    private struct Known: Encodable {
        var url: String
        var authority: String
        var token: String
        var consent: String
        var patient: String
        var observation: String
        var cookie: String
        /// Requests about groups: one that was answered, and one that was refused.
        var groups: [String]
        /// Of each a sample was sent.
        var scalars: [String]
    }

    @Test("CONS-12: served until it is told to stop", .enabled(if: directory != nil), .timeLimit(.minutes(20)))
    func serve() async throws {
        let directory = try #require(Self.directory)
        try await ReleasedGroups([ReleasedGroups.cell(.female, 30, "IT-25")]).run { web in
            let study = try await FHIRAPITests.Study(web), program = try Program(web), token = try await program.token()
            let bearer = [("authorization", "Bearer \(token)")]
            let id = try await study.consent(bearer, kinds: FHIRAPITests.words([.heartRate, .rrIntervals, .position] + DataKind.scalars))
            try await study.send(0..<30)
            try web.append([FHIRAPITests.measured(at: study.start)], of: study.person.account.id.person)
            let consent = try await FHIRAPITests.json(web.send(.GET, "/api/v1/fhir/Consent/\(id)", headers: bearer))
            let patient = try #require((consent["patient"] as? [String: Any])?["reference"] as? String)
            let name = String(patient.dropFirst(8))
            let found = try await FHIRAPITests.json(web.send(.GET, "/api/v1/fhir/Observation?patient=\(name)", headers: bearer))
            let entry = try #require((found["entry"] as? [[String: Any]])?.first)
            let observation = try #require((entry["resource"] as? [String: Any])?["id"] as? String)
            let known = Known(
                url: web.url, authority: web.directory.url.appendingPathComponent("ca.pem").path, token: token, consent: id,
                patient: name, observation: observation, cookie: study.person.cookie,
                groups: [try await asked(web, bearer, sex: "female"), try await asked(web, bearer, sex: "male")],
                scalars: DataKind.scalars.map(\.name))
            try JSONEncoder().encode(known).write(to: directory.appendingPathComponent("known.json"), options: .atomic)
            while !FileManager.default.fileExists(atPath: directory.appendingPathComponent("stop").path) {
                try await Task.sleep(for: .milliseconds(200))
            }
        }
    }

    /// A question about a group of which an operator looked at the first one.
    private func asked(_ web: WebFixture, _ bearer: [(String, String)], sex: String) async throws -> String {
        let question = #"{"kinds":["heart_rate"],"sexes":["\#(sex)"],"ages":{"from":30,"through":34},"regions":["Lombardia"]}"#
        let body = #"{"question":\#(question),"purpose":"Study","past":2}"#
        let answer = try await web.send(.POST, "/api/v1/groups/requests", headers: bearer, body: Array(body.utf8))
        let id = try #require(try FHIRAPITests.json(answer)["id"] as? String)
        if let request = GroupRequestID(id), try web.hub.accounts.consents.groupRequests.countAwaitingOperator() > 0 {
            let boss = try web.member(.operator, "boss@example.org")
            try web.hub.groups.approve(request, by: boss.account)
        }
        return id
    }
}
