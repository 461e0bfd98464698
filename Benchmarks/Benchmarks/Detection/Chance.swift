/// What the made-up series draw from.
struct Chance {
    private var generator: Seeded

    init(seed: UInt64) { generator = Seeded(state: seed) }

    mutating func real(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &generator) }
    mutating func whole(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
    mutating func happens(_ probability: Double) -> Bool { real(0...1) < probability }
    /// Standard normal, as the sum of twelve.
    mutating func normal() -> Double { (0..<12).reduce(-6) { sum, _ in sum + real(0...1) } }
    mutating func pick<Value>(_ values: [Value]) -> Value { values[whole(0...values.count - 1)] }
}

/// SplitMix64: the same numbers on each run.
private struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
