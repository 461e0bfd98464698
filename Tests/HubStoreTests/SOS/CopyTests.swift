import Distress
import Foundation
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct SettingsCopyTests {
    private func copy(
        _ hub: UInt64, _ version: Int, isOn: Bool = true, phones: [String] = [], at: Milliseconds = 100
    ) -> SOSCopy {
        var distress = DistressSettings(age: 40)
        distress.isOn = isOn
        return SOSCopy(
            origin: SettingsOrigin(hub: HubIncarnation(high: 1, low: hub), version: version, time: at, by: "Ada"), at: at,
            distress: distress,
            reminders: nil, contacts: phones.map { SOSContact(name: "C\($0)", phone: $0, email: nil, language: "en") }, phone: nil,
            address: nil)
    }

    @Test("SOS-21: of what a box hands back the newest of each life of the hub is kept")
    func taken() {
        var choice = SOSChoice()
        choice.take(copy(1, 3))
        choice.take(copy(1, 2))
        #expect(choice.copies?.map(\.origin.version) == [3])
        choice.take(copy(1, 4))
        for hub in 2...6 as ClosedRange<UInt64> { choice.take(copy(hub, 1)) }
        #expect(choice.copies?.count == SOSChoice.copiesMax && choice.copies?.last?.origin.hub?.low == 6)
    }

    @Test("SOS-21: until somebody decides all contacts hold, and on before off, unless the person turned it off since")
    func inForce() {
        var choice = SOSChoice()
        choice.contacts = [SOSContact(name: "Own", phone: "+1", email: nil, language: "en")]
        #expect(choice.inForce == choice && !choice.isOnByCopy)
        choice.take(copy(1, 3, phones: ["+1", "+2"]))
        #expect(choice.inForce.isOn && choice.inForce.contacts.map(\.phone) == ["+1", "+2"] && !choice.isOn)
        choice.offSince = 101
        #expect(!choice.isOnByCopy && !choice.inForce.isOn)
        choice.offSince = 99
        #expect(choice.isOnByCopy && choice.inForce.isOn && choice.inForce.offSince == nil)
    }

    @Test("SOS-21: with a decision one side's settings hold, and none of the copies is asked about again")
    func decided() {
        var choice = SOSChoice()
        choice.contacts = [
            SOSContact(name: "Mail", phone: nil, email: "a@example.org", language: "en"),
            SOSContact(name: "Own", phone: "+1", email: "b@example.org", language: "en"),
        ]
        choice.take(copy(1, 3, phones: ["+1", "+2"]))
        choice.take(copy(2, 5, isOn: false))
        let own = choice.decided(.hub, now: 500)
        #expect(!own.isOn && own.contacts == choice.contacts && own.copies == nil && own.offSince == 500)
        let boxs = choice.decided(.copy(0), now: 500)
        #expect(
            boxs.isOn && boxs.contacts.map(\.phone) == ["+1", "+2", nil] && boxs.contacts[0].email == "b@example.org"
                && boxs.offSince == nil)
        let off = choice.decided(.copy(1), now: 500)
        #expect(!off.isOn && off.contacts.map(\.phone) == [nil])
        let all = choice.decided(.all, now: 500)
        #expect(all.isOn && all.contacts.map(\.phone) == [nil, "+1", "+2"] && all.accepted?.count == 2)
        #expect(choice.decided(.copy(7), now: 500) == choice, "there is no such copy")
    }

    @Test("SOS-18: who sends regularly is missed after twice the longest of the last pauses, within bounds")
    func rhythm() {
        var seldom = SOSRhythm(at: 0), often = SOSRhythm(at: 0)
        for number in 1...3 as ClosedRange<Milliseconds> { seldom.heard(at: number * 600_000) }
        #expect(seldom.patience == nil, "not known yet")
        seldom.heard(at: 4 * 600_000)
        #expect(seldom.patience == 1_200_000)
        seldom.heard(at: 4 * 600_000 + 500)
        #expect(seldom.gaps.count == 4 && seldom.last == 4 * 600_000 + 500, "one burst")
        seldom.heard(at: 5_400_500)
        #expect(seldom.patience == 6_000_000)
        let before = seldom.gaps
        seldom.heard(at: 5_400_500 + 3 * 6_000_000 + 1)
        #expect(seldom.gaps == before, "a silence that was told is no pause that is usual")
        for second in 1...20 as ClosedRange<Milliseconds> { often.heard(at: second * 1000) }
        #expect(often.patience == SOSRhythm.silenceMin && often.gaps.count == SOSRhythm.gapsMax)
        often.postpone(by: 5000)
        #expect(often.last == 25_000)
        often.heard(at: 24_000)
        #expect(often.last == 25_000)
    }

    @Test("SOS-5: the smallest delay tells a box's clock; where the hub's own was set, that is noted as a step")
    func clocks() {
        var box = SOSWatchState.Box(boot: .random(), revision: 1, received: 0, unprotected: [], isDetectorDown: false)
        box.noteClocks(sentAt: 1000, now: 1500)
        #expect(box.offset == 500 && box.steps == nil)
        box.noteClocks(sentAt: 2000, now: 2100)
        #expect(box.offset == 100)
        #expect(box.offset(sentAt: 3000, now: 33_000) == 100, "late on its way")
        box.noteClocks(sentAt: 3000, now: 3000 + 100 + 90_000)
        #expect(box.offset == 90_100 && box.steps?.map(\.by) == [90_000] && box.steps?.map(\.at) == [93_100])
        for number in 0..<12 as Range<Milliseconds> { box.noteClocks(sentAt: 0, now: 1_000_000 * (number + 1)) }
        #expect(box.steps?.count == SOSWatchState.Box.earlierMax)
    }

    @Test("SOS-8: an alarm raised while a case ran is about that case, by name or by time")
    func covers() {
        let alias = IncidentID(high: 8, low: 1), id = IncidentID(high: 7, low: 1)
        let last = EndedCase(id: id, outcome: .answeredLate, at: 1_000_000, opened: 700_000, aliases: [alias])
        func alarm(_ raised: Milliseconds, _ id: IncidentID = IncidentID.random(), aliases: [IncidentID] = []) -> Alarm {
            Alarm(id: id, person: PersonID.random(), provenance: .live, raisedAt: raised, abnormalities: [], aliases: aliases)
        }
        #expect(last.isAbout(alarm(0, id)) && last.isAbout(alarm(0, alias)) && last.isAbout(alarm(0, aliases: [alias])))
        #expect(!last.isAbout(alarm(800_000)) && last.isCalled(id) && !last.isCalled(.random()))
        #expect(last.covers(alarm(100_000), steps: []) && last.covers(alarm(1_000_000), steps: []))
        #expect(!last.covers(alarm(99_999), steps: []) && !last.covers(alarm(1_000_001), steps: []))
        var box = SOSWatchState.Box(boot: .random(), revision: 1, received: 0, unprotected: [], isDetectorDown: false)
        box.noteClocks(sentAt: 0, now: 0)
        box.noteClocks(sentAt: 1_100_000, now: 3_100_000)
        #expect(last.covers(alarm(2_900_000), steps: box.steps ?? []), "the hub's clock was set forward behind it")
    }
}
