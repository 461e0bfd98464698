public import Vitals

/// How a simulated race goes.
public struct RaceSettings: Sendable {
    public var runners = 20
    public var seed: UInt64 = 1
    /// UTC milliseconds.
    public var gun: Milliseconds = 1_790_000_000_000
    /// Metres, in each direction: most of it drifts over half a minute, as satellite errors do.
    public var noise = 5.0
    /// Seconds between two losses of the satellites or of the network, on the average; 0 for none.
    public var dropOutEvery = 900.0
    /// Seconds that one lasts.
    public var dropOut = 30.0...300.0
    /// Metres a second of the field: mean and deviation. Hills do not count.
    public var speed = 2.9, speedDeviation = 0.45
    /// Seconds after its finish that a box goes on.
    public var after = 60

    public init() {}
}
