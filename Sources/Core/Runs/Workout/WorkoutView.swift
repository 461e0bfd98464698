public import Vitals

/// A friend's view of a lone workout: nothing inside a home zone, and counted from the first place outside of it, since metres and
/// minutes from the door tell where that is (RUN-15).
public struct WorkoutView: Sendable {
    /// Something that may be shown.
    public struct Sight: Hashable, Sendable {
        /// UTC milliseconds.
        public var time: Milliseconds
        public var position: CoursePoint
        /// As the owner has them.
        public var metres: Double
    }

    public let zone: HomeZone?
    /// nil before anything was outside of the zone.
    public private(set) var first: Sight?
    public private(set) var newest: Sight?

    public init(zone: HomeZone?) { self.zone = zone }

    /// Looks at where the track is now: behind each fix, or what was between two looks is not seen.
    public mutating func look(at track: WorkoutTrack) {
        guard let time = track.time, let position = track.position, time > newest?.time ?? .min else { return }
        guard zone?.holds(position) != true else { return }
        let sight = Sight(time: time, position: position, metres: track.metres)
        if first == nil { first = sight }
        newest = sight
    }

    /// Metres that friends know of.
    public var metres: Double { (newest?.metres ?? 0) - (first?.metres ?? 0) }
    /// Milliseconds that friends know of.
    public var duration: Milliseconds { (newest?.time ?? 0) - (first?.time ?? 0) }
}
