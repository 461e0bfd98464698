import Exchange
import HubServices
import HubStore
import Vitals

/// The places of crews, by the same programs that people use: the newest place of what is sent, and nothing of a series.
struct CrewPlaces: Sendable {
    let hospitals: HospitalService

    /// The crew member whose phone's secret this is; nil for everybody else's.
    func crew(secret: String) throws -> StoredAccount? { try hospitals.crew(secret: secret) }

    /// A crew off duty is answered like any other: its program goes on sending, and nothing is kept.
    func keep(_ reading: SenderReading, of crew: StoredAccount) throws {
        guard let newest = reading.samples.positions.max(by: { $0.time < $1.time }) else { return }
        let place = CrewPosition(
            time: newest.time, latitude: newest.latitudeDegrees, longitude: newest.longitudeDegrees,
            accuracy: newest.horizontalError.map { Double($0) / 10 })
        do { try hospitals.setPlace(place, of: crew) } catch is HospitalService.Problem {}
    }
}
