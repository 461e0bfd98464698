import Database
import Foundation
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct AgentTests {
    private func box(_ fixture: HubFixture, _ code: UInt8, of people: [PersonID]) throws -> AgentStore.Agent {
        try fixture.accounts.agents.addEnrolmentCode(hash: [code], people: people, expires: 1000)
        return try #require(try fixture.accounts.agents.enrol(codeHash: [code], publicKey: [4, code], name: "Box \(code)", now: 1))
    }

    @Test("EDGE-14: a code binds one box to its people, once and in its time", arguments: Engine.allCases)
    func enrolment(engine: Engine) throws {
        let fixture = try HubFixture(engine), agents = fixture.accounts.agents
        let ada = try fixture.accounts.addPerson(name: "Ada", now: 0).id, bob = try fixture.accounts.addPerson(name: "Bob", now: 0).id
        try agents.addEnrolmentCode(hash: [1], people: [ada, bob], expires: 100)
        #expect(try agents.enrol(codeHash: [2], publicKey: [4], name: "Box", now: 1) == nil)
        #expect(try agents.enrol(codeHash: [1], publicKey: [4], name: "Box", now: 100) == nil)
        let box = try #require(try agents.enrol(codeHash: [1], publicKey: [4], name: "Box", now: 99))
        #expect(try agents.enrol(codeHash: [1], publicKey: [5], name: "Copy", now: 99) == nil)
        #expect(Set(box.people.keys) == [ada, bob] && !box.revoked && box.publicKey == [4])
        #expect(try agents.agent(box.id) == box && agents.agent(.random()) == nil)
        #expect(throws: HubStoreError.self) { try agents.addEnrolmentCode(hash: [3], people: [.random()], expires: 100) }
    }

    @Test("EDGE-14: a revoked box is refused from then on; the operator's list keeps it", arguments: Engine.allCases)
    func revocation(engine: Engine) throws {
        let fixture = try HubFixture(engine), agents = fixture.accounts.agents, ada = try fixture.accounts.addPerson(name: "Ada", now: 0).id
        let one = try box(fixture, 1, of: [ada]), two = try box(fixture, 2, of: [ada])
        #expect(try agents.revokeAgent(one.id, now: 5) && !agents.revokeAgent(one.id, now: 6) && !agents.revokeAgent(.random(), now: 6))
        #expect(try agents.agent(one.id)?.revoked == true && agents.agent(two.id)?.revoked == false)
        let list = try agents.agents()
        #expect(list.map(\.name) == ["Box 1", "Box 2"] && list.map(\.agent.id) == [one.id, two.id] && list.map(\.copiesSeen) == [0, 0])
    }

    @Test("EDGE-14: a person's own list has the boxes that may send for them, no others' and no revoked ones", arguments: Engine.allCases)
    func ofPerson(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts, agents = accounts.agents
        let ada = try accounts.addPerson(name: "Ada", now: 0).id, bob = try accounts.addPerson(name: "Bob", now: 0).id
        let old = try box(fixture, 1, of: [ada])
        _ = try box(fixture, 2, of: [bob])
        let shared = try box(fixture, 3, of: [ada, bob])
        #expect(try agents.revokeAgent(old.id, now: 5))
        #expect(try agents.agents(of: ada).map(\.agent) == [shared] && agents.agents(of: bob).map(\.name) == ["Box 2", "Box 3"])
        #expect(try agents.agents(of: .random()).isEmpty)
    }

    @Test(
        "DATA-11: a box of before may go on by the first other name that it shows, until that is ended; a new one by none",
        arguments: Engine.allCases)
    func hosts(engine: Engine) throws {
        let fixture = try HubFixture(engine), agents = fixture.accounts.agents, ada = try fixture.accounts.addPerson(name: "Ada", now: 0).id
        let boxes = try (1...3).map { try box(fixture, $0, of: [ada]) }, rows = boxes.map(\.row)
        // As the migration leaves two that were enrolled before it.
        try fixture.accounts.pool.write { db in
            for row in rows.prefix(2) { try db.execute(sql: "INSERT INTO agent_host(agent) VALUES(?)", arguments: [row]) }
        }
        #expect(try agents.hosts().isEmpty && !agents.mayUse(host: "old.example", agent: rows[2]))
        #expect(try agents.mayUse(host: "old.example", agent: rows[0]) && agents.mayUse(host: "old.example", agent: rows[0]))
        #expect(try !agents.mayUse(host: "evil.example", agent: rows[0]) && agents.hosts() == [rows[0]: "old.example"])
        // Whoever came by a name of the hub's own needs no other; whoever is known by another keeps it meanwhile.
        for row in rows { try agents.usesOwnName(agent: row) }
        #expect(try !agents.mayUse(host: "old.example", agent: rows[1]) && agents.mayUse(host: "old.example", agent: rows[0]))
        let again = try fixture.reopened().accounts.agents
        #expect(try again.hosts() == [rows[0]: "old.example"])
        #expect(try again.forgetHost(of: boxes[0].id) && !again.forgetHost(of: boxes[0].id) && !again.forgetHost(of: boxes[1].id))
        #expect(try !again.mayUse(host: "old.example", agent: rows[0]) && again.hosts().isEmpty && fixture.count("agent_host") == 0)
    }

    @Test("EDGE-14: codes that are a day too old are forgotten with their people", arguments: Engine.allCases)
    func oldCodes(engine: Engine) throws {
        let fixture = try HubFixture(engine), agents = fixture.accounts.agents, ada = try fixture.accounts.addPerson(name: "Ada", now: 0).id
        try agents.addEnrolmentCode(hash: [1], people: [ada], expires: 100)
        try agents.addEnrolmentCode(hash: [2], people: [ada], expires: 100 + day)
        #expect(try fixture.count("enrolment_code") == 2)
        try agents.addEnrolmentCode(hash: [3], people: [ada], expires: 101 + day)
        #expect(try fixture.count("enrolment_code") == 2 && fixture.count("enrolment_code_person") == 2)
    }

    @Test("EDGE-14: chains of tokens are stored as they were decided, and a copied box is counted", arguments: Engine.allCases)
    func tokens(engine: Engine) throws {
        let fixture = try HubFixture(engine), agents = fixture.accounts.agents, ada = try fixture.accounts.addPerson(name: "Ada", now: 0).id
        let one = try box(fixture, 1, of: [ada])
        func change(_ expires: Milliseconds, copy: Bool = false, _ body: (inout [AgentStore.StoredChain]) -> Void) throws {
            try agents.changeTokens(of: one.row, expires: expires, now: 9) { chains in
                body(&chains)
                return ((), copySeen: copy)
            }
        }
        try change(100) { chains in
            #expect(chains == [.init(current: nil, candidates: [])], "made with the box")
            chains[0].candidates = [[1], [2]]
        }
        #expect(try agents.agent(tokenHash: [1])?.expires == 100 && agents.agent(tokenHash: [9]) == nil)
        try change(200, copy: true) { chains in
            #expect(Set(chains[0].candidates) == [[1], [2]])
            chains = [.init(current: [1], candidates: [[3]]), .init(current: [4], candidates: [])]
        }
        #expect(try agents.agent(tokenHash: [1])?.expires == 100, "a token keeps the time that it was given for")
        #expect(try agents.agent(tokenHash: [3])?.expires == 200 && agents.agent(tokenHash: [2]) == nil)
        #expect(try agents.agent(tokenHash: [4])?.agent.id == one.id && agents.agents().map(\.copiesSeen) == [1])
        struct Refused: Error {}
        #expect(throws: Refused.self) {
            try agents.changeTokens(of: one.row, expires: 300, now: 9) { chains -> (Void, copySeen: Bool) in
                chains = []
                throw Refused()
            }
        }
        try change(300) { #expect($0.map(\.current) == [[1], [4]]) }
    }

    @Test("EDGE-14: an assertion is taken once until it expires", arguments: Engine.allCases)
    func assertions(engine: Engine) throws {
        let fixture = try HubFixture(engine), agents = fixture.accounts.agents
        #expect(try agents.useAssertion("a", of: 1, expires: 100, now: 0) && !agents.useAssertion("a", of: 1, expires: 100, now: 1))
        #expect(try agents.useAssertion("a", of: 2, expires: 100, now: 1) && agents.useAssertion("b", of: 1, expires: 100, now: 1))
        #expect(try !agents.useAssertion("a", of: 1, expires: 300, now: 100))
        #expect(try agents.useAssertion("a", of: 1, expires: 300, now: 101), "forgotten when it could not be used any more")
    }

    @Test("DATA-10: a box that served a deleted person alone loses its name; one that serves others keeps it", arguments: Engine.allCases)
    func deleted(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts
        let ada = try accounts.addPerson(name: "Ada", now: 0).id, bob = try accounts.addPerson(name: "Bob", now: 0).id
        let own = try box(fixture, 1, of: [ada]), shared = try box(fixture, 2, of: [ada, bob])
        try accounts.deletePerson(ada, now: 2)
        try accounts.eraseRows(of: ada)
        #expect(try accounts.agents.agents().map(\.name) == ["(deleted)", "Box 2"])
        #expect(try accounts.agents.agent(own.id)?.people.isEmpty == true)
        #expect(try Array(accounts.agents.agent(shared.id)?.people.keys ?? [:].keys) == [bob])
    }

    @Test("DATA-3: samples that were left out are counted by sender, and go with the person", arguments: Engine.allCases)
    func thinned(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts, thinned = accounts.thinned
        let ada = try accounts.addPerson(name: "Ada", now: 0).id, bob = try accounts.addPerson(name: "Bob", now: 0).id
        let (adaRow, bobRow) = (try #require(try accounts.row(of: ada)), try #require(try accounts.row(of: bob)))
        try thinned.noteThinned(5, from: 1, of: adaRow, now: 20)
        try thinned.noteThinned(7, from: 1, of: adaRow, now: 10)
        try thinned.noteThinned(2, from: -3, of: adaRow, now: 5)
        try thinned.noteThinned(1, from: 1, of: bobRow, now: 30)
        try thinned.noteThinned(9, from: 1, of: 999, now: 30)
        #expect(try thinned.thinned(of: ada) == [1: ThinnedCount(samples: 12, last: 20), -3: ThinnedCount(samples: 2, last: 5)])
        #expect(try thinned.thinned() == [1: ThinnedCount(samples: 13, last: 30), -3: ThinnedCount(samples: 2, last: 5)])
        #expect(try thinned.thinned(of: .random()).isEmpty)
        try accounts.deletePerson(ada, now: 40)
        try accounts.eraseRows(of: ada)
        #expect(try thinned.thinned(of: ada).isEmpty && thinned.thinned()[1]?.samples == 1)
    }
}
