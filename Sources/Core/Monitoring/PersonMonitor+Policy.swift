import Sensing
import Vitals

/// The policy by situation (EDGE-9), and the notices about it.
extension PersonMonitor {
    /// The box's power supply, decided also before anything was found.
    var decidedFeed: BoxPower { feed ?? configuration.feed(.unknown) }

    /// A power bank feeds a phone as a charger does: one that moves hangs on no socket, unless the person said that it does.
    private var isCarried: Bool {
        configuration.role == .phone && configuration.powerOverride != .mains && position.movement.isMoving(at: now)
    }

    /// The box stays where it is.
    var stands: Bool { configuration.role == .gateway || (decidedFeed == .mains && !isCarried) }

    /// Heart rate is collected at this moment.
    var matters: Bool { pause == nil && collectsHeartRate && isChosen }

    /// | box on | sensor | readings count | positions are recorded |
    /// | --- | --- | --- | --- |
    /// | mains | worn | yes | no: nobody runs at a socket; yes while a phone moves, which then is on a power bank |
    /// | power bank, battery | worn | yes | yes |
    /// | any | charging | no, and told | yes, unless the box is a gateway: runs go on by position |
    /// | any | anything else | no | as above |
    var shouldWatch: Bool { matters && wearing == .worn }

    var shouldTrack: Bool {
        guard pause == nil, collectsPosition, configuration.hasPosition else { return false }
        return decidedFeed != .mains || isCarried || (matters && wearing == .charging && configuration.role == .phone)
    }

    /// The state of one notice for the board.
    func wish(for notice: Notice) -> NoticeBoard.Wish {
        switch notice {
        case .noSensor:
            let isMissing = pause == nil && collectsHeartRate && !isChosen
            return isMissing ? .raise(due: sensor.askedSince + MonitorConfiguration.noSensorTold) : .drop
        case .sensorLost, .sensorNotWorn, .sensorFrozen, .sensorCharging, .sensorAway: return sensorWish(for: notice)
        case .sensorBatteryLow: return has(matters && !sensor.isCharging && sensor.battery.isLow)
        case .sensorBatteryVeryLow: return has(matters && !sensor.isCharging && sensor.battery.isVeryLow)
        // At a socket it fills by itself.
        case .boxBatteryLow: return has(decidedFeed != .mains && boxBattery.isLow)
        case .boxBatteryVeryLow: return has(decidedFeed != .mains && boxBattery.isVeryLow)
        case .mainsLost: return mainsWish
        case .positionLost:
            guard watchesPosition else { return .drop }
            return position.condition(at: now) == .broken ? .raise(due: now) : .settle
        case .hubUnreachable:
            switch hub {
            case .unreachable: return .raise(due: hubSince + MonitorConfiguration.hubTold)
            case .reached: return .settle
            case .refuses, .unset, nil: return .drop
            }
        case .hubRefuses: return refusalWish { $0 != .hubUnbound }
        case .hubUnbound: return refusalWish { $0 == .hubUnbound }
        case .bufferFailing: return buffer != nil ? .raise(due: now) : .settle
        case .paused: return has(pause != nil)
        }
    }

    private func refusalWish(_ isMeant: (SourceProblem.Kind?) -> Bool) -> NoticeBoard.Wish {
        if case .refuses(let problem) = hub, isMeant(problem.kind) { return .raise(due: now) }
        // A line that is cut for a moment does not mean that the hub has changed its mind.
        if case .unreachable = hub { return .settle }
        return .drop
    }

    /// A phone is unplugged by its owner, who hears it once. What stays where it is has lost its power, also where it started without.
    private var mainsWish: NoticeBoard.Wish {
        if decidedFeed == .mains { return .settle }
        guard configuration.powerOverride == nil, decidedFeed == .battery else { return .drop }
        if configuration.role == .gateway { return .raise(due: now) }
        return has(mainsLostAt.map { now < $0 + MonitorConfiguration.mainsLostShown } ?? false)
    }

    private func has(_ condition: Bool) -> NoticeBoard.Wish { condition ? .raise(due: now) : .drop }

    private func sensorWish(for notice: Notice) -> NoticeBoard.Wish {
        guard matters else { return .drop }
        if let told = raised.first(where: { $0.notice == notice }) { return .raise(due: told.due) }
        // These two are certain when they end; contact, signal and values come and go.
        if notice == .sensorCharging || notice == .sensorAway { return .drop }
        if wearing == .worn { return .settle }
        // Contact and signal that take turns are not told at each turn.
        return wearing.isMissing && notice != .sensorFrozen ? .linger : .drop
    }

    /// The notice of the present ``wearing``, and its time.
    var raised: [(notice: Notice, due: Milliseconds)] {
        guard matters else { return [] }
        let since = max(missingUntold ?? wearingSince, sensor.askedSince)
        switch wearing {
        case .worn: return []
        case .unknown: return [(.sensorLost, sensor.askedSince + MonitorConfiguration.lostTold)]
        case .noSignal: return [(.sensorLost, since + MonitorConfiguration.lostTold)]
        case .notWorn: return [(.sensorNotWorn, since + MonitorConfiguration.notWornTold)]
        case .frozen: return [(.sensorFrozen, since)]
        case .charging: return [(.sensorCharging, since)]
        case .away: return [(.sensorAway, since)]
        }
    }

    /// Contact and signal that take turns would never be due by themselves: their times run from when both were well, until one is told.
    private var missingUntold: Milliseconds? {
        guard wearing.isMissing, !board.told.contains(where: { $0 == .sensorLost || $0 == .sensorNotWorn }) else { return nil }
        return missingSince
    }

    /// Positions matter also where they are not recorded: help must know where to go.
    var watchesPosition: Bool { pause == nil && collectsPosition && configuration.hasPosition }
}

extension Wearing {
    /// The sensor says nothing of use: it has no contact, or nothing comes.
    var isMissing: Bool { self == .noSignal || self == .notWorn }
}
