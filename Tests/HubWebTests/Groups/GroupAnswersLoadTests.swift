import Accounts
import Foundation
import Groups
import HubServices
import HubStore
import NIOHTTP1
import Testing
import Vitals

@testable import HubWeb

/// Questions of a program about windows in which every cell of Italy is released, only where it is asked for: `packaging/bench/run groups` judges it.
@Suite(.serialized, .enabled(if: ProcessInfo.processInfo.environment["TRACKME_LOAD"] != nil))
struct GroupAnswersLoadTests {
    private static let questions = 300

    private static func figure(_ name: String, _ value: Double) { print("figure groups_\(name) \(value)") }

    /// Of one country with all its levels.
    private static let places = Regions.list.regions.map(\.code).filter { code in
        code.text.hasPrefix("IT-") && ReleasedGroups.tree.regions[code]?.hasCells == true
    }

    private static func milliseconds(_ body: () async throws -> Void) async rethrows -> Double {
        let began = ContinuousClock.now
        try await body()
        return (ContinuousClock.now - began) / .milliseconds(1)
    }

    @Test("GRP-6: a question is answered over HTTP from released windows within 50 ms")
    func answers() async throws {
        let cells = Self.places.flatMap { place in CellSex.allCases.flatMap { sex in AgeBand.all.map { GroupCell(sex, $0, place) } } }
        print("load: \(cells.count) cells in each of four windows and three kinds")
        try await ReleasedGroups(cells).run { web in
            let bearer = [("authorization", "Bearer \(try await Program(web).token())")]
            var asked: [Double] = [], read: [Double] = []
            for number in 0...Self.questions {
                let place = Self.places[number * 7 % Self.places.count], sex = ["female", "male"][number % 2], from = number % 15 * 5
                let question = #"{"kinds":["heart_rate"],"sexes":["\#(sex)"],"ages":{"from":\#(from),"through":\#(from + 19)}"#
                let body = #"{"question":\#(question),"regions":["\#(place.text)"]},"purpose":"Study"}"#
                var answer: WebFixture.Answer?
                let took = try await Self.milliseconds {
                    answer = try await web.send(.POST, "/api/v1/groups/requests", headers: bearer, body: Array(body.utf8))
                }
                let object = try JSONSerialization.jsonObject(with: Data(try #require(answer).body.utf8)) as? [String: Any]
                let id = try #require(object?["id"] as? String, "\(body): \(answer?.body ?? "")")
                guard number > 0 else {
                    let boss = try web.member(.operator, "boss@example.org")
                    Self.figure(
                        "api_first_ms",
                        try await Self.milliseconds { try web.hub.groups.approve(try #require(GroupRequestID(id)), by: boss.account) })
                    continue
                }
                asked.append(took)
                read.append(
                    try await Self.milliseconds {
                        let page = try await web.send(.GET, "/api/v1/groups/requests/\(id)", headers: bearer)
                        #expect(page.body.contains("\"released\""), "\(page.body.prefix(300))")
                    })
            }
            Self.figure("api_ask_p99_ms", asked.sorted()[asked.count * 99 / 100])
            Self.figure("api_read_p99_ms", read.sorted()[read.count * 99 / 100])
        }
    }
}
