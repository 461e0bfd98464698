public import Vitals

/// Where the person is, or the statement that nobody knows.
public enum SOSPlace: Hashable, Sendable {
    /// The last known one, however old. `time` is UTC: how old it is, every format says (see ``SOSRecord/placeAge``).
    case known(PositionSample)
    case unknown(Reason)

    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// There never was a position.
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

/// How old a position is.
public enum PlaceAge: Hashable, Sendable {
    /// Milliseconds, never below 0.
    case exactly(Milliseconds)
    /// That old or older: nobody knows when it was found, as the box was off and its clock wrong meanwhile.
    case atLeast(Milliseconds)
    /// It holds at any time: the place that was set for a box that stays where it is.
    case none
}

/// On what a message about the place rests.
public enum PlaceKind: String, Sendable, Hashable, CaseIterable {
    case position
    /// Set for a box that stays where it is.
    case fixedPlace = "fixed-place"
    /// No position is known: where the person lives, in words.
    case residence
    /// Neither is known.
    case none
}

extension SOSRecord {
    /// nil without a position.
    public var placeAge: PlaceAge? {
        guard let position = place.position else { return nil }
        if position.source == .fixed { return PlaceAge.none }
        let age = max(sentAt.utc - position.time, 0)
        return isPlaceAgeUnknown ? .atLeast(age) : .exactly(age)
    }

    public var placeKind: PlaceKind {
        guard let position = place.position else { return person.address?.isEmpty ?? true ? .none : .residence }
        return position.source == .fixed ? .fixedPlace : .position
    }

    /// Where the person lives, where nothing else is known of the place.
    var lastResort: String? { placeKind == .residence ? person.address : nil }

    /// When the position was found; of a fixed place now, nil where nobody knows.
    var placeTime: Milliseconds? {
        switch placeAge {
        case .exactly: place.position?.time
        case PlaceAge.none?: sentAt.utc
        case .atLeast, nil: nil
        }
    }
}

extension PositionSample {
    /// The radius in which the person is, in whole metres, rounded up; nil when the receiver does not say.
    var accuracyMetres: Int? { horizontalError.map { (Int(max($0, 0)) + 9) / 10 } }

    /// `45.46420`: five places are 1.1 m.
    var latitudeText: String { latitude.degreesText(places: 5) }
    var longitudeText: String { longitude.degreesText(places: 5) }
}
