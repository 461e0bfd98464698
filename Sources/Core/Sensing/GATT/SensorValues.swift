public import Vitals

/// A characteristic that is read beside the heart rate, its battery level and its place.
public enum SensorCharacteristic: UInt8, Hashable, Sendable, CaseIterable {
    case temperature, running, cycling, batteryStatus, oximeter, oximeterSpotCheck, weightScale, bloodPressure

    /// The characteristic, its service, what is sold with it, and whether its values are indicated instead of notified.
    private var row: (type: ATT.UUID, service: ATT.UUID, device: String, isIndicated: Bool) {
        switch self {
        case .temperature: (.temperatureMeasurement, .healthThermometerService, "thermometer", true)
        case .running: (.runningMeasurement, .runningService, "running pod", false)
        case .cycling: (.cyclingMeasurement, .cyclingService, "cycling sensor", false)
        case .batteryStatus: (.batteryLevelStatus, .batteryService, "battery", false)
        case .oximeter: (ATT.UUID(0x2A5F), ATT.UUID(0x1822), "pulse oximeter", false)
        case .oximeterSpotCheck: (ATT.UUID(0x2A5E), ATT.UUID(0x1822), "pulse oximeter", true)
        case .weightScale: (ATT.UUID(0x2A9D), ATT.UUID(0x181D), "weight scale", true)
        case .bloodPressure: (ATT.UUID(0x2A35), ATT.UUID(0x1810), "blood pressure monitor", true)
        }
    }

    public var type: ATT.UUID { row.type }
    public var service: ATT.UUID { row.service }
    /// The device sold with it, for terminals.
    public var device: String { row.device }
    var isIndicated: Bool { row.isIndicated }

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
    case oximeterCutShort = "oxygen saturation: cut short"
    case oximeterTooLong = "oxygen saturation: bytes behind what the flags announce"
    case oximeterTime = "oxygen saturation: a time that no calendar has"
    case oximeterNoNumber = "oxygen saturation: no number (NaN, NRes, infinite or reserved)"
    case oximeterImpossible = "oxygen saturation: beyond 0 to 100 %"
    case oximeterUncertain = "oxygen saturation: invalid, questionable or without a good signal, as the oximeter says"
    case oximeterMadeUp = "oxygen saturation: for demonstration or testing, as the oximeter says"
    case oximeterStored = "oxygen saturation: kept by the oximeter, or not known to be new"
    case weightCutShort = "weight: cut short"
    case weightTooLong = "weight: bytes behind what the flags announce"
    case weightTime = "weight: a time that no calendar has"
    case weightNoNumber = "weight: the scale measured nothing"
    case weightOfAnother = "weight: of another user of the scale than the first"
    case weightStored = "weight: kept by the scale, or not known to be new"
    case pressureCutShort = "blood pressure: cut short"
    case pressureTooLong = "blood pressure: bytes behind what the flags announce"
    case pressureTime = "blood pressure: a time that no calendar has"
    case pressureNoNumber = "blood pressure: no number (NaN, NRes, infinite or reserved)"
    case pressureImpossible = "blood pressure: beyond 0 to 400 mmHg"
    case pressureSwapped = "blood pressure: diastolic above systolic"
    case pressureUncertain = "blood pressure: the body moved, or the cuff is loose or misplaced, as the monitor says"
    case pressureOfAnother = "blood pressure: of another user of the monitor than the first"
    case pressureStored = "blood pressure: kept by the monitor, or not known to be new"
    case batteryStatusCutShort = "battery status: cut short"
    case batteryStatusTooLong = "battery status: bytes behind what the flags announce"
    case batteryStatusLevel = "battery status: a level above 100"

    public var description: String { rawValue }

    /// The value is as it should be, and no reading of this person at this moment.
    public var isHarmless: Bool {
        switch self {
        case .temperatureElsewhere, .temperatureStored, .oximeterNoNumber, .oximeterUncertain, .oximeterMadeUp, .oximeterStored,
            .weightNoNumber, .weightOfAnother, .weightStored, .pressureNoNumber, .pressureUncertain, .pressureOfAnother, .pressureStored:
            true
        default: false
        }
    }
}

/// Turns the values of one sensor's ``SensorCharacteristic``s into events, live and replayed alike. It remembers what one value alone does not
/// tell: a crank's counters, and a thermometer's clock and place.
public struct SensorValues: Hashable, Sendable {
    /// Temperature Type (0x2A1D), where the sensor has it; what a measurement says by itself goes before.
    public var place: TemperaturePlace?
    private var crank = CrankCadence()
    private var clocks: [SensorCharacteristic: SensorClock] = [:]

    /// Scales and monitors that tell users apart count from 1; the others are not the person whose sensor this is.
    private static let firstUser: UInt8 = 1

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
            guard isNew(characteristic, measurement.stamp, at: time) else { throw .temperatureStored }
            return reading(.bodyTemperature, time, measurement.hundredths)
        case .running:
            return reading(.cadence, time, Int(try RunningMeasurement(bytes).cadence) * 10)
        case .cycling:
            guard let turns = try CyclingMeasurement(bytes).crank, let cadence = crank.take(turns, at: time) else { return nil }
            return reading(.cadence, time, cadence * 10)
        case .oximeter: return reading(.oxygenSaturation, time, try OximeterMeasurement(continuous: bytes).tenths)
        case .oximeterSpotCheck:
            let measurement = try OximeterMeasurement(spotCheck: bytes)
            guard isNew(characteristic, measurement.stamp, at: time) else { throw .oximeterStored }
            return reading(.oxygenSaturation, time, measurement.tenths)
        case .weightScale:
            let measurement = try WeightMeasurement(bytes)
            guard measurement.user ?? Self.firstUser == Self.firstUser else { throw .weightOfAnother }
            guard isNew(characteristic, measurement.stamp, at: time) else { throw .weightStored }
            return reading(.weight, time, measurement.hundredths)
        case .bloodPressure:
            let measurement = try BloodPressureMeasurement(bytes)
            guard measurement.user ?? Self.firstUser == Self.firstUser else { throw .pressureOfAnother }
            guard isNew(characteristic, measurement.stamp, at: time) else { throw .pressureStored }
            return reading(.bloodPressure, time, measurement.systolic, second: measurement.diastolic)
        case .batteryStatus: return .charging(try BatteryLevelStatus(bytes).isCharging, time: time)
        }
    }

    private mutating func isNew(_ characteristic: SensorCharacteristic, _ stamp: Milliseconds?, at time: Milliseconds) -> Bool {
        clocks[characteristic, default: SensorClock()].isNew(stamp: stamp, at: time)
    }

    private func reading(_ kind: DataKind, _ time: Milliseconds, _ value: Int, second: Int? = nil) -> HeartRateEvent? {
        ScalarSample(kind, time: time, value: Int64(value), second: second.map { Int64($0) }).map { .reading($0) }
    }

    /// The value that tells such a reading; nil where no sensor that is read here measures the kind.
    static func encoded(_ reading: ScalarSample) -> (characteristic: SensorCharacteristic, value: [UInt8])? {
        switch reading.kind {
        case .bodyTemperature: (.temperature, TemperatureMeasurement(hundredths: Int(reading.value)).encoded)
        // Also a crank's: its turns a minute are what was measured.
        case .cadence: (.running, RunningMeasurement.encoded(cadence: UInt8(clamping: reading.value / 10)))
        case .oxygenSaturation: (.oximeter, OximeterMeasurement(tenths: Int(reading.value)).encoded)
        case .weight: (.weightScale, WeightMeasurement(hundredths: Int(reading.value)).encoded)
        case .bloodPressure:
            (.bloodPressure, BloodPressureMeasurement(systolic: Int(reading.value), diastolic: Int(reading.second ?? 0)).encoded)
        default: nil
        }
    }
}
