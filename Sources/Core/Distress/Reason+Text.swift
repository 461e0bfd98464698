public import Vitals

/// The English words of the machine's reasons: the one place where they stand, for `detect` and for technicians.
extension Reason {
    public var text: String {
        switch self {
        case .rejected(let rejection): rejection.text
        case .counted(let value): "\(value) counts"
        case .beyond(let trigger, let value, let limit, let tier): trigger.text(value: value, limit: limit, tier: tier)
        case .inside(let value): "\(value) is back inside the limits"
        case .consecutive(let count, let time): "\(count) valid readings in a row over \(Self.seconds(time))"
        case .context(let context): "context \(context.rawValue)"
        case .speed(let speed): "median speed \(Self.hundredths(speed)) m/s"
        case .cadence(let cadence): "cadence \(cadence) a minute"
        case .vehicle(let speed, let rate): "\(Self.hundredths(speed)) m/s with a heart at rest (\(rate)) is a vehicle"
        case .limits(let limits): limits.text
        case .lasted(let time): "for \(Self.seconds(time))"
        case .noReading(let time): "no valid reading for \(Self.seconds(time))"
        case .silenced(let trigger, let until): "\(trigger.text) is silent until \(Self.clock(until))"
        case .clearlyWorse(let value, let worst): "\(value) is clearly worse than \(worst)"
        case .flagged(let flag): "a device reports a \(flag.rawValue)"
        case .help: "the person asked for help"
        case .slept(let time): "the machine slept for \(Self.seconds(time))"
        case .noAnswer(let time): "no answer for \(Self.seconds(time))"
        case .fixMissing(let time): "no fix for \(Self.seconds(time))"
        case .tooSparse: "readings come too seldom to be a signal that is lost"
        case .answered: "the person answered \"I'm OK\""
        case .answerBeforeQuestion: "the answer is older than the trouble"
        case .questionOff: "the person switched the question off"
        case .explainedByExercise(let value, let limit): "\(value) is below \(limit), the limit during exercise"
        case .absent(let absence): absence.text
        case .provenance(let provenance): "the stream is \(provenance), not live: nobody is called"
        case .reported(let id): "reported by the other side as \(id)"
        case .incidentOpen(let id): "incident \(id) is open or was closed"
        case .hubReached: "the hub has reached an addressee"
        case .hubReachedNobody: "the hub has reached nobody"
        case .hubUnreachable: "the hub cannot be reached"
        case .hubSilent: "the hub gave no word in time"
        case .attempt(let attempt): "round \(attempt)"
        case .owner(let owner): "owner \(owner)"
        case .outcome(let outcome): outcome.text
        case .rearmed(let trigger):
            "\(trigger.text): inside the limits by \(DistressConstants.rearmMargin) for \(Self.seconds(DistressConstants.rearmAfter))"
        }
    }

    static func seconds(_ time: Milliseconds) -> String {
        time % 1000 == 0 ? "\(time / 1000) s" : "\(time / 1000).\((time % 1000) / 100) s"
    }

    static func hundredths(_ value: Int) -> String {
        let part = abs(value % 100)
        return "\(value / 100).\(part < 10 ? "0" : "")\(part)"
    }

    /// h:mm:ss.mmm, or with days in front of it when the axis is the wall clock's.
    public static func clock(_ time: Milliseconds) -> String {
        func two(_ value: Milliseconds) -> String { value < 10 ? "0\(value)" : "\(value)" }
        let seconds = time / 1000, rest = time % 1000
        let fraction = rest == 0 ? "" : "." + String(String(1000 + rest).dropFirst())
        return "\(seconds / 3600):\(two(seconds / 60 % 60)):\(two(seconds % 60))\(fraction)"
    }
}

extension Rejection {
    public var text: String {
        switch self {
        case .noContact: "no skin contact"
        case .notOnBody(let from?, let to):
            "\(Reason.hundredths(from)) to \(Reason.hundredths(to)): no body cools so fast, the thermometer was taken off"
        case .notOnBody(nil, let to): "\(Reason.hundredths(to)) from a thermometer that has not shown a body's temperature yet"
        case .outOfRange(let value): "\(value) is outside of what a person can have"
        case .rrOutOfRange(let interval): "an RR interval of \(interval) ms is no heartbeat's"
        case .rrDisagrees(let rate, let other): "rate \(rate) and RR intervals (\(other)) disagree"
        case .jump(let from, let to): "jump from \(from) to \(to) without RR intervals to match"
        case .frozen(let value, let seconds): "\(value) again and again for \(seconds) s"
        case .repeated: "older than a reading that was taken"
        case .stale(let seconds): "\(seconds) s old"
        case .otherSource: "another sensor is listened to as long as it counts"
        case .absent(let absence): absence.text
        }
    }
}

extension Absence {
    public var text: String {
        switch self {
        case .switchedOff: "AutomatedSOS or heart rate is switched off"
        case .paused: "monitoring is paused"
        case .charging: "the sensor is being charged"
        case .notWorn: "the sensor is not worn"
        case .away: "the wearer is away from the box"
        case .frozen: "the sensor repeats itself"
        case .noSignal: "no signal of the sensor"
        case .contradictory: "the readings contradict each other: two sensors at once, or one that is disturbed"
        case .waitingForReactivation: "an incident is over, and monitoring was not reactivated"
        case .ageNotCovered: "there are no limits for children under \(AgeTable.youngest) years"
        case .unknown: "a reason that only a newer version knows"
        }
    }
}

extension Outcome {
    public var text: String {
        switch self {
        case .answeredLate: "the person answered after the alarm was raised"
        case .falseAlarm: "the person reports a false alarm"
        case .finished(let owner): "finished by \(owner.id)"
        case .test: "a test"
        case .unknown: "an ending that only a newer version knows"
        }
    }
}

extension Trigger {
    public var text: String {
        switch self {
        case .heartRateLow: "low heart rate"
        case .heartRateHigh: "high heart rate"
        case .heartPause: "pause of the heart"
        case .temperatureLow: "low body temperature"
        case .temperatureHigh: "high body temperature"
        case .fall: "fall"
        case .seizure: "seizure"
        case .inactivity: "no sign of life"
        case .help: "call for help"
        case .unknown: "a cause that only a newer version knows"
        }
    }

    func text(value: Int, limit: Int, tier: Tier) -> String {
        let isTemperature = self == .temperatureLow || self == .temperatureHigh
        let isLow = self == .heartRateLow || self == .heartPause || self == .temperatureLow
        let (said, bound) = isTemperature ? (Reason.hundredths(value), Reason.hundredths(limit)) : ("\(value)", "\(limit)")
        return "\(text): \(said) is \(isLow ? "at or below" : "at or above") the \(tier.rawValue) limit \(bound)"
    }
}

extension EffectiveLimits {
    public var text: String {
        "critical \(rest.criticalLow) (\(lowSource.rawValue)) and \(rest.criticalHigh) (\(highSource.rawValue)), "
            + "warning \(rest.warningLow) and \(rest.warningHigh), during exercise \(exerciseHigh)"
    }
}

extension Decision {
    /// One line without its time.
    public var text: String {
        reasons.isEmpty ? kind.rawValue : "\(kind.rawValue): \(reasons.map(\.text).joined(separator: "; "))"
    }
}
