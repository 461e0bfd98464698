/// Sees when somebody does not move any more. It looks at places and not at progress, so that it also works beside the course.
struct StopWatch: Sendable {
    /// Metres within which somebody stands: four times a receiver's usual error.
    private static let radius = 20.0
    /// Seconds for that: who walks 20 m in it is not standing (0.33 m/s, a steep climb).
    private static let patience = 60.0
    /// Speed of a fix in 0.01 m/s that somebody who stands never has.
    static let moving: UInt16 = 100

    private var anchor: (place: Vector, seconds: Double)?
    /// Seconds since the gun; nil while moving.
    private(set) var since: Double?

    mutating func take(_ fix: RunFix) {
        let place = fix.point.vector, isMoving = fix.speed != RunFix.unknown && fix.speed >= Self.moving
        guard let anchor, !isMoving, anchor.place.distance(to: place) <= Self.radius else {
            anchor = (place, fix.seconds)
            since = nil
            return
        }
        since = fix.seconds - anchor.seconds >= Self.patience ? anchor.seconds : nil
    }
}
