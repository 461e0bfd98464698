import Synchronization
import Vitals

/// The rate at which one device may send. A phone that was offline for a day sends thousands of positions at once, and is to be let.
final class DeviceRate: Sendable {
    /// When a device may have sent all of its burst again, in microseconds, by device; only devices with a right secret get in here.
    private let fullAt = Mutex<[Int64: Milliseconds]>([:])

    private let burst: Milliseconds
    private let interval: Milliseconds
    /// Devices that are remembered, at most.
    static let devicesMax = 100_000

    /// Requests of a device that may come at once.
    static let burst = 10_000

    /// - Parameters:
    ///   - burst: requests that may come at once.
    ///   - interval: milliseconds for each request beyond them; 100 is 10 a second.
    init(burst: Int = DeviceRate.burst, interval: Milliseconds = 100) { (self.burst, self.interval) = (Milliseconds(burst), interval) }

    /// Counts a request.
    /// - Parameter people: for whom the device collects: each has a rate like that of one.
    /// - Returns: seconds to wait before the next; nil when this one may go.
    func take(_ device: Int64, people: Int = 1, now: Milliseconds) -> Int? {
        let now = now * 1000, interval = Self.cost(interval, people: people), whole = burst * self.interval * 1000
        return fullAt.withLock { fullAt in
            if fullAt.count >= Self.devicesMax { fullAt = fullAt.filter { $0.value > now } }
            // Never more than an empty one takes, also after the clock was set back.
            let missing = min(max(0, (fullAt[device] ?? now) - now), whole)
            guard missing + interval <= whole else { return Int((missing + interval - whole + 999_999) / 1_000_000) }
            fullAt[device] = now + missing + interval
            return nil
        }
    }

    /// The part of a rate for one of so many people.
    /// - Returns: microseconds.
    static func cost(_ interval: Milliseconds, people: Int) -> Int64 { max(1, interval * 1000 / Int64(max(1, people))) }
}
