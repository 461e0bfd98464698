internal import Vitals

/// The words of the exports for what is stored as numbers: part of the formats, so none of them ever changes.
extension Provenance {
    var exportName: StaticString {
        switch self {
        case .live: "live"
        case .replay: "replay"
        case .import: "import"
        case .drill: "drill"
        case .manual: "manual"
        }
    }

    /// A rehearsal or a recording played again: whoever reads it elsewhere must not take it for something that happened now.
    var isTest: Bool { self == .replay || self == .drill }
}

extension SensorContact {
    /// Nil when the sensor cannot tell.
    var exportName: StaticString? {
        switch self {
        case .unsupported: nil
        case .notDetected: "not_detected"
        case .detected: "detected"
        }
    }
}

extension FixMode {
    /// Nil when it is not known.
    var exportName: StaticString? {
        switch self {
        case .unknown: nil
        case .twoDimensional: "2d"
        case .threeDimensional: "3d"
        }
    }
}

extension PositionSource {
    var exportName: StaticString {
        switch self {
        case .gnss: "gnss"
        case .fixed: "fixed"
        case .network: "network"
        }
    }
}

extension GapRecord.Reason {
    var exportName: StaticString {
        switch self {
        case .bufferFull: "buffer_full"
        case .diskFull: "disk_full"
        case .corruption: "corruption"
        case .deletedByPerson: "deleted_by_person"
        }
    }
}

extension GapRecord {
    /// The number of lost segments. (A range of all numbers would have one more than fits.)
    var segments: UInt64 {
        let distance = sequences.upperBound - sequences.lowerBound
        return distance == .max ? distance : distance + 1
    }
}

extension ScalarSample {
    /// The name of a coded value; its number where a later version sent it.
    static func name(of value: Int64, _ codes: [String]) -> String {
        codes.indices.contains(Int(clamping: value)) ? codes[Int(clamping: value)] : String(value)
    }
}

extension HeartRateSample {
    /// A value that says something about the heart: neither the zero of a strap that is not worn, nor what one without skin contact sends.
    var isReading: Bool { beatsPerMinute > 0 && contact != .notDetected }
}

extension StateEvent.Code {
    /// Appends the name of a known code, and `event_` with the number of another one.
    func appendName(to buffer: inout [UInt8]) {
        if let name = exportName { return buffer.append(name) }
        buffer.append("event_")
        buffer.append(number: rawValue)
    }

    private var exportName: StaticString? {
        switch self {
        case .sensorConnected: "sensor_connected"
        case .sensorLost: "sensor_lost"
        case .sensorBattery: "sensor_battery"
        case .bodyLocation: "body_location"
        case .fixAcquired: "fix_acquired"
        case .fixLost: "fix_lost"
        case .paused: "paused"
        case .resumed: "resumed"
        case .sensorCharging: "sensor_charging"
        case .inputSkipped: "input_skipped"
        case .sensorContact: "sensor_contact"
        case .sensorFrozen: "sensor_frozen"
        case .sensorAway: "sensor_away"
        case .boxPower: "box_power"
        case .boxBattery: "box_battery"
        case .kindsChosen: "kinds_chosen"
        case .ok: "ok"
        case .help: "help"
        case .falseAlarm: "false_alarm"
        case .reactivated: "reactivated"
        case .fall: "fall"
        case .seizure: "seizure"
        case .lap: "lap"
        default: nil
        }
    }
}
