import Vitals

/// The clock of a hub that plays races faster than they are. Boxes, hub and rules then all live in the time of the race: a runner runs as fast as
/// people do, and only whoever watches sees it go by faster.
struct RaceClock: Codable, Sendable, Hashable {
    /// UTC milliseconds at which it went as fast as all others for the last time.
    var origin: Milliseconds = 0
    /// The factor of real time.
    var speed = 1

    var now: Milliseconds { time(at: Clocks.utcMilliseconds()) }

    /// Its time at `utc` of the machine, both in milliseconds.
    func time(at utc: Milliseconds) -> Milliseconds { speed == 1 ? utc : origin + (utc - origin) * Milliseconds(speed) }
}

/// A run that made-up people are enrolled in.
struct FleetRun: Codable, Sendable {
    struct Runner: Codable, Sendable {
        var person: PersonID
        var bib: Int
    }

    var code: String
    /// UTC milliseconds.
    var starts: Milliseconds
    var ends: Milliseconds
    /// Nobody real takes part: boxes then say that what they send is a drill.
    var isRehearsal: Bool
    var runners: [Runner]
    /// The line in the direction of running, as latitude and longitude in 1e-7 degrees by turns.
    var points: [Int32]
    var laps: Int
}
