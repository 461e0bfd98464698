import Database
import Foundation
import HubServices
import Segments
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import HubStore

/// People for whom a box does not send, or no longer.
struct AbsentPeopleTests {
    @Test(
        "OPS-2, DATA-10: a box hears that somebody is gone where that is written down; what a restored backup does not know ends nobody")
    func absent() async throws {
        let hub = try ServicesFixture(), stream = StreamID.random(), now = hub.clock.now
        let people = try [hub.person] + (1...3).map { try hub.accounts.addPerson(name: "Made up \($0)", now: 0).id }
        let box = try await hub.enrol(people)
        try hub.accounts.agents.leave(box.id, people[1])
        try hub.accounts.agents.leave(box.id, people[1])
        _ = try hub.accounts.deletePerson(people[2], now: now)
        try hub.accounts.eraseRows(of: people[2])
        // As in a backup of before the binding.
        let row = try #require(try hub.accounts.row(of: people[3]))
        try hub.accounts.pool.write { try $0.execute(sql: "DELETE FROM agent_person WHERE person = ?", arguments: [row]) }
        hub.authenticator.forget(box.id)
        let segments = people.enumerated().map { hub.segment(UInt64($0.offset + 1), stream: stream, person: $0.element) }
        let state = try #require(try await hub.send(segments, token: box.token).streams.first)
        #expect(state.received == [[1, 1]])
        #expect(state.refused?.map(\.reason) == [.left, .deleted, .notBound])
        #expect(state.refused?.map(\.reason.endsPerson) == [true, true, false])
        let agent = try #require(try hub.accounts.agents.agent(box.id))
        let answer = try agent.answer(holding: people, hub.accounts)
        #expect(answer == BoxConditionAnswer(bound: [people[0]], gone: [people[1], people[2]]))
        // One who was never here is nobody's word for leaving, and another box is another one.
        #expect(try agent.answer(holding: [.random()], hub.accounts).gone == [])
        let other = try await hub.enrol([people[1]]), second = try #require(try hub.accounts.agents.agent(other.id))
        #expect(try second.answer(holding: [people[1]], hub.accounts) == BoxConditionAnswer(bound: [people[1]], gone: []))
    }
}
