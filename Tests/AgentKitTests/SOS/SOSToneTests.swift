import Distress
import Foundation
import Peripherals
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import AgentKit

/// The tone that calls whoever is near, through the whole box and a player that counts what is played.
@Suite(.timeLimit(.minutes(1)))
struct SOSToneTests {
    /// Words are not spoken, so that all that is heard is the tone.
    private struct Loudspeaker {
        let directory: TemporaryDirectory
        init() throws { directory = try TemporaryDirectory() }

        private var file: String { directory.url.path + "/heard" }
        var sound: Voice.Configuration {
            var sound = Voice.Configuration()
            sound.speaker = ["trackme-no-such-speaker"]
            sound.players = [["sh", "-c", "echo >> \(file); sleep 0.05", "sh"]]
            return sound
        }
        private var heard: Int { ((try? Data(contentsOf: URL(fileURLWithPath: file))) ?? Data()).count }

        /// More than the tone that may be played just now.
        func sounds() async throws -> Bool {
            let before = heard
            return try await eventually { heard >= before + 3 }
        }

        func isSilent() async throws -> Bool {
            try await eventually {
                let before = heard
                try await Task.sleep(for: .milliseconds(800))
                return heard == before
            }
        }
    }

    @Test("SOS-16: \"get help\" while \"Are you OK?\" is asked calls whoever is near, until another button is pressed")
    func helpDuringQuestion() async throws {
        let sos = SOSFixture(hub: ScriptedSOSHub.answer(), settings: SOSFixture.settings()), loudspeaker = try Loudspeaker()
        let fixture = try BoxFixture(sos: sos, sound: loudspeaker.sound)
        defer { fixture.parts.announcer.stop() }
        try await fixture.box.begin(listening: false)
        await fixture.rest()
        await fixture.beat(215)
        try await fixture.settled()
        try #require(await fixture.box.stations.all[fixture.person]?.question?.tier == .critical)
        // The hub takes it over, so that the box itself calls nobody.
        sos.hub.mode = ScriptedSOSHub.answer(reached: true)
        #expect(await fixture.box.perform(ControlRequest(.help)).isDone)
        #expect(await fixture.sos?.question == nil)
        #expect(try await loudspeaker.sounds())
        try await #require(eventually { await fixture.sos?.alarm?.phase == .handedOver })
        #expect(try await loudspeaker.sounds())
        fixture.clock.advance(1000)
        #expect(await fixture.box.perform(ControlRequest(.ok)).isDone)
        #expect(try await loudspeaker.isSilent())
        #expect(sos.caller.calls == 0)
        _ = try await fixture.stored()
    }

    @Test("EDGE-13, SOS-16: the end of one person's question does not silence another person's call for help; whoever takes that does")
    func twoPeople() async throws {
        let sos = SOSFixture(hub: ScriptedSOSHub.answer(reached: true), settings: SOSFixture.settings())
        let loudspeaker = try Loudspeaker()
        let fixture = try BoxFixture(people: ["Ada", "Berta"], role: .gateway, sos: sos, sound: loudspeaker.sound)
        defer { fixture.parts.announcer.stop() }
        try await fixture.box.begin(listening: false)
        let berta = fixture.identity.persons[1].person
        await fixture.rest()
        #expect(await fixture.box.perform(ControlRequest(.help, person: "Berta")).isDone)
        try await #require(eventually { await fixture.box.stations.all[berta]?.isHandedOver == true })
        await fixture.beat(215)
        try #require(await fixture.box.stations.all[fixture.person]?.question?.tier == .critical)
        #expect(await fixture.box.perform(ControlRequest(.ok, person: "Ada")).isDone)
        #expect(await fixture.sos?.question == nil)
        #expect(try await loudspeaker.sounds())
        await fixture.box.sos.feed(.taken(by: Owner("r1")), of: berta)
        #expect(try await loudspeaker.isSilent())
        _ = try await fixture.stored()
    }

    @Test("SOS-16: also at a box that looks after nobody, another button ends the tone of \"get help\"")
    func nobody() async throws {
        let loudspeaker = try Loudspeaker(), fixture = try BoxFixture(people: [], sound: loudspeaker.sound)
        defer { fixture.parts.announcer.stop() }
        #expect(await !fixture.box.perform(ControlRequest(.help)).isDone)
        #expect(try await loudspeaker.sounds())
        #expect(await !fixture.box.perform(ControlRequest(.ok)).isDone)
        #expect(try await loudspeaker.isSilent())
        _ = try await fixture.stored()
    }
}
