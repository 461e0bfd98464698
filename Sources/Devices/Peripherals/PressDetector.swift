import Vitals

/// A gesture on the button.
public enum ButtonPress: String, Sendable, Hashable, Codable {
    /// Pressed and let go: I'm OK.
    case short
    /// Held: get help. Told while it is still held.
    case long
}

/// Makes presses of a key's contacts. Each key counts by itself. Times are milliseconds of one clock, in order.
struct PressDetector {
    struct Limits: Hashable, Sendable {
        /// Held for so long, a press is long.
        var long: Milliseconds = 2000
        /// A contact that opens for less has not been let go.
        var bounce: Milliseconds = 50
        /// Nobody presses for so long: something lies on the button, or it is broken.
        var stuck: Milliseconds = 60_000
    }

    enum Input: Hashable {
        case down(key: UInt16, time: Milliseconds)
        case up(key: UInt16, time: Milliseconds)
        case tick(time: Milliseconds)
    }

    enum Effect: Hashable {
        /// `time`: when it was known.
        case pressed(ButtonPress, key: UInt16, time: Milliseconds)
        case stuck(key: UInt16)
    }

    private struct Hold {
        var since: Milliseconds
        var released: Milliseconds?
        /// The long press is told; letting go tells nothing more.
        var isSpent = false
        var isStuck = false
    }

    let limits: Limits
    private var holds: [UInt16: Hold] = [:]
    /// More keys at a time are a hand, or a book, on a keyboard.
    private static let keysMax = 8

    init(limits: Limits = Limits()) { self.limits = limits }

    /// Keys that are down, or were a moment ago.
    var held: Set<UInt16> { Set(holds.keys) }

    /// When the next tick is due; nil while nothing is held.
    var deadline: Milliseconds? {
        holds.values.map { hold in
            if let released = hold.released { return released + limits.bounce }
            if !hold.isSpent { return hold.since + limits.long }
            return hold.isStuck ? .max : hold.since + limits.stuck
        }.min()
    }

    mutating func handle(_ input: Input) -> [Effect] {
        switch input {
        case .down(let key, let time):
            let effects = advance(to: time)
            if holds[key] != nil {
                holds[key]?.released = nil
            } else if holds.count < Self.keysMax {
                holds[key] = Hold(since: time)
            }
            return effects
        case .up(let key, let time):
            // A press that ended before the thread woke up is as long as it was.
            let effects = advance(to: time)
            if holds[key]?.released == nil { holds[key]?.released = time }
            return effects
        case .tick(let time): return advance(to: time)
        }
    }

    /// Everything that is due at `time`.
    private mutating func advance(to time: Milliseconds) -> [Effect] {
        var effects: [Effect] = []
        for (key, var hold) in holds.sorted(by: { $0.value.since < $1.value.since }) {
            if let released = hold.released {
                guard time - released >= limits.bounce else { continue }
                if !hold.isSpent { effects.append(.pressed(.short, key: key, time: time)) }
                holds[key] = nil
                continue
            }
            if !hold.isSpent, time - hold.since >= limits.long {
                hold.isSpent = true
                effects.append(.pressed(.long, key: key, time: time))
            }
            if !hold.isStuck, time - hold.since >= limits.stuck {
                hold.isStuck = true
                effects.append(.stuck(key: key))
            }
            holds[key] = hold
        }
        return effects
    }
}
