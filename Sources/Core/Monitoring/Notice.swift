/// A notice to the wearer, shown until it is over. The words stand in the language files, under the raw value.
public enum Notice: String, Hashable, Sendable, Codable, CaseIterable {
    /// No sensor was chosen for this person.
    case noSensor = "no-sensor"
    case sensorLost = "sensor-lost"
    case sensorNotWorn = "sensor-not-worn"
    case sensorFrozen = "sensor-frozen"
    case sensorCharging = "sensor-charging"
    case sensorAway = "sensor-away"
    /// 20 % and less.
    case sensorBatteryLow = "sensor-battery-low"
    /// 10 % and less.
    case sensorBatteryVeryLow = "sensor-battery-very-low"
    case boxBatteryLow = "box-battery-low"
    case boxBatteryVeryLow = "box-battery-very-low"
    /// The box was on the mains, and runs on its battery now.
    case mainsLost = "mains-lost"
    case positionLost = "position-lost"
    case hubUnreachable = "hub-unreachable"
    /// Somebody has to act before anything is sent again.
    case hubRefuses = "hub-refuses"
    /// It takes what the box sends, but not of this person: it does not know that the box sends for them.
    case hubUnbound = "hub-unbound"
    case bufferFailing = "buffer-failing"
    case paused = "paused"

    /// It is about the box and not about one person: where a box looks after several, it is said once.
    public var isOfBox: Bool {
        switch self {
        case .boxBatteryLow, .boxBatteryVeryLow, .mainsLost, .positionLost, .hubUnreachable, .hubRefuses, .bufferFailing: true
        case .noSensor, .sensorLost, .sensorNotWorn, .sensorFrozen, .sensorCharging, .sensorAway, .sensorBatteryLow, .sensorBatteryVeryLow,
            .hubUnbound, .paused:
            false
        }
    }
}
