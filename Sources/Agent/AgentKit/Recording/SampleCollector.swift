internal import Sensing
internal import Vitals

/// Turns what sources tell into the samples of one person. The same for live sensors and replays.
struct SampleCollector {
    private(set) var samples = SampleSet()
    /// Of the last position; nil before the first.
    private var positionTime: Milliseconds?
    private var hasFix = false
    private var isCharging = false
    private var heartRateGate = DensityGate(max: SampleDensity.heartRatesMax)
    private var positionGate = DensityGate(max: SampleDensity.positionsMax)
    private var eventGate = DensityGate(max: SampleDensity.eventsMax)
    /// Of those scalar kinds that came.
    private var scalarGates: [DataKind: DensityGate] = [:]
    /// Samples that were left out because the source was denser than ``SampleDensity``.
    private(set) var thinned = 0

    mutating func take(_ event: HeartRateEvent) {
        switch event {
        case .connected(let time): note(.sensorConnected, time)
        case .measurement(let sample):
            guard event.implausible == 0 else { return noteLeftOut(event.implausible, sample.time) }
            guard heartRateGate.admits(sample.time) else { return noteThinned(sample.time) }
            samples.heartRates.append(sample)
        case .battery(let percent, let time): note(.sensorBattery, time, Int64(percent))
        case .bodyLocation(let location, let time): note(.bodyLocation, time, Int64(location))
        case .lost(_, let time): note(.sensorLost, time)
        // Of a recording: live, the monitor says what follows from it.
        case .charging(let isCharging?, let time) where isCharging != self.isCharging:
            self.isCharging = isCharging
            note(.sensorCharging, time, isCharging ? 1 : 0)
        case .charging: break
        case .reading(let reading):
            guard event.implausible == 0 else { return noteLeftOut(event.implausible, reading.time) }
            guard scalarGates[reading.kind, default: DensityGate(max: reading.kind.densityMax)].admits(reading.time) else {
                return noteThinned(reading.time)
            }
            samples.scalars.append(reading)
        }
    }

    mutating func take(_ event: PositionEvent) {
        switch event {
        case .connected: break
        case .fix(var sample, _):
            guard positionGate.admits(sample.time) else { return noteThinned(sample.time) }
            noteLeftOut(sample.clearImplausible(), sample.time)
            if !hasFix { note(.fixAcquired, sample.time) }
            (hasFix, positionTime) = (true, sample.time)
            samples.positions.append(sample)
        case .noFix(let time), .stale(_, let time), .lost(_, let time):
            // Sources repeat these; readers need the change only.
            if hasFix { note(.fixLost, time, max(0, time - (positionTime ?? time))) }
            hasFix = false
        }
    }

    mutating func take(_ event: StateEvent) { note(event) }

    /// Samples collected since the last time.
    mutating func takeSamples() -> SampleSet {
        defer { samples = SampleSet() }
        return samples
    }

    /// Puts back what could not be sealed.
    mutating func putBack(_ earlier: SampleSet) {
        var all = earlier
        all.append(samples)
        samples = all
    }

    private mutating func note(_ event: StateEvent) {
        guard event.code.isSOS || event.code == .inputSkipped || eventGate.admits(event.time) else { return noteThinned(event.time) }
        samples.events.append(event)
    }

    mutating func noteSkipped(_ count: Int64, _ time: Milliseconds) { note(.inputSkipped, time, count) }

    /// The hub would leave it out, or refuse the segment; this way it is told where it came from.
    private mutating func noteThinned(_ time: Milliseconds) {
        thinned += 1
        noteLeftOut(1, time)
    }

    /// One event for all of a segment: a receiver that is wrong once a second must not double its samples.
    private mutating func noteLeftOut(_ count: Int, _ time: Milliseconds) {
        guard count > 0 else { return }
        if let index = samples.events.lastIndex(where: { $0.code == .inputSkipped }) {
            samples.events[index].value += Int64(count)
        } else {
            noteSkipped(Int64(count), time)
        }
    }

    private mutating func note(_ code: StateEvent.Code, _ time: Milliseconds, _ value: Int64 = 0) {
        note(StateEvent(time: time, code: code, value: value))
    }
}

extension SampleSet {
    /// Removes the older half of each kind; SOS records stay.
    mutating func dropOlderHalf() {
        heartRates.removeFirst(heartRates.count / 2)
        positions.removeFirst(positions.count / 2)
        events = events.prefix(events.count / 2).filter(\.code.isSOS) + events.dropFirst(events.count / 2)
        clocks.removeFirst(clocks.count / 2)
        scalars = scalars.byKind.flatMap { $0.samples.dropFirst($0.samples.count / 2) }
    }
}
