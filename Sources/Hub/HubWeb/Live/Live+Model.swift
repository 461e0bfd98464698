import HubServices
import HubStore
import NIOCore
import Vitals

/// The JSON that the live page reads: `recent` and each event of the stream have the same shape.
///
/// Scalars are not on it: they come now and then, and have pages of their own.
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

    /// - Parameter kinds: all that the reader may see of it.
    init(_ update: LiveUpdate, kinds: Set<DataKind>) {
        utc = update.received
        provenance = update.provenance
        var samples = update.samples
        samples.keep(kinds)
        (heartRates, positions, events) = (samples.heartRates, samples.positions, samples.events)
    }

    var isEmpty: Bool { heartRates.isEmpty && positions.isEmpty && events.isEmpty }

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

/// What a live stream says (server-sent events).
enum LiveEvent {
    static let watching = ByteBuffer(string: "retry: 1000\n: watching\n\n")
    static let missed = ByteBuffer(string: "event: missed\ndata: {}\n\n")
    static let end = ByteBuffer(string: "event: end\ndata: {}\n\n")

    static func samples(_ model: LiveModel) -> ByteBuffer { ByteBuffer(string: "event: samples\ndata: \(model.json())\n\n") }

    /// A sign of life.
    static func beat(_ now: Milliseconds) -> ByteBuffer { ByteBuffer(string: ": \(now)\n\n") }
}

extension Provenance {
    /// As pages and programs write it.
    var name: String {
        switch self {
        case .live: "live"
        case .replay: "replay"
        case .import: "import"
        case .drill: "drill"
        case .manual: "manual"
        }
    }
}
