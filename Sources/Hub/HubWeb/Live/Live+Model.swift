import HubServices
import HubStore
import Hummingbird
import NIOCore
import Vitals

/// The JSON that the live page reads: `recent` and each event of the stream have the same shape.
///
/// Of scalars it has the newest of each kind. What a row means says ``LiveKind``, which the page has from the start.
struct LiveModel {
    var utc: Milliseconds
    var provenance: Provenance?
    var heartRates: [HeartRateSample]
    var positions: [PositionSample]
    var events: [StateEvent]
    var scalars: [NewestScalar]

    /// - Parameter scalars: those of `reading` reach back no further than the rest of it.
    init(_ reading: Reading, scalars: [NewestScalar], utc: Milliseconds) {
        self.utc = utc
        self.scalars = scalars.filter { $0.sample.kind.entry.uses.contains(.shown) }
        (provenance, heartRates, positions, events) = (reading.provenance, reading.heartRates, reading.positions, reading.events)
    }

    /// - Parameter kinds: all that the reader may see of it.
    init(_ update: LiveUpdate, kinds: Set<DataKind>) {
        utc = update.received
        provenance = update.provenance
        var samples = update.samples
        samples.keep(kinds)
        (heartRates, positions, events) = (samples.heartRates, samples.positions, samples.events)
        scalars = samples.scalars.byKind.filter { $0.kind.entry.uses.contains(.shown) }.compactMap { _, samples in
            samples.max { $0.time < $1.time }.map { NewestScalar(sample: $0, provenance: update.provenance) }
        }
    }

    var isEmpty: Bool { heartRates.isEmpty && positions.isEmpty && events.isEmpty && scalars.isEmpty }

    /// `{"utc":…,"provenance":…,"hr":[[t,bpm,contact]],"pos":[[t,lat,lon,alt,speed,course,error,source]],"events":[[t,code,value]]}`, with
    /// `"last"` where `received` is given. Times are UTC milliseconds, units degrees, metres, metres a second; source as in ``PositionSource``.
    /// Scalars are `[t,kind,value,second,end,typed]`: numbers as in the table of kinds, `typed` 1 for what was entered by hand. What was typed has
    /// no provenance here: what a sensor sends stays on the page beside it.
    func json(received: Milliseconds?? = .none, _ form: LiveForm = LiveForm()) -> String {
        let provenance = provenance == .manual ? nil : provenance
        func asked<Sample: TimedSample>(_ samples: [Sample]) -> [Sample] {
            form.since.map { since in samples.filter { $0.time > since } } ?? samples
        }
        let (hearts, places) = (asked(heartRates), asked(positions))
        var text = "{\"utc\":\(utc),\"provenance\":\(provenance.map { "\"\($0.name)\"" } ?? "null")"
        text += ",\"hr\":[" + (form.isColumns ? Self.columns(hearts) : hearts.map(Self.json).joined(separator: ",")) + "]"
        text += ",\"pos\":[" + (form.isColumns ? Self.columns(places) : places.map(Self.json).joined(separator: ",")) + "]"
        text += ",\"events\":[" + asked(events).map { "[\($0.time),\($0.code.rawValue),\($0.value)]" }.joined(separator: ",") + "]"
        text += ",\"scalars\":[" + scalars.map(Self.json).joined(separator: ",") + "]"
        if let received {
            text += ",\"last\":{\"hr\":\(heartRates.last.map(Self.json) ?? "null"),\"pos\":\(positions.last.map(Self.json) ?? "null")"
            text += ",\"received\":\(received.map(String.init) ?? "null")}"
        }
        return text + "}"
    }

    private static func json(_ newest: NewestScalar) -> String {
        func optional(_ value: Int64?) -> String { value.map(String.init) ?? "null" }
        let sample = newest.sample
        return "[\(sample.time),\(sample.kind.rawValue),\(sample.value),\(optional(sample.second)),\(optional(sample.end)),"
            + "\(newest.provenance == .manual ? 1 : 0)]"
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

/// How a page asks for what there is: `recent?form=columns&since=MILLISECONDS`. Programs get rows.
struct LiveForm {
    /// Two hours of rows are 600 KB, as columns 170.
    var isColumns = false
    /// Only what was measured later, UTC milliseconds: whoever has the rest asks whether there is news.
    var since: Milliseconds?

    init() {}

    init(_ request: Request) {
        isColumns = request.uri.queryParameters["form"] == "columns"
        since = request.uri.queryParameters["since"].flatMap { Milliseconds($0) }
    }
}

/// Rows as columns of whole numbers, behind how many rows there are: `count,[…],[…]`. A value is written as the difference from the one
/// before it in its column, a time as the difference from the step before; zeros at the end are left out, as is what no row has (`null`).
/// `feed.js` makes rows of them again.
extension LiveModel {
    fileprivate static func columns(_ samples: [HeartRateSample]) -> String {
        guard !samples.isEmpty else { return "" }
        return [
            "\(samples.count)", times(samples.map(\.time)), column(samples.map { Int64($0.beatsPerMinute) }),
            column(samples.map { Int64($0.contact.rawValue) }),
        ].joined(separator: ",")
    }

    fileprivate static func columns(_ samples: [PositionSample]) -> String {
        guard !samples.isEmpty else { return "" }
        return [
            "\(samples.count)", times(samples.map(\.time)), column(samples.map { Int64($0.latitude) }),
            column(samples.map { Int64($0.longitude) }), column(samples.map { $0.altitude.map(Int64.init) }),
            column(samples.map { $0.speed.map(Int64.init) }), column(samples.map { $0.course.map(Int64.init) }),
            column(samples.map { $0.horizontalError.map(Int64.init) }), column(samples.map { Int64($0.source.rawValue) }),
        ].joined(separator: ",")
    }

    private static func times(_ times: [Milliseconds]) -> String {
        var before = Milliseconds(0), step = Milliseconds(0), written: [Int64] = []
        for (index, time) in times.enumerated() {
            let difference = time - before
            written.append(difference - step)
            (before, step) = (time, index == 0 ? 0 : difference)
        }
        return list(written)
    }

    private static func column(_ values: [Int64?]) -> String {
        guard values.contains(where: { $0 != nil }) else { return "null" }
        var before: Int64 = 0
        return list(
            values.map { value in
                guard let value else { return nil }
                defer { before = value }
                return value - before
            })
    }

    private static func list(_ values: [Int64?]) -> String {
        let last = values.lastIndex { $0 != 0 } ?? -1
        return "[" + values[...last].map { $0.map(String.init) ?? "null" }.joined(separator: ",") + "]"
    }
}

/// The reader's units, as the scripts of maps and live pages need them: metres of one unit of distance and of height, and what that of
/// distance is called.
struct LiveUnits: Encodable {
    let length: Double, height: Double
    let name: String

    init(_ measures: Measures) {
        (length, height, name) = (measures.length, measures.hasMiles ? 0.3048 : 1, measures.lengthUnit)
    }
}

extension Measures {
    /// As people write them beside a distance, a pace, a speed and a height.
    var lengthUnit: String { hasMiles ? "mi" : "km" }
    var paceUnit: String { "min/\(lengthUnit)" }
    var speedUnit: String { hasMiles ? "mph" : "km/h" }
    var heightUnit: String { hasMiles ? "ft" : "m" }
}

/// What a live page has to know to show a scalar kind, all from the kind's row.
struct LiveKind: Encodable {
    let kind: UInt8
    let name: String, unit: String
    let decimals: Int
    /// Of the reader's own unit, nil where it is that of the row: a value is `value * factor + zero`, with so many digits behind the point.
    var factor: Double?, zero: Double?, shown: Int?
    /// Names of the values, where they are codes.
    let codes: [String], secondCodes: [String]

    init(_ kind: DataKind, _ texts: Texts) {
        let row = kind.entry
        self.kind = kind.rawValue
        let own = texts.measures.unit(of: kind)
        (name, decimals) = (texts["field.kind\(kind.rawValue)"], row.decimals)
        unit = own?.name ?? (row.unit.isEmpty ? "" : texts.unit(row.unit))
        (factor, zero, shown) = (own?.factor, own?.zero, own?.decimals)
        codes = row.codes.map { texts.code(kind, $0) }
        secondCodes = (row.second?.codes ?? []).map { texts.code(kind, $0) }
    }

    /// Of those kinds that pages show.
    static func all(_ kinds: Set<DataKind>, _ texts: Texts) -> [LiveKind] {
        DataKind.scalars.filter { kinds.contains($0) && $0.entry.uses.contains(.shown) }.map { LiveKind($0, texts) }
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
