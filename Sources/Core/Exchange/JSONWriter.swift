public import Vitals

/// One JSON document (RFC 8259): what it is, when it was made, the units, and a list for each kind, which may be empty.
///
///     {"format":"trackme-samples","version":1,"created":"2026-11-21T03:04:05.678Z","units":{"bpm":"beats per minute", …},
///     "heart_rate":[{"time":"…","source":"live","bpm":72,"contact":"detected","rr_ms":[833.0]}],
///     "position":[{"time":"…","source":"live","lat":45.4642035,"lon":9.1899820,"error_m":3.5,"fix":"3d","found_by":"gnss"}],
///     "event":[{"time":"…","source":"live","event":"sensor_lost","value":0}],
///     "gap":[{"time":"…","source":"live","reason":"buffer_full","segments":12}]}
///
/// Behind these lists stands one more where there is anything for it, with all other kinds in the order of time:
///
///     "scalar":[{"time":"…","source":"live","kind":"body_temperature","value":36.72,"unit":"Cel"},
///     {"time":"…","source":"live","kind":"sleep","value":"deep","end":"…"},
///     {"time":"…","source":"live","kind":"blood_pressure","value":128,"unit":"mm[Hg]","diastolic":84}]
///
/// It names nobody: who it is about, the reader knows who asked for it. `bpm` is null where the sensor sent 0; all else that is not known
/// is left out. `source` is `live`, `replay`, `import` or `drill`.
public struct JSONWriter: SampleWriter {
    public static let mediaType = "application/json"
    public static let fileExtension = "json"
    public static let passes: [[DataKind]] = [[.heartRate], [.position], [.event], [.gap], DataKind.scalars]

    private static let lists: [(kind: DataKind?, name: StaticString)] = [
        (.heartRate, "heart_rate"), (.position, "position"), (.event, "event"), (.gap, "gap"), (nil, "scalar"),
    ]
    /// Lists that are there also when they are empty.
    private static let listsAlways = 4
    private static let units: StaticString = """
        {"time":"ISO 8601, UTC","bpm":"beats per minute","energy_kj":"kJ since the sensor's last reset","rr_ms":"ms, oldest first",\
        "lat":"degrees, WGS 84","lon":"degrees, WGS 84","altitude_m":"m above mean sea level","speed_m_s":"m/s",\
        "course_deg":"degrees clockwise from true north","error_m":"m, estimated"}
        """

    private var samples = JSONSamples()
    private let created: Milliseconds
    /// The number of lists that were opened; the last of them is open.
    private var opened = 0
    private var isFirst = true

    /// - Parameter created: when the document is made, UTC.
    public init(created: Milliseconds) { self.created = created }

    public mutating func begin(_ buffer: inout [UInt8]) {
        var utc = UTCText()
        buffer.append("{\"format\":\"trackme-samples\",\"version\":1,\"created\":\"")
        utc.append(created, to: &buffer)
        buffer.append("\",\"units\":")
        buffer.append(Self.units)
    }

    public mutating func append(_ set: SampleSet, from provenance: Provenance, to buffer: inout [UInt8]) throws(ExportError) {
        let counts = [set.heartRates.count, set.positions.count, set.events.count, set.gaps.count]
        if let late = counts.prefix(max(opened - 1, 0)).firstIndex(where: { $0 > 0 }), let kind = Self.lists[late].kind {
            throw .listClosed(kind)
        }
        let source = provenance.exportName
        var rate = 0
        while rate < set.heartRates.count {
            item(0, &buffer)
            samples.append(set.heartRates[rate], kind: false, source, to: &buffer)
            rate += 1
            rate += samples.append(alike: set.heartRates, from: rate, source, to: &buffer)
        }
        for sample in set.positions {
            item(1, &buffer)
            samples.append(sample, kind: false, source, to: &buffer)
        }
        for event in set.events {
            item(2, &buffer)
            samples.append(event, kind: false, source, to: &buffer)
        }
        for gap in set.gaps {
            item(3, &buffer)
            samples.append(gap, kind: false, source, to: &buffer)
        }
        guard !set.scalars.isEmpty else { return }
        var merge = TimeMerge(SampleSet(scalars: set.scalars))
        while case .scalar(let sample)? = merge.next() {
            item(4, &buffer)
            samples.append(sample, source, to: &buffer)
        }
    }

    public mutating func end(_ buffer: inout [UInt8]) {
        open(Self.listsAlways - 1, &buffer)
        buffer.append("]}\n")
    }

    /// Opens the list, and puts a comma behind the last item.
    private mutating func item(_ list: Int, _ buffer: inout [UInt8]) {
        if opened <= list { open(list, &buffer) }
        if !isFirst { buffer.append(UInt8(ascii: ",")) }
        buffer.append(UInt8(ascii: "\n"))
        isFirst = false
    }

    private mutating func open(_ list: Int, _ buffer: inout [UInt8]) {
        while opened <= list {
            buffer.append(opened == 0 ? ",\n\"" : "],\n\"")
            buffer.append(Self.lists[opened].name)
            buffer.append("\":[")
            (opened, isFirst) = (opened + 1, true)
        }
    }
}

/// One JSON object on a line for each sample (newline-delimited JSON), in the order of time: the objects of ``JSONWriter``'s lists with
/// their `kind`. For whoever reads while it is still being sent.
public struct JSONLinesWriter: SampleWriter {
    public static let mediaType = "application/x-ndjson"
    public static let fileExtension = "ndjson"
    public static let passes: [[DataKind]] = [[.heartRate, .position, .event, .gap] + DataKind.scalars]

    private var samples = JSONSamples()

    public init() {}

    public mutating func begin(_ buffer: inout [UInt8]) {}

    public mutating func append(_ set: SampleSet, from provenance: Provenance, to buffer: inout [UInt8]) {
        let source = provenance.exportName
        var merge = TimeMerge(set)
        while let next = merge.next() {
            switch next {
            case .heartRate(let sample): samples.append(sample, kind: true, source, to: &buffer)
            case .position(let sample): samples.append(sample, kind: true, source, to: &buffer)
            case .event(let event): samples.append(event, kind: true, source, to: &buffer)
            case .gap(let gap): samples.append(gap, kind: true, source, to: &buffer)
            case .scalar(let sample): samples.append(sample, source, to: &buffer)
            }
            buffer.append(UInt8(ascii: "\n"))
        }
    }

    public mutating func end(_ buffer: inout [UInt8]) {}
}
