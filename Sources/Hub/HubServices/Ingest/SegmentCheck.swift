import Segments
import SyncProtocol
import Vitals

/// The check of segments on arrival (DATA-3). An agent keeps to ``SampleLimits`` by itself, so a refusal here means a mistake in it or a foreign sender.
enum SegmentCheck {
    /// Of all kinds together, without those that are bounded by segment.
    private static let densityOfAll = DataKind.allCases.filter {
        $0.column == $0 && !$0.isAttachment && $0 != .gap && $0 != .clock
    }.reduce(0) { $0 + $1.densityMax }

    /// Why a segment cannot be taken, by what it says of itself: it is not decoded then.
    static func refusal(byHeader header: SegmentHeader) -> SyncAnswer.Refusal? {
        let known = densityOfAll
        // Before times and count are checked they may be anything.
        let (span, overflow) = header.lastTime.subtractingReportingOverflow(header.firstTime)
        guard header.count > known, !overflow, span >= 0, span < SampleLimits.boottimeMax else { return nil }
        let windows = Int(span / SampleDensity.window) + 1
        guard header.count >= known * SampleDensity.refusedFactor * windows + SampleLimits.gapsMax + SampleLimits.clocksMax else {
            return nil
        }
        return .init(
            sequence: header.sequence, reason: .range,
            detail: "\(header.count) samples within \(span / 1000) s: no sensor measures so often")
    }

    /// Which kind has more samples in some 10 s than are thinned.
    private static func tooDense(_ samples: SampleSet) -> String? {
        func peak<Sample: TimedSample>(_ name: String, _ list: [Sample], _ max: Int) -> String? {
            guard list.count >= max * SampleDensity.refusedFactor else { return nil }
            let peak = SampleDensity.peak(of: list.map { $0.time })
            guard peak >= max * SampleDensity.refusedFactor else { return nil }
            return "\(peak) \(name) within 10 s: \(max) are kept, and a segment with \(max * SampleDensity.refusedFactor) is refused"
        }
        // Batches that a box sends every ten seconds are not looked at.
        guard samples.count >= SampleDensity.scalarsMax * SampleDensity.refusedFactor else { return nil }
        for column in samples.columns {
            let problem: String? =
                switch column {
                case .heartRates(let list): peak("heart rates", list, SampleDensity.heartRatesMax)
                case .positions(let list): peak("positions", list, SampleDensity.positionsMax)
                case .events(let list): peak("events", list, SampleDensity.eventsMax)
                case .scalars(let kind, let list): peak("samples of \(kind.name)", list, kind.densityMax)
                // Bounded for the whole segment, above; what cannot be read has no times.
                case .gaps, .clocks, .unknown: nil
                }
            if let problem { return problem }
        }
        return nil
    }

    /// Why a segment cannot be taken; nil when it can.
    static func refusal(of segment: Segment, now: Milliseconds) -> SyncAnswer.Refusal? {
        func refused(_ reason: SyncAnswer.Refusal.Reason, _ detail: String) -> SyncAnswer.Refusal {
            SyncAnswer.Refusal(sequence: segment.header.sequence, reason: reason, detail: detail)
        }
        let times: ClosedRange<Milliseconds> =
            switch segment.header.clock {
            case .boottime: 0...SampleLimits.boottimeMax
            case .wall, .recorded: SampleLimits.earliest...(now + SampleLimits.aheadMax)
            }
        let samples = segment.samples
        guard samples.events.count <= SampleLimits.eventsMax, samples.gaps.count <= SampleLimits.gapsMax,
            samples.clocks.count <= SampleLimits.clocksMax
        else { return refused(.range, "more events, gap or clock records than any box writes") }
        // The header's times are what the store goes by, also for kinds that this hub cannot read.
        guard segment.header.count > 0 else { return refused(.malformed, "the segment is empty") }
        for time in [segment.header.firstTime, segment.header.lastTime] where !times.contains(time) {
            return refused(.time, "a time of \(time) ms is outside \(times): check the box's clock")
        }
        if let range = segment.samples.timeRange {
            guard range.lowerBound >= times.lowerBound else {
                return refused(.time, "a time of \(range.lowerBound) ms is before \(times.lowerBound) ms")
            }
            guard range.upperBound <= times.upperBound else {
                return refused(.time, "a time of \(range.upperBound) ms is after \(times.upperBound) ms: check the box's clock")
            }
        }
        if let detail = tooDense(samples) { return refused(.range, detail) }
        for (index, sample) in segment.samples.heartRates.enumerated() where sample.beatsPerMinute > SampleLimits.beatsPerMinuteMax {
            return refused(
                .range, "heart rate \(index): \(sample.beatsPerMinute) per minute is more than \(SampleLimits.beatsPerMinuteMax)")
        }
        for sample in segment.samples.scalars {
            if let problem = sample.problem { return refused(.range, problem) }
        }
        for (index, sample) in segment.samples.positions.enumerated() {
            guard abs(Int64(sample.latitude)) <= 900_000_000, abs(Int64(sample.longitude)) <= 1_800_000_000 else {
                return refused(.range, "position \(index) is not on the globe")
            }
            if let altitude = sample.altitude, !SampleLimits.altitude.contains(altitude) {
                return refused(.range, "position \(index): altitude \(altitude / 10) m")
            }
            if let speed = sample.speed, !SampleLimits.speed.contains(speed) {
                return refused(.range, "position \(index): speed \(speed / 100) m/s")
            }
            if let course = sample.course, !SampleLimits.course.contains(course) {
                return refused(.range, "position \(index): course \(course / 100) degrees")
            }
        }
        return nil
    }
}
