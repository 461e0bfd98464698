public import Seams
import Synchronization

extension Randomness {
    /// Numbers that a test can repeat.
    public static func seeded(_ seed: UInt64) -> Randomness {
        let generator = SharedGenerator(seed: seed)
        return Randomness { generator.next() }
    }
}

extension Machine {
    /// The system's, with numbers that a test can repeat.
    public static func seeded(_ seed: UInt64) -> Machine {
        var machine = Machine.system
        machine.randomness = .seeded(seed)
        return machine
    }
}

private final class SharedGenerator: Sendable {
    private let generator: Mutex<SeededGenerator>

    init(seed: UInt64) { generator = Mutex(SeededGenerator(seed: seed)) }

    func next() -> UInt64 { generator.withLock { $0.next() } }
}
