import Accounts
import Crypto
import Foundation
import HubServices
import HubStore
import SyncProtocol
import TestSupport
import Testing
import Vitals

/// What the hub keeps of a box, and offers to the person's next.
struct BoxSettingsKeeperTests {
    private static let settings = BoxSettingsCopy(
        sensor: .init(address: "C4:01:02:03:04:05/random", name: "Strap"), configuration: ["language": "it"])

    /// A person with an account, and boxes.
    private struct Scene {
        let hub: ConsentFixture
        let keeper: BoxSettingsKeeper
        var accounts: AccountStore { hub.accounts }
        var ada: PersonID { hub.person }

        init() throws {
            hub = try ConsentFixture()
            keeper = BoxSettingsKeeper(accounts: hub.accounts)
        }

        func enrol(_ name: String, for people: PersonID...) throws -> (box: AgentStore.Agent, answer: EnrolmentAnswer) {
            let enrolment = Enrolment(accounts: accounts), key = P256.Signing.PrivateKey().publicKey.x963Representation
            let code = try enrolment.makeCode(for: people, now: hub.clock.now)
            let answer = try enrolment.enrol(
                EnrolmentRequest(code: code, publicKey: Hexadecimal.string(Array(key)), name: name), now: hub.clock.now)
            return (try #require(try accounts.agents.agent(answer.agent)), answer)
        }
    }

    @Test("EDGE-16: settings of a person's box are offered when the same person enrols another, and to nobody else")
    func offered() throws {
        let scene = try Scene(), (box, first) = try scene.enrol("Old", for: scene.ada)
        #expect(first.kept == nil)
        try scene.keeper.take(Self.settings, from: box, now: 5)
        let offer = KeptSettings(box: "Old", changed: 5, settings: Self.settings)
        #expect(try scene.enrol("New", for: scene.ada).answer.kept?.items == [offer])
        #expect(try scene.accounts.agents.revokeAgent(box.id, now: 6))
        #expect(try scene.enrol("Newer", for: scene.ada).answer.kept?.items == [offer], "the old box is gone")
        let other = try ConsentFixture.add("eve@example.org", [.person], to: scene.accounts)
        #expect(try scene.enrol("Hers", for: other.id.person).answer.kept == nil)
        #expect(try scene.enrol("Both", for: scene.ada, other.id.person).answer.kept == nil, "a box of several people")
    }

    @Test("EDGE-16: what a box says every five minutes changes nothing while it is the same, also after a restart of the hub")
    func repeated() throws {
        let scene = try Scene(), (box, _) = try scene.enrol("Box", for: scene.ada)
        try scene.keeper.take(BoxSettingsCopy(), from: box, now: 1)
        try scene.keeper.take(nil, from: box, now: 2)
        #expect(try scene.keeper.kept(for: scene.ada).isEmpty, "as it was delivered")
        try scene.keeper.take(Self.settings, from: box, now: 3)
        try scene.keeper.take(Self.settings, from: box, now: 4)
        let restarted = BoxSettingsKeeper(accounts: scene.accounts)
        try restarted.take(Self.settings, from: box, now: 5)
        #expect(try restarted.kept(for: scene.ada).map(\.changed) == [3])
        try restarted.take(BoxSettingsCopy(), from: box, now: 6)
        #expect(try restarted.kept(for: scene.ada).isEmpty, "its sensor was forgotten at the box")
        #expect(try scene.enrol("New", for: scene.ada).answer.kept == nil)
    }

    @Test("EDGE-16: what the person forgets is not kept again, until the person wants it")
    func forgotten() throws {
        let scene = try Scene(), (box, _) = try scene.enrol("Box", for: scene.ada)
        try scene.keeper.take(Self.settings, from: box, now: 1)
        #expect(try scene.keeper.forget(box.id, of: scene.ada))
        var other = Self.settings
        other.off = ["position"]
        try scene.keeper.take(other, from: box, now: 2)
        #expect(try scene.keeper.kept(for: scene.ada).map(\.settings) == [nil] && scene.enrol("New", for: scene.ada).answer.kept == nil)
        #expect(try scene.keeper.allow(box.id, of: scene.ada))
        try scene.keeper.take(other, from: box, now: 3)
        #expect(try scene.keeper.kept(for: scene.ada).map(\.settings) == [other])
    }

    @Test("EDGE-16: of a box of several people, of a child's, and of somebody's without an account nothing is kept")
    func nobodys() throws {
        let scene = try Scene(), nameless = try scene.accounts.addPerson(name: "Made up", now: 0).id
        let new = NewAccount(
            roles: [.person], details: ["email": "kid@example.org", "firstName": "Made", "lastName": "Up"],
            canonicalEmail: "kid@example.org", canonicalIdentifier: nil, password: "", language: "en", accepted: [:])
        guard case .added(let kid) = try scene.accounts.care.openMinor(new, guardian: scene.hub.ada.id, adultFrom: 1000, now: 0) else {
            throw ConsentFixture.Taken()
        }
        let child = kid.id.person
        for (name, people) in [("Gateway", [scene.ada, child]), ("Child's", [child]), ("Without", [nameless])] {
            let enrolment = Enrolment(accounts: scene.accounts), key = P256.Signing.PrivateKey().publicKey.x963Representation
            let code = try enrolment.makeCode(for: people, now: 5)
            let request = EnrolmentRequest(code: code, publicKey: Hexadecimal.string(Array(key)), name: name)
            let box = try #require(try scene.accounts.agents.agent(enrolment.enrol(request, now: 5).agent))
            try scene.keeper.take(Self.settings, from: box, now: 5)
            for person in people {
                #expect(try scene.accounts.agents.keptSettings(as: BoxSettingsCopy.self, for: person).isEmpty, "\(name)")
            }
            guard people == [child] else { continue }
            try scene.keeper.take(Self.settings, from: box, now: 1000)
            #expect(try scene.keeper.kept(for: child).count == 1, "of age")
        }
    }

    @Test("DATA-9, EDGE-16: kept settings are part of the download")
    func exported() throws {
        let scene = try Scene(), (box, _) = try scene.enrol("Box", for: scene.ada)
        try scene.keeper.take(Self.settings, from: box, now: 1)
        let json = try ProfileExport(scene.hub.ada, accounts: scene.accounts, now: scene.hub.clock.now).json()
        let boxes = try JSONDecoder().decode(ProfileExport.self, from: Data(json)).boxes
        #expect(boxes.map(\.box) == ["Box"] && boxes.map(\.settings) == [Self.settings])
    }
}
