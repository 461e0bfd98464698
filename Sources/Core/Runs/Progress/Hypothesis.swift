/// A line that was crossed.
public struct Crossing: Hashable, Sendable, Codable {
    /// UTC milliseconds, between two fixes evenly divided.
    public var time: Int64
    /// Whether fixes on both sides of the line show it. Otherwise it is the gun (at the start) or continued from the last pace (at the finish).
    public var isSeen: Bool
}

/// A part of the course of which something is to be said.
public struct Stretch: Hashable, Sendable, Codable {
    public enum Kind: String, Sendable, Codable, CaseIterable {
        /// No fix came for a minute or more: a tunnel, a dead spot, a box switched off.
        case unseen
        /// The runner was seen elsewhere, or cannot have run it in the time.
        case missed
    }

    public var kind: Kind
    /// Metres from the start.
    public var from: Double, to: Double
    /// UTC milliseconds of the last fix before and the first one behind it.
    public var left: Int64, back: Int64

    /// Metres.
    public var length: Double { to - from }
}

/// One way to read the fixes so far: where the runner is on the course, and how that came. Times are seconds since the gun.
struct Hypothesis: Sendable {
    struct Away: Sendable {
        var since: Double
        /// Metres from the course, now and at most.
        var distance: Double, furthest: Double
    }

    struct Line: Hashable, Sendable {
        var seconds: Double
        var isSeen: Bool
    }

    /// Metres from the start at the last fix on the course, and when that was.
    var along: Double
    var seconds: Double
    /// Metres a second, followed slowly.
    var pace = MatchCosts.paceUsual
    /// How unlikely the reading is, compared with the best one.
    var cost = 0.0
    /// Metres from the course at the last fix on it, positive to the right.
    var crossTrack = 0.0
    var away: Away?
    /// Whether any fix since the gun said where the runner is.
    var wasSeen = false
    var started: Line?
    var finished: Line?
    /// The furthest that was reached.
    var frontier = 0.0
    var trail = Trail()
    var stretches: [Stretch] = []
    var moreStretches = 0
    var missedMetres = 0.0

    /// Whether the finish stands and is not improved any more.
    func isThrough(at now: Double) -> Bool {
        finished.map { $0.isSeen || now - $0.seconds > MatchCosts.finishSettles } ?? false
    }
}
