import Sensing
import Vitals

/// The chain, link by link, at the last told time (SOS-18).
extension PersonMonitor {
    public var links: [ChainLink] { ChainLink.Name.allCases.map(link) }

    private func link(_ name: ChainLink.Name) -> ChainLink {
        switch name {
        case .sensor: sensorLink
        case .worn: wornLink
        case .position: positionLink
        case .power: powerLink
        case .buffer: bufferLink
        case .hub: hubLink
        }
    }

    /// Why heart rate is not collected; nil when it is.
    private var offReason: (detail: String, advice: String, why: ChainLink.Cause)? {
        if pause != nil { return ("Monitoring is paused", "It goes on by itself; resume to end the pause now", .paused) }
        if !collectsHeartRate { return ("Heart rate is switched off", "Switch it on to be watched", .heartRateOff) }
        if !isChosen { return ("No heart-rate sensor was chosen", "Choose one with `trackme-agent sensors`", .noSensor) }
        return nil
    }

    private var sensorLink: ChainLink {
        var link = ChainLink(name: .sensor, condition: .good, lastGood: sensor.heardAt)
        if let offReason {
            link.set(.off, offReason.detail, offReason.advice, offReason.why)
        } else if wearing == .away {
            link.set(.broken, "The sensor is out of range of this box", "Nothing to do until its wearer is back", .away)
        } else if wearing == .charging, sensor.isSilent(at: now) {
            link.set(.broken, "The sensor is being charged", "Put it on again when it is charged", .charging)
        } else if let lost = raised.first(where: { $0.notice == .sensorLost }) {
            set(&link, lostAt: lost.due)
        } else if sensor.battery.isLow {
            let detail = "The sensor's battery is at \(sensor.battery.percent ?? 0) %"
            link.set(.weak, detail, "Charge the sensor or change its battery soon", .sensorBattery)
        }
        return link
    }

    private func set(_ link: inout ChainLink, lostAt due: Milliseconds) {
        if now >= due || board.told.contains(.sensorLost) {
            let advice = "Put the strap on, moisten its pads and come within 10 m of the box"
            link.set(.broken, "No usable reading of the sensor", advice, .noReading, unless: sensor.problem)
        } else if sensor.heardAt == nil {
            link.set(.unknown, "Nothing was heard of the sensor yet", nil, .notHeard, unless: sensor.problem)
        } else {
            link.set(.weak, "No usable reading for some seconds", nil, .interrupted)
        }
    }

    private var wornLink: ChainLink {
        var link = ChainLink(name: .worn, condition: .good, lastGood: sensor.usableAt)
        if let offReason {
            link.set(.off, offReason.detail, offReason.advice, offReason.why)
            return link
        }
        switch wearing {
        case .worn: break
        case .notWorn: link.set(.broken, "The sensor has no contact to the skin", "Put the strap on and moisten its pads", .notWorn)
        case .frozen:
            let detail = "The sensor repeats the same value without a heartbeat's interval"
            link.set(.broken, detail, "Take the sensor off and put it on again", .frozen)
        case .charging: link.set(.broken, "The sensor is being charged", "Put it on again when it is charged", .charging)
        case .noSignal, .away, .unknown: link.set(.unknown, "No reading tells whether it is worn", nil, .wearUnknown)
        }
        return link
    }

    private var positionLink: ChainLink {
        var link = ChainLink(name: .position, condition: position.condition(at: now), lastGood: position.fixAt)
        if !configuration.hasPosition {
            link.set(.off, "Nothing gives positions to this box", "Set up gpsd, or the place where the box stands", .noPositionSource)
        } else if !watchesPosition {
            let isPaused = pause != nil
            link.set(.off, isPaused ? "Monitoring is paused" : "Position is switched off", nil, isPaused ? .paused : .positionOff)
        } else if link.condition == .broken {
            let isHeard = position.isConnected == true, detail = isHeard ? "There is no position" : "Nothing is heard of the receiver"
            let advice = "Bring the receiver where it sees the sky"
            link.set(.broken, detail, advice, isHeard ? .noPosition : .receiverSilent, unless: position.problem)
        } else if link.condition == .weak {
            let isRough = position.source == .network
            let detail = isRough ? "A rough position, not from satellites" : "The position is old"
            link.set(.weak, detail, nil, isRough ? .rough : .oldPosition)
        }
        return link
    }

    private var powerLink: ChainLink {
        let isKnown = powerAt.map { now < $0 + MonitorConfiguration.powerOld } ?? false
        var link = ChainLink(name: .power, condition: isKnown ? .good : .unknown, lastGood: powerAt)
        if boxBattery.isLow, decidedFeed != .mains {
            link.set(.weak, "The box's battery is at \(boxBattery.percent ?? 0) %", "Connect the box to its charger", .boxBattery)
        }
        return link
    }

    private var bufferLink: ChainLink {
        var link = ChainLink(name: .buffer, condition: bufferTold ? .good : .unknown, lastGood: bufferGoodAt)
        if let buffer { link.set(.broken, buffer) }
        return link
    }

    private var hubLink: ChainLink {
        var link = ChainLink(name: .hub, condition: .unknown, lastGood: hubGoodAt)
        switch hub {
        case nil: break
        case .unset: link.set(.off, "This box belongs to no hub", "Enrol it with `trackme-agent enrol`", .noHub)
        case .reached: link.condition = .good
        case .unreachable(let problem):
            link.set(now >= hubSince + MonitorConfiguration.hubTold ? .broken : .weak, problem)
        case .refuses(let problem): link.set(.broken, problem)
        }
        return link
    }
}

extension ChainLink {
    /// - Parameter problem: of the source, which says more.
    fileprivate mutating func set(
        _ condition: Condition, _ detail: String, _ advice: String?, _ why: ChainLink.Cause, unless problem: SourceProblem? = nil
    ) {
        if let problem { return set(condition, problem) }
        (self.condition, self.detail, self.advice, self.why) = (condition, detail, advice, why.key)
    }

    fileprivate mutating func set(_ condition: Condition, _ problem: SourceProblem) {
        (self.condition, detail, advice, why) = (condition, problem.what, problem.advice, problem.words)
    }
}
