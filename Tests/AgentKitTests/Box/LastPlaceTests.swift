import Distress
import Foundation
import Sensing
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import AgentKit
@testable import Peripherals

/// The last known position over the box's own end: kept sparingly, told with its true age, or with none where nobody knows it.
@Suite(.timeLimit(.minutes(2)))
struct LastPlaceTests {
    private static let other = BootID(high: 8, low: 8)
    private static let hour: Milliseconds = 3_600_000
    /// What a hub says, when the test's clocks begin.
    private static let utc = TokenClock.earliest + 1_000_000_000

    /// What a box keeps that had a fix, and ends ten seconds later.
    private func kept(
        confirmed: Bool = true, _ course: (BoxFixture) async throws -> Void = { _ in }
    ) async throws -> (
        places: [StoredPosition], directory: TemporaryDirectory
    ) {
        let directory = try TemporaryDirectory()
        let fixture = try BoxFixture(directory: directory, sos: SOSFixture(settings: SOSFixture.settings()))
        try await fixture.box.begin(listening: false)
        if confirmed { fixture.parts.time.note(hub: Self.utc, at: fixture.clock.now) }
        await fixture.fix()
        try await course(fixture)
        fixture.clock.advance(10_000)
        await fixture.box.end()
        _ = try await fixture.stored()
        let (places, damage) = LastPlaceFile.load(from: directory.url.path)
        #expect(damage == nil)
        return (places, directory)
    }

    /// What a contact reads whom the box texts after another start, and what the hub is told.
    private func alarm(
        _ places: [StoredPosition], boot: BootID = other, at start: Milliseconds = 5000, confirmed utc: Milliseconds?,
        _ course: (BoxFixture) async -> Void = { _ in }
    ) async throws -> (text: String, report: SOSReport) {
        let sos = SOSFixture(hub: ScriptedSOSHub.answer(), settings: SOSFixture.settings(), places: places)
        let fixture = try BoxFixture(boot: boot, at: start, utcOffset: 0, sos: sos)
        try await fixture.box.begin(listening: false)
        if let utc { fixture.parts.time.note(hub: utc, at: fixture.clock.now) }
        await course(fixture)
        #expect(await fixture.box.perform(ControlRequest(.help)).isDone)
        try await fixture.settled()
        let report = try #require(sos.hub.reports.last { $0.alarm != nil })
        let text = sos.caller.message(LocalAlarm.Attempt(id: 1, channel: .text(0), content: .alert, isTest: false)).text
        _ = try await fixture.stored()
        return (text, report)
    }

    @Test(
        "SOS-6: after a reboot the last position goes with the alarm, with its true age, however old", arguments: [1, 24 * 40] as [Int64])
    func reboot(hours: Int64) async throws {
        let (places, _) = try await kept()
        let utc = try #require(places.first?.utc)
        let (text, report) = try await alarm(places, confirmed: utc + hours * Self.hour)
        #expect(text.contains("45.47812,9.22700 +-4 m, \(hours == 1 ? "60 min" : "40 d") fa"), "\(text)")
        let position = try #require(report.alarm?.position)
        #expect(report.sentAt - position.time == hours * Self.hour && position.isAgeUnknown == nil && report.lastPlace == nil)
    }

    @Test(
        "SOS-6: with a clock that nothing confirms, that was set back, or that nothing had confirmed before, the age is unknown and never new",
        arguments: ["unconfirmed now", "unconfirmed then", "set back"])
    func unknownAge(how: String) async throws {
        let (places, _) = try await kept(confirmed: how != "unconfirmed then")
        let known = places.first?.utc
        #expect((known == nil) == (how == "unconfirmed then"))
        let then = known ?? Self.utc
        let utc = how == "unconfirmed now" ? nil : how == "set back" ? then - Self.hour : then + Self.hour
        let (text, report) = try await alarm(places, at: 180_000, confirmed: utc)
        #expect(text.contains("45.47812,9.22700 +-4 m, non si sa da quando, almeno 3 min"), "\(text)")
        #expect(report.alarm?.position == nil, "a hub of 0.3.0 would take it for new")
        #expect(report.lastPlace?.isAgeUnknown == true && report.lastPlace?.latitude == 454_781_234)
    }

    @Test("SOS-6: after a restart in the same boot the age is exact, by the boot's own clock")
    func restart() async throws {
        let (places, _) = try await kept(confirmed: false)
        let place = try #require(places.first)
        let (_, report) = try await alarm(places, boot: BoxFixture.boot, at: place.position.time + 20_000, confirmed: nil)
        let position = try #require(report.alarm?.position)
        #expect(report.sentAt - position.time >= 20_000 && report.sentAt - position.time < 30_000 && position.isAgeUnknown == nil)
    }

    @Test("SOS-6: an alarm that was open over a reboot does not tell its position as new by a clock of 1970")
    func openAlarm() async throws {
        let (places, directory) = try await kept { #expect(await $0.box.perform(ControlRequest(.help)).isDone) }
        let state = try #require(SOSStateFile.load(from: directory.url.path).state)
        for known in [places, []] {
            let sos = SOSFixture(settings: SOSFixture.settings(), state: state, places: known)
            let fixture = try BoxFixture(boot: Self.other, at: 180_000, utcOffset: 0, sos: sos)
            try await fixture.box.begin(listening: false)
            let text = sos.caller.message(LocalAlarm.Attempt(id: 1, channel: .text(0), content: .update, isTest: false)).text
            #expect(text.contains("non si sa da quando, almeno 3 min"), "\(text)")
            _ = try await fixture.stored()
        }
    }

    @Test("SOS-6: a new fix takes the place of what was kept")
    func newer() async throws {
        let (places, _) = try await kept()
        let (text, report) = try await alarm(places, confirmed: nil) { await $0.fix(latitude: 460_000_000) }
        #expect(text.contains("46.00000,9.22700") && report.alarm?.position?.latitude == 460_000_000 && report.lastPlace == nil, "\(text)")
    }

    @Test("SOS-6, EDGE-3: the place that was set for a gateway is told without an age, hours after it was recorded")
    func gateway() async throws {
        let sos = SOSFixture(hub: ScriptedSOSHub.answer(), settings: SOSFixture.settings())
        let fixture = try BoxFixture(role: .gateway, sos: sos)
        try await fixture.box.begin(listening: false)
        let sample = PositionSample(
            time: fixture.clock.now, latitude: 454_642_000, longitude: 91_900_000, horizontalError: 500, mode: .unknown, source: .fixed)
        await fixture.box.take(.position(.fix(sample, utc: nil)))
        fixture.clock.advance(50 * 60_000)
        #expect(await fixture.box.perform(ControlRequest(.help)).isDone)
        let text = sos.caller.message(LocalAlarm.Attempt(id: 1, channel: .text(0), content: .alert, isTest: false)).text
        #expect(text.contains("45.46420,9.19000 +-50 m, luogo impostato per l'apparecchio") && !text.contains(" min fa"), "\(text)")
        await fixture.box.end()
        _ = try await fixture.stored()
        #expect(LastPlaceFile.load(from: fixture.directory.url.path).places.isEmpty, "it stands in the box's own settings")
    }

    @Test("SOS-6: whoever switched position off is told nowhere, and the file forgets them; the residence is told all the same")
    func off() async throws {
        let (places, _) = try await kept { fixture in
            #expect(await fixture.box.perform(ControlRequest(.kinds, kinds: KindsChoice(position: false))).isDone)
        }
        #expect(places.isEmpty)
        let (before, _) = try await kept()
        let (text, report) = try await alarm(before, confirmed: nil) { fixture in
            _ = await fixture.box.perform(ControlRequest(.kinds, kinds: KindsChoice(position: false)))
        }
        #expect(report.alarm?.position == nil && report.lastPlace == nil && report.isPositionOff == true)
        #expect(text.contains("l'ha disattivata") && text.contains("forse non dove si trova: Via Roma 1, Milano"), "\(text)")
    }

    @Test("SOS-6: the file is its owner's alone, and a card is spared: a still box writes every 15 minutes, a moving one each minute")
    func sparing() async throws {
        var times: [Int: Set<Milliseconds>] = [:]
        for (step, seconds) in [(Int32(0), 3600), (20_000, 600)] {
            _ = try await kept { fixture in
                for second in 0..<seconds {
                    await fixture.fix(latitude: 454_781_234 + step * Int32(second))
                    if let place = await fixture.box.places.all[fixture.person] { times[seconds, default: []].insert(place.position.time) }
                }
                await fixture.box.end()
                let path = fixture.directory.url.path + "/sos-place.json"
                let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
                #expect(mode == 0o600)
            }
        }
        #expect(times[3600]?.count ?? 99 <= 5 && times[3600]?.count ?? 0 >= 4, "\(times)")
        #expect(times[600]?.count ?? 99 <= 11 && times[600]?.count ?? 0 >= 10, "\(times)")
    }

    @Test("SOS-6: a file that cannot be read is told, and keeps nothing from working")
    func damaged() async throws {
        let directory = try TemporaryDirectory(), path = directory.url.path
        #expect(LastPlaceFile.load(from: path) == ([], nil))
        try Data("[{\"person\":".utf8).write(to: directory.url.appending(path: "sos-place.json"))
        let (places, damage) = LastPlaceFile.load(from: path)
        #expect(places.isEmpty && damage?.contains("sos-place.json cannot be read") == true)
    }
}
