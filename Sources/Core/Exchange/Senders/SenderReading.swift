public import Vitals

/// The contents of a request of a phone's own tracking program (OwnTracks, Traccar Client, OsmAnd).
public struct SenderReading: Sendable, Hashable {
    /// Positions and events; times are UTC. Optional values out of range are left out, and counted by an event ``StateEvent/Code/inputSkipped``.
    public var samples = SampleSet()
    /// Messages and alarms that are well formed and not for us: they are to be answered like any other.
    public var ignored = 0
    /// Unusable parts, beside the usable ones.
    public var refused: [SenderRefusal] = []
    /// The device that the request names (OsmAnd's `id`, Traccar Client's `device_id`): the caller's to check. Nil in OwnTracks.
    public var device: String?

    public init() {}

    /// Adds what another message of the same request holds.
    mutating func add(_ other: SenderReading) {
        samples.append(other.samples)
        ignored += other.ignored
        refused += other.refused
        device = device ?? other.device
    }
}

/// Why a request, or a message in it, was not used. Neither text names a place, a person or a device: both may stand in a log and in the
/// answer.
public struct SenderRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// The raw values are part of the interface.
    public enum Code: String, Sendable, CaseIterable {
        /// More bytes than the hub takes (HTTP 413).
        case tooLarge = "too_large"
        /// Not JSON, or not of the form that the program's documentation gives.
        case malformed
        /// An OwnTracks message that only the receiver's key can open.
        case encrypted
        /// No device is named, or two.
        case noDevice = "no_device"
        /// No position, alarm or battery.
        case noPosition = "no_position"
        /// The position is no number, lies outside of the earth's coordinates, or is 0, 0, which receivers send without a fix.
        case badPosition = "bad_position"
        case noTime = "no_time"
        /// The time cannot be read, lies before 2000, or is more than a day ahead.
        case badTime = "bad_time"
    }

    public var code: Code
    /// The problem.
    public var what: String
    /// The remedy.
    public var advice: String

    init(_ code: Code, _ what: String, _ advice: String) { (self.code, self.what, self.advice) = (code, what, advice) }

    public var description: String { "\(what). \(advice)" }
}

extension SenderRefusal {
    static func tooLarge(_ bytesMax: Int) -> SenderRefusal {
        SenderRefusal(.tooLarge, "The request has more than \(bytesMax) bytes", "Send fewer positions at a time")
    }

    static func malformed(_ what: String) -> SenderRefusal {
        SenderRefusal(.malformed, what, "Check in the program's settings that it sends to the right address")
    }

    static let encrypted = SenderRefusal(
        .encrypted, "The message is encrypted with a key that the hub does not have",
        "Clear the encryption key in the settings of OwnTracks: the connection itself is encrypted")
    static let noDevice = SenderRefusal(
        .noDevice, "The request does not name one device", "Enter the device's secret as its identifier in the program's settings")
    static let noPosition = SenderRefusal(
        .noPosition, "The request holds neither a position nor anything else to use", "Allow the program to use the phone's location")
    static let badPosition = SenderRefusal(
        .badPosition, "The latitude or longitude is missing, no number, out of range, or 0, 0",
        "Wait for a better reception; if it stays so, update the program")
    static let noTime = SenderRefusal(.noTime, "The position has no time", "Update the program")
    static let badTime = SenderRefusal(
        .badTime, "The time cannot be read, lies before 2000, or is more than a day ahead", "Set the phone's clock")
}
