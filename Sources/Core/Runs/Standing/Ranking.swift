public import Vitals

/// The order of the race. Always a total order: the groups one after the other; finishers by their time; those running by how long after
/// the front-most runner they are where they are (the same time at the same distance); equal ones by bib number.
///
/// Why not by metres: fixes are of different ages and waves start at different times. Somebody not seen for a while is taken to have gone on
/// with the last pace, for ``silenceMax`` at most. With one gun the order is then that of the metres now.
public enum Ranking {
    /// Milliseconds for which somebody unseen is taken to go on: as long as tunnels and dead spots last. From then on the silence counts as
    /// standing, so that a dead battery does not keep anybody in front.
    public static let silenceMax: Milliseconds = 300_000

    /// - Parameters:
    ///   - kind: which time counts.
    ///   - now: UTC milliseconds.
    public static func rows(_ contestants: [Contestant], by kind: TimeKind, now: Milliseconds) -> [RankingRow] {
        let front = contestants.filter { $0.group.isRanked || $0.group == .incomplete }.map { (Expected($0, now: now), $0) }
            .max { ($0.0.metres, -$0.1.bib) < ($1.0.metres, -$1.1.bib) }
        let pace = front.flatMap { expected, contestant in contestant.progress.map { PaceLine($0, kind, to: expected) } }
        let sorted = contestants.map { Ranked($0, kind: kind, now: now, pace: pace) }.sorted()
        guard let first = sorted.first else { return [] }
        return rows(sorted, first: first, line: first.contestant.progress.map { PaceLine($0, kind) })
    }

    private static func rows(_ sorted: [Ranked], first: Ranked, line: PaceLine?) -> [RankingRow] {
        var rows: [RankingRow] = []
        rows.reserveCapacity(sorted.count)
        for (index, ranked) in sorted.enumerated() {
            var row = ranked.row
            if ranked.group.isRanked {
                let previous = index > 0 ? sorted[index - 1] : nil
                let isEqual = previous.map { $0.group == ranked.group && $0.key == ranked.key } ?? false
                row.place = isEqual ? rows[index - 1].place : index + 1
                if index == 0 {
                    row.gapToFirst = 0
                } else {
                    row.gapToFirst = ranked.gap(to: first, at: line?.seconds(at:))
                    row.gapToPrevious = previous.flatMap { before in
                        ranked.gap(to: before) { metres in before.contestant.progress?.seconds(at: metres).map { $0 - before.origin } }
                    }
                }
            }
            rows.append(row)
        }
        return rows
    }
}

/// One runner's way in time, for many questions: seconds from the runner's own origin.
struct PaceLine {
    private let points: [Trail.Point]
    private let origin: Double

    /// - Parameter expected: where the line ends, if further than was seen.
    init(_ progress: Progress, _ kind: TimeKind, to expected: Expected? = nil) {
        origin = Ranked.seconds(progress.origin(kind), in: progress)
        var points = progress.wholeTrail
        if let expected, let last = points.last, expected.metres > last.metres, expected.seconds > last.seconds {
            points.append(Trail.Point(seconds: expected.seconds, metres: expected.metres))
        }
        self.points = points
    }

    /// Seconds after which `metres` were reached; nil before the beginning and behind the end.
    func seconds(at metres: Double) -> Double? {
        guard let last = points.last, metres <= last.metres, let first = points.first, metres >= first.metres else { return nil }
        var low = 0, high = points.count - 1
        while high - low > 1 {
            let middle = (low + high) / 2
            if points[middle].metres <= metres { low = middle } else { high = middle }
        }
        let before = points[low], behind = points[high]
        guard behind.metres > before.metres else { return before.seconds - origin }
        return before.seconds + (behind.seconds - before.seconds) * (metres - before.metres) / (behind.metres - before.metres) - origin
    }
}

/// Where somebody is now, going on with the last pace.
struct Expected {
    /// Metres from the start.
    let metres: Double
    /// Seconds since the runner's gun at which that holds.
    let seconds: Double
    /// Seconds of silence beyond what is bridged.
    let standing: Double

    /// Seconds over which the last pace is taken: the receiver's errors at both ends must not matter.
    private static let paceWindow = 300.0

    init(_ contestant: Contestant, now: Milliseconds) {
        guard let progress = contestant.progress, progress.start != nil else {
            (metres, seconds, standing) = (0, 0, 0)
            return
        }
        let seen = Double(progress.time - progress.gun) / 1000
        guard progress.finish == nil, progress.state != .offCourse else {
            (metres, seconds, standing) = (progress.metres, max(seen, Double(now - progress.gun) / 1000), 0)
            return
        }
        let silence = max(now - progress.time, 0), bridged = Double(min(silence, Ranking.silenceMax)) / 1000
        let speed = progress.stoppedSince == nil ? max(progress.speed(over: Self.paceWindow) ?? 0, 0) : 0
        metres = min(progress.metres + speed * bridged, progress.length)
        standing = Double(silence) / 1000 - bridged
        seconds = seen + bridged
    }
}

/// A contestant with what the order needs.
struct Ranked: Comparable {
    let contestant: Contestant
    let group: RankingRow.Group
    /// Smaller is better, within the group.
    let key: Double
    /// Seconds from the gun to where this runner's time begins.
    let origin: Double
    /// Seconds of the runner's own time at which `metres` were seen, and for which they stood there.
    let elapsed: Double
    let metres: Double

    static func seconds(_ instant: Milliseconds?, in progress: Progress) -> Double {
        Double((instant ?? progress.gun) - progress.gun) / 1000
    }

    init(_ contestant: Contestant, kind: TimeKind, now instant: Milliseconds, pace: PaceLine?) {
        self.contestant = contestant
        group = contestant.group
        guard let progress = contestant.progress, progress.start != nil else {
            (key, origin, elapsed, metres) = (0, 0, 0, 0)
            return
        }
        let origin = Self.seconds(progress.origin(kind), in: progress)
        self.origin = origin
        metres = progress.metres
        let expected = Expected(contestant, now: instant)
        if let finish = progress.finishTime(kind) {
            elapsed = Double(finish) / 1000
        } else {
            elapsed = max(Self.seconds(progress.time, in: progress) - origin, 0) + expected.standing
        }
        switch group {
        case .finished: key = elapsed.rounded(.up)
        case .running, .incomplete:
            key = expected.seconds + expected.standing - origin - (pace?.seconds(at: expected.metres) ?? 0)
        case .didNotFinish, .disqualified: key = -metres
        case .notStarted, .didNotStart: key = 0
        }
    }

    static func == (left: Ranked, right: Ranked) -> Bool { left.group == right.group && left.key == right.key && left.bib == right.bib }

    static func < (left: Ranked, right: Ranked) -> Bool {
        (left.group.order, left.key, left.bib) < (right.group.order, right.key, right.bib)
    }

    private var bib: Int { contestant.bib }

    var row: RankingRow {
        RankingRow(
            bib: bib, group: group, place: nil, metres: metres, time: contestant.progress?.start == nil ? nil : milliseconds(shown),
            gapToFirst: nil, gapToPrevious: nil)
    }

    /// Finishers have full seconds: satellites know no better.
    private var shown: Double { group == .finished ? key : elapsed }

    private func milliseconds(_ seconds: Double) -> Milliseconds { Milliseconds((seconds * 1000).rounded()) }

    /// Milliseconds behind `other` at the same distance: that of whoever is less far.
    /// - Parameter line: seconds of the other's own time at a distance.
    func gap(to other: Ranked, at line: ((Double) -> Double?)?) -> Milliseconds? {
        if group == .finished, other.group == .finished { return milliseconds(key - other.key) }
        if metres <= other.metres { return (line?(metres)).map { milliseconds(elapsed - $0) } }
        // The other one is less far and ranks before: what this one had there, and the other has by now.
        return (contestant.progress?.seconds(at: other.metres)).map { milliseconds($0 - origin - other.elapsed) }
    }
}

extension Progress {
    /// The trail to its end.
    var wholeTrail: [Trail.Point] {
        var points = trail.points
        if let last = points.last, let end = seconds(at: metres), metres > last.metres {
            points.append(Trail.Point(seconds: end, metres: metres))
        }
        return points
    }
}
