public import History
public import Runs

/// A track in pieces of one colour each, by heart rate, pace or height. A small map is the same with few points.
public struct TrackColours: Hashable, Sendable {
    public enum Measure: String, Sendable, Hashable, CaseIterable {
        case heartRate, pace, height
    }

    /// Points that are joined. Pieces that follow each other without a gap share a point.
    public struct Piece: Hashable, Sendable {
        /// The bin, from 0 on; nil where the measure is not known.
        public var bin: Int?
        public var points: [CoursePoint]
    }

    public let measure: Measure
    /// The limits of the bins, ascending: beats a minute, metres a second (a pace is read as its speed, so that fast is high), metres.
    public let edges: [Double]
    public let pieces: [Piece]

    /// Colours of a track at most.
    static let binsMax = 5
    /// Points of a track at most.
    public static let pointsMax = 5000

    /// - Parameters:
    ///   - zones: bins of the heart rate; without them, and for the others, each bin has as many points.
    ///   - count: points at most, 2 to ``pointsMax``. Ends of pieces come on top.
    ///   - zone: of whose inside nothing is shown.
    public init(
        _ line: WorkoutLine, by measure: Measure, zones: HeartRateZones? = nil, count: Int = TrackColours.pointsMax,
        hiding zone: HomeZone? = nil
    ) {
        self.measure = measure
        let values = line.points.map { Self.value($0, measure) }
        let edges: [Double]
        switch (measure, zones) {
        case (.heartRate, let zones?): edges = zones.starts.map(Double.init)
        case (.height, _): edges = Self.even(values.compactMap(\.self))
        default: edges = Self.quantiles(values.compactMap(\.self))
        }
        self.edges = edges
        let bins = values.map { value in value.map { value in edges.count { $0 <= value } } }
        pieces = Self.pieces(line, bins, count: min(max(count, 2), Self.pointsMax), hiding: zone)
    }

    private static func value(_ point: WorkoutLine.Point, _ measure: Measure) -> Double? {
        switch measure {
        case .heartRate: point.heartRate.map(Double.init)
        case .pace: point.speed
        case .height: point.altitude
        }
    }

    /// Limits that leave as many values in each bin.
    private static func quantiles(_ values: [Double]) -> [Double] {
        let sorted = values.sorted()
        guard let least = sorted.first else { return [] }
        let edges = (1..<binsMax).map { sorted[sorted.count * $0 / binsMax] }
        return Set(edges).filter { $0 > least }.sorted()
    }

    /// Limits of equal steps of height, of a metre each at least.
    private static func even(_ values: [Double]) -> [Double] {
        guard let least = values.min(), let greatest = values.max(), greatest - least >= 1 else { return [] }
        let count = min(binsMax, Int(greatest - least) + 1)
        return (1..<max(count, 1)).map { least + (greatest - least) * Double($0) / Double(count) }
    }

    private static func pieces(_ line: WorkoutLine, _ bins: [Int?], count: Int, hiding zone: HomeZone?) -> [Piece] {
        let step = max(1, (line.points.count + count - 1) / count)
        var pieces: [Piece] = [], open: Piece?, last: CoursePoint?
        func close() {
            if let piece = open, piece.points.count > 1 { pieces.append(piece) }
            open = nil
        }
        for (at, point) in line.points.enumerated() {
            if zone?.holds(point.place) == true {
                close()
                last = nil
                continue
            }
            if point.isBehindGap {
                // The piece before the gap goes up to its end, also where that point was left out.
                if let last, open?.points.last != last { open?.points.append(last) }
                close()
                last = nil
            }
            let isChange = open.map { $0.bin != bins[at] } ?? true, isEnd = at + 1 == line.points.count
            if isChange {
                if open != nil { open?.points.append(point.place) }
                close()
                // A change of colour is at the point itself.
                open = Piece(bin: bins[at], points: [point.place])
            } else if at % step == 0 || isEnd {
                open?.points.append(point.place)
            }
            last = point.place
        }
        close()
        return pieces
    }
}
