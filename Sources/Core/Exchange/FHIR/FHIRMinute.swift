internal import Vitals

/// Collects the samples of one kind minute by minute.
struct FHIRMinute<Sample: Sendable>: Sendable {
    /// The samples of one minute of UTC, in the order of time; never empty.
    struct Full: Sendable {
        /// When the minute begins.
        var start: Milliseconds
        var provenance: Provenance
        var times: [Milliseconds]
        var samples: [Sample]

        /// The second, counted from the start of the minute, of a time.
        private func second(_ time: Milliseconds) -> Int { Int((time - start) / 1000) }

        private var seconds: ClosedRange<Int> {
            let all = times.map(second)
            return (all.min() ?? 0)...(all.max() ?? 0)
        }

        /// The seconds from the first sample to the last; of several samples in one second the last.
        var grid: [Sample?] {
            let seconds = seconds
            var grid = [Sample?](repeating: nil, count: seconds.count)
            for (time, sample) in zip(times, samples) { grid[second(time) - seconds.lowerBound] = sample }
            return grid
        }

        /// When the first second of the grid begins, and when the last one does.
        var gridStart: Milliseconds { start + Milliseconds(seconds.lowerBound) * 1000 }
        var gridEnd: Milliseconds { start + Milliseconds(seconds.upperBound) * 1000 }
    }

    /// More in one minute begins another part of it: a sensor sends one to four in a second.
    static var samplesMax: Int { 600 }

    private var open: Full?

    /// Takes a sample. Returns the minute before, when this sample is not part of it.
    mutating func add(_ sample: Sample, at time: Milliseconds, _ provenance: Provenance) -> Full? {
        let time = min(max(time, UTCText.range.lowerBound), UTCText.range.upperBound)
        let start = time.flooredQuotient(by: 60_000) * 60_000
        if let minute = open, minute.start == start, minute.provenance == provenance, minute.samples.count < Self.samplesMax {
            open?.times.append(time)
            open?.samples.append(sample)
            return nil
        }
        defer { open = Full(start: start, provenance: provenance, times: [time], samples: [sample]) }
        return open
    }

    /// The minute that has begun.
    mutating func take() -> Full? {
        defer { open = nil }
        return open
    }
}
