import Database
import Foundation
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct BoxSettingsTests {
    /// A hub with boxes of one person and of two.
    private struct Boxes {
        let fixture: HubFixture
        let ada: PersonID, bob: PersonID
        var agents: AgentStore { fixture.accounts.agents }

        init(_ engine: Engine) throws {
            fixture = try HubFixture(engine)
            (ada, bob) = (try fixture.account("Ada").id.person, try fixture.account("Bob").id.person)
        }

        func box(_ code: UInt8, of people: PersonID...) throws -> AgentStore.Agent {
            try agents.addEnrolmentCode(hash: [code], people: people, expires: 1000)
            return try #require(try agents.enrol(codeHash: [code], publicKey: [4, code], name: "Box \(code)", now: 1))
        }

        func kept(_ person: PersonID) throws -> [StoredBoxSettings<[String]>] {
            try agents.keptSettings(as: [String].self, for: person)
        }
    }

    @Test("EDGE-16: the last settings of each box are kept sealed, also after the box was disconnected", arguments: Engine.allCases)
    func kept(engine: Engine) throws {
        let boxes = try Boxes(engine), agents = boxes.agents, one = try boxes.box(1, of: boxes.ada), two = try boxes.box(2, of: boxes.ada)
        #expect(try agents.keep(["strap-words"], of: one, for: boxes.ada, now: 5) && agents.keep(["b"], of: two, for: boxes.ada, now: 6))
        #expect(try agents.keep(["strap-words", "c"], of: one, for: boxes.ada, now: 7))
        #expect(try !agents.keep(["d"], of: one, for: boxes.bob, now: 8), "none of his boxes")
        #expect(try agents.revokeAgent(two.id, now: 9))
        #expect(
            try boxes.kept(boxes.ada) == [
                StoredBoxSettings(box: one.id, name: "Box 1", isConnected: true, changed: 7, settings: ["strap-words", "c"]),
                StoredBoxSettings(box: two.id, name: "Box 2", isConnected: false, changed: 6, settings: ["b"]),
            ])
        #expect(try boxes.kept(boxes.bob).isEmpty && boxes.kept(.random()).isEmpty)
        let sealed = try boxes.fixture.accounts.pool.read {
            try $0.fetchAll(Data.self, sql: "SELECT settings FROM box_settings ORDER BY agent")
        }
        #expect(sealed.count == 2 && sealed.allSatisfy { $0.range(of: Data("strap-words".utf8)) == nil })
    }

    @Test("EDGE-16: what a person forgets is not kept again before they want it", arguments: Engine.allCases)
    func forgotten(engine: Engine) throws {
        let boxes = try Boxes(engine), agents = boxes.agents, one = try boxes.box(1, of: boxes.ada), two = try boxes.box(2, of: boxes.ada)
        for box in [one, two] { #expect(try agents.keep(["a"], of: box, for: boxes.ada, now: 5)) }
        #expect(try !agents.forgetSettings(of: one.id, for: boxes.bob) && !agents.allowSettings(of: one.id, for: boxes.bob))
        #expect(try boxes.kept(boxes.ada).count == 2 && boxes.kept(boxes.ada).allSatisfy { $0.settings != nil })
        #expect(try agents.forgetSettings(of: one.id, for: boxes.ada))
        #expect(try !agents.keep(["b"], of: one, for: boxes.ada, now: 6))
        #expect(try boxes.kept(boxes.ada).first { $0.box == one.id }.map { $0.settings } == .some(nil))
        #expect(try agents.allowSettings(of: one.id, for: boxes.ada) && agents.keep(["c"], of: one, for: boxes.ada, now: 7))
        #expect(try boxes.kept(boxes.ada).first?.settings == ["c"])
        #expect(try agents.revokeAgent(two.id, now: 8) && agents.forgetSettings(of: two.id, for: boxes.ada))
        #expect(try boxes.fixture.count("box_settings") == 1)
    }

    @Test("EDGE-16: settings of ten boxes are kept, those that changed last", arguments: Engine.allCases)
    func bounded(engine: Engine) throws {
        let boxes = try Boxes(engine)
        let all = try (1...12).map { try boxes.box(UInt8($0), of: boxes.ada) }, other = try boxes.box(13, of: boxes.bob)
        #expect(try boxes.agents.keep(["other"], of: other, for: boxes.bob, now: 0))
        for (time, box) in all.enumerated() { #expect(try boxes.agents.keep(["a"], of: box, for: boxes.ada, now: Milliseconds(time))) }
        #expect(try boxes.kept(boxes.ada).map(\.box) == all.suffix(AgentStore.settingsMax).reversed().map(\.id))
        #expect(try boxes.kept(boxes.bob).count == 1)
    }

    @Test("DATA-10, EDGE-16: kept settings go with the account, and one that is damaged hides no other", arguments: Engine.allCases)
    func erased(engine: Engine) throws {
        let boxes = try Boxes(engine), fixture = boxes.fixture, one = try boxes.box(1, of: boxes.ada), two = try boxes.box(2, of: boxes.bob)
        let three = try boxes.box(3, of: boxes.bob)
        for (box, person) in [(one, boxes.ada), (two, boxes.bob), (three, boxes.bob)] {
            #expect(try boxes.agents.keep(["a"], of: box, for: person, now: 5))
        }
        try fixture.accounts.deletePerson(boxes.ada, now: 6)
        #expect(try boxes.kept(boxes.ada).isEmpty, "nobody can read it any more")
        try fixture.accounts.eraseRows(of: boxes.ada)
        #expect(try fixture.count("box_settings") == 2)
        try fixture.damage("box_settings", "settings", where: "agent = \(two.row)")
        #expect(try boxes.kept(boxes.bob).map(\.box) == [three.id] && fixture.unreadable == [.boxSettings])
    }
}
