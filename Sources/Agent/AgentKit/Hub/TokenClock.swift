internal import Seams
internal import Synchronization
internal import Vitals

/// The best that this box knows of UTC, for what the hub judges and for what judges the hub: tokens and certificates.
///
/// A box without a clock wakes up in 1970. What is known then is a day that has been: of the program, or of the hub's last answer. The
/// first satellite fix, and then the hub, say what time it is (design rule 5).
final class TokenClock: Sendable {
    /// 2026-11-21, when version 1 of the protocol was made: no box runs this program earlier.
    static let earliest: Milliseconds = 1_795_219_200_000
    private static let latest: Milliseconds = 4_102_444_800_000
    /// The hub bears an hour's difference (and says so); a smaller one is not why it refused.
    private static let differenceMin: Milliseconds = 60_000

    /// The base of ``utc()``.
    enum Source: Sendable {
        case hub, gnss
        /// The box's own clock, which is not before any day that has been.
        case box
        /// A day that has been; it is later now.
        case floor
    }

    private struct Known {
        var floor: Milliseconds
        /// UTC minus the box's monotonic clock.
        var hub: Milliseconds?
        var gnss: Milliseconds?
    }

    private let clock: BoxClock
    private let known: Mutex<Known>

    /// - Parameter known: a day that has been, such as that of the hub's last answer; UTC milliseconds.
    init(_ clock: BoxClock, known: Milliseconds? = nil) {
        self.clock = clock
        let saved = known.flatMap { Self.earliest..<Self.latest ~= $0 ? $0 : nil }
        self.known = Mutex(Known(floor: saved ?? Self.earliest))
    }

    var machine: Machine { clock.machine }

    func utc() -> Milliseconds { now().utc }

    /// The time, and where it is from.
    func now() -> (utc: Milliseconds, source: Source) {
        let known = known.withLock { $0 }
        if let hub = known.hub { return (clock.boottime() + hub, .hub) }
        if let gnss = known.gnss { return (clock.boottime() + gnss, .gnss) }
        let utc = clock.utc()
        return utc < known.floor ? (known.floor, .floor) : (utc, .box)
    }

    /// Every clock that may be right: one of them can be wrong without locking the box out. Without any, the day that has been.
    func candidates() -> (times: [Milliseconds], floor: Milliseconds) {
        let known = known.withLock { $0 }, boottime = clock.boottime()
        let times = [known.hub.map { boottime + $0 }, known.gnss.map { boottime + $0 }, clock.utc()].compactMap { $0 }
        return (times.filter { (known.floor..<Self.latest).contains($0) }, known.floor)
    }

    /// Takes the time of a hub that refused us; whether that is worth another try.
    func correct(by hub: Milliseconds?) -> Bool {
        guard let hub, Self.earliest..<Self.latest ~= hub, abs(hub - utc()) > Self.differenceMin else { return false }
        let offset = hub - clock.boottime()
        known.withLock { $0.hub = offset }
        return true
    }

    /// Takes the time of a hub's answer over a verified connection.
    func note(hub: Milliseconds, at boottime: Milliseconds) {
        guard Self.earliest..<Self.latest ~= hub else { return }
        known.withLock { $0.hub = hub - boottime }
    }

    /// Takes the time of a satellite fix. Dates before a day that has been are a receiver's week rollover; they are not believed.
    /// - Returns: whether it is believed.
    func note(gnss utc: Milliseconds, at boottime: Milliseconds) -> Bool {
        known.withLock { known in
            guard (known.floor..<Self.latest).contains(utc) else { return false }
            known.gnss = utc - boottime
            return true
        }
    }
}
