import Vitals

/// The heart of a simulated runner: it follows the pace within a minute, climbs slowly as people tire, and trembles. Made-up people of different
/// form; never near a limit of AutomatedSOS.
struct RaceHeart {
    private var random: SplitMix64
    private let rest: Double
    private let racing: Double
    private var rate: Double
    private var drift = 0.0

    /// Beats a minute that no simulated heart exceeds, and below which none falls.
    static let range = 60.0...188.0

    init(bib: Int, seed: UInt64) {
        random = SplitMix64(seed: seed &* 0x9E37_79B9 &+ UInt64(bib) &* 104_729)
        rest = 78 + random.around(16)
        racing = 158 + random.around(24)
        rate = rest
    }

    /// The next second.
    /// - Parameters:
    ///   - speed: metres a second.
    ///   - usual: the runner's own speed.
    mutating func step(speed: Double, usual: Double) -> UInt8 {
        let effort = usual > 0 ? min(max(speed / usual, 0), 1.15) : 0
        if effort > 0.5 { drift = min(drift + 0.002, 10) }
        rate += (rest + (racing - rest) * effort + (effort > 0.5 ? drift : 0) - rate) / 40 + random.around(1.2)
        rate = min(max(rate, Self.range.lowerBound), Self.range.upperBound)
        return UInt8(rate.rounded())
    }
}
