internal import Synchronization
internal import Vitals

/// UTC for the times that the hub judges. A box without a clock wakes up in 1970, and would be refused for ever: then the latest day that
/// is known to have been counts, and after a refusal the hub's own clock.
final class TokenClock: Sendable {
    /// 2026-01-01: no box runs this program earlier.
    static let earliest: Milliseconds = 1_767_225_600_000
    private static let credible: Range<Milliseconds> = earliest..<4_102_444_800_000
    /// The hub bears an hour's difference (and says so); a smaller one is not why it refused.
    private static let differenceMin: Milliseconds = 60_000

    private let clock: BoxClock
    private let floor: Milliseconds
    /// The hub's UTC minus the box's monotonic clock.
    private let correction = Mutex<Milliseconds?>(nil)

    /// - Parameter known: a day that has been, such as that of the hub's last answer; UTC milliseconds.
    init(_ clock: BoxClock, known: Milliseconds? = nil) {
        self.clock = clock
        floor = max(Self.earliest, known.flatMap { Self.credible.contains($0) ? $0 : nil } ?? 0)
    }

    func utc() -> Milliseconds {
        if let correction = correction.withLock({ $0 }) { return clock.boottime() + correction }
        return max(clock.utc(), floor)
    }

    /// Takes the time of a hub that refused us; whether that is worth another try.
    func correct(by hub: Milliseconds?) -> Bool {
        guard let hub, Self.credible.contains(hub), abs(hub - utc()) > Self.differenceMin else { return false }
        correction.withLock { $0 = hub - clock.boottime() }
        return true
    }
}
