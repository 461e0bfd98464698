public import Vitals

/// What a Bluetooth sensor measures beside the heart rate.
public struct SensorReading: Hashable, Sendable {
    public enum Value: Hashable, Sendable {
        /// Hundredths of a degree Celsius.
        case bodyTemperature(Int)
        /// Steps or turns of the pedals a minute.
        case cadence(Int)
    }

    public var time: Milliseconds
    public var value: Value

    public init(time: Milliseconds, value: Value) { (self.time, self.value) = (time, value) }
}

/// A characteristic that is read beside the heart rate, its battery level and its place.
public enum SensorCharacteristic: UInt8, Hashable, Sendable, CaseIterable {
    case temperature, running, cycling, batteryStatus

    public var type: ATT.UUID {
        switch self {
        case .temperature: .temperatureMeasurement
        case .running: .runningMeasurement
        case .cycling: .cyclingMeasurement
        case .batteryStatus: .batteryLevelStatus
        }
    }

    public var service: ATT.UUID {
        switch self {
        case .temperature: .healthThermometerService
        case .running: .runningService
        case .cycling: .cyclingService
        case .batteryStatus: .batteryService
        }
    }

    /// It says something of the person, and not of the sensor alone.
    public var isMeasurement: Bool { self != .batteryStatus }

    /// nil for any other type.
    init?(_ type: ATT.UUID) {
        guard let found = Self.allCases.first(where: { $0.type == type }) else { return nil }
        self = found
    }
}

/// Why a value gives no reading.
public enum SensorValueProblem: String, Error, Sendable, CaseIterable, CustomStringConvertible {
    case temperatureCutShort = "temperature: cut short"
    case temperatureTooLong = "temperature: bytes behind what the flags announce"
    case temperatureTime = "temperature: a time that no calendar has"
    case temperatureNoNumber = "temperature: no number (NaN, NRes, infinite or reserved)"
    case temperatureImpossible = "temperature: beyond -100 to 200 degrees"
    case temperatureElsewhere = "temperature: of a finger or a toe, not of the body"
    case temperatureStored = "temperature: kept by the thermometer, or not known to be new"
    case runningCutShort = "running cadence: cut short"
    case runningTooLong = "running cadence: bytes behind what the flags announce"
    case cyclingCutShort = "cycling cadence: cut short"
    case cyclingTooLong = "cycling cadence: bytes behind what the flags announce"
    case batteryStatusCutShort = "battery status: cut short"
    case batteryStatusTooLong = "battery status: bytes behind what the flags announce"
    case batteryStatusLevel = "battery status: a level above 100"

    public var description: String { rawValue }

    /// The value is as it should be, and no reading of this person at this moment.
    public var isHarmless: Bool { self == .temperatureElsewhere || self == .temperatureStored }
}

/// Turns the values of one sensor's ``SensorCharacteristic``s into events, live and replayed alike. It remembers what one value alone does not
/// tell: a crank's counters, and a thermometer's clock and place.
public struct SensorValues: Hashable, Sendable {
    /// Temperature Type (0x2A1D), where the sensor has it; what a measurement says by itself goes before.
    public var place: TemperaturePlace?
    private var crank = CrankCadence()
    private var clock = ThermometerClock()

    public init() {}

    /// The event of a value; nil where it is right, and tells nothing by itself.
    /// - Parameters:
    ///   - bytes: the value as it was notified or read.
    ///   - characteristic: whose value it is.
    ///   - time: when it came, in milliseconds of any clock that does not jump.
    public mutating func take(
        _ bytes: [UInt8], of characteristic: SensorCharacteristic, at time: Milliseconds
    ) throws(SensorValueProblem) -> HeartRateEvent? {
        switch characteristic {
        case .temperature:
            let measurement = try TemperatureMeasurement(bytes)
            guard (measurement.place ?? place)?.tellsBodyTemperature ?? true else { throw .temperatureElsewhere }
            guard clock.isNew(stamp: measurement.stamp, at: time) else { throw .temperatureStored }
            return .reading(SensorReading(time: time, value: .bodyTemperature(measurement.hundredths)))
        case .running:
            return .reading(SensorReading(time: time, value: .cadence(Int(try RunningMeasurement(bytes).cadence))))
        case .cycling:
            guard let turns = try CyclingMeasurement(bytes).crank, let cadence = crank.take(turns, at: time) else { return nil }
            return .reading(SensorReading(time: time, value: .cadence(cadence)))
        case .batteryStatus: return .charging(try BatteryLevelStatus(bytes).isCharging, time: time)
        }
    }
}
