public import Vitals

/// The OsmAnd protocol, as OsmAnd, Traccar Client and many scripts speak it: parameters of a GET or POST, or (Traccar Client from version 9)
/// a JSON document.
///
/// `alarm=sos` is a call for help (``StateEvent/Code/help``), `alarm=fallDown` a fall that the phone noticed (``StateEvent/Code/fall``). Both
/// count even if the position or the time beside them cannot be used. A message without a position, or with `valid=false`, is normal: battery and alarm are taken from it.
public enum OsmAnd {
    /// More parameters than these are not looked at: programs send about twenty.
    public static let parametersMax = 100

    /// Reads decoded query or form parameters: `id` or `deviceid`, `timestamp` (seconds, milliseconds, ISO 8601 or `yyyy-MM-dd HH:mm:ss` in
    /// UTC; without one it is now), `lat` and `lon` or `location`, `speed` (knots), `bearing` or `heading`, `altitude`, `accuracy` (m),
    /// `batt`, `battery` or `batteryLevel` (percent), `charge`, `alarm`, `valid`. Of a parameter that is there twice the last counts. `hdop` is no error in metres and,
    /// like all others, is not kept.
    /// - Throws: the first refusal, when the request names no device or holds nothing that can be used.
    public static func read(parameters: [(String, String)], now: Milliseconds) throws(SenderRefusal) -> SenderReading {
        guard parameters.count <= parametersMax else { throw .malformed("The request has more than \(parametersMax) parameters") }
        let devices = Set(parameters.filter { ["id", "deviceid"].contains($0.0) }.map(\.1))
        guard devices.count == 1, let device = devices.first, !device.isEmpty else { throw .noDevice }
        var values: [String: SenderField] = [:]
        for (name, value) in parameters where !value.isEmpty { values[name] = .text(value) }
        if case .text(let location) = values["location"] {
            let parts = location.split(separator: ",", omittingEmptySubsequences: false)
            values["lat"] = parts.first.map { .text(String($0)) }
            values["lon"] = parts.count > 1 ? .text(String(parts[1])) : nil
        }

        var message = SenderMessage(now: now)
        if let time = values["timestamp"] { message.setTime(time) }
        if values["valid"]?.flag ?? true {
            if values["lat"] != nil || values["lon"] != nil { message.setPosition(values["lat"], values["lon"]) }
        } else {
            message.ignore()
        }
        message.setSpeed(values["speed"], unit: 185_200.0 / 3600)
        message.setCourse(values["bearing"] ?? values["heading"])
        message.setAltitude(values["altitude"])
        message.setAccuracy(values["accuracy"])
        message.setBattery(values["batt"] ?? values["battery"] ?? values["batteryLevel"])
        message.setCharging(values["charge"])
        message.setAlarm(values["alarm"])
        return try used(message.reading(device: device))
    }

    /// Reads the JSON body of Traccar Client: `device_id` and `location` with `timestamp`, `coords` (`latitude`, `longitude`, `accuracy`,
    /// `speed` in m/s, `heading`, `altitude`), `battery` (`level` 0 to 1, `is_charging`), and `alarm`, there or in `extras`. Negative
    /// accuracy, speed, heading and level mean that they are not known.
    /// - Parameters:
    ///   - bytesMax: how many bytes the hub takes.
    ///   - now: the hub's time, UTC.
    /// - Throws: the first refusal, when the request names no device or holds nothing that can be used.
    public static func read(json body: [UInt8], bytesMax: Int, now: Milliseconds) throws(SenderRefusal) -> SenderReading {
        guard body.count <= bytesMax else { throw .tooLarge(bytesMax) }
        let json = try StrictJSON(body)
        guard case .text(let device) = json["device_id"], !device.isEmpty else { throw .noDevice }
        guard case .object = json["location"], let location = json["location"] else { throw .malformed("The JSON has no location") }

        var message = SenderMessage(now: now)
        message.setTime(location["timestamp"]?.field)
        if let coordinates = location["coords"] {
            message.setPosition(coordinates["latitude"]?.field, coordinates["longitude"]?.field)
            message.setAccuracy(coordinates["accuracy"]?.field)
            message.setSpeed(coordinates["speed"]?.field, unit: 100)
            message.setCourse(coordinates["heading"]?.field)
            message.setAltitude(coordinates["altitude"]?.field)
        }
        message.setBattery(location["battery"]?["level"]?.field, unit: 100)
        message.setCharging(location["battery"]?["is_charging"]?.field)
        message.setAlarm((location["alarm"] ?? location["extras"]?["alarm"])?.field)
        return try used(message.reading(device: device))
    }

    private static func used(_ reading: SenderReading) throws(SenderRefusal) -> SenderReading {
        guard reading.samples.isEmpty, reading.ignored == 0 else { return reading }
        throw reading.refused.first ?? .noPosition
    }
}
