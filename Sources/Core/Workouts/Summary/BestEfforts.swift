internal import Runs
public import Vitals

/// The fastest piece of a distance within a workout. Pauses within it count.
public struct BestEffort: Hashable, Sendable, Codable {
    /// Metres that were asked for.
    public let distance: Double
    /// Milliseconds for them.
    public let duration: Milliseconds
    /// When it began, UTC milliseconds.
    public let began: Milliseconds

    public init(distance: Double, duration: Milliseconds, began: Milliseconds) {
        (self.distance, self.duration, self.began) = (distance, duration, began)
    }

    /// 400 m, 1 km, 1 mile, 5 km, 10 km.
    public static let distances = [400.0, 1000, 1609.344, 5000, 10_000]
}

extension WorkoutLine {
    /// The fastest of each distance, where the way is so long. A window slides over the points: it begins or ends at one of them, since
    /// that is where the speed changes. Pieces with a gap in them do not count: nobody saw the pace.
    public func bestEfforts(_ distances: [Double] = BestEffort.distances) -> [BestEffort] {
        distances.compactMap { distance in distance > 0 && metres >= distance ? bestEffort(distance) : nil }
    }

    private func bestEffort(_ distance: Double) -> BestEffort? {
        var best: (from: Double, to: Double)?
        func note(_ from: Double, _ to: Double) {
            if best.map({ to - from < $0.to - $0.from }) ?? true { best = (from, to) }
        }
        for piece in pieces where points[piece.upperBound].metres - points[piece.lowerBound].metres >= distance {
            // Windows that begin at a point.
            var at = piece.lowerBound
            for start in piece {
                let goal = points[start].metres + distance
                while at <= piece.upperBound, points[at].metres < goal { at += 1 }
                guard at <= piece.upperBound else { break }
                note(Double(points[start].time), time(goal, in: at))
            }
            // Windows that end at one.
            at = piece.lowerBound
            for end in piece where points[end].metres - points[piece.lowerBound].metres >= distance {
                let goal = points[end].metres - distance
                while points[at].metres < goal { at += 1 }
                // An effort of somebody who stood at the goal begins when they leave it.
                while at + 1 < end, points[at + 1].metres <= goal { at += 1 }
                note(time(goal, in: at), Double(points[end].time))
            }
        }
        return best.map {
            BestEffort(distance: distance, duration: Milliseconds(($0.to - $0.from).rounded()), began: Milliseconds($0.from.rounded()))
        }
    }

    /// When metres were reached that lie between the point before one and it.
    private func time(_ metres: Double, in at: Int) -> Double {
        let end = points[at]
        guard at > 0, points[at - 1].metres < metres, end.metres > metres else { return Double(end.time) }
        let start = points[at - 1], share = (metres - start.metres) / (end.metres - start.metres)
        return Double(start.time) + Double(end.time - start.time) * share
    }

    /// Places of points without a gap between them.
    var pieces: [ClosedRange<Int>] {
        var pieces: [ClosedRange<Int>] = [], start = 0
        for (at, point) in points.enumerated() where point.isBehindGap {
            pieces.append(start...max(at - 1, start))
            start = at
        }
        if start < points.count { pieces.append(start...points.count - 1) }
        return pieces
    }
}
