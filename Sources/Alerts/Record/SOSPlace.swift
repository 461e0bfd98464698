public import Vitals

/// Where the person is, or the statement that nobody knows.
public enum SOSPlace: Hashable, Sendable {
    /// `time` is UTC: how old it is, every format says.
    case known(PositionSample)
    case unknown(Reason)

    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// There never was a position, or none that is recent enough to say.
        case noFix = "no-fix"
        /// The person switched position off.
        case switchedOff = "switched-off"
        /// The receiver does not answer.
        case receiverLost = "receiver-lost"
    }

    public var position: PositionSample? {
        if case .known(let position) = self { position } else { nil }
    }

    /// A page that shows it on a map.
    var map: String? { position.map { "https://www.openstreetmap.org/?mlat=\($0.latitudeText)&mlon=\($0.longitudeText)" } }
}

extension PositionSample {
    /// How old it is when `sentAt` is now; never below 0.
    func age(at sentAt: SOSTime) -> Milliseconds { max(sentAt.utc - time, 0) }

    /// The radius in which the person is, in whole metres, rounded up; nil when the receiver does not say.
    var accuracyMetres: Int? { horizontalError.map { (Int(max($0, 0)) + 9) / 10 } }

    /// `45.46420`: five places are 1.1 m.
    var latitudeText: String { latitude.degreesText(places: 5) }
    var longitudeText: String { longitude.degreesText(places: 5) }
}
