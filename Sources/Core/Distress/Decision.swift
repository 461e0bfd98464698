public import Vitals

/// Why a reading did not count (SOS-3).
public enum Rejection: Hashable, Sendable, Codable {
    case noContact
    case outOfRange(Int)
    /// In milliseconds.
    case rrOutOfRange(Int)
    case rrDisagrees(rate: Int, fromRR: Int)
    case jump(from: Int, to: Int)
    /// The same value for that many seconds without RR intervals.
    case frozen(value: Int, seconds: Int)
    /// Seen before, or older than one that was seen.
    case repeated
    /// Age in seconds.
    case stale(seconds: Int)
    case absent(Absence)
    /// Another sensor of the same person is listened to.
    case otherSource
    /// A thermometer that cools faster than a body, in hundredths of a degree; nil: it never showed a body's temperature. It is not worn.
    case notOnBody(from: Int?, to: Int)
}

/// Why nobody can be watched, for now. None of these says anything about the heart.
public enum Absence: String, Hashable, Sendable, Codable, CaseIterable {
    case switchedOff, paused, charging, notWorn, away, frozen, noSignal
    /// Two sensors that disagree, or one that leaps to and fro: nobody can say whose heart is watched.
    case contradictory
    /// An incident is over, and monitoring was not reactivated (SOS-8).
    case waitingForReactivation
    /// No limits for this age.
    case ageNotCovered
    /// One of a newer version.
    case unknown
}

extension Absence: WireWord {
    public var nearestIn030: Absence {
        switch self {
        case .switchedOff, .paused, .charging, .notWorn, .away, .frozen, .noSignal, .contradictory, .waitingForReactivation, .ageNotCovered:
            self
        case .unknown: .noSignal
        }
    }
}

/// One thing that led to a decision, as values.
public enum Reason: Hashable, Sendable, Codable {
    case rejected(Rejection)
    case counted(value: Int)
    case beyond(Trigger, value: Int, limit: Int, Tier)
    case inside(value: Int)
    case consecutive(count: Int, milliseconds: Milliseconds)
    case context(Context)
    case speed(centimetresPerSecond: Int)
    case cadence(perMinute: Int)
    case vehicle(centimetresPerSecond: Int, heartRate: Int)
    case limits(EffectiveLimits)
    case lasted(milliseconds: Milliseconds)
    case noReading(milliseconds: Milliseconds)
    case silenced(Trigger, until: Milliseconds)
    case clearlyWorse(value: Int, than: Int)
    case flagged(Flag)
    case help
    case noAnswer(milliseconds: Milliseconds)
    case answered
    case answerBeforeQuestion
    case questionOff
    case explainedByExercise(value: Int, limit: Int)
    case absent(Absence)
    case provenance(Provenance)
    case reported(IncidentID)
    case incidentOpen(IncidentID)
    case hubReached, hubReachedNobody, hubUnreachable, hubSilent
    case attempt(Int)
    case owner(String)
    case outcome(Outcome)
    case rearmed(Trigger)
    case tooSparse
    case fixMissing(milliseconds: Milliseconds)
    /// Nobody could answer meanwhile.
    case slept(milliseconds: Milliseconds)
}

/// A decision, its time and its reasons: enough to explain an alarm, or that there was none.
public struct Decision: Hashable, Sendable, Codable {
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// Readings count from here on; or they do not. Written when it changes.
        case counting, notCounting
        case context, limits, rearmed
        case suspected, qualified, cleared, lost
        case asked, withdrawn, answered, silenced
        case raised, delivering, handedOver, taken, released, over, reactivated
        case warned, warningOver, test, ignored
    }
    public var time: Milliseconds
    public var kind: Kind
    public var reasons: [Reason]

    public init(time: Milliseconds, kind: Kind, reasons: [Reason]) {
        self.time = time
        self.kind = kind
        self.reasons = reasons
    }
}
