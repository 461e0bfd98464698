/// The hypotheses about one runner, the likeliest first; never empty.
struct Beam: Sendable {
    private(set) var best: Hypothesis
    /// The others.
    private(set) var others: [Hypothesis] = []

    init(_ first: Hypothesis) { best = first }

    mutating func take(_ step: Step) {
        var next: [Hypothesis] = []
        for hypothesis in [best] + others {
            if hypothesis.isThrough(at: step.seconds) {
                // A runner who is through may go anywhere; it must not be the cheaper reading of a run that goes on.
                next.append(step.away(hypothesis))
                continue
            }
            next.append(step.away(hypothesis))
            next += step.candidates.compactMap { step.on(hypothesis, at: $0) }
        }
        next.sort { ($0.cost, $0.along, $0.away == nil ? 0 : 1) < ($1.cost, $1.along, $1.away == nil ? 0 : 1) }
        keep(withoutDoubts(next, step))
    }

    /// A finish stands: walking back along the course must not look like not having arrived. Readings that are elsewhere on the
    /// course (another lap) stay.
    private func withoutDoubts(_ sorted: [Hypothesis], _ step: Step) -> [Hypothesis] {
        guard let first = sorted.first, first.isThrough(at: step.seconds) else { return sorted }
        return sorted.filter { $0.finished != nil || $0.along < step.course.length - MatchCosts.finalStretch }
    }

    private mutating func keep(_ sorted: [Hypothesis]) {
        guard let first = sorted.first else { return }
        let least = first.cost
        var kept: [Hypothesis] = []
        for var hypothesis in sorted where hypothesis.cost <= least + MatchCosts.costMax {
            let isKnown = kept.contains {
                abs($0.along - hypothesis.along) < MatchCosts.same && ($0.finished == nil) == (hypothesis.finished == nil)
            }
            if isKnown { continue }
            hypothesis.cost -= least
            kept.append(hypothesis)
            if kept.count == MatchCosts.hypotheses { break }
        }
        best = kept.removeFirst()
        others = kept
    }

    /// How sure the best reading is, 0 to 1: its share among all, a reading's likelihood falling with its cost.
    var confidence: Double {
        1
            / others.reduce(1) { sum, other in
                // exp(-cost), near enough and without a library.
                var base = 1 + (other.cost - best.cost) / 16
                for _ in 0..<4 { base *= base }
                return sum + 1 / base
            }
    }
}
