import Foundation
import Vitals

extension MadeUpYear {
    /// Minutes between two heart rates at night.
    private static let nightEvery = 2
    /// Hours of the clock at which RR intervals are recorded, and for how many beats.
    private static let quietHour = 3.0, quietBeats = 150
    /// Metres of a step while running.
    private static let stepLength = 1.05

    /// The samples of a part of one day. What has a span belongs to where it ends.
    func samples(_ index: Int, within part: Range<Milliseconds>) -> SampleSet {
        var all = samples(index)
        if part != day(index).span {
            all.heartRates.removeAll { !part.contains($0.time) }
            all.positions.removeAll { !part.contains($0.time) }
            all.events.removeAll { !part.contains($0.time) }
            all.scalars.removeAll { !part.contains(($0.end ?? $0.time) - 1) }
        }
        return all
    }

    /// All of a day, each kind in the order of time.
    func samples(_ index: Int) -> SampleSet {
        let day = day(index), workouts = workouts(index).map { (workout: $0, recorded: $0.recorded()) }
        let sleep = (night(index - 1) + night(index)).filter { day.span.overlaps($0.span) }
        var samples = SampleSet()
        if isWorn(index) {
            samples.heartRates = heartRates(day, sleep, workouts.map(\.workout.span))
            for (_, recorded) in workouts {
                samples.heartRates += recorded.samples.heartRates
                samples.positions += recorded.samples.positions
            }
            samples.heartRates.sort { $0.time < $1.time }
            samples.events = [
                StateEvent(time: day.time(12), code: .boxPower, value: 1),
                StateEvent(time: day.time(12), code: .sensorBattery, value: Int64(100 - index % 45 * 2)),
            ]
            for stage in sleep where stage.span.upperBound <= day.span.upperBound {
                append(.sleep, stage.span.lowerBound, stage.code, stage.span.upperBound, &samples)
            }
        }
        let runs = workouts.filter { $0.workout.effort != .ride }.map { (span: $0.workout.span, metres: $0.recorded.way) }
        for (hour, count) in steps(day, sleep, runs) { append(.steps, hour.lowerBound, count, hour.upperBound, &samples) }
        if day.weekday == 1 { append(.weight, day.time(7.4), Int64((form(index).weight * 20).rounded()) * 5, nil, &samples) }
        if index == 0 { append(.height, day.time(7.4), 1680, nil, &samples) }
        return samples
    }

    private func append(
        _ kind: DataKind, _ time: Milliseconds, _ value: Int64, _ end: Milliseconds?, _ samples: inout SampleSet
    ) {
        if let sample = ScalarSample(kind, time: time, value: value, end: end) { samples.scalars.append(sample) }
    }

    // MARK: The heart

    /// Outside of workouts: one a minute, half as many at night, none while the watch is charged.
    private func heartRates(_ day: Day, _ sleep: [Stage], _ workouts: [Range<Milliseconds>]) -> [HeartRateSample] {
        var random = random(day.index, .heart), samples: [HeartRateSample] = []
        let form = form(day.index), charged = day.time(7.2 + random.around(0.8)), quiet = day.time(Self.quietHour)
        let isCharged = charged..<charged + Milliseconds(22 + random.unit() * 30) * 60_000
        let isOut = (morning: day.time(8.1 + random.around(0.4)), evening: day.time(17.6 + random.around(0.6)))
        var sway = 0.0, stage = 0
        for (minute, time) in stride(from: day.span.lowerBound, to: day.span.upperBound, by: 60_000).enumerated() {
            sway += -sway / 9 + random.around(5)
            let offset = Milliseconds(random.next() % 50) * 1000
            guard !isCharged.contains(time), !workouts.contains(where: { $0.overlaps(time..<time + 60_000) }) else { continue }
            while stage < sleep.count, sleep[stage].span.upperBound <= time { stage += 1 }
            guard stage < sleep.count, sleep[stage].span.contains(time) else {
                let rate = form.resting + 14 + sway + busy(day, time, isOut) + recovery(time, workouts)
                samples.append(Self.sample(time + offset, rate))
                continue
            }
            let rate = form.resting + Self.difference(sleep[stage]) + sway * 0.2
            if (quiet..<quiet + 180_000).contains(time) {
                if time < quiet + 60_000 { samples += quietMinutes(from: time, rate, form, &random) }
            } else if minute.isMultiple(of: Self.nightEvery) {
                samples.append(Self.sample(time + offset, rate))
            }
        }
        return samples
    }

    private static func sample(_ time: Milliseconds, _ rate: Double) -> HeartRateSample {
        HeartRateSample(time: time, beatsPerMinute: UInt16(min(max(rate, 38), 190).rounded()), contact: .detected)
    }

    /// Beats a minute beyond sitting: on the way to work and back, at lunch.
    private func busy(_ day: Day, _ time: Milliseconds, _ isOut: (morning: Milliseconds, evening: Milliseconds)) -> Double {
        let walk: Milliseconds = 24 * 60_000
        if (day.time(12.7)..<day.time(13.4)).contains(time) { return 9 }
        guard !day.isWeekend else { return 3 }
        return [isOut.morning, isOut.evening].contains { ($0..<$0 + walk).contains(time) } ? 20 : 0
    }

    private func recovery(_ time: Milliseconds, _ workouts: [Range<Milliseconds>]) -> Double {
        workouts.reduce(0) { sum, workout in
            time < workout.upperBound ? sum : sum + 38 * exp(-Double(time - workout.upperBound) / 900_000)
        }
    }

    /// Beat by beat, with RR intervals.
    private func quietMinutes(
        from start: Milliseconds, _ rate: Double, _ form: Form, _ random: inout SplitMix64
    ) -> [HeartRateSample] {
        var time = start, samples: [HeartRateSample] = []
        // Two even spreads of this width make differences of that root mean square.
        let width = form.variability * 3.0.squareRoot()
        for _ in 0..<Self.quietBeats {
            let interval = 60_000 / rate + random.around(width) + random.around(width)
            time += Milliseconds(interval.rounded())
            var sample = Self.sample(time, rate)
            sample.rrIntervals = [UInt16((interval * 1.024).rounded())]
            samples.append(sample)
        }
        return samples
    }

    // MARK: Steps

    private func steps(
        _ day: Day, _ sleep: [Stage], _ runs: [(span: Range<Milliseconds>, metres: Double)]
    ) -> [(hour: Range<Milliseconds>, count: Int64)] {
        var random = random(day.index, .steps)
        return stride(from: day.span.lowerBound, to: day.span.upperBound, by: 3_600_000).compactMap { time in
            let hour = time..<time + 3_600_000, usual = 120 + random.unit() * 620
            func share(_ span: Range<Milliseconds>, of whole: Range<Milliseconds>) -> Double {
                let common = span.clamped(to: whole)
                return Double(common.upperBound - common.lowerBound) / Double(whole.upperBound - whole.lowerBound)
            }
            let asleep = sleep.reduce(0) { $0 + share($1.span, of: hour) }
            let run = runs.reduce(0) { $0 + $1.metres / Self.stepLength * share(hour, of: $1.span) }
            let count = Int64((usual * max(0, 1 - asleep) + run).rounded())
            return count > 0 ? (hour, count) : nil
        }
    }
}
