import Distress
import Foundation
import Languages
import Peripherals
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import AgentKit

/// A hub that was put back to an older copy: its settings do not replace what the box keeps.
@Suite(.timeLimit(.minutes(1)))
struct SOSRestoredHubTests {
    private static let life = HubIncarnation(high: 1, low: 1)
    private static let carla = SOSSettings.Contact(name: "Carla", phone: "+39 333 9998888", language: "en")

    /// Of the fixture's person, with Berta, and with Carla where that is the newer version.
    private static func settings(_ version: Int, isNewer: Bool) -> SOSSettings {
        var settings = SOSFixture.settings()
        settings.version = version
        settings.people[0].origin = SettingsOrigin(hub: life, version: version, time: 1000, by: "Ada")
        if isNewer { settings.people[0].contacts.append(carla) }
        return settings
    }

    private static func restored() -> SOSSettings {
        var old = settings(9, isNewer: false)
        old.people[0].compared = .init(with: SettingsOrigin(hub: life, version: 12), isKnown: false)
        return old
    }

    @Test(
        "SOS-9, SOS-20, EDGE-12: older settings of a restored hub replace nothing: both are shown and called, the box hands its own back, and a decision ends it"
    )
    func restored() async throws {
        let directory = try TemporaryDirectory()
        let sos = SOSFixture(hub: ScriptedSOSHub.answer { $0.settingsVersion = 12 }, settings: Self.settings(12, isNewer: true))
        let fixture = try BoxFixture(directory: directory, sos: sos)
        try await fixture.box.begin(listening: false)
        try await fixture.settled()
        #expect(sos.hub.reports.first?.holds?.version == 12 && sos.hub.reports.first?.settings == nil)
        sos.hub.give(Self.restored())
        sos.hub.mode = ScriptedSOSHub.answer { ($0.settingsVersion, $0.wantsSettings) = (9, true) }
        try await fixture.beats(70, most: 45) { await fixture.sos?.dispute != nil }
        let dispute = try #require(await fixture.sos?.dispute)
        #expect(dispute.here == .init(isOn: true, contacts: ["Berta", "Carla"], by: "Ada", time: 1000))
        #expect(dispute.hub.contacts == ["Berta"])
        #expect(await fixture.sos?.contacts == ["Berta", "Carla"])
        #expect(sos.caller.plan.recipients.map(\.name) == ["Berta", "Carla"])
        // Handed back with the next report, and no more once the hub has it.
        try await #require(eventually { sos.hub.reports.contains { $0.settings?.contacts.map(\.name) == ["Berta", "Carla"] } })
        sos.hub.mode = ScriptedSOSHub.answer { ($0.settingsVersion, $0.wantsSettings) = (9, false) }
        try await fixture.settled()
        await fixture.rest(65)
        #expect(sos.hub.reports.last?.settings == nil && sos.hub.reports.last?.holds?.version == 12)
        let text = await fixture.box.status().sosText
        #expect(text.contains("here: on, would call Berta, Carla, last changed by Ada") && text.contains("hub: on, would call Berta"))
        // It stands on the disk, both of it.
        try await #require(eventually { SOSSettingsFile.load(from: directory.url.path).settings?.hubs?.count == 1 })
        let kept = try #require(SOSSettingsFile.load(from: directory.url.path).settings)
        let watching = SOSStations.ofPeople(
            fixture.identity, SOSParts(hub: sos.hub, calling: sos.parts.calling, settings: kept), .english,
            BoxClock(boottime: { fixture.clock.now }, utc: { 0 }))
        #expect(watching[fixture.person]?.settings.contacts.map(\.name) == ["Berta", "Carla"])
        // Somebody decided.
        var decided = Self.settings(13, isNewer: false)
        decided.people[0].origin?.hub = HubIncarnation(high: 2, low: 2)
        decided.people[0].compared = .init(with: SettingsOrigin(hub: Self.life, version: 12), isKnown: true)
        sos.hub.give(decided)
        sos.hub.mode = ScriptedSOSHub.answer { $0.settingsVersion = 13 }
        try await fixture.beats(70, most: 45) { await fixture.sos?.dispute == nil }
        #expect(await fixture.sos?.contacts == ["Berta"])
        _ = try await fixture.stored()
    }

    @Test("SOS-9: a restored hub that has come to the same version by other changes is heard: its contacts are called as well")
    func sameVersion() async throws {
        let sos = SOSFixture(hub: ScriptedSOSHub.answer { $0.settingsVersion = 12 }, settings: Self.settings(12, isNewer: false))
        let fixture = try await sos.box()
        try await fixture.settled()
        var other = Self.restored()
        (other.version, other.people[0].contacts) = (12, [Self.carla])
        sos.hub.give(other)
        sos.hub.mode = ScriptedSOSHub.answer { ($0.settingsVersion, $0.wantsSettings) = (12, false) }
        try await fixture.beats(70, most: 45) { await fixture.sos?.contacts == ["Berta", "Carla"] }
        _ = try await fixture.stored()
    }

    @Test("SOS-9: a hub of release 0.3.0 is followed as ever: it does not say where its settings come from")
    func released() async throws {
        let sos = SOSFixture(hub: ScriptedSOSHub.answer { $0.settingsVersion = 12 }, settings: Self.settings(12, isNewer: true))
        let fixture = try await sos.box()
        try await fixture.settled()
        var old = SOSFixture.settings()
        old.version = 13
        sos.hub.give(old)
        sos.hub.mode = ScriptedSOSHub.answer { $0.settingsVersion = 13 }
        try await fixture.beats(70, most: 45) { await fixture.sos?.contacts == ["Berta"] }
        #expect(await fixture.sos?.dispute == nil)
        _ = try await fixture.stored()
    }
}
