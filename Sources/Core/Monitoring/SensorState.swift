import Sensing
import Vitals

/// The reports of one person's sensor, and the conclusions from them at any time.
struct SensorState: Hashable, Sendable {
    private enum Contact: Hashable { case unknown, worn, notWorn }

    /// When watching it began: the start, a new choice, or the end of a pause.
    var askedSince: Milliseconds
    private(set) var isConnected = false
    private var connectedAt: Milliseconds?
    private(set) var problem: SourceProblem?
    /// The last reading, of whatever value.
    private(set) var heardAt: Milliseconds?
    /// The last reading that could count.
    private(set) var usableAt: Milliseconds?
    private(set) var usableValue: UInt16?
    private(set) var battery = BatteryGauge()
    private(set) var isCharging = false
    private var sign = ChargingSign()
    /// As the sensor itself says (Battery Level Status); nil where it does not. It goes before every guess.
    private var saidCharging: Bool?
    /// Said on an earlier link: on a new one it is read again.
    private var isSayingOld = false
    private var frozen = FrozenValue()
    private var contact = Contact.unknown
    /// In a row: readings without contact, and readings of somebody who wears it.
    private var withoutContact = 0
    private var alive = 0

    init(at time: Milliseconds) { askedSince = time }

    /// Whether a reading can count by itself: contact, and a rate that a person can have.
    static func isUsable(_ sample: HeartRateSample) -> Bool {
        sample.contact != .notDetected && MonitorConfiguration.countedRange.contains(sample.beatsPerMinute)
    }

    mutating func take(_ event: HeartRateEvent, at now: Milliseconds) {
        switch event {
        case .connected:
            isConnected = true
            connectedAt = now
            problem = nil
            // Somebody may have put it on, or taken it off, meanwhile.
            contact = .unknown
            isSayingOld = true
        case .measurement(let sample): take(sample, at: now)
        case .battery(let percent, _):
            battery.take(Int(percent))
            sign.take(Int(percent))
        case .charging(let said, _):
            (saidCharging, isSayingOld) = (said, false)
            if let said { isCharging = said }
        case .bodyLocation, .reading: break
        case .lost(let problem, _):
            isConnected = false
            self.problem = problem
            alive = 0
        }
    }

    private mutating func take(_ sample: HeartRateSample, at now: Milliseconds) {
        // A reading that waited in a queue is as old as it is.
        let time = min(sample.time, now)
        if let heardAt, time - heardAt > MonitorConfiguration.silence { alive = 0 }
        isConnected = true
        problem = nil
        heardAt = max(heardAt ?? time, time)
        frozen.take(sample, at: time)
        let hasContact = sample.contact != .notDetected && sample.beatsPerMinute > 0
        withoutContact = hasContact ? 0 : min(withoutContact + 1, MonitorConfiguration.readingsToDecide)
        if withoutContact == MonitorConfiguration.readingsToDecide { contact = .notWorn }
        guard Self.isUsable(sample), !frozen.isFrozen else {
            alive = 0
            return
        }
        usableAt = max(usableAt ?? time, time)
        usableValue = sample.beatsPerMinute
        alive = min(alive + 1, MonitorConfiguration.readingsToDecide)
        let decided = alive == MonitorConfiguration.readingsToDecide
        if contact == .unknown || decided { contact = .worn }
        if decided {
            sign.worn(percent: battery.percent)
            if isSayingOld { saidCharging = nil }
            isCharging = saidCharging ?? false
        }
    }

    /// Where the sensor does not say, charging begins when the level has risen and no usable reading speaks against it. A reading or two do not
    /// end it.
    mutating func settle(at now: Milliseconds) {
        guard saidCharging == nil, sign.isRising, !isCharging else { return }
        isCharging = contact == .notWorn || frozen.isFrozen || now >= quietFrom + MonitorConfiguration.silence
    }

    /// The last moment that speaks for somebody wearing it: a reading, or a new link, whose readings are about to come.
    private var quietFrom: Milliseconds { max(usableAt ?? askedSince, connectedAt ?? askedSince, askedSince) }
    /// The last moment at which it was heard, or could not have been.
    private var unheardFrom: Milliseconds { max(heardAt ?? askedSince, askedSince) }

    func isSilent(at now: Milliseconds) -> Bool {
        guard isConnected, let heardAt else { return true }
        return now >= heardAt + MonitorConfiguration.silence
    }

    /// - Parameter stands: the box stays where it is, so that a sensor out of range means a wearer who has gone.
    func wearing(at now: Milliseconds, stands: Bool) -> Wearing {
        if isCharging { return .charging }
        if isSilent(at: now) {
            if stands, now >= unheardFrom + MonitorConfiguration.awayAfter { return .away }
            return heardAt == nil && !isConnected && problem == nil ? .unknown : .noSignal
        }
        if contact == .notWorn { return .notWorn }
        if frozen.isFrozen { return .frozen }
        // Readings come, and none of them can be a person's: as good as none.
        guard let usableAt, now < usableAt + MonitorConfiguration.silence else { return .noSignal }
        return .worn
    }

    /// Times at which ``wearing(at:stands:)`` or ``settle(at:)`` may say something else, should nothing be heard.
    var turns: [Milliseconds] {
        [
            quietFrom + MonitorConfiguration.silence, unheardFrom + MonitorConfiguration.silence,
            unheardFrom + MonitorConfiguration.awayAfter,
        ] + (heardAt.map { [$0 + MonitorConfiguration.silence] } ?? [])
    }
}
