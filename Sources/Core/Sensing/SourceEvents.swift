public import Vitals

/// An event of a Bluetooth sensor, live or replayed: the heart rate, or another measured kind. Times are in the clock domain that the source was made with.
public enum HeartRateEvent: Sendable, Hashable {
    /// Notifications are on.
    case connected(time: Milliseconds)
    case measurement(HeartRateSample)
    /// Battery Level (0x2A19), 0 to 100 percent.
    case battery(percent: UInt8, time: Milliseconds)
    /// Body Sensor Location (0x2A38): 0 other, 1 chest, 2 wrist, 3 finger, 4 hand, 5 ear lobe, 6 foot.
    case bodyLocation(UInt8, time: Milliseconds)
    /// Battery Level Status (0x2BED): whether the sensor lies at its charger; nil where it does not know.
    case charging(Bool?, time: Milliseconds)
    /// Measurements beside the heart rate, by the table of kinds.
    case reading(ScalarSample)
    /// No readings from here on. `problem` says what to do; nothing about the heart can be concluded.
    case lost(SourceProblem, time: Milliseconds)
}

/// An event of a position source, live or replayed.
public enum PositionEvent: Sendable, Hashable {
    /// The source answers; there may be no fix yet.
    case connected(time: Milliseconds)
    /// A fix. `utc`: the receiver's own UTC time of it, where it gave a credible one.
    case fix(PositionSample, utc: Milliseconds?)
    /// The receiver reports that it has no fix.
    case noFix(time: Milliseconds)
    /// Nothing arrived for `age` milliseconds: the last position is old.
    case stale(age: Milliseconds, time: Milliseconds)
    case lost(SourceProblem, time: Milliseconds)
}

/// Why a source does not deliver, in words for the person at the box.
public struct SourceProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// The problem, and where it is.
    public var what: String
    /// The remedy.
    public var advice: String
    /// Whether the source goes on trying by itself.
    public var retries: Bool
    /// For which pages have words in their reader's language; nil where only the words above say it.
    public var kind: Kind?

    public init(what: String, advice: String, retries: Bool, kind: Kind? = nil) {
        (self.what, self.advice, self.retries, self.kind) = (what, advice, retries, kind)
    }

    /// Key of ``kind`` in the language files.
    public var words: String? { kind.map { "problem.\($0.rawValue)" } }

    /// Why somebody was not called or texted, and why a link of the chain does not hold. Under `problem.` in the language files.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case noModem, noSIM, noNetwork, notAllowed, modemHangs
        /// The modem or its network refused for another reason.
        case refused
        /// The network took the text and could not hand it on.
        case undelivered
        case notTaken, noSound, noHooks, hook
        /// An answer to an alarm of before.
        case oldAnswer

        /// It sleeps, is too far away, or its battery is empty.
        case strapAway
        /// Another program or device has it.
        case strapTaken
        /// Connected, and sends no readings.
        case strapSilent
        /// It does not do as it should.
        case strapFails
        /// It gives readings to a paired box only.
        case strapUnpaired
        case noStrap
        case noAdapter
        /// Off, blocked, or out of this program's reach.
        case noBluetooth
        case noGPSD, noReceiver, simulated
        case hubNotYet, hubAway, hubRefuses
        /// It takes what the box sends, but not of this person, of whom it does not know.
        case hubUnbound
        /// It answers nothing although something waits for it.
        case hubSilent
        case sendingStuck
        /// It takes nothing, or does not come back.
        case diskFails
        case readingsLost
    }

    public var description: String { "\(what). \(advice)" }
}
