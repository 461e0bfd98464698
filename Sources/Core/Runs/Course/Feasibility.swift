extension CoursePlan {
    /// Everything that keeps the plan from being run, in the order along the line; empty for a good one.
    /// - Parameter obstacles: what the map says is near; none where no map is loaded. Not asked for where the drawn line is longer than any
    ///   course: to look at each of its metres could take memory and hours.
    public func problems(with obstacles: @autoclosure () -> [Obstacle] = []) -> [CourseProblem] {
        var problems = plainProblems
        // Geometry of impossible coordinates would only repeat that they are impossible.
        guard !problems.contains(where: { $0.code == .invalidCoordinate || $0.code == .tooManyPoints }) else { return problems }
        let kept = distinctIndices
        guard kept.count > 1 else {
            if points.count > 1 { problems.append(CourseProblem(.onePlace)) }
            return problems
        }
        let line = Polyline(kept.map { points[$0].vector })
        let drawn = line.along.last ?? 0
        problems += endProblems(line)
        problems += lengthProblems(line)
        problems += jumpProblems(line, kept)
        if drawn <= CourseLimits.lengthMax {
            let obstacles = obstacles()
            let samples = obstacles.isEmpty ? [] : Obstacle.samples(of: points, kept: kept, line: line)
            problems += obstacles.flatMap { Self.listed($0.problems(along: samples)) }
        } else if !problems.contains(where: { $0.code == .tooLong }) {
            problems.append(CourseProblem(.tooLong, value: drawn))
        }
        if problems.allSatisfy({ $0.code != .finishBeforeStart && $0.code != .outsideLine && $0.code != .laps }) {
            problems += placeProblems
        }
        return problems.enumerated().sorted {
            ($0.element.metres ?? -1, $0.offset) < ($1.element.metres ?? -1, $1.offset)
        }.map(\.element)
    }

    private static func listed(_ problems: [CourseProblem]) -> [CourseProblem] { Array(problems.prefix(CourseLimits.listedMax)) }

    private var distinctIndices: [Int] {
        var kept: [Int] = []
        for index in points.indices {
            if let last = kept.last, points[index].distance(to: points[last]) < Self.sameplace { continue }
            kept.append(index)
        }
        return kept
    }

    private var plainProblems: [CourseProblem] {
        var problems: [CourseProblem] = []
        if points.count < 2 { problems.append(CourseProblem(.tooFewPoints, value: Double(points.count))) }
        if !(1...CourseLimits.lapsMax).contains(laps) { problems.append(CourseProblem(.laps, value: Double(laps))) }
        let (count, overflow) = points.count.multipliedReportingOverflow(by: max(laps, 1))
        if overflow || count > CourseLimits.pointsMax { problems.append(CourseProblem(.tooManyPoints, value: Double(count))) }
        if !splitEvery.isFinite || splitEvery < 0 || (splitEvery > 0 && splitEvery < CourseLimits.splitMin) {
            problems.append(CourseProblem(.splits, value: splitEvery))
        }
        return problems
            + Self.listed(points.indices.filter { !points[$0].isValid }.map { CourseProblem(.invalidCoordinate, index: $0) })
    }

    private func endProblems(_ line: Polyline) -> [CourseProblem] {
        let drawn = line.along.last ?? 0, end = finish ?? drawn
        // A metre: what a page rounds the length to.
        guard start.isFinite, end.isFinite, start >= 0, start <= drawn + 1, end >= 0, end <= drawn + 1 else {
            return [CourseProblem(.outsideLine, value: drawn)]
        }
        return end <= start ? [CourseProblem(.finishBeforeStart, metres: end, metresEnd: start)] : []
    }

    private func lengthProblems(_ line: Polyline) -> [CourseProblem] {
        let drawn = line.along.last ?? 0, lap = min(finish ?? drawn, drawn) - start
        guard lap > 0, (1...CourseLimits.lapsMax).contains(laps) else { return [] }
        let length = lap * Double(laps)
        if length < CourseLimits.lengthMin { return [CourseProblem(.tooShort, value: length)] }
        if length > CourseLimits.lengthMax { return [CourseProblem(.tooLong, value: length)] }
        guard laps > 1 else { return [] }
        var once = self
        once.laps = 1
        let ends = once.line
        guard let first = ends.first, let last = ends.last else { return [] }
        let open = last.distance(to: first)
        return open > CourseLimits.openLoopMax ? [CourseProblem(.openLoop, metres: start + lap, value: open)] : []
    }

    private func jumpProblems(_ line: Polyline, _ kept: [Int]) -> [CourseProblem] {
        let steps = zip(line.along.dropFirst(), line.along).map { $0 - $1 }
        let usual = steps.sorted()[steps.count / 2]
        var gaps: [CourseProblem] = [], spikes: [CourseProblem] = []
        for (index, step) in steps.enumerated() {
            let back = index + 1 < steps.count ? line.vectors[index].distance(to: line.vectors[index + 2]) : .infinity
            if step >= max(CourseLimits.spikeMin, CourseLimits.spikeRatio * usual), index + 1 < steps.count,
                steps[index + 1] >= max(CourseLimits.spikeMin, CourseLimits.spikeRatio * usual), back < step / 5
            {
                spikes.append(
                    CourseProblem(.spike, metres: line.along[index], metresEnd: line.along[index + 2], index: kept[index + 1], value: step))
            } else if step > CourseLimits.gapAlways || (step > CourseLimits.gapUnusual && step > CourseLimits.gapRatio * usual) {
                gaps.append(
                    CourseProblem(.gap, metres: line.along[index], metresEnd: line.along[index + 1], index: kept[index], value: step))
            }
        }
        return Self.listed(gaps) + Self.listed(spikes)
    }

    private var placeProblems: [CourseProblem] {
        let course = Course(unchecked: self)
        return places.enumerated().compactMap { index, place in
            let metres = place.metres
            if let metres, metres.isFinite, metres >= 0, metres <= course.length { return nil }
            if metres == nil, place.point.isValid, !course.passes(of: place.point).isEmpty { return nil }
            return CourseProblem(.placeOffCourse, metres: metres.flatMap { $0.isFinite ? $0 : nil }, index: index)
        }
    }
}
