import Accounts
import Database
import Foundation
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct HospitalTests {
    @Test("ACC-16: an operator admits a hospital and takes that back, with which its crews are off duty", arguments: Engine.allCases)
    func admission(engine: Engine) throws {
        let fixture = try HubFixture(engine), station = try CareFixture(fixture), hospitals = station.hospitals
        let clinic = try fixture.account("Clinic", [.organisation]), crew = try station.crew("Crew")
        #expect(try hospitals.isHospital(station.hospital) && !hospitals.isHospital(clinic))
        #expect(try !hospitals.admitHospital(station.hospital, now: 5), "it is one")
        #expect(try hospitals.hospitals().map(\.account.id) == [clinic.id, station.hospital.id])
        #expect(try hospitals.hospitals().map(\.isAdmitted) == [false, true])
        #expect(try station.care.beginDuty(crew, now: 6) && station.care.onDutyCrews().count == 1)
        #expect(try !hospitals.withdrawHospital(clinic, now: 7) && hospitals.withdrawHospital(station.hospital, now: 7))
        #expect(try !hospitals.withdrawHospital(station.hospital, now: 8) && station.care.onDutyCrews().isEmpty)
        #expect(try !station.care.beginDuty(crew, now: 9), "of a hospital that is none any more")
        #expect(try hospitals.admitHospital(station.hospital, now: 10) && hospitals.hospitals()[1].withdrawn == nil)
        #expect(try station.care.onDutyCrews().isEmpty && station.care.beginDuty(crew, now: 11))
    }

    @Test("ACC-16: ambulances belong to an admitted hospital, which alone takes them out", arguments: Engine.allCases)
    func ambulances(engine: Engine) throws {
        let fixture = try HubFixture(engine), station = try CareFixture(fixture), hospitals = station.hospitals
        let other = try CareFixture(fixture, name: "Other"), clinic = try fixture.account("Clinic", [.organisation])
        let label = AmbulanceLabel(name: "Two", plate: "CD 456")
        #expect(try hospitals.addAmbulance(label, of: clinic, now: 1) == nil)
        let second = try #require(try hospitals.addAmbulance(label, of: station.hospital, now: 1))
        let crew = try station.crew("Crew", ambulance: second)
        #expect(try station.care.beginDuty(crew, now: 2))
        let list = try hospitals.ambulances(of: station.hospital)
        #expect(list.map(\.row) == [station.ambulance, second] && list[1].label == label && list[1].crews.map(\.id) == [crew.id])
        #expect(list[0].duty == nil && list[1].duty?.account == crew.id && list[1].duty?.since == 2)
        #expect(try !hospitals.removeAmbulance(second, of: other.hospital, now: 3))
        #expect(try hospitals.removeAmbulance(second, of: station.hospital, now: 3))
        #expect(try !hospitals.removeAmbulance(second, of: station.hospital, now: 4))
        #expect(try hospitals.ambulances(of: station.hospital).map(\.row) == [station.ambulance])
        #expect(try station.care.onDutyCrews().isEmpty && station.care.membership(of: crew) == nil)
    }

    @Test("ACC-16: a crew code works once, in its time, for the hospital's own ambulance", arguments: Engine.allCases)
    func codes(engine: Engine) throws {
        let fixture = try HubFixture(engine), station = try CareFixture(fixture), hospitals = station.hospitals
        let other = try CareFixture(fixture, name: "Other"), ada = try fixture.account("Ada"), bob = try fixture.account("Bob")
        #expect(try !hospitals.addCrewCode([1], ambulance: other.ambulance, of: station.hospital, expires: 100, now: 0))
        #expect(try hospitals.addCrewCode([1], ambulance: station.ambulance, of: station.hospital, expires: 100, now: 0))
        #expect(try hospitals.isCrewCode([1], now: 99) && !hospitals.isCrewCode([1], now: 100) && !hospitals.isCrewCode([2], now: 0))
        #expect(
            try !hospitals.joinCrew([1], ada, now: 100) && hospitals.joinCrew([1], ada, now: 99) && !hospitals.joinCrew([1], bob, now: 99))
        #expect(try fixture.accounts.account(ada.id)?.roles == [.person, .responder])
        _ = try hospitals.addCrewCode([3], ambulance: station.ambulance, of: station.hospital, expires: 200, now: 0)
        _ = try hospitals.addCrewCode([4], ambulance: station.ambulance, of: station.hospital, expires: 900, now: 200)
        #expect(try fixture.count("crew_code") == 1, "what expired is forgotten")
        _ = try hospitals.withdrawHospital(station.hospital, now: 201)
        #expect(try !hospitals.addCrewCode([5], ambulance: station.ambulance, of: station.hospital, expires: 900, now: 202))
    }

    @Test("ACC-9: a new responder without a second factor is asked for one with the next page", arguments: Engine.allCases)
    func strength(engine: Engine) throws {
        let fixture = try HubFixture(engine), station = try CareFixture(fixture), accounts = fixture.accounts
        let plain = try fixture.account("Plain"), keyed = try fixture.account("Keyed")
        let passkey = NewPasskey(
            credential: [1], publicKey: [4], aaguid: [0], transports: [], isBackupEligible: false, isBackedUp: false, counter: 0, name: "K")
        _ = try accounts.factors.addPasskey(passkey, to: keyed, now: 0)
        for (number, account) in [plain, keyed].enumerated() {
            _ = try fixture.session([UInt8(number)], of: account)
            _ = try station.hospitals.addCrewCode([9], ambulance: station.ambulance, of: station.hospital, expires: 100, now: 0)
            #expect(try station.hospitals.joinCrew([9], account, now: 1))
        }
        #expect(try accounts.session([0], now: 1)?.strength == .begun && accounts.session([1], now: 1)?.strength == .full)
        // Whoever was one already goes on.
        let known = try #require(try accounts.account(plain.id))
        _ = try fixture.session([5], of: known)
        _ = try station.hospitals.addCrewCode([8], ambulance: station.ambulance, of: station.hospital, expires: 100, now: 0)
        #expect(try station.hospitals.joinCrew([8], known, now: 1) && accounts.session([5], now: 1)?.strength == .full)
    }

    @Test("ACC-16: who joins another ambulance leaves the one before, its duty and its tracker", arguments: Engine.allCases)
    func moves(engine: Engine) throws {
        let fixture = try HubFixture(engine), station = try CareFixture(fixture), other = try CareFixture(fixture, name: "Other")
        let crew = try station.crew("Crew"), care = station.care
        #expect(try care.beginDuty(crew, now: 2) && care.setTracker([7], of: crew))
        _ = try other.hospitals.addCrewCode([1], ambulance: other.ambulance, of: other.hospital, expires: 100, now: 0)
        #expect(try other.hospitals.joinCrew([1], crew, now: 3))
        let membership = try #require(try care.membership(of: crew))
        #expect(membership.hospital.id == other.hospital.id && membership.ambulance == other.ambulance && !membership.hasTracker)
        #expect(try membership.duty == nil && care.crew(tracker: [7]) == nil && care.onDutyCrews().isEmpty)
        #expect(try !station.hospitals.removeCrew(crew.id, of: station.hospital))
        #expect(try other.hospitals.removeCrew(crew.id, of: other.hospital) && care.membership(of: crew) == nil)
    }

    @Test("SOS-11: an ambulance with a damaged label can be sent all the same, and is told", arguments: Engine.allCases)
    func damagedLabel(engine: Engine) throws {
        let fixture = try HubFixture(engine), station = try CareFixture(fixture), other = try CareFixture(fixture, name: "Other")
        let one = try station.crew("One"), two = try other.crew("Two")
        #expect(try station.care.beginDuty(one, now: 2) && station.care.beginDuty(two, now: 2))
        try fixture.damage("ambulance", "label", where: "id = \(station.ambulance)")
        #expect(try station.care.onDutyCrews().map(\.account) == [one.id, two.id])
        #expect(try station.care.onDutyCrews()[0].label.name == "#\(station.ambulance)")
        #expect(try station.hospitals.ambulances(of: station.hospital).count == 1 && station.care.membership(of: one) != nil)
        #expect(fixture.keys.unreadable.rows == [UnreadableRow(.ambulance, station.ambulance)])
    }

    @Test("SOS-11: damaged accounts of a hospital or of a crew keep nobody else from the lists", arguments: Engine.allCases)
    func damagedAccounts(engine: Engine) throws {
        let fixture = try HubFixture(engine), station = try CareFixture(fixture), other = try CareFixture(fixture, name: "Other")
        let one = try station.crew("One"), two = try station.crew("Two")
        try fixture.damage("account", "details", where: "id IN (\(one.row), \(other.hospital.row))")
        #expect(try station.hospitals.ambulances(of: station.hospital)[0].crews.map(\.id) == [two.id])
        #expect(try station.hospitals.hospitals().map(\.account.id) == [station.hospital.id])
        #expect(fixture.unreadable == [.account, .account])
    }
}
