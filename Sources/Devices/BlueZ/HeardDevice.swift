import Sensing

/// A Bluetooth device that a scan heard, from its advertising or from bluetoothd.
struct HeardDevice: Equatable {
    enum Verdict: Equatable {
        case sensor
        /// It measures something else of a person.
        case besides
        /// It looks like what a person would wear for the heart rate, and cannot be used.
        case unsupported(SourceProblem)
        case other
    }

    var address: SensorAddress
    var name: String?
    /// In dBm; nil when it was not heard in this scan.
    var rssi: Int?
    var hasHeartRate = false
    /// Of ``SensorCharacteristic/isMeasurement``, as it announces their services.
    var measures: Set<SensorCharacteristic> = []
    /// Appearance (0x2A01; Assigned Numbers, 2.6).
    var appearance: UInt16?
    /// It announces no low energy at all.
    var isClassic = false
    var batteryPercent: Int?

    var verdict: Verdict {
        if isClassic { return looksLikeSensor ? .unsupported(classicProblem) : .other }
        if hasHeartRate { return .sensor }
        if !measures.isEmpty { return .besides }
        return looksLikeSensor ? .unsupported(silentProblem) : .other
    }

    var found: FoundSensor? {
        var problem: SourceProblem?
        switch verdict {
        case .sensor, .besides: break
        case .unsupported(let reason): problem = reason
        case .other: return nil
        }
        return FoundSensor(
            address: address, name: name, rssi: rssi, batteryPercent: batteryPercent, unsupported: problem,
            besides: verdict == .besides ? measures.sorted { $0.rawValue < $1.rawValue } : [])
    }

    /// Makers and models of straps and watches, in lower case.
    private static let words = [
        "heart", "hrm", "polar", "tickr", "garmin", "forerunner", "fenix", "venu", "suunto", "coros", "coospo", "magene", "wahoo",
        "scosche", "rhythm", "fitbit", "watch", "band", "geonaute", "kalenji", "amazfit", "whoop", "moofit", "igpsport",
    ]

    private var looksLikeSensor: Bool {
        // Categories 13, heart-rate sensor, and 3, watch.
        if let category = appearance.map({ $0 >> 6 }), category == 0x0D || category == 0x03 { return true }
        guard let name = name?.lowercased() else { return false }
        return Self.words.contains { name.contains($0) } || name.hasPrefix("hr") || name.hasPrefix("h10 ")
    }

    /// A name is shown to people and in terminals, and anybody in range gives it: no control characters. nil when nothing is left.
    static func printable(_ name: String) -> String? {
        let text = name.unicodeScalars.filter { $0.properties.generalCategory != .control }
        return text.isEmpty ? nil : String(String.UnicodeScalarView(text))
    }

    private var title: String { name.map { "\($0) (\(address))" } ?? "\(address)" }

    private var classicProblem: SourceProblem {
        SourceProblem(
            what: "\(title) speaks only classic Bluetooth",
            advice: "A sensor with Bluetooth Low Energy (4.0 or newer) and the heart-rate profile is needed", retries: false)
    }

    private var silentProblem: SourceProblem {
        SourceProblem(
            what: "\(title) does not announce the standard heart-rate service (0x180D)",
            advice: "On a watch, switch on the broadcast of its heart rate; a strap that speaks only ANT+ or its maker's own language "
                + "cannot be used", retries: false)
    }
}

/// The advertisement of a device (Core Specification Supplement, Part A, 1).
struct AdvertisingData: Equatable {
    var name: String?
    var hasHeartRate = false
    var measures: Set<SensorCharacteristic> = []
    var appearance: UInt16?

    /// Damaged parts are left out: anybody within range can send anything.
    init(_ bytes: some Collection<UInt8>) {
        var rest = Array(bytes)[...]
        while let length = rest.first.map(Int.init), length > 0, rest.count > length {
            take(type: rest[rest.startIndex + 1], Array(rest.dropFirst(2).prefix(length - 1)))
            rest = rest.dropFirst(length + 1)
        }
    }

    private mutating func take(type: UInt8, _ value: [UInt8]) {
        switch type {
        // Service UUIDs of 16 bits, some or all.
        case 0x02, 0x03:
            for index in stride(from: 0, to: value.count - 1, by: 2) {
                let service = ATT.UUID(UInt16(value[index]) | UInt16(value[index + 1]) << 8)
                if service == .heartRateService { hasHeartRate = true }
                for characteristic in SensorCharacteristic.allCases where characteristic.isMeasurement && characteristic.service == service
                {
                    measures.insert(characteristic)
                }
            }
        // The short name does not replace the whole one.
        case 0x08 where name == nil, 0x09: name = HeardDevice.printable(String(decoding: value, as: UTF8.self))
        case 0x19 where value.count == 2: appearance = UInt16(value[0]) | UInt16(value[1]) << 8
        default: break
        }
    }
}
