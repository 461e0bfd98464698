internal import Vitals

/// How fast a recording is played.
public enum ReplaySpeed: Sendable, Hashable {
    /// The factor of the recorded speed.
    case factor(Double)
    case max

    /// Reads a number from 0.01 to 10,000, or `max`.
    public init(_ text: String) throws(AgentProblem) {
        if text == "max" {
            self = .max
        } else if let factor = Double(text), (0.01...10_000).contains(factor) {
            self = .factor(factor)
        } else {
            throw AgentProblem("--speed \(text) is no speed", advice: "Give a number from 0.01 to 10000, or max")
        }
    }
}

/// Says how long to wait before each event of a recording.
struct ReplayPace {
    /// A hole in the recording is waited for no longer; so much recorded time is never a hole, however slowly it is played.
    static let waitMax: Milliseconds = 60_000

    let speed: ReplaySpeed
    private var anchor: (recorded: Milliseconds, played: Milliseconds)?
    private var last: Milliseconds = .min

    init(_ speed: ReplaySpeed) { self.speed = speed }

    /// - Parameter now: of a monotonic clock. `skipped`: how much recorded time is not waited for.
    mutating func wait(for time: Milliseconds, at now: Milliseconds) -> (wait: Milliseconds, skipped: Milliseconds) {
        guard case .factor(let factor) = speed else { return (0, 0) }
        // Clocks in recordings also go backwards.
        guard let anchor, time >= last else {
            self.anchor = (time, now)
            last = time
            return (0, 0)
        }
        last = time
        let due = anchor.played + Milliseconds(min(Double(time - anchor.recorded) / factor, 1e15))
        let limit = Milliseconds(Double(Self.waitMax) / min(1, factor))
        guard due - now > limit else { return (Swift.max(0, due - now), 0) }
        self.anchor = (time, now + limit)
        return (limit, Milliseconds(Double(due - now - limit) * factor))
    }
}
