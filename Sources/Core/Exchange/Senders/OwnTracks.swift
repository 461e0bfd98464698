public import Vitals

/// OwnTracks' message in its HTTP mode: one JSON message, or a list of them (booklet, tech/json).
///
/// Of a `location` are used `lat`, `lon`, `tst`, `acc`, `alt`, `vel` (km/h), `cog`, `batt` and `bs`; `vac`, `tid` and the names of networks
/// and regions are not kept. Other messages are ignored and counted. OwnTracks takes any answer for a receipt and does not send again.
public enum OwnTracks {
    /// More messages than these in one request are refused: OwnTracks sends one.
    public static let messagesMax = 1000

    /// Reads the body of a request. An empty one is normal, and holds nothing.
    /// - Parameters:
    ///   - bytesMax: how many bytes the hub takes.
    ///   - now: the hub's time, UTC: nothing is newer than that and a day.
    /// - Throws: the first refusal, when the request holds nothing that can be used.
    public static func read(_ body: [UInt8], bytesMax: Int, now: Milliseconds) throws(SenderRefusal) -> SenderReading {
        guard body.count <= bytesMax else { throw .tooLarge(bytesMax) }
        var reading = SenderReading()
        guard !body.allSatisfy({ " \t\r\n".utf8.contains($0) }) else { return reading }
        let json = try StrictJSON(body)
        let messages = if case .array(let list) = json { list } else { [json] }
        guard messages.count <= messagesMax else { throw .malformed("The request has more than \(messagesMax) messages") }
        for message in messages { reading.add(read(message, now: now)) }
        if reading.samples.isEmpty, reading.ignored == 0, let first = reading.refused.first { throw first }
        return reading
    }

    private static func read(_ json: StrictJSON, now: Milliseconds) -> SenderReading {
        var message = SenderMessage(now: now)
        guard case .text(let type) = json["_type"] else {
            message.refuse(.malformed("A message has no _type"))
            return message.reading()
        }
        switch type {
        case "location":
            message.setTime(json["tst"]?.field)
            message.setPosition(json["lat"]?.field, json["lon"]?.field)
            message.setAccuracy(json["acc"]?.field)
            message.setAltitude(json["alt"]?.field)
            message.setSpeed(json["vel"]?.field, unit: 100 / 3.6)
            message.setCourse(json["cog"]?.field)
            message.setBattery(json["batt"]?.field)
            // 1 unplugged, 2 charging, 3 full; 0 is not known.
            if let status = json["bs"]?.field?.number, (1...3).contains(status) { message.setCharging(.flag(status > 1)) }
        case "encrypted": message.refuse(.encrypted)
        default: message.ignore()
        }
        return message.reading()
    }
}
