import Foundation
import Sensing
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import AgentKit

/// Pauses at boxes whose clock is wrong. The hub is what tells the time.
@Suite(.timeLimit(.minutes(1)))
struct BoxPauseTests {
    /// UTC less the boot's clock.
    private static let offset: Milliseconds = 1_800_000_000_000

    private func pausedUntil(_ fixture: BoxFixture) async -> Milliseconds? { await fixture.box.status().persons[0].pausedUntil }

    @Test(
        "EDGE-8: after hours without power a clock that went on where it stood does not make a pause longer, once the time is known",
        arguments: [Milliseconds(30_000), -3_600_000])
    func clockThatStoodStill(left: Milliseconds) async throws {
        let directory = try TemporaryDirectory(), end = 1_000_000 + Self.offset + 8 * 3_600_000
        try await {
            let fixture = try BoxFixture(directory: directory, utcOffset: Self.offset)
            try await fixture.box.begin(listening: false)
            fixture.parts.time.note(hub: fixture.clock.now + Self.offset, at: fixture.clock.now)
            let reply = await fixture.box.perform(ControlRequest(.pause, minutes: 480))
            #expect(reply.isDone && reply.message.hasPrefix("Paused until \(ISO8601.string(end))"), "\(reply.message)")
            _ = try await fixture.stored()
        }()
        // By its own clock five minutes have passed.
        let fixture = try BoxFixture(
            directory: directory, boot: BootID(high: 8, low: 8), at: 60_000, utcOffset: end - 8 * 3_600_000 + 300_000 - 60_000)
        try await fixture.box.begin(listening: false)
        await fixture.box.tick()
        #expect(await pausedUntil(fixture) == end)
        fixture.parts.time.note(hub: end - left, at: fixture.clock.now)
        await fixture.box.tick()
        #expect(await (pausedUntil(fixture) != nil) == (left > 0))
        fixture.clock.advance(max(0, left))
        await fixture.box.tick()
        #expect(await pausedUntil(fixture) == nil)
        await fixture.box.end()
        #expect(BoxSettings.load(from: fixture.state).settings[fixture.person].pause == nil)
        let events = try await fixture.stored()[fixture.person]?.events ?? []
        #expect(events.last { $0.code == .paused || $0.code == .resumed }?.code == .resumed)
    }

    @Test("EDGE-8: the time that becomes known does not make a pause longer than it was shown")
    func earlierThanShown() async throws {
        let directory = try TemporaryDirectory(), end = 1_000_000 + Self.offset + 3_600_000
        try await {
            let fixture = try BoxFixture(directory: directory, utcOffset: Self.offset)
            try await fixture.box.begin(listening: false)
            fixture.parts.time.note(hub: fixture.clock.now + Self.offset, at: fixture.clock.now)
            #expect(await fixture.box.perform(ControlRequest(.pause, minutes: 60)).isDone)
            _ = try await fixture.stored()
        }()
        let fixture = try BoxFixture(directory: directory, boot: BootID(high: 8, low: 8), at: 60_000, utcOffset: end - 120_000)
        try await fixture.box.begin(listening: false)
        fixture.parts.time.note(hub: end - 7_200_000, at: fixture.clock.now)
        await fixture.box.tick()
        fixture.clock.advance(60_000)
        await fixture.box.tick()
        #expect(await pausedUntil(fixture) == nil)
        _ = try await fixture.stored()
    }

    @Test("EDGE-8: a pause that begins before the time is known has no end in the past for the hub, and gets its end with the time")
    func unknownTime() async throws {
        let fixture = try BoxFixture(utcOffset: 0)
        try await fixture.box.begin(listening: false)
        let end = fixture.clock.now + 1_800_000
        let reply = await fixture.box.perform(ControlRequest(.pause, minutes: 30))
        #expect(reply.isDone && reply.message.hasPrefix("Paused for 30 minutes."), "\(reply.message)")
        let status = try #require(reply.status)
        // Page and terminal tell what is left, by the clock that the box has.
        #expect(status.persons[0].pausedUntil == status.utc + 1_800_000)
        #expect(status.text.contains("paused for 30 min more"), "\(status.text)")
        fixture.parts.time.note(hub: fixture.clock.now + Self.offset, at: fixture.clock.now)
        for _ in 0..<2 { await fixture.box.tick() }
        #expect(await pausedUntil(fixture) == end)
        await fixture.box.end()
        #expect(BoxSettings.load(from: fixture.state).settings[fixture.person].pause?.utc == end + Self.offset)
        let events = try await fixture.stored()[fixture.person]?.events.filter { $0.code == .paused } ?? []
        #expect(events.map(\.value) == [0, end + Self.offset])
    }

    @Test("EDGE-8: a pause whose end was never known is over after a reboot: watching too early does no harm")
    func neverKnown() async throws {
        let directory = try TemporaryDirectory()
        try await {
            let fixture = try BoxFixture(directory: directory, utcOffset: 0)
            try await fixture.box.begin(listening: false)
            #expect(await fixture.box.perform(ControlRequest(.pause, minutes: 480)).isDone)
            _ = try await fixture.stored()
        }()
        let fixture = try BoxFixture(directory: directory, boot: BootID(high: 8, low: 8), at: 60_000, utcOffset: 0)
        try await fixture.box.begin(listening: false)
        await fixture.box.tick()
        #expect(await pausedUntil(fixture) == nil)
        _ = try await fixture.stored()
    }
}
