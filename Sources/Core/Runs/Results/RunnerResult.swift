public import Vitals

/// A runner's result, final or so far.
public struct RunnerResult: Hashable, Sendable, Codable {
    public var bib: Int
    public var category: String?
    public var group: RankingRow.Group
    /// Among all, and among those of the category; nil where there are no places.
    public var place: Int?, placeInCategory: Int?
    /// UTC milliseconds; nil before.
    public var start: Crossing?, finish: Crossing?
    /// Milliseconds from the gun, and from the own start, to the finish; nil before it.
    public var gunTime: Milliseconds?, netTime: Milliseconds?
    /// Metres from the start, and those of them that were left out.
    public var metres: Double, missedMetres: Double
    /// Seconds a kilometre from the own start, pauses included; nil before 100 m, where it says nothing.
    public var secondsPerKilometre: Double?
    public var splits: [SplitTime]
    /// Stretches of the course that were not seen, or left out.
    public var stretches: [Stretch]
    /// Only of those who agreed; nil for the others.
    public var heart: HeartSummary?
}

/// The results of a run.
public enum Results {
    /// - Parameters:
    ///   - kind: which time decides about places.
    ///   - now: UTC milliseconds.
    ///   - hearts: heart rates by bib number, of those who agreed.
    /// - Returns: in the order of the ranking.
    public static func results(
        _ contestants: [Contestant], on course: Course, by kind: TimeKind, now: Milliseconds, hearts: [Int: HeartSummary] = [:]
    ) -> [RunnerResult] {
        let byBib = Dictionary(contestants.map { ($0.bib, $0) }, uniquingKeysWith: { first, _ in first })
        var inCategory: [String: (count: Int, place: Int, overall: Int)] = [:]
        return Ranking.rows(contestants, by: kind, now: now).compactMap { row in
            guard let contestant = byBib[row.bib] else { return nil }
            var result = RunnerResult(contestant, row: row, course: course, heart: hearts[row.bib])
            if let category = contestant.category, let overall = row.place {
                let before = inCategory[category] ?? (0, 0, 0)
                let place = before.overall == overall ? before.place : before.count + 1
                inCategory[category] = (before.count + 1, place, overall)
                result.placeInCategory = place
            }
            return result
        }
    }
}

extension RunnerResult {
    fileprivate init(_ contestant: Contestant, row: RankingRow, course: Course, heart: HeartSummary?) {
        let progress = contestant.progress
        let speed = progress.flatMap { $0.metres >= 100 ? $0.averageSpeed : nil }
        self.init(
            bib: row.bib, category: contestant.category, group: row.group, place: row.place, placeInCategory: nil, start: progress?.start,
            finish: progress?.finish, gunTime: progress?.finishTime(.gun), netTime: progress?.finishTime(.net), metres: row.metres,
            missedMetres: progress?.missedMetres ?? 0, secondsPerKilometre: speed.flatMap { $0 > 0 ? 1000 / $0 : nil },
            splits: progress?.splitTimes(of: course) ?? [], stretches: progress?.stretches ?? [], heart: heart)
    }
}
