public import Vitals

/// What a hub leaves undone under more load than it can carry, the first one first. Calls for help are none of it.
public enum Sheddable: Int, Sendable, Hashable, CaseIterable, Comparable {
    /// Files of one's data that are made and fetched.
    case exports
    /// Values of the past: pictures, tables, workouts, reading by programs.
    case history
    /// Figures about groups.
    case groups
    /// Posts to organisations, which wait.
    case webhooks
    /// Runs that somebody watches.
    case spectators
    /// What boxes and imports bring late; they keep it.
    case backlog
    /// Current values: those who watch them, and boxes that watch their people themselves; they keep what they have.
    case liveData

    public static func < (left: Sheddable, right: Sheddable) -> Bool { left.rawValue < right.rawValue }
}

/// Which work a hub leaves undone, by how long work waits there. A value without a clock: it is told the pressure about once a second.
///
/// One kind more is left undone after ``risesAfter`` under pressure, and one less after ``fallsAfter`` without. Between ``pressureMin`` and
/// ``calmMax`` nothing changes, so that a hub does not swing.
public struct LoadShedding: Sendable, Hashable {
    /// Work that waits longer is too much, milliseconds.
    public static let pressureMin: Milliseconds = 2000
    /// Work that waits no longer leaves room for more, milliseconds.
    public static let calmMax: Milliseconds = 250
    public static let risesAfter: Milliseconds = 5000
    public static let fallsAfter: Milliseconds = 15_000

    /// How many kinds are left undone, beginning with the first.
    public private(set) var count = 0
    /// Since when it is as it is, by the clock of ``note(_:at:)``.
    private var pressedSince: Milliseconds?
    private var calmSince: Milliseconds?

    public init() {}

    public var shed: [Sheddable] { Array(Sheddable.allCases.prefix(count)) }

    public func sheds(_ kind: Sheddable) -> Bool { kind.rawValue < count }

    /// Takes in how long work waited.
    /// - Parameters:
    ///   - wait: milliseconds.
    ///   - now: milliseconds of a clock that nobody sets.
    /// - Returns: whether another number of kinds is left undone from now on.
    public mutating func note(_ wait: Milliseconds, at now: Milliseconds) -> Bool {
        pressedSince = wait >= Self.pressureMin ? pressedSince ?? now : nil
        calmSince = wait <= Self.calmMax ? calmSince ?? now : nil
        if let since = pressedSince, now - since >= Self.risesAfter, count < Sheddable.allCases.count {
            (count, pressedSince) = (count + 1, now)
            return true
        }
        if let since = calmSince, now - since >= Self.fallsAfter, count > 0 {
            (count, calmSince) = (count - 1, now)
            return true
        }
        return false
    }

    /// When a kind can be done again at the earliest, milliseconds from now; nil for one that is done.
    public func wait(for kind: Sheddable, at now: Milliseconds) -> Milliseconds? {
        guard sheds(kind) else { return nil }
        let steps = Milliseconds(count - kind.rawValue) * Self.fallsAfter, calm = calmSince.map { now - $0 } ?? 0
        return max(1000, steps - calm)
    }
}
