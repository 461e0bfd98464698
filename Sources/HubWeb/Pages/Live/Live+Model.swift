import HubServices
import HubStore
import Vitals

/// The JSON that the live page reads: `recent` and each event of the stream have the same shape.
struct LiveModel {
    var utc: Milliseconds
    var provenance: Provenance?
    var heartRates: [HeartRateSample]
    var positions: [PositionSample]
    var events: [StateEvent]

    init(_ reading: Reading, utc: Milliseconds) {
        self.utc = utc
        (provenance, heartRates, positions, events) = (reading.provenance, reading.heartRates, reading.positions, reading.events)
    }

    init(_ update: LiveUpdate) {
        utc = update.received
        provenance = update.provenance
        (heartRates, positions, events) = (update.samples.heartRates, update.samples.positions, update.samples.events)
    }

    /// `{"utc":…,"provenance":…,"hr":[[t,bpm,contact]],"pos":[[t,lat,lon,alt,speed,course,error,source]],"events":[[t,code,value]]}`, with
    /// `"last"` where `received` is given. Times are UTC milliseconds, units degrees, metres, metres a second; source as in ``PositionSource``.
    func json(received: Milliseconds?? = .none) -> String {
        var text = "{\"utc\":\(utc),\"provenance\":\(provenance.map { "\"\($0.name)\"" } ?? "null")"
        text += ",\"hr\":[" + heartRates.map(Self.json).joined(separator: ",") + "]"
        text += ",\"pos\":[" + positions.map(Self.json).joined(separator: ",") + "]"
        text += ",\"events\":[" + events.map { "[\($0.time),\($0.code.rawValue),\($0.value)]" }.joined(separator: ",") + "]"
        if let received {
            text += ",\"last\":{\"hr\":\(heartRates.last.map(Self.json) ?? "null"),\"pos\":\(positions.last.map(Self.json) ?? "null")"
            text += ",\"received\":\(received.map(String.init) ?? "null")}"
        }
        return text + "}"
    }

    private static func json(_ sample: HeartRateSample) -> String {
        "[\(sample.time),\(sample.beatsPerMinute),\(sample.contact.rawValue)]"
    }

    private static func json(_ sample: PositionSample) -> String {
        func scaled(_ value: Int32?, _ unit: Double) -> String { value.map { "\(Double($0) / unit)" } ?? "null" }
        return "[\(sample.time),\(sample.latitudeDegrees),\(sample.longitudeDegrees),\(scaled(sample.altitude, 10)),"
            + "\(scaled(sample.speed, 100)),\(scaled(sample.course, 100)),\(scaled(sample.horizontalError, 10)),\(sample.source.rawValue)]"
    }
}

extension Provenance {
    /// As pages and programs write it.
    var name: String {
        switch self {
        case .live: "live"
        case .replay: "replay"
        case .import: "import"
        case .drill: "drill"
        }
    }
}
