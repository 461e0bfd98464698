import Accounts
import Database
import Foundation
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct DutyTests {
    @Test("ACC-16: one crew of an ambulance is on duty; the next one takes its place", arguments: Engine.allCases)
    func duty(engine: Engine) throws {
        let fixture = try HubFixture(engine), station = try CareFixture(fixture), care = station.care
        let one = try station.crew("One"), two = try station.crew("Two"), stranger = try fixture.account("Stranger")
        #expect(try !care.beginDuty(stranger, now: 5) && care.membership(of: stranger) == nil && care.ownDuty(of: one) == nil)
        #expect(try care.beginDuty(one, now: 5) && care.setPlace(station.place(6), of: one))
        #expect(try care.beginDuty(one, now: 50), "it goes on")
        #expect(try care.ownDuty(of: one) == StoredDuty(account: one.id, since: 5, place: station.place(6)))
        #expect(try care.beginDuty(two, now: 60) && care.ownDuty(of: one) == nil)
        #expect(try care.ownDuty(of: two) == StoredDuty(account: two.id, since: 60, place: nil), "a place is of one duty")
        #expect(try care.membership(of: one)?.duty?.account == two.id)
        try care.endDuty(one)
        #expect(try care.onDuty([one.id, two.id, stranger.id]) == [two.id])
        try care.endDuty(two)
        #expect(try care.onDuty([one.id, two.id]).isEmpty && care.onDutyCrews().isEmpty)
    }

    @Test("SOS-13: the newest place of a crew stands, and none of one that is off duty", arguments: Engine.allCases)
    func places(engine: Engine) throws {
        let fixture = try HubFixture(engine), station = try CareFixture(fixture), care = station.care, crew = try station.crew("Crew")
        #expect(try !care.setPlace(station.place(1), of: crew) && fixture.count("duty") == 0)
        _ = try care.beginDuty(crew, now: 5)
        for time in [10, 30, 20] as [Milliseconds] { #expect(try care.setPlace(station.place(time), of: crew)) }
        let sent = try #require(try care.onDutyCrews().first)
        #expect(sent.place?.time == 30 && sent.hospital == station.hospital.id && sent.ambulance == station.ambulance && sent.since == 5)
        #expect(sent.age(at: 50) == 20 && sent.age(at: 10) == 0)
        try care.endDuty(crew)
        _ = try care.beginDuty(crew, now: 60)
        #expect(try care.onDutyCrews().first?.place == nil && care.onDutyCrews().first?.age(at: 50) == nil)
    }

    @Test("SOS-13: a phone's program tells the place of a crew by a secret, of which the last one works", arguments: Engine.allCases)
    func tracker(engine: Engine) throws {
        let fixture = try HubFixture(engine), station = try CareFixture(fixture), care = station.care, crew = try station.crew("Crew")
        let stranger = try fixture.account("Stranger")
        #expect(try !care.setTracker([1], of: stranger) && care.crew(tracker: [1]) == nil)
        #expect(try care.setTracker([1], of: crew) && care.setTracker([2], of: crew))
        #expect(try care.crew(tracker: [1]) == nil && care.crew(tracker: [2])?.id == crew.id)
        #expect(try care.membership(of: crew)?.hasTracker == true && care.setTracker(nil, of: crew))
        #expect(try care.crew(tracker: [2]) == nil && care.membership(of: crew)?.hasTracker == false)
    }

    @Test("SOS-11: a crew whose place is damaged is on duty without one, is told, and tells the next one", arguments: Engine.allCases)
    func damaged(engine: Engine) throws {
        let fixture = try HubFixture(engine), station = try CareFixture(fixture), care = station.care, crew = try station.crew("Crew")
        _ = try (care.beginDuty(crew, now: 5), care.setPlace(station.place(6), of: crew))
        try fixture.damage("duty", "place")
        #expect(try care.onDutyCrews().map(\.account) == [crew.id] && care.onDutyCrews()[0].place == nil)
        #expect(try care.ownDuty(of: crew)?.since == 5 && care.membership(of: crew)?.duty != nil)
        #expect(fixture.unreadable == [.crewPlace] && UnreadableRow.Kind.crewPlace.concernsAlarms)
        #expect(try care.setPlace(station.place(4), of: crew), "also an older one: nobody knows of a newer")
        #expect(try care.ownDuty(of: crew)?.place?.time == 4)
    }

    @Test("DATA-10: a deleted crew is on no list, before anything is cleared", arguments: Engine.allCases)
    func deleted(engine: Engine) throws {
        let fixture = try HubFixture(engine), station = try CareFixture(fixture), care = station.care
        let crew = try station.crew("Crew"), other = try station.crew("Other")
        _ = try (care.beginDuty(crew, now: 5), care.setPlace(station.place(6), of: crew))
        try fixture.accounts.deletePerson(crew.id.person, now: 7)
        #expect(try station.hospitals.ambulances(of: station.hospital)[0].crews.map(\.id) == [other.id])
        try fixture.accounts.eraseRows(of: crew.id.person)
        #expect(try care.onDutyCrews().isEmpty && fixture.count("duty") == 0 && fixture.count("crew") == 1)
        try fixture.accounts.deletePerson(station.hospital.id.person, now: 8)
        #expect(try care.membership(of: other) == nil)
    }
}
