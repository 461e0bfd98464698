import Accounts
import TestSupport
import Testing
import Vitals

@testable import HubStore

/// A hospital that an operator admitted, with one ambulance.
struct CareFixture {
    let fixture: HubFixture
    let hospital: StoredAccount
    let ambulance: Int64

    var hospitals: HospitalStore { fixture.accounts.hospitals }
    var care: CareStore { fixture.accounts.care }

    init(_ fixture: HubFixture, name: String = "Hospital") throws {
        self.fixture = fixture
        hospital = try fixture.account(name, [.organisation])
        _ = try fixture.accounts.hospitals.admitHospital(hospital, now: 0)
        ambulance = try #require(
            try fixture.accounts.hospitals.addAmbulance(AmbulanceLabel(name: "Ambulance of \(name)", plate: "AB 123"), of: hospital, now: 0)
        )
    }

    /// A responder with the ambulance.
    func crew(_ name: String, ambulance: Int64? = nil) throws -> StoredAccount {
        let account = try fixture.account(name), code = Array(name.utf8)
        guard try hospitals.addCrewCode(code, ambulance: ambulance ?? self.ambulance, of: hospital, expires: 100, now: 0),
            try hospitals.joinCrew(code, account, now: 1)
        else { throw HubFixture.Taken() }
        return try #require(try fixture.accounts.account(account.id))
    }

    func place(_ time: Milliseconds) -> CrewPosition { CrewPosition(time: time, latitude: 45, longitude: 9, accuracy: 10) }
}
