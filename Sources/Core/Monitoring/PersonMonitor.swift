import Sensing
public import Vitals

/// The meaning of sensor and box for one person: whether readings count, whether positions are recorded, which link of the chain is broken, and
/// what the person is told (EDGE-8, EDGE-9, SOS-18).
///
/// A value without a clock. All times are milliseconds of the box's boot clock; one that lies before an earlier one is taken as that one.
/// Nothing here raises a heart alarm, and no silence is a low heart rate: readings that count go out as ``MonitorEffect/reading(_:)``, and
/// everything else only takes the watching away.
public struct PersonMonitor: Hashable, Sendable {
    /// A pause as the person set it.
    struct Pause: Hashable, Sendable {
        var until: Milliseconds
        var utc: Milliseconds?
    }

    /// The sensor's state as recorded in the series so far: only changes are recorded.
    private struct Recorded: Hashable, Sendable {
        var isWorn: Bool?
        var isFrozen = false
        var isAway = false
        var isCharging = false
    }

    let configuration: MonitorConfiguration
    /// The latest time that was told.
    var now: Milliseconds
    var isChosen = false
    var collectsHeartRate = true
    var collectsPosition = true
    var pause: Pause?
    var sensor: SensorState
    var position: PositionState
    var feed: BoxPower?
    /// When the mains were found to be gone that had been there.
    var mainsLostAt: Milliseconds?
    /// The last look, as it is shown: at most ``MonitorConfiguration/powerShown`` before the real one.
    var powerAt: Milliseconds?
    var boxBattery = BatteryGauge()
    var hub: HubContact?
    var hubSince: Milliseconds
    var hubGoodAt: Milliseconds?
    var buffer: SourceProblem?
    var bufferTold = false
    var bufferGoodAt: Milliseconds?
    var board = NoticeBoard()
    private var boxBatteryRecorded: Int?
    private var recorded = Recorded()

    /// The conclusion about sensor and wearer.
    public private(set) var wearing = Wearing.unknown
    var wearingSince: Milliseconds
    /// Since when contact or signal have been missing, whichever of the two it was meanwhile; a moment of ``Wearing/worn`` is no end.
    var missingSince: Milliseconds?
    /// Readings count: worn, not paused, not charging, not switched off.
    public private(set) var isWatching = false
    /// Positions are recorded.
    public private(set) var isTracking = false

    /// - Parameter time: now, by the boot clock.
    public init(configuration: MonitorConfiguration, at time: Milliseconds) {
        self.configuration = configuration
        now = time
        hubSince = time
        wearingSince = time
        sensor = SensorState(at: time)
        position = PositionState(at: time)
    }

    /// Takes what has happened by `time` and says what is to be done. Tell ``MonitorEvent/tick`` at ``deadline``.
    public mutating func handle(_ event: MonitorEvent, at time: Milliseconds) -> [MonitorEffect] {
        now = max(now, time)
        var effects = endPause()
        effects += take(event)
        sensor.settle(at: now)
        effects += conclude()
        if case .heartRate(.measurement(let sample)) = event, isWatching, SensorState.isUsable(sample), isFresh(sample) {
            effects.append(.reading(sample))
        }
        return effects
    }

    /// When ``MonitorEvent/tick`` is due at the latest, should nothing else be told before: later than the last told time.
    public var deadline: Milliseconds? {
        let powerTurn = powerAt.map { $0 + MonitorConfiguration.powerOld }
        let turns =
            [pause?.until, board.deadline, powerTurn, mainsLostAt.map { $0 + MonitorConfiguration.mainsLostShown }].compactMap(\.self)
            + sensor.turns + position.turns
        return turns.filter { $0 > now && $0 < .max }.min()
    }

    private func isFresh(_ sample: HeartRateSample) -> Bool { sample.time > now - MonitorConfiguration.silence }

    // MARK: - Taking

    private mutating func take(_ event: MonitorEvent) -> [MonitorEffect] {
        switch event {
        case .heartRate(let event): sensor.take(event, at: now)
        case .position(let event): position.take(event, at: now)
        case .receiver(let problem): position.take(problem)
        case .power(let found, let percent): return takePower(found, percent)
        case .pause(let until, let utc): return takePause(Pause(until: until, utc: utc))
        case .resume: return pause == nil ? [] : resume()
        case .hub(let contact): take(contact)
        case .buffer(let problem, let time):
            (buffer, bufferTold) = (problem, true)
            if problem == nil { bufferGoodAt = time.map { min($0, now) } ?? now }
        case .sensorChosen(let chosen):
            isChosen = chosen
            sensor = SensorState(at: now)
        case .kinds(let heartRate, let position): return takeKinds(heartRate: heartRate, position: position)
        case .tick: break
        }
        return []
    }

    private mutating func take(_ contact: HubContact) {
        if case .reached(let time?) = contact { hubGoodAt = min(time, now) }
        let before = hub
        hub = contact
        // Another reason for the same silence does not begin it anew.
        if case .unreachable = before, case .unreachable = contact { return }
        if before != contact { hubSince = now }
    }

    private mutating func takePower(_ found: BoxPower, _ percent: Int?) -> [MonitorEffect] {
        if powerAt.map({ now >= $0 + MonitorConfiguration.powerShown }) ?? true { powerAt = now }
        boxBattery.take(percent)
        var effects: [MonitorEffect] = []
        let decided = configuration.feed(found)
        if decided == .mains { mainsLostAt = nil } else if feed == .mains, found == .battery { mainsLostAt = now }
        if decided != feed { effects.append(record(.boxPower, decided.recorded)) }
        feed = decided
        if let percent, boxBatteryRecorded.map({ abs($0 - percent) >= MonitorConfiguration.batteryRecorded }) ?? true {
            boxBatteryRecorded = percent
            effects.append(record(.boxBattery, Int64(percent)))
        }
        return effects
    }

    private mutating func takeKinds(heartRate: Bool, position: Bool) -> [MonitorEffect] {
        guard heartRate != collectsHeartRate || position != collectsPosition else { return [] }
        if heartRate, !collectsHeartRate { sensor.askedSince = now }
        if position, !collectsPosition { self.position.askedSince = now }
        (collectsHeartRate, collectsPosition) = (heartRate, position)
        return [record(.kindsChosen, (heartRate ? 1 : 0) + (position ? 2 : 0))]
    }

    // MARK: - Pause

    private mutating func takePause(_ pause: Pause) -> [MonitorEffect] {
        // One that ended while the box was off.
        guard pause.until > now else { return resume() }
        guard pause != self.pause else { return [] }
        self.pause = pause
        return [record(.paused, pause.utc ?? 0)]
    }

    private mutating func endPause() -> [MonitorEffect] {
        guard let pause, now >= pause.until else { return [] }
        return resume()
    }

    /// Nothing was looked at meanwhile: sensor and receiver have their time to come back before anything is told.
    private mutating func resume() -> [MonitorEffect] {
        pause = nil
        sensor.askedSince = now
        position.askedSince = now
        return [record(.resumed)]
    }

    // MARK: - Concluding

    private mutating func conclude() -> [MonitorEffect] {
        let concluded = sensor.wearing(at: now, stands: stands)
        if concluded != wearing { turn(to: concluded) }
        return recordWearing() + switchOver() + tell()
    }

    private mutating func turn(to next: Wearing) {
        let isStillMissing = wearing.isMissing || (wearing == .worn && now < wearingSince + MonitorConfiguration.settled)
        if !isStillMissing { missingSince = nil }
        if next.isMissing, missingSince == nil {
            // Silence is noticed only after a while, the end of a link and of contact at once.
            let isSilence = next == .noSignal && sensor.isConnected && sensor.heardAt != nil
            missingSince = now - (isSilence ? MonitorConfiguration.silence : 0)
        }
        (wearing, wearingSince) = (next, now)
    }

    private mutating func switchOver() -> [MonitorEffect] {
        var effects: [MonitorEffect] = []
        let (watching, tracking) = (shouldWatch, shouldTrack)
        if watching != isWatching { effects.append(.watching(watching)) }
        if tracking != isTracking { effects.append(.tracking(tracking)) }
        (isWatching, isTracking) = (watching, tracking)
        return effects
    }

    /// Conclusions made while nothing is collected are not recorded; those that still hold afterwards are.
    private mutating func recordWearing() -> [MonitorEffect] {
        guard matters else { return [] }
        var next = recorded
        if wearing == .worn { next.isWorn = true }
        if wearing == .notWorn { next.isWorn = false }
        next.isFrozen = wearing == .frozen
        next.isAway = wearing == .away
        next.isCharging = wearing == .charging
        defer { recorded = next }
        var effects: [MonitorEffect] = []
        if let isWorn = next.isWorn, isWorn != recorded.isWorn { effects.append(record(.sensorContact, isWorn ? 1 : 0)) }
        if next.isFrozen != recorded.isFrozen { effects.append(record(.sensorFrozen, next.isFrozen ? 1 : 0)) }
        if next.isAway != recorded.isAway { effects.append(record(.sensorAway, next.isAway ? 1 : 0)) }
        if next.isCharging != recorded.isCharging { effects.append(record(.sensorCharging, next.isCharging ? 1 : 0)) }
        return effects
    }

    private mutating func tell() -> [MonitorEffect] {
        Notice.allCases.compactMap { board.update($0, wish(for: $0), at: now) }
    }

    private func record(_ code: StateEvent.Code, _ value: Int64 = 0) -> MonitorEffect {
        .record(StateEvent(time: now, code: code, value: value))
    }
}
