import BlueZ
import Foundation
import Languages
import Monitoring
import Peripherals
import Sensing
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import AgentKit

/// What keeps a box from its work stands where people look, and not in its journal alone.
@Suite(.timeLimit(.minutes(1)))
struct BoxProblemTests {
    @Test(
        "EDGE-5, SOS-18: readings that nobody took in time leave a gap record for whose they were, and are shown for ten minutes",
        arguments: [false, true])
    func overflow(ofPosition: Bool) async throws {
        let fixture = try BoxFixture(people: ["Ada", "Berta"]), take = fixture.parts.sources.take, ada = fixture.person
        let berta = fixture.identity.persons[1].person
        try await fixture.box.begin(listening: false)
        func buffer() async -> ChainLink? { await fixture.box.status().persons[0].links.first { $0.name == .buffer } }
        await fixture.beat(70)
        #expect(await buffer()?.condition == .good)
        let time = fixture.clock.now
        if ofPosition {
            take(.position(.fix(PositionSample(time: time, latitude: 1, longitude: 1), utc: nil)))
        } else {
            take(.heartRate(.measurement(HeartRateSample(time: time, beatsPerMinute: 71)), ada, fixture.strap(of: ada)))
        }
        // The source of positions says so while it is silent, too: as many as are kept push the first one out.
        for _ in 0..<LiveSources.eventsMax {
            #expect(fixture.parts.sources.lostAt == nil)
            take(.position(.noFix(time: time)))
        }
        #expect(fixture.parts.sources.lostAt == time)
        await fixture.beat(72)
        await fixture.beat(73, of: berta)
        #expect(await buffer()?.condition == .broken)
        #expect(await buffer()?.detail?.contains("lost") == true)
        fixture.clock.advance(600_000)
        await fixture.beat(74)
        // What still goes to the recorder seems to have taken long; the suite's time limit ends it.
        while await buffer()?.condition != .good {
            try await Task.sleep(for: .milliseconds(10))
            await fixture.box.tick()
        }
        let stored = try await fixture.stored()
        #expect(stored[ada]?.gaps.count == 1)
        #expect(stored[berta]?.gaps.count == (ofPosition ? 1 : 0))
    }

    @Test("SOS-18: what keeps the box from being heard is in its status, and is something to look at")
    func silent() async throws {
        var sound = Voice.Configuration()
        (sound.speaker, sound.players) = (["trackme-no-such-speaker"], [["trackme-no-such-player"]])
        let fixture = try BoxFixture(sound: sound)
        defer { fixture.parts.announcer.stop() }
        #expect(await fixture.box.status().voice == nil)
        try await fixture.box.begin(listening: false)
        fixture.box.context.say(prompt: "prompt.ok")
        while fixture.parts.announcer.problems.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
        let status = await fixture.box.status()
        #expect(status.voice?.first?.contains("trackme-no-such-speaker") == true)
        #expect(status.text.contains("voice:      Prompts are not spoken"), "\(status.text)")
        #expect(status.persons[0].sos?.isSilent == true)
        #expect(status.sosText.contains("look at: " + Wording(.english)["sos.weak.notHeard"]), "\(status.sosText)")
        #expect(Wording(.italian).words["sos.weak.notHeard"] != nil)
        _ = try await fixture.stored()
    }

    @Test("EDGE-12, ACC-12: why nothing can be sent now has a name too, for pages in other languages")
    func sync() async throws {
        let fixture = try BoxFixture()
        try await fixture.box.begin(listening: false)
        let reply = await fixture.box.perform(ControlRequest(.sync))
        #expect(!reply.isDone && reply.words == "problem.hubNotYet", "\(reply.message)")
        await fixture.box.tick()
        let link = await fixture.box.status().hub?.link
        #expect(link?.why == "problem.hubNotYet" && link?.detail == reply.message)
        _ = try await fixture.stored()
    }

    @Test("EDGE-10: whoever ends a recording that has stopped by itself is told why, once")
    func recording() async throws {
        let fixture = try BoxFixture(), path = fixture.directory.url.path + "/walk"
        let problem = SourceProblem(what: "It has stopped", advice: "Free space", retries: false)
        #expect(await fixture.box.perform(ControlRequest(.record, path: path)).isDone)
        await fixture.box.recording.stopped(path, because: problem)
        #expect(await fixture.box.status().recording == nil)
        let reply = await fixture.box.perform(ControlRequest(.recordStop))
        #expect(!reply.isDone && reply.message == problem.what && reply.advice == problem.advice)
        #expect(await fixture.box.perform(ControlRequest(.recordStop)).message == "Nothing is being recorded")
        _ = try await fixture.stored()
    }
}
