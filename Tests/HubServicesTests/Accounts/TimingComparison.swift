import Foundation

/// Whether two ways of asking can be told apart by how long they take. Both are timed in turn and in random order, so that whatever else
/// the machine does meets both alike, and each time is the best of three, which leaves out most of what others take.
struct TimingComparison {
    /// Each pair's difference, left less right, in seconds.
    private var differences: [Double] = []

    /// What the right one took.
    private var times: [Double] = []

    /// Seconds.
    private static let margin = 0.0002
    private static let pairs = 100
    /// How often each is tried, numbered from 0; before that five times, from -5.
    static let tries = 3 * pairs

    /// - Parameter after: what follows each of them and is not waited for by whoever asks: it must not run beside the next one that is timed.
    init(
        _ left: (Int) async throws -> Void, _ right: (Int) async throws -> Void, after: () throws -> Void = {}
    ) async throws {
        // What is done for the first time takes longer.
        for number in 0..<5 { _ = try await (left(-1 - number), right(-1 - number)) }
        try after()
        for pair in 0..<Self.pairs {
            var best = [Double.infinity, .infinity]
            for turn in 0..<3 {
                let number = pair * 3 + turn, leftFirst = Bool.random()
                for isLeft in [leftFirst, !leftFirst] {
                    let time = try await Self.time { isLeft ? try await left(number) : try await right(number) }
                    best[isLeft ? 0 : 1] = min(best[isLeft ? 0 : 1], time)
                    try after()
                }
            }
            differences.append(best[0] - best[1])
            times.append(best[1])
        }
    }

    private static func time(_ work: () async throws -> Void) async rethrows -> Double {
        let start = ContinuousClock.now
        try await work()
        let time = start.duration(to: .now).components
        return Double(time.seconds) + Double(time.attoseconds) / 1e18
    }

    private var median: Double { differences.sorted()[differences.count / 2] }

    /// How many standard deviations the sign test is off: beyond 4 it is no accident, which happens once in 15,000 runs.
    private var deviation: Double {
        let above = Double(differences.count { $0 > 0 }), count = Double(differences.count)
        return (above - count / 2) / (count / 4).squareRoot()
    }

    /// What is timed takes, where nothing else is in its way.
    private var quick: Double { times.sorted()[times.count / 10] }

    /// Both: it is no accident, and it is more than a third of what is timed. Less is hidden by a network; and a slow machine changes none
    /// of the two.
    var isDifferent: Bool { abs(deviation) > 4 && abs(median) > max(Self.margin, quick / 3) }

    var description: String { "median \(median * 1e6) µs of \(quick * 1e6), deviation \(deviation)" }
}
