import Vitals

/// The pauses between tries: 0.2 s at first, doubling, with jitter so that two boxes do not meet at the same sensor for ever.
struct ReconnectDelay {
    private static let shortest: Milliseconds = 200
    private var next = Self.shortest

    /// A success: the next loss is answered quickly again.
    mutating func reset() { next = Self.shortest }

    /// The pause before the next try, never over `longest`. `jitter` from -1 to 1 moves it by up to a quarter.
    mutating func take(longest: Milliseconds, jitter: Double) -> Milliseconds {
        let nominal = min(next, longest)
        next = min(next * 2, 30_000)
        return min(longest, nominal + Milliseconds(Double(nominal) / 4 * max(-1, min(1, jitter))))
    }
}
