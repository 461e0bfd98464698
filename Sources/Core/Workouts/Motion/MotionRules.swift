internal import Vitals

/// The numbers by which fixes become movement. Each has its reason here.
public struct MotionRules: Hashable, Sendable {
    /// Metres that a fix without an error of its own is taken to be off. It also says over how long speeds are taken: a second for each
    /// metre.
    public var errorUnknown: Double
    /// Fixes with a worse error, in metres, tell no way: between houses a phone's own estimate is 20 m, from a network hundreds.
    public var errorMax = 25.0

    /// Of receivers that hand on each fix as it is, such as gpsd's: 5 m under open sky.
    public static let live = MotionRules(errorUnknown: 5)
    /// Of recordings, whose maker has smoothed them: the way is the sum of their pieces.
    public static let recorded = MotionRules(errorUnknown: 0)

    public init(errorUnknown: Double) { self.errorUnknown = errorUnknown }
}

/// Numbers that belong to the method.
enum MotionLimits {
    /// UTC milliseconds that a sample can have, until the year 142,000: differences of them never overflow.
    static let times: ClosedRange<Milliseconds> = 0...1 << 52
    /// Milliseconds before and behind a fix in which movement shows: walking 1.2 m/s makes 24 m, which no drift of satellites does.
    static let window: Milliseconds = 20_000
    /// Errors that a moving person is away at the end of the window, and metres at least.
    static let awayErrors = 4.0, awayMin = 10.0
    /// Metres a second of somebody who goes: up the steepest paths people make 0.3 on the level.
    static let slowest = 0.3
    /// Errors in metres by which that is measured.
    static let errors = 2.5...10.0
    /// Seconds over which a speed is taken, before and behind a fix, at most.
    static let slopeMax = 10.0
    /// The longest time over which a speed is taken, by that of a runner.
    static let slownessMax = 2.0
    /// Nothing is told between two fixes further apart, in milliseconds.
    static let gap: Milliseconds = 30_000
    /// A straight way over a longer gap is no way of anybody: 5 minutes, a long tunnel.
    static let gapMax: Milliseconds = 300_000
    /// Milliseconds after which any place is believed, whatever came before.
    static let forgotten: Milliseconds = 60_000
    /// Metres a second by which a speed grows within a second at most: an emergency stop has 8, a start of a car 4.
    static let acceleration = 4.0
    /// Metres by which two fixes are off together when a leap is looked for.
    static let leapSlack = 30.0
    /// Of fixes closer than this, in milliseconds, the first stands for both.
    static let spacing: Milliseconds = 900
    /// Metres a second. Between walking and running people change at 2.07 (Hreljac, Med Sci Sports Exerc 25:1158-1162, 1993).
    static let running = 2.1
    /// Metres a second over 40 s that nobody runs: 400 m in 57 s.
    static let wheels = 7.0
    /// Metres a second of one piece that no runner has: 100 m in 10 s. It is a leap.
    static let sprint = 10.0
}
