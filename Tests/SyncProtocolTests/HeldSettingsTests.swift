import Distress
import Foundation
import SyncProtocol
import Testing
import Vitals

/// What a box keeps against the settings of its hub (SOS-9, SOS-20): a value, as the box has it.
@Suite struct HeldSettingsTests {
    private static let ada = PersonID(high: 1, low: 1), hub = HubIncarnation(high: 1, low: 1), other = HubIncarnation(high: 2, low: 2)
    private static let berta = SOSSettings.Contact(name: "Berta", phone: "+393331112222", language: "it")
    private static let carla = SOSSettings.Contact(name: "Carla", phone: "+393339998888", language: "en")

    /// As release 0.3.0 reads it.
    private struct Released: Decodable {
        struct Person: Decodable {
            let person: PersonID
            let distress: DistressSettings
            let name: String
            let contacts: [SOSSettings.Contact]
        }
        let version: Int
        let people: [Person]
    }

    private static func settings(
        _ version: Int, _ life: HubIncarnation?, isOn: Bool = true, _ contacts: [SOSSettings.Contact], time: Milliseconds = 1000
    ) -> SOSSettings {
        var person = SOSSettings.Person(
            person: ada, distress: DistressSettings(isOn: isOn, age: 40), name: "Ada", language: "en", contacts: contacts)
        person.origin = life.map { SettingsOrigin(hub: $0, version: version, time: time, by: "Ada") }
        return SOSSettings(version: version | 2 << SOSSettings.formShift, people: [person], detector: 2)
    }

    private static func compared(_ settings: SOSSettings, with held: SettingsOrigin, isKnown: Bool) -> SOSSettings {
        var settings = settings
        settings.people[0].compared = .init(with: held, isKnown: isKnown)
        return settings
    }

    @Test("SOS-9: within a life of the hub the higher version wins: a lower one never replaces what is kept")
    func versions() {
        var held = HeldSettings(Self.settings(5, Self.hub, [Self.berta]))
        #expect(held.take(Self.settings(7, Self.hub, [Self.berta, Self.carla]), of: [Self.ada]) == .init())
        #expect(held.own(Self.ada)?.contacts == [Self.berta, Self.carla] && held.other(Self.ada) == nil)
        let lower = held.take(Self.settings(6, Self.hub, [Self.berta]), of: [Self.ada])
        #expect(lower.disputed == [Self.ada] && held.own(Self.ada)?.origin?.version == 7)
        #expect(held.inForce(Self.ada)?.contacts == [Self.berta, Self.carla])
    }

    @Test(
        "SOS-9: of another life of the hub nothing is taken before the hub has said what it knows; its version is not noted, so that it is asked again"
    )
    func pending() {
        var held = HeldSettings(Self.settings(5, Self.hub, [Self.berta]))
        let version = held.kept.version
        #expect(held.take(Self.settings(3, Self.other, [Self.carla]), of: [Self.ada]).isPending)
        #expect(held.kept.version == version && held.inForce(Self.ada)?.contacts == [Self.berta])
        // It heard of something else that was held before.
        let earlier = SettingsOrigin(hub: Self.hub, version: 4)
        #expect(
            held.take(Self.compared(Self.settings(3, Self.other, [Self.carla]), with: earlier, isKnown: true), of: [Self.ada]).isPending)
        #expect(held.own(Self.ada)?.contacts == [Self.berta])
    }

    @Test("SOS-9: a hub that was started anew and knows what is kept is followed")
    func known() throws {
        var held = HeldSettings(Self.settings(5, Self.hub, [Self.berta]))
        let origin = try #require(held.origin(of: Self.ada))
        let taken = held.take(Self.compared(Self.settings(6, Self.other, [Self.carla]), with: origin, isKnown: true), of: [Self.ada])
        #expect(taken == .init() && held.inForce(Self.ada)?.contacts == [Self.carla])
        #expect(held.own(Self.ada)?.compared == nil, "it is about what was held before")
    }

    @Test("SOS-9, SOS-20: of a restored hub both hold: the contacts of both are called, on wins over off, until the hub knows what is kept")
    func restored() throws {
        for (here, there) in [(true, false), (false, true), (true, true), (false, false)] {
            var held = HeldSettings(Self.settings(12, Self.hub, isOn: here, [Self.berta, Self.carla]))
            let origin = try #require(held.origin(of: Self.ada))
            let old = Self.compared(Self.settings(9, Self.hub, isOn: there, [Self.berta]), with: origin, isKnown: false)
            #expect(held.take(old, of: [Self.ada]).disputed == [Self.ada])
            let now = try #require(held.inForce(Self.ada))
            #expect(now.contacts == [Self.berta, Self.carla] && now.distress.isOn == (here || there))
            #expect(held.own(Self.ada)?.distress.isOn == here && held.other(Self.ada)?.distress.isOn == there)
            // Told again: nobody hears it twice.
            #expect(held.take(old, of: [Self.ada]) == .init())
            let decided = Self.compared(Self.settings(13, Self.other, [Self.carla]), with: origin, isKnown: true)
            #expect(held.take(decided, of: [Self.ada]).agreed == [Self.ada])
            #expect(held.inForce(Self.ada)?.contacts == [Self.carla] && held.other(Self.ada) == nil)
        }
    }

    @Test("SOS-9: off wins where the person turned it off at the hub after the last change that the box has, and not before it")
    func turnedOff() throws {
        for (since, isOn) in [(999 as Milliseconds, true), (1001, false)] {
            var held = HeldSettings(Self.settings(12, Self.hub, [Self.berta], time: 1000))
            var old = Self.compared(
                Self.settings(13, Self.other, isOn: false, [Self.berta]), with: try #require(held.origin(of: Self.ada)), isKnown: false)
            old.people[0].offSince = since
            _ = held.take(old, of: [Self.ada])
            #expect(held.inForce(Self.ada)?.distress.isOn == isOn)
        }
        // A hub that has what is kept here has decided by both.
        var held = HeldSettings(Self.settings(12, Self.hub, [Self.berta]))
        var both = Self.compared(
            Self.settings(14, Self.other, isOn: false, [Self.berta]), with: try #require(held.origin(of: Self.ada)), isKnown: false)
        both.people[0].atHub = .init(isOn: false, contacts: ["Berta"])
        _ = held.take(both, of: [Self.ada])
        #expect(held.inForce(Self.ada)?.distress.isOn == false)
    }

    @Test("SOS-9: what is kept is read by release 0.3.0, what that kept is read here, and a hub of 0.3.0 is followed as ever")
    func released() throws {
        var held = HeldSettings(Self.settings(12, Self.hub, [Self.berta, Self.carla]))
        let origin = try #require(held.origin(of: Self.ada))
        _ = held.take(Self.compared(Self.settings(9, Self.hub, [Self.berta]), with: origin, isKnown: false), of: [Self.ada])
        let data = try JSONEncoder().encode(held.kept)
        #expect(try HeldSettings(JSONDecoder().decode(SOSSettings.self, from: data)) == held, "a restart goes on with both")
        let old = try JSONDecoder().decode(Released.self, from: data)
        #expect(old.people.first?.contacts.count == 2, "the newer ones")
        // Of 0.3.0: one version for all people, without where they come from.
        var before = HeldSettings(Self.settings(12, nil, [Self.berta]))
        #expect(before.origin(of: Self.ada) == SettingsOrigin(hub: nil, version: 12))
        let restored = Self.compared(
            Self.settings(9, Self.other, [Self.carla]), with: SettingsOrigin(hub: nil, version: 12), isKnown: false)
        #expect(before.take(restored, of: [Self.ada]).disputed == [Self.ada])
        #expect(before.origin(of: Self.ada) == SettingsOrigin(hub: nil, version: 12), "also once another version was fetched")
        #expect(held.take(Self.settings(3, nil, [Self.carla]), of: [Self.ada]).agreed == [Self.ada])
        #expect(held.inForce(Self.ada)?.contacts == [Self.carla])
        #expect(HeldSettings(nil).origin(of: Self.ada) == nil)
    }

    @Test("SOS-9: of two people of a box one may be in dispute, and one whom the hub does not name keeps what holds")
    func several() throws {
        let bea = PersonID(high: 1, low: 2)
        var two = Self.settings(12, Self.hub, [Self.berta])
        two.people.append(two.people[0])
        (two.people[1].person, two.people[1].origin) = (bea, SettingsOrigin(hub: Self.hub, version: 7, time: 500))
        var held = HeldSettings(two), old = two
        old.people[0] =
            Self.compared(Self.settings(9, Self.hub, [Self.carla]), with: try #require(two.people[0].origin), isKnown: false).people[0]
        #expect(held.take(old, of: [Self.ada, bea]).disputed == [Self.ada])
        #expect(held.other(bea) == nil && held.inForce(Self.ada)?.contacts.count == 2)
        old.people.removeLast()
        #expect(held.take(old, of: [Self.ada, bea]).missing == [bea])
        #expect(held.inForce(bea)?.contacts == [Self.berta])
    }
}
