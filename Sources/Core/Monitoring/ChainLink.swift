public import Vitals

/// One link of the chain from the heart to whoever helps: all of them must hold (SOS-18).
public struct ChainLink: Hashable, Sendable, Codable {
    public enum Name: String, Hashable, Sendable, Codable, CaseIterable {
        /// The heart-rate sensor is connected and sends.
        case sensor
        /// The sensor is on the skin and its values are alive.
        case worn
        /// The satellite receiver, or what stands in for it.
        case position
        /// The box's own power.
        case power
        /// The database on the box takes samples.
        case buffer
        /// The hub takes what is sent.
        case hub
    }

    /// Why it does not hold, as far as the monitor itself says so.
    public enum Cause: String, Hashable, Sendable, Codable, CaseIterable {
        case paused, heartRateOff, positionOff
        case noSensor, away, charging
        /// No usable reading for some seconds; and for so long that it was told.
        case interrupted, noReading
        case notHeard, notWorn, frozen, wearUnknown
        case noPositionSource, noPosition, receiverSilent, rough, oldPosition
        case sensorBattery, boxBattery
        case noHub

        /// In the language files.
        public var key: String { "link.why.\(rawValue)" }
    }

    public enum Condition: String, Hashable, Sendable, Codable, CaseIterable {
        case good
        /// Works, and somebody should look: a low battery, an old position.
        case weak
        case broken
        /// Switched off on purpose, or not set up.
        case off
        /// Nothing was heard of it yet.
        case unknown
    }

    public var name: Name
    public var condition: Condition
    /// When it last did its work, in the box's boot clock; nil for never.
    public var lastGood: Milliseconds?
    /// The fault, in English, for a technician; nil when nothing is.
    public var detail: String?
    /// The remedy.
    public var advice: String?
    /// Key in the language files of the two, of a ``Why`` or a problem of a source; nil where only they say it.
    public var why: String?

    public init(
        name: Name, condition: Condition, lastGood: Milliseconds? = nil, detail: String? = nil, advice: String? = nil, why: String? = nil
    ) {
        self.name = name
        self.condition = condition
        self.lastGood = lastGood
        self.detail = detail
        self.advice = advice
        self.why = why
    }
}
