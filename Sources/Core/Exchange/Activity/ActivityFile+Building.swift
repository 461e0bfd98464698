internal import Vitals

/// Steps that readers of all formats share.
extension ActivityFile {
    /// 0.1 a minute.
    static let cadences = Int32(DataKind.cadence.entry.range.lowerBound)...Int32(DataKind.cadence.entry.range.upperBound)
    /// 0.1 degrees Celsius.
    static let temperatures: ClosedRange<Int16> = -1000...1000
    /// Watts.
    static let powers: ClosedRange<UInt16> = 0...10_000

    /// Of sessions and the first point.
    var earliest: Milliseconds? {
        let first = points.lazy.compactMap(\.time).first ?? heartRates.first?.time
        return (sessions.compactMap(\.start) + [first].compactMap(\.self)).min()
    }

    func refusePoint(at byte: Int, _ problems: inout ActivityProblems) {
        problems.note(.tooManyPoints, byte: byte, Self.pointsMaxText)
    }

    private static let pointsMaxText = "\(Limits.pointsMax)"

    /// - Returns: false where no more points are taken.
    @discardableResult
    mutating func add(_ point: ActivityPoint, isNewSegment: Bool = false, at byte: Int, _ problems: inout ActivityProblems) -> Bool {
        guard points.count < Limits.pointsMax else {
            refusePoint(at: byte, &problems)
            return false
        }
        if point.time == nil { problems.note(.noTime, byte: byte) }
        if let time = point.time, let last = points.last?.time, time < last { problems.note(.backwards, byte: byte) }
        if segments.isEmpty || isNewSegment, segments.count < Limits.sectionsMax { segments.append(points.count) }
        points.append(point)
        return true
    }

    /// The cadence of points from this one on counts one foot: makes it that of both.
    /// - Parameter span: UTC; only points in it.
    mutating func countBothFeet(
        from first: Int, in span: ClosedRange<Milliseconds>? = nil, _ problems: inout ActivityProblems, at byte: Int
    ) {
        for index in first..<max(first, points.count) {
            guard let cadence = points[index].cadence else { continue }
            if let span, points[index].time.map(span.contains) != true { continue }
            let both = cadence * 2
            points[index].cadence = Self.cadences.contains(both) ? both : nil
            if points[index].cadence == nil { problems.note(.value, byte: byte, "cadence") }
        }
    }
}
