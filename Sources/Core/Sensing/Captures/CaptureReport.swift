public import Vitals

/// Why something in a Bluetooth capture was not used.
public enum CaptureSkip: UInt8, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    // The container
    case unknownBlock
    case malformedBlock
    case foreignInterface
    case packetWithoutTime
    case cutByRecorder
    case cutAtEnd
    case unreadable
    // HCI and link layer
    case malformedPacket
    case otherHCI
    case otherLinkLayer
    case badCRC
    case retransmitted
    case encrypted
    case orphanFragment
    case fragmentMissing
    case otherChannel
    // ATT
    case malformedATT
    case otherATT
    case unknownHandle
    case otherCharacteristic
    case emptyHeartRate
    case valueCutShort
    case energyCutShort
    case intervalCutShort
    case trailingBytes
    case malformedBattery
    case malformedLocation
    case malformedTemperaturePlace

    init(_ reason: HeartRateMeasurement.Malformed) {
        switch reason {
        case .empty: self = .emptyHeartRate
        case .valueCutShort: self = .valueCutShort
        case .energyCutShort: self = .energyCutShort
        case .intervalCutShort: self = .intervalCutShort
        }
    }

    public var description: String {
        switch self {
        case .unknownBlock: "pcapng block of an unknown kind"
        case .malformedBlock: "malformed pcapng block"
        case .foreignInterface: "packet of an interface that is not Bluetooth"
        case .packetWithoutTime: "packet without a time"
        case .cutByRecorder: "packet kept only in part by the recorder"
        case .cutAtEnd: "record cut short by the end of the file"
        case .unreadable: "rest of the file after damage (bytes)"
        case .malformedPacket: "malformed packet"
        case .otherHCI: "HCI packet of another kind (commands, other events, voice)"
        case .otherLinkLayer: "link-layer packet without data (advertising, control, empty)"
        case .badCRC: "packet with a wrong checksum"
        case .retransmitted: "packet sent again by the link layer"
        case .encrypted: "packet of an encrypted link"
        case .orphanFragment: "continuation without its beginning"
        case .fragmentMissing: "packet whose continuation is missing"
        case .otherChannel: "L2CAP packet of another channel"
        case .malformedATT: "malformed ATT PDU"
        case .otherATT: "ATT PDU without a reading"
        case .unknownHandle: "notification of an unknown handle"
        case .otherCharacteristic: "notification of another characteristic"
        case .emptyHeartRate: "heart rate: empty value"
        case .valueCutShort: "heart rate: cut short in the value"
        case .energyCutShort: "heart rate: cut short in the energy"
        case .intervalCutShort: "heart rate: odd byte after the last RR interval"
        case .trailingBytes: "heart rate: bytes behind what the flags announce"
        case .malformedBattery: "battery level: not one byte of 0 to 100"
        case .malformedLocation: "body sensor location: not one byte"
        case .malformedTemperaturePlace: "temperature type: not one byte of 1 to 9"
        }
    }
}

/// The contents of a Bluetooth capture: packets that were used, and those skipped, by reason.
public struct CaptureReport: Sendable, Hashable, CustomStringConvertible {
    /// The container and its link type; "nothing" before enough bytes were read to tell.
    public internal(set) var format = "nothing"
    public internal(set) var bytes: Int64 = 0
    /// Packets that the container held.
    public internal(set) var packets: UInt64 = 0
    /// Connections whose begin was seen, or that turned up with data.
    public internal(set) var connections: UInt64 = 0
    public internal(set) var encryptedConnections: UInt64 = 0
    /// Handle value notifications and indications of any characteristic.
    public internal(set) var notifications: UInt64 = 0
    public internal(set) var measurements: UInt64 = 0
    public internal(set) var batteryLevels: UInt64 = 0
    public internal(set) var bodyLocations: UInt64 = 0
    /// Readings of sensors beside the heart rate, by kind.
    public private(set) var readings: [DataKind: UInt64] = [:]
    public private(set) var batteryStates: UInt64 = 0
    /// Warnings to the reader of the recording, at most ``warningsMax``; later ones are only counted.
    public internal(set) var warnings: [String] = []
    public internal(set) var warningsLeftOut: UInt64 = 0
    private var counts = [UInt64](repeating: 0, count: CaptureSkip.allCases.count)
    private var problems: [SensorValueProblem: UInt64] = [:]

    public static let warningsMax = 16

    /// How often that reason was met; for ``CaptureSkip/unreadable`` the number of bytes.
    public subscript(reason: CaptureSkip) -> UInt64 { counts[Int(reason.rawValue)] }

    /// How often a value of a sensor beside the heart rate had that problem.
    public subscript(problem: SensorValueProblem) -> UInt64 { problems[problem] ?? 0 }

    /// Everything that was not used, in a fixed order, without the reasons that were never met.
    public var skipped: [(reason: String, count: UInt64)] {
        CaptureSkip.allCases.map { ("\($0)", self[$0]) }.filter { $0.1 > 0 }
            + SensorValueProblem.allCases.map { ("\($0)", self[$0]) }.filter { $0.1 > 0 }
    }

    /// Records that are damaged or that cannot be used though they are of the kind that is wanted: what an operator should look at.
    public var damaged: UInt64 {
        let harmless: Set<CaptureSkip> = [
            .unknownBlock, .foreignInterface, .otherHCI, .otherLinkLayer, .retransmitted, .otherChannel,
            .otherATT, .otherCharacteristic, .unreadable, .encrypted, .unknownHandle,
        ]
        return CaptureSkip.allCases.reduce(0) { harmless.contains($1) ? $0 : $0 + self[$1] }
            + problems.reduce(0) { $1.key.isHarmless ? $0 : $0 + $1.value } + (self[CaptureSkip.unreadable] > 0 ? 1 : 0)
    }

    /// Named only where there are any: most captures hold a strap alone.
    private var others: String {
        let counted = DataKind.allCases.compactMap { kind in readings[kind].map { ($0, Self.plurals[kind] ?? kind.name) } }
        return (counted + (batteryStates > 0 ? [(batteryStates, "battery states")] : [])).map { ", \($0.0) \($0.1)" }.joined()
    }

    /// As release 0.3.0 wrote them.
    private static let plurals: [DataKind: String] = [.bodyTemperature: "temperatures", .cadence: "cadences"]

    mutating func note(_ event: HeartRateEvent) {
        switch event {
        case .reading(let reading): readings[reading.kind, default: 0] += 1
        case .charging: batteryStates += 1
        case .connected, .measurement, .battery, .bodyLocation, .lost: break
        }
    }

    mutating func skip(_ problem: SensorValueProblem) { problems[problem, default: 0] += 1 }

    mutating func skip(_ reason: CaptureSkip, count: UInt64 = 1) { counts[Int(reason.rawValue)] += count }

    mutating func warn(_ text: String) {
        if warnings.contains(text) { return }
        if warnings.count < Self.warningsMax { warnings.append(text) } else { warningsLeftOut += 1 }
    }

    public var description: String {
        var lines = [
            "\(format): \(bytes) bytes, \(packets) packets, \(connections) connections (\(encryptedConnections) encrypted)",
            "read: \(measurements) heart rates, \(batteryLevels) battery levels, \(bodyLocations) body locations\(others)"
                + " (of \(notifications) notifications)",
        ]
        lines += skipped.map { "skipped: \($0.count) x \($0.reason)" }
        lines += warnings.map { "warning: \($0)" }
        if warningsLeftOut > 0 { lines.append("warning: \(warningsLeftOut) more") }
        return lines.joined(separator: "\n")
    }
}
