import Vitals

/// Whether a heart rate can be a reading at all (detection.md, quality gate; SOS-3).
struct QualityGate: Hashable, Sendable, Codable {
    private typealias Limit = DistressConstants

    /// The previous raw reading, of whatever worth.
    private var previous: Int?
    private var previousAt: Milliseconds = 0
    private var jumpsRejected = 0
    private var lastJump = 0
    /// The last RR intervals in milliseconds, oldest first.
    private var intervals: [Int] = []
    private var lastValue: Int?
    private var repeatedFor: Milliseconds = 0

    /// nil: it counts.
    mutating func judge(_ sample: HeartRateSample, at time: Milliseconds) -> Rejection? {
        let value = Int(sample.beatsPerMinute)
        let passed = max(0, time - previousAt)
        if previous == nil || passed > Limit.gapMax { forget() }
        defer { (previous, previousAt) = (value, time) }
        let fresh = sample.rrIntervals.map { Int($0) * 1000 / 1024 }
        takeRepeat(value, hasRR: !fresh.isEmpty, passed: passed)
        if sample.contact == .notDetected || value == 0 { return reject(.noContact) }
        guard Limit.countedRange.contains(value) else { return reject(.outOfRange(value)) }
        if let odd = fresh.first(where: { $0 < Limit.rrRange.lowerBound }) { return .rrOutOfRange(odd) }
        intervals = (intervals + fresh).suffix(Limit.rrWindowMax)
        if !fresh.isEmpty, let other = disagreement(with: value) { return .rrDisagrees(rate: value, fromRR: other) }
        if repeatedFor >= Limit.frozenAfter { return .frozen(value: value, seconds: Int(repeatedFor / 1000)) }
        // A long interval alone shows no leap.
        let isShown = !fresh.isEmpty && intervals.contains(where: Limit.rrRange.contains)
        if !isShown, let jump = jump(to: value, passed: passed) { return jump }
        jumpsRejected = 0
        return nil
    }

    private mutating func forget() {
        previous = nil
        jumpsRejected = 0
        intervals = []
    }

    /// Without contact the intervals of before say nothing about those of after.
    private mutating func reject(_ rejection: Rejection) -> Rejection {
        intervals = []
        return rejection
    }

    /// A silence counts for no more than a gap that the trigger would allow, and what is frozen stays so over it.
    private mutating func takeRepeat(_ value: Int, hasRR: Bool, passed: Milliseconds) {
        guard value == lastValue, !hasRR else {
            lastValue = value
            repeatedFor = 0
            return
        }
        repeatedFor = min(repeatedFor + min(passed, Limit.gapMax), 10 * Limit.frozenAfter)
    }

    /// The sensor may average with a long interval or without it: one that agrees is enough.
    private func disagreement(with value: Int) -> Int? {
        guard let other = Self.rate(of: intervals, agreeingWith: value) else { return nil }
        let usual = intervals.filter(Limit.rrRange.contains)
        return usual.count < intervals.count ? Self.rate(of: usual, agreeingWith: value) : other
    }

    /// The rate of the last intervals when none of the averaging windows agrees with `value`; nil when one does, and for none.
    private static func rate(of intervals: [Int], agreeingWith value: Int) -> Int? {
        var sum = 0, nearest: Int?
        for (count, interval) in intervals.reversed().enumerated() {
            sum += interval
            let rate = 60_000 * (count + 1) / sum
            if abs(rate - value) * 100 <= Limit.rrDisagreementMax * value { return nil }
            if abs(rate - value) < abs((nearest ?? .max / 2) - value) { nearest = rate }
        }
        return nearest
    }

    private mutating func jump(to value: Int, passed: Milliseconds) -> Rejection? {
        guard let previous, Limit.countedRange.contains(previous), jumpsRejected < Limit.jumpRejectionsMax else { return nil }
        // The allowance of one second holds also for readings that follow faster.
        let allowed = Milliseconds(Limit.jumpMax) * max(passed, 1000) / 1000
        let change = value - previous
        guard Milliseconds(abs(change)) > allowed else { return nil }
        // A spike comes back; what leaps on the same way is a mean that follows a heart.
        if jumpsRejected > 0, (change > 0) == (lastJump > 0) { return nil }
        jumpsRejected += 1
        lastJump = change
        return .jump(from: previous, to: value)
    }
}
