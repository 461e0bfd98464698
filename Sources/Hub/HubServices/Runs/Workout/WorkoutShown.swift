import HubStore
import Runs
public import Vitals

/// A workout that goes on, as its owner or a friend may see it now: what pages show, and what their streams say. Times are UTC milliseconds.
public struct WorkoutShown: Sendable, Hashable, Codable {
    /// How far the positions may be trusted.
    public enum Place: String, Sendable, Codable {
        case none, now, old
    }

    /// When this is.
    public var t: Milliseconds
    /// Of the workout; for a friend the first time outside of the home zone, nil before it.
    public var began: Milliseconds?
    public var metres: Int
    /// Seconds a kilometre over the last minute; nil for who stands, and where the last position is old.
    public var pace: Int?
    /// Seconds a kilometre in all.
    public var average: Int?
    public var isStanding: Bool
    public var place: Place
    /// Of the newest position.
    public var seen: Milliseconds?
    /// Degrees with five decimals.
    public var lat: Double?
    public var lon: Double?
    /// Beats per minute, of now alone.
    public var hr: Int?
    /// Why there is none: a ``HeartState``.
    public var heart: String
    /// Of the newest heart rate, whatever it was.
    public var beat: Milliseconds?
    /// Of the newest thing that came, whatever it was; nil for nothing yet.
    public var heard: Milliseconds?
    /// Nothing came for ``silence``.
    public var isSilent: Bool
    /// Nothing came but a replay or a drill.
    public var isTest: Bool
    /// Friends see it.
    public var isShared: Bool
    /// Seconds of each full kilometre; the last ones, and how many there are before them.
    public var legs: [Int]
    public var legsBefore: Int

    /// A position is one of now for so long, milliseconds.
    public static let positionAge: Milliseconds = 10_000
    /// A box that says nothing for so long is silent, milliseconds.
    public static let silence: Milliseconds = 20_000
    static let legsMax = 100

    /// Nothing known yet.
    init(at now: Milliseconds, began: Milliseconds?, isShared: Bool) {
        (t, self.began, metres, isStanding, place) = (now, began, 0, true, .none)
        (heart, isSilent, isTest, self.isShared) = (HeartState.none.rawValue, true, false, isShared)
        (legs, legsBefore) = ([], 0)
    }
}

extension LiveWorkout {
    /// For its owner.
    func shown(at now: Milliseconds) -> WorkoutShown {
        var shown = WorkoutShown(at: now, began: workout.began, isShared: workout.isShared)
        shown.metres = Int(track.metres.rounded())
        shown.average = track.averagePace
        shown.isTest = isTest
        let legs = track.splits.map { Int(($0.leg + 500) / 1000) }
        (shown.legs, shown.legsBefore) = (legs.suffix(WorkoutShown.legsMax), max(legs.count - WorkoutShown.legsMax, 0))
        put(track.position, track.time, &shown, now)
        return shown
    }

    /// For a friend: nothing of the home zone, counted from its border; nothing that was only played.
    func shownToFriend(at now: Milliseconds) -> WorkoutShown {
        guard !isTest else { return WorkoutShown(at: now, began: nil, isShared: true) }
        var shown = WorkoutShown(at: now, began: view.first?.time, isShared: true)
        shown.metres = Int(view.metres.rounded())
        if shown.metres >= 100 { shown.average = Int((Double(view.duration) / view.metres).rounded()) }
        put(view.newest?.position, view.newest?.time, &shown, now)
        // Within the zone nobody learns whether they run or stand.
        if view.newest?.time != track.time { (shown.pace, shown.isStanding) = (nil, false) }
        return shown
    }

    private func put(_ position: CoursePoint?, _ time: Milliseconds?, _ shown: inout WorkoutShown, _ now: Milliseconds) {
        if let time, let position {
            shown.place = now - time <= WorkoutShown.positionAge ? .now : .old
            shown.seen = time
            (shown.lat, shown.lon) = (Self.degrees(position.latitude), Self.degrees(position.longitude))
            shown.isStanding = track.isStanding
            if shown.place == .now { shown.pace = track.pace }
        }
        (shown.hr, shown.heart, shown.beat) = (heart.rate(at: now), heart.state(at: now).rawValue, heart.last?.time)
        shown.heard = heard
        shown.isSilent = heard.map { now - $0 > WorkoutShown.silence } ?? true
    }

    private static func degrees(_ value: Int32) -> Double { (Double(value) / 100).rounded() / 1e5 }
}
