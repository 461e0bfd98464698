import TestSupport
import Testing
import Vitals

@testable import AgentKit

/// The box and its parts.
@Suite(.timeLimit(.minutes(1)))
struct BoxPartsTests {
    private struct Held { weak var box: Box? }

    @Test("EDGE-5: a box that is given up is gone with its parts, also while somebody watches it: they hold each other in one direction")
    func givenUp() async throws {
        var fixture: BoxFixture? = try BoxFixture()
        let held = Held(box: fixture?.box)
        try await fixture?.box.begin(listening: false)
        await fixture?.beat(70)
        let reply = await fixture?.box.perform(ControlRequest(.help))
        #expect(reply?.isDone == true)
        await fixture?.box.end()
        let statuses = await fixture?.box.statuses()
        _ = try await fixture?.stored()
        fixture = nil
        // The suite's time limit ends it.
        while held.box != nil { try await Task.sleep(for: .milliseconds(10)) }
        withExtendedLifetime(statuses) {}
    }

    @Test("EDGE-5: one look at the buffer at a time; all is counted again after half a minute; no answer leaves what was known")
    func looks() {
        var buffer = BufferSnapshot()
        #expect(buffer.beginLook(counts: false, at: 1000) == false && buffer.beginLook(counts: true, at: 1001) == nil)
        buffer.looked((2, 9), nil, at: 1500)
        #expect(buffer.waitingSince == 1500 && buffer.answered == 1500 && buffer.asked == nil)
        buffer.counted = 2000
        #expect(buffer.beginLook(counts: true, at: 31_999) == false)
        buffer.looked((1, 4), nil, at: 32_000)
        #expect(buffer.waitingSince == 1500 && buffer.waiting.samples == 4)
        #expect(buffer.beginLook(counts: true, at: 32_000) == true)
        buffer.looked(nil, nil, at: 33_000)
        #expect(buffer.answered == 32_000 && buffer.waiting.samples == 4)
        #expect(buffer.beginLook(counts: false, at: 34_000) == false)
        buffer.looked((0, 0), nil, at: 34_000)
        #expect(buffer.waitingSince == nil)
    }

    @Test("EDGE-8: a pause of another boot ends by the clock, never later than it said, and is over where the clock is no help")
    func pause() {
        let boot = BootID(high: 7, low: 7), other = BootID(high: 8, low: 8)
        let hour: Milliseconds = 3_600_000, utc: Milliseconds = 1_800_000_000_000
        let pause = BoxSettings.Pause(boot: boot, until: 5 * hour, utc: utc + 2 * hour)
        #expect(pause.end(in: boot, at: hour, utc: 0) == 5 * hour)
        #expect(pause.end(in: other, at: 60_000, utc: utc + hour) == 60_000 + hour)
        #expect(pause.end(in: other, at: 60_000, utc: 0) == 60_000 && pause.end(in: other, at: 60_000, utc: utc + 3 * hour) == 60_000)
        #expect(pause.isUnsettled(in: other) && !pause.isUnsettled(in: boot))
        // It was shown until then, and the confirmed time says one hour more.
        let shown = pause.settled(in: other, until: 60_000 + hour, at: 60_000, utc: utc)
        #expect(shown.boot == other && shown.until == 60_000 + hour && shown.utc == pause.utc)
        let unknown = BoxSettings.Pause(boot: boot, until: 5 * hour, utc: 0)
        #expect(unknown.isUnsettled(in: boot) && unknown.settled(in: boot, until: 5 * hour, at: 4 * hour, utc: utc).utc == utc + hour)
    }
}
